import { getPublicKey } from '@isotherm/contracts/identity';
import { call } from '../api/client.ts';

export interface EncryptedPasswords {
  ciphers: string[];
  /** The one-time nonce, which is sent as `serviceloginkey`. */
  nonce: string;
}

/**
 * Encrypts passwords with the server's SM2 key. The ciphertext contains the server's one-time nonce, so that
 * a recorded login cannot be replayed (decision 12). The cryptography is loaded at the first login.
 */
export async function encryptPasswords(...passwords: string[]): Promise<EncryptedPasswords> {
  const [{ encryptPassword }, { publicKey, nonce }] = await Promise.all([
    import('@isotherm/contracts/password-cipher'),
    call(getPublicKey, { quiet: true }),
  ]);
  const ciphers = passwords.map((password) => encryptPassword(publicKey, nonce, password));
  return { ciphers, nonce };
}
