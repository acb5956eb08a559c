import { createHmac, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { firmwareStatement } from '@isotherm/contracts/firmware';

/** DER prefix of an Ed25519 private key in PKCS #8 (RFC 8410). */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');
const KEY_BYTES = 32;

type Statement = Parameters<typeof firmwareStatement>[0];

/** The key that signs firmware for the demo's loggers, which have the public key. */
export interface FirmwareKey {
  /** Public key: 32 bytes in base64. */
  publicKey: string;
  /** Signs a statement; the signature is in base64. */
  sign(statement: Statement): string;
  isSigned(statement: Statement, signature: string): boolean;
}

export function firmwareKey(fleetSecret: string): FirmwareKey {
  const seed = createHmac('sha256', fleetSecret).update('firmware').digest();
  const privateKey = createPrivateKey({
    key: Buffer.concat([PKCS8_PREFIX, seed]),
    format: 'der',
    type: 'pkcs8',
  });
  const publicKey: KeyObject = createPublicKey(privateKey);
  const bytesOf = (statement: Statement) => Buffer.from(firmwareStatement(statement));
  return {
    publicKey: publicKey.export({ type: 'spki', format: 'der' }).subarray(-KEY_BYTES).toString('base64'),
    sign: (statement) => sign(null, bytesOf(statement), privateKey).toString('base64'),
    isSigned: (statement, signature) =>
      verify(null, bytesOf(statement), publicKey, Buffer.from(signature, 'base64')),
  };
}
