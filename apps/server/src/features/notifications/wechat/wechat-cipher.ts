import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

const KEY_BYTES = 32;
const IV_BYTES = 16;
const RANDOM_BYTES = 16;
const LENGTH_BYTES = 4;
/** Block size of the padding, which is larger than that of AES. */
const PADDED_TO = 32;

/** Signature of a callback: the SHA-1 of the sorted parts. */
export const wechatSignature = (...parts: readonly string[]): string =>
  createHash('sha1')
    .update([...parts].sort().join(''))
    .digest('hex');

/** Reads the key of the secure mode (`EncodingAESKey`, 43 characters of base64); null if it is none. */
export function readAesKey(text: string): Buffer | null {
  if (!/^[A-Za-z0-9+/]{43}$/.test(text)) return null;
  const key = Buffer.from(`${text}=`, 'base64');
  return key.length === KEY_BYTES ? key : null;
}

/** Decrypts a message of the secure mode for an official account; null if it is not one. */
export function decryptWechat(key: Buffer, appId: string, encrypted: string): string | null {
  const decipher = createDecipheriv('aes-256-cbc', key, key.subarray(0, IV_BYTES));
  decipher.setAutoPadding(false);
  let plain: Buffer;
  try {
    plain = Buffer.concat([decipher.update(Buffer.from(encrypted, 'base64')), decipher.final()]);
  } catch {
    return null;
  }
  const padding = plain.at(-1) ?? 0;
  const begin = RANDOM_BYTES + LENGTH_BYTES;
  if (padding < 1 || padding > PADDED_TO || plain.length < begin + padding) return null;
  const end = begin + plain.readUInt32BE(RANDOM_BYTES);
  if (end > plain.length - padding) return null;
  // The id of the account is part of the message, so that one for another account is not taken.
  if (plain.subarray(end, plain.length - padding).toString('utf8') !== appId) return null;
  return plain.subarray(begin, end).toString('utf8');
}

/** Encrypts a message as WeChat does in the secure mode. */
export function encryptWechat(key: Buffer, appId: string, text: string): string {
  const message = Buffer.from(text);
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(message.length);
  const whole = Buffer.concat([randomBytes(RANDOM_BYTES), length, message, Buffer.from(appId)]);
  const padding = PADDED_TO - (whole.length % PADDED_TO);
  const cipher = createCipheriv('aes-256-cbc', key, key.subarray(0, IV_BYTES));
  cipher.setAutoPadding(false);
  const padded = Buffer.concat([whole, Buffer.alloc(padding, padding)]);
  return Buffer.concat([cipher.update(padded), cipher.final()]).toString('base64');
}
