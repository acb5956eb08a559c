import { getPublicKey } from '@isotherm/contracts/identity';
import { generateKeyPair } from '@isotherm/contracts/password-cipher';
import type { fakeServer } from './fake-server.ts';

/** Lets a fake server return a public key for passwords; returns the private key, to decrypt them. */
export function answerPublicKey(fake: ReturnType<typeof fakeServer>): string {
  const { publicKey, privateKey } = generateKeyPair();
  fake.answer(getPublicKey, () => ({
    publicKey,
    nonce: 'nonce-1',
    expiresAt: '2026-11-20T02:00:00.000Z',
  }));
  return privateKey;
}
