import { describe, expect, it } from 'vitest';
import { createPacketKeys, isSameProof, packetSecret } from './packet-cipher.ts';

const hex = (text: string) => Uint8Array.from(Buffer.from(text.replaceAll(' ', ''), 'hex'));
const secret = packetSecret('k'.repeat(40));
const keys = createPacketKeys(secret);
const nonces = { server: new Uint8Array(16).fill(1), gateway: new Uint8Array(16).fill(2) };
const nonce = new Uint8Array(12);

describe.each(['aes-128-gcm', 'sm4-gcm'] as const)('the packet cipher %s', (encryption) => {
  const cipher = keys.uplink(encryption);
  const plain = Buffer.from('4.9 °C');
  const associated = hex('c01d01');
  const sealed = cipher.seal(nonce, plain, associated);

  it('an encrypted packet can be decrypted', () => {
    expect(sealed).toHaveLength(plain.length + 16);
    expect(Buffer.from(cipher.open(nonce, sealed, associated) as Uint8Array)).toEqual(plain);
    const empty = cipher.seal(nonce, new Uint8Array(0), associated);
    expect(cipher.open(nonce, empty, associated)).toHaveLength(0);
  });

  it('a packet that was modified, truncated, moved or encrypted with another key cannot be decrypted', () => {
    for (let i = 0; i < sealed.length; i++) {
      const changed = Uint8Array.from(sealed);
      changed[i]! ^= 1;
      expect(cipher.open(nonce, changed, associated)).toBeNull();
    }
    expect(cipher.open(nonce, sealed.subarray(0, 20), associated)).toBeNull();
    expect(cipher.open(nonce, sealed.subarray(0, 15), associated)).toBeNull();
    expect(cipher.open(new Uint8Array(12).fill(9), sealed, associated)).toBeNull();
    expect(cipher.open(nonce, sealed, hex('c01d02'))).toBeNull();
    const others = [
      createPacketKeys(packetSecret('x'.repeat(40))).uplink(encryption),
      keys.downlink(encryption, nonces),
      keys.uplink(encryption === 'sm4-gcm' ? 'aes-128-gcm' : 'sm4-gcm'),
    ];
    for (const other of others) expect(other.open(nonce, sealed, associated)).toBeNull();
  });

  it('each connection has a different downlink key', () => {
    const other = { ...nonces, server: new Uint8Array(16).fill(3) };
    const down = keys.downlink(encryption, nonces).seal(nonce, plain, associated);
    expect(keys.downlink(encryption, other).open(nonce, down, associated)).toBeNull();
    expect(keys.downlink(encryption, nonces).open(nonce, down, associated)).not.toBeNull();
  });
});

it('every field of a hello packet is authenticated', () => {
  const greeting = { ...nonces, gatewayId: 31020201, encryption: 'none' as const };
  const proof = keys.helloProof(greeting);
  const changes = [
    { gatewayId: 31020202 },
    { encryption: 'sm4-gcm' as const },
    { server: nonces.gateway },
    { gateway: nonces.server },
  ];
  for (const change of changes)
    expect(isSameProof(keys.helloProof({ ...greeting, ...change }), proof)).toBe(false);
  expect(isSameProof(keys.helloProof(greeting), proof)).toBe(true);
  expect(isSameProof(proof, proof.subarray(1))).toBe(false);
  const welcome = keys.welcomeProof(greeting, 1_795_140_000_000);
  expect(isSameProof(welcome, proof)).toBe(false);
  expect(isSameProof(welcome, keys.welcomeProof(greeting, 1_795_140_000_001))).toBe(false);
});
