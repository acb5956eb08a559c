import { sm2 } from 'sm-crypto-v2';

/** Mode C1C3C2 of SM2, the order of GB/T 32918.4-2016. */
const C1C3C2 = 1;

/**
 * Encrypts a password for the request (decision 12): SM2 over `<nonce>\n<password>`, as hex with the leading
 * `04`.
 */
export function encryptPassword(publicKey: string, nonce: string, password: string): string {
  return `04${sm2.doEncrypt(`${nonce}\n${password}`, publicKey, C1C3C2)}`;
}

/** Returns nonce and password of an encrypted password; null if it was not encrypted for this key. */
export function decryptPassword(
  privateKey: string,
  cipher: string,
): { nonce: string; password: string } | null {
  let plain: string;
  try {
    plain = sm2.doDecrypt(cipher.slice(2), privateKey, C1C3C2, { output: 'string' });
  } catch {
    return null;
  }
  const end = plain.indexOf('\n');
  return end === -1 ? null : { nonce: plain.slice(0, end), password: plain.slice(end + 1) };
}

export function generateKeyPair(): { publicKey: string; privateKey: string } {
  return sm2.generateKeyPairHex();
}
