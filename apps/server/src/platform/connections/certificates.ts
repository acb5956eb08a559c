import { readFile, stat } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import type { Logger } from '../log.ts';

const LOOK_EVERY_MS = 5_000;

/** A certificate and its key in PEM, as expected by `tls`. */
export interface Certificate {
  cert: Buffer;
  key: Buffer;
}

/** The certificate of the listeners, reloaded when its files change. */
export interface Certificates {
  current(): Certificate;
  /**
   * Adds a listener that is called with each new certificate. Existing connections keep their certificate.
   */
  onRenewed(listener: (certificate: Certificate) => void): void;
  stop(): void;
}

export interface CertificateFiles {
  cert: string;
  key: string;
}

/**
 * Loads the certificate. Throws if the files cannot be read or do not match; later, such files are logged
 * and the previous certificate stays in use.
 */
export async function loadCertificates(
  files: CertificateFiles,
  log: Logger,
  lookEveryMs = LOOK_EVERY_MS,
): Promise<Certificates> {
  const listeners: ((certificate: Certificate) => void)[] = [];
  // The stamp is taken before the files are read, so that a renewal in between is noticed at the next check.
  let stamp = await stampOf(files);
  let certificate = await read(files);
  // Modification stamp of files that could not be used. They are read again at each check until that
  // succeeds, but the error is logged only once.
  let unusable = '';

  async function look(): Promise<void> {
    const next = await stampOf(files);
    if (next === stamp) return;
    const renewed = await read(files).catch((error: Error) => {
      if (next !== unusable) log.error({ error: error.message }, 'the old certificate is kept');
      unusable = next;
      return null;
    });
    if (!renewed) return;
    stamp = next;
    if (renewed.cert.equals(certificate.cert) && renewed.key.equals(certificate.key)) return;
    certificate = renewed;
    for (const listener of listeners) listener(renewed);
    log.info('certificate renewed');
  }
  // Files are polled, because file system notifications miss renamed and relinked files, which is how
  // certificates are renewed.
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
