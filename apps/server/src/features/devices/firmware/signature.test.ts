import { generateKeyPairSync, sign } from 'node:crypto';
import { expect, it, test } from 'vitest';
import { isSignedBy, readPublicKey } from './signature.ts';

const { publicKey, privateKey } = generateKeyPairSync('ed25519');
const pem = publicKey.export({ type: 'spki', format: 'pem' });
const bytes = publicKey.export({ type: 'spki', format: 'der' }).subarray(-32);
const rsa = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey;

test.each([
  ['PEM', pem, true],
  ['base64', bytes.toString('base64'), true],
  ['a private key', privateKey.export({ type: 'pkcs8', format: 'pem' }), false],
  ['a key of another algorithm', rsa.export({ type: 'spki', format: 'pem' }), false],
  ['base64 of fewer bytes', bytes.subarray(1).toString('base64'), false],
  ['broken PEM', '-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----', false],
  ['words', 'my public key', false],
])('a public key is read from %s: %s', (_words, given, isRead) => {
  expect(readPublicKey(String(given))).toEqual(isRead ? bytes : null);
});

it('a firmware signature is valid only for the signed statement and with the key that signed it', () => {
  const signature = sign(null, Buffer.from('statement'), privateKey).toString('base64');
  const other = generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'der' });
  expect(isSignedBy(bytes, 'statement', signature)).toBe(true);
  expect(isSignedBy(bytes, 'statements', signature)).toBe(false);
  expect(isSignedBy(other.subarray(-32), 'statement', signature)).toBe(false);
});
