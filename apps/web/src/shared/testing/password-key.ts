import { getPublicKey } from '@isotherm/contracts/identity';
import { generateKeyPair } from '@isotherm/contracts/password-cipher';
import type { fakeServer } from './fake-server.ts';

/**
 * Makes a fake server return a public key for passwords. Returns the private key, with which a test decrypts
 * them.
 */
export function answerPublicKey(fake: ReturnType<typeof fakeServer>): string {
  const { publicKey, privateKey } = generateKeyPair();
  fake.answer(getPublicKey, () => ({
    publicKey,
    nonce: 'nonce-1',
    expiresAt: '2026-11-20T02:00:00.000Z',
  }));
  return privateKey;
}
