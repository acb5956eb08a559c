import { createPublicKey, type KeyObject, verify } from 'node:crypto';

/** DER prefix of an Ed25519 key in SubjectPublicKeyInfo (RFC 8410). */
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');
const KEY_BYTES = 32;

/** Returns the 32 bytes of a public key in PEM or base64; null for anything else, including a private key. */
export function readPublicKey(given: string): Buffer | null {
  if (given.includes('PRIVATE')) return null;
  if (!given.includes('-----BEGIN')) {
    const bytes = Buffer.from(given, 'base64');
    return bytes.length === KEY_BYTES && bytes.toString('base64') === given ? bytes : null;
  }
  try {
    const key = createPublicKey(given);
    return key.asymmetricKeyType === 'ed25519'
      ? key.export({ type: 'spki', format: 'der' }).subarray(SPKI_PREFIX.length)
      : null;
  } catch {
    return null;
  }
}

export function isSignedBy(publicKey: Buffer, statement: string, signature: string): boolean {
  const key: KeyObject = createPublicKey({
    key: Buffer.concat([SPKI_PREFIX, publicKey]),
    format: 'der',
    type: 'spki',
  });
  return verify(null, Buffer.from(statement), key, Buffer.from(signature, 'base64'));
}
