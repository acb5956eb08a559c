import { createPrivateKey, createPublicKey, type KeyObject, X509Certificate } from 'node:crypto';

/**
 * Reads an RSA private key: PKCS #8 or PKCS #1, as PEM or as its base64 without header and line breaks, as merchant
 * tools export it. Returns null if it is none.
 */
export function readPrivateKey(text: string): KeyObject | null {
  const der = bytesOf(text);
  for (const type of ['pkcs8', 'pkcs1'] as const) {
    const key = attempt(() => createPrivateKey({ key: der, format: 'der', type }));
    if (key?.asymmetricKeyType === 'rsa') return key;
  }
  return null;
}

/** Reads an RSA public key, or that of a certificate, as PEM or base64. Returns null if it is none. */
export function readPublicKey(text: string): KeyObject | null {
  const der = bytesOf(text);
  const key =
    attempt(() => createPublicKey({ key: der, format: 'der', type: 'spki' })) ??
    attempt(() => new X509Certificate(der).publicKey);
  return key?.asymmetricKeyType === 'rsa' ? key : null;
}

/** The bytes of a PEM text or of plain base64. */
const bytesOf = (text: string) =>
  Buffer.from(text.replaceAll(/-----[^-]*-----/g, '').replaceAll(/\s/g, ''), 'base64');

function attempt<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}
