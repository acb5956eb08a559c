import { getPublicKey } from '@isotherm/contracts/identity';
import { call } from '../../shared/api/client.ts';

export interface EncryptedPasswords {
  ciphers: string[];
  /** Sent as `serviceloginkey`. */
  nonce: string;
}

/**
 * Encrypts passwords under the server's SM2 key with its one-time nonce inside, so that a recorded login
 * cannot be replayed (decision 12). The cryptography is loaded at the first login.
 */
export async function encryptPasswords(...passwords: string[]): Promise<EncryptedPasswords> {
  const [{ encryptPassword }, { publicKey, nonce }] = await Promise.all([
    import('@isotherm/contracts/password-cipher'),
    call(getPublicKey, { quiet: true }),
  ]);
  const ciphers = passwords.map((password) => encryptPassword(publicKey, nonce, password));
  return { ciphers, nonce };
}
