import type { SignatureInput } from '@isotherm/contracts/signatures';
import type { SignatureMeaning } from '@isotherm/domain/access/signature';
import { create } from 'zustand';
import { ApiError } from '../api/api-error.ts';
import { encryptPasswords } from './encrypt-password.ts';

/** The signature that the user is asked for; null while there is none. */
interface Asked {
  meaning: SignatureMeaning;
  /** Sends the action with a signature. Rejects with what the dialog shows; other errors go to the sender. */
  submit: (password: string) => Promise<void>;
  cancel: () => void;
}

export const useSigning = create<{ asked: Asked | null }>(() => ({ asked: null }));

/** Error of an action that the user decided not to sign. */
export class SigningCancelled extends Error {}

/** Errors after which the user may correct the password and try again. */
const TRY_AGAIN: ReadonlySet<string> = new Set([
  'signing.wrong',
  'login.locked',
  'login.nonce',
  'login.cipher',
  'network',
]);

const codeOf = (error: unknown) => (error instanceof ApiError ? error.code : '');

async function signed<T>(password: string, send: (signature: SignatureInput) => Promise<T>): Promise<T> {
  const { ciphers, nonce } = await encryptPasswords(password);
  return send({ password: ciphers[0] as string, serviceloginkey: nonce });
}

/**
 * Returns a function that sends an action. If the server requires a signature, the signature dialog asks for the
 * password, and the action is sent again with it; further calls of the function use the same password, so that a batch
 * that is sent in portions is signed once. `cancelled` is the message of the error if the user does not sign.
 */
export function createSigning(meaning: SignatureMeaning, cancelled: string) {
  let known: string | null = null;
  return async <T>(send: (signature?: SignatureInput) => Promise<T>): Promise<T> => {
    if (known !== null) return signed(known, send);
    try {
      return await send();
    } catch (error) {
      if (codeOf(error) !== 'signing.required') throw error;
    }
    return new Promise<T>((resolve, reject) => {
      const close = () => useSigning.setState({ asked: null });
      useSigning.setState({
        asked: {
          meaning,
          cancel: () => {
            close();
            reject(new SigningCancelled(cancelled));
          },
          submit: async (password) => {
            try {
              const result = await signed(password, send);
              known = password;
              close();
              resolve(result);
            } catch (error) {
              if (TRY_AGAIN.has(codeOf(error))) throw error;
              close();
              reject(error);
            }
          },
        },
      });
    });
  };
}
