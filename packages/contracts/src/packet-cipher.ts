import { createCipheriv, createDecipheriv, createHmac, timingSafeEqual } from 'node:crypto';
import { sm4 } from 'sm-crypto-v2';

/**
 * Keys and ciphers of gateway packets (docs/gateway-packet.md, decision record 0007), for the server and for
 * gateways. They work in Node.js only, because a browser never has the key of a device.
 */

const KEY_BYTES = 16;
const TAG_BYTES = 16;
const PROOF_BYTES = 16;

type Sealing = 'aes-128-gcm' | 'sm4-gcm';

/** Cipher that implements the `PacketCipher` of the protocol package. */
export interface GcmCipher {
  seal(nonce: Uint8Array, plain: Uint8Array, associated: Uint8Array): Uint8Array;
  open(nonce: Uint8Array, sealed: Uint8Array, associated: Uint8Array): Uint8Array | null;
}

/** The two random numbers that are exchanged when a connection is opened. */
export interface Nonces {
  server: Uint8Array;
  gateway: Uint8Array;
}

/** Contents of a gateway's hello packet. All of them are authenticated. */
export interface Greeting extends Nonces {
  gatewayId: number;
  encryption: Sealing | 'none';
}

export interface PacketKeys {
  /** Cipher from the gateway to the server: one key per device, with a counter that is never reused. */
  uplink(encryption: Sealing): GcmCipher;
  /**
   * Cipher from the server to the gateway: one key per connection, so that recorded packets are invalid in
   * other connections.
   */
  downlink(encryption: Sealing, nonces: Nonces): GcmCipher;
  helloProof(greeting: Greeting): Uint8Array;
  welcomeProof(greeting: Greeting, time: number): Uint8Array;
}

const mac = (key: Uint8Array | string, ...parts: (string | Uint8Array)[]): Buffer => {
  const hmac = createHmac('sha256', key);
  for (const part of parts) hmac.update(part);
  return hmac.digest();
};

/**
 * Returns the secret from which all packet keys of a device are derived. Anyone who has it can send as the
 * device.
 */
export const packetSecret = (deviceKey: string): Buffer => mac(deviceKey, 'isotherm gateway packet 1');

export const isSameProof = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && timingSafeEqual(a, b);

export function createPacketKeys(secret: Uint8Array): PacketKeys {
  const cipher = (encryption: Sealing, ...parts: (string | Uint8Array)[]) => {
    const key = mac(secret, ...parts).subarray(0, KEY_BYTES);
    return encryption === 'sm4-gcm' ? sm4Gcm(key) : aesGcm(key);
  };
  const said = ({ gatewayId, encryption, server, gateway }: Greeting) => {
    const id = Buffer.alloc(4);
    id.writeUInt32BE(gatewayId);
    return [id, encryption, server, gateway];
  };
  const uplinks = new Map<Sealing, GcmCipher>();
  return {
    uplink(encryption) {
      const known = uplinks.get(encryption) ?? cipher(encryption, 'up ', encryption);
      uplinks.set(encryption, known);
      return known;
    },
    downlink: (encryption, { server, gateway }) => cipher(encryption, 'down ', encryption, server, gateway),
    helloProof: (greeting) => mac(secret, 'hello', ...said(greeting)).subarray(0, PROOF_BYTES),
    welcomeProof(greeting, time) {
      const moment = Buffer.alloc(6);
      moment.writeUIntBE(time, 0, 6);
      return mac(secret, 'welcome', ...said(greeting), moment).subarray(0, PROOF_BYTES);
    },
  };
}

function aesGcm(key: Uint8Array): GcmCipher {
  return {
    seal(nonce, plain, associated) {
      const cipher = createCipheriv('aes-128-gcm', key, nonce);
      cipher.setAAD(associated);
      const text = cipher.update(plain);
      cipher.final();
      return Buffer.concat([text, cipher.getAuthTag()]);
    },
    open(nonce, sealed, associated) {
      const textBytes = sealed.length - TAG_BYTES;
      if (textBytes < 0) return null;
      const decipher = createDecipheriv('aes-128-gcm', key, nonce, { authTagLength: TAG_BYTES });
      decipher.setAAD(associated);
      decipher.setAuthTag(sealed.subarray(textBytes));
      const plain = decipher.update(sealed.subarray(0, textBytes));
      try {
        decipher.final();
        return plain;
      } catch {
        return null;
      }
    },
  };
}

/** SM4 with GCM (RFC 8998) from a library, because OpenSSL 3.0 in Node.js 20 has SM4 only without GCM. */
function sm4Gcm(key: Uint8Array): GcmCipher {
  const options = (iv: Uint8Array, associatedData: Uint8Array) =>
    ({ mode: 'gcm', iv, associatedData, padding: 'none', output: 'array' }) as const;
  return {
    seal(nonce, plain, associated) {
      const { output, tag } = sm4.encrypt(plain, key, { ...options(nonce, associated), outputTag: true });
      return Buffer.concat([output, tag as Uint8Array]);
    },
    open(nonce, sealed, associated) {
      const textBytes = sealed.length - TAG_BYTES;
      if (textBytes < 0) return null;
      const tag = sealed.subarray(textBytes);
      try {
        return sm4.decrypt(sealed.subarray(0, textBytes), key, { ...options(nonce, associated), tag });
      } catch {
        return null;
      }
    },
  };
}
