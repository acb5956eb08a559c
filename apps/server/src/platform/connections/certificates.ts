import { readFile, stat } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import type { Logger } from '../log.ts';

const LOOK_EVERY_MS = 5_000;

/** PEM, as `tls` takes it. */
export interface Certificate {
  cert: Buffer;
  key: Buffer;
}

/** The certificate that listeners show, read again when its files change. */
export interface Certificates {
  current(): Certificate;
  /** Told of each new one. Connections that stand go on with the one that they began with. */
  onRenewed(listener: (certificate: Certificate) => void): void;
  stop(): void;
}

export interface CertificateFiles {
  cert: string;
  key: string;
}

/** Throws where the files cannot be read or do not belong together; later, such files are logged and the old ones go on. */
export async function loadCertificates(
  files: CertificateFiles,
  log: Logger,
  lookEveryMs = LOOK_EVERY_MS,
): Promise<Certificates> {
  const listeners: ((certificate: Certificate) => void)[] = [];
  let certificate = await read(files);
  let stamp = await stampOf(files);

  async function look(): Promise<void> {
    const next = await stampOf(files);
    if (next === stamp) return;
    stamp = next;
    const renewed = await read(files);
    if (renewed.cert.equals(certificate.cert) && renewed.key.equals(certificate.key)) return;
    certificate = renewed;
    for (const listener of listeners) listener(renewed);
    log.info('certificate renewed');
  }
  // By looking, since notifications of a file system miss what is renamed or linked anew, which is how certificates are renewed.
  const timer = setInterval(() => {
    look().catch((error: Error) => log.error({ error: error.message }, 'the old certificate is kept'));
  }, lookEveryMs);
  timer.unref();

  return {
    current: () => certificate,
    onRenewed: (listener) => void listeners.push(listener),
    stop: () => clearInterval(timer),
  };
}

async function read(files: CertificateFiles): Promise<Certificate> {
  const [cert, key] = await Promise.all([readFile(files.cert), readFile(files.key)]);
  try {
    createSecureContext({ cert, key });
  } catch (cause) {
    throw new Error(
      `ISOTHERM_TLS_CERT, ISOTHERM_TLS_KEY: a certificate and its key in PEM are needed (${(cause as Error).message})`,
      { cause },
    );
  }
  return { cert, key };
}

async function stampOf(files: CertificateFiles): Promise<string> {
  const stats = await Promise.all([stat(files.cert), stat(files.key)]);
  return stats.map(({ mtimeMs, ino, size }) => `${mtimeMs} ${ino} ${size}`).join(' ');
}
