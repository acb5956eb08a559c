import { getPublicKey } from '@isotherm/contracts/identity';
import { call } from '../../shared/api/client.ts';

/** `cipherMode` of the SM2 standard's newer order, C1C3C2. */
const C1C3C2 = 1;

export interface EncryptedPasswords {
  ciphers: string[];
  /** Goes along as `serviceloginkey`. */
  nonce: string;
}

/**
 * Encrypts passwords under the server's SM2 key with its one-time nonce inside, so that a recorded login
 * cannot be played again (decision 12). The cryptography is loaded only when somebody logs in.
 */
export async function encryptPasswords(...passwords: string[]): Promise<EncryptedPasswords> {
  const [{ sm2 }, { publicKey, nonce }] = await Promise.all([
    import('sm-crypto-v2'),
    call(getPublicKey, { quiet: true }),
  ]);
  // The library leaves out the leading byte that marks an uncompressed point.
  const ciphers = passwords.map(
    (password) => `04${sm2.doEncrypt(`${nonce}\n${password}`, publicKey, C1C3C2)}`,
  );
  return { ciphers, nonce };
}
