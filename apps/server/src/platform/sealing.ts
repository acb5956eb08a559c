import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';

const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Encryption with keys derived from the installation's secret, one per purpose. */
export interface Sealing {
  /** Encrypts with authentication (AES-256-GCM): only this installation can encrypt or decrypt it. */
  seal(purpose: string, plain: Buffer): Buffer;
  /** Decrypts; returns null if it was not encrypted by this installation for this purpose. */
  open(purpose: string, sealed: Buffer): Buffer | null;
  /** Encrypts as text for URLs and headers (base64url). */
  sealText(purpose: string, plain: string): string;
  /** Encrypts deterministically: equal plain texts give equal results, and are recognisable as equal. */
  sealTextAlike(purpose: string, plain: string): string;
  /**
   * Decrypts text; returns null if it was not encrypted by this installation for this purpose, or is encoded
   * otherwise than by `sealText`: lenient base64 decoding ignores unknown characters, so that one encrypted
   * text would have many encodings, each accepted once.
   */
  openText(purpose: string, text: string): string | null;
  /** Returns a keyed hash in hex. */
  mac(purpose: string, text: string): string;
}

export function createSealing(secret: string): Sealing {
  const keys = new Map<string, Buffer>();
  function key(purpose: string): Buffer {
    let derived = keys.get(purpose);
    if (!derived) {
      derived = Buffer.from(hkdfSync('sha256', secret, 'isotherm', purpose, 32));
      keys.set(purpose, derived);
    }
    return derived;
  }
  function sealWith(iv: Buffer, purpose: string, plain: Buffer): Buffer {
    const cipher = createCipheriv('aes-256-gcm', key(purpose), iv);
    const body = Buffer.concat([cipher.update(plain), cipher.final()]);
    return Buffer.concat([iv, cipher.getAuthTag(), body]);
  }
  const seal = (purpose: string, plain: Buffer) => sealWith(randomBytes(IV_BYTES), purpose, plain);
  function open(purpose: string, sealed: Buffer): Buffer | null {
    if (sealed.length < IV_BYTES + TAG_BYTES) return null;
    const decipher = createDecipheriv('aes-256-gcm', key(purpose), sealed.subarray(0, IV_BYTES));
    decipher.setAuthTag(sealed.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
    try {
      return Buffer.concat([decipher.update(sealed.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]);
    } catch {
      return null;
    }
  }
  return {
    seal,
    sealTextAlike(purpose, plain) {
      // The nonce is a MAC of the text, with its own key, so that different texts do not share one (compare
      // RFC 5297).
      const iv = createHmac('sha256', key(`${purpose}/nonce`))
        .update(plain)
        .digest();
      return sealWith(iv.subarray(0, IV_BYTES), purpose, Buffer.from(plain)).toString('base64url');
    },
    open,
    sealText: (purpose, plain) => seal(purpose, Buffer.from(plain)).toString('base64url'),
    openText(purpose, text) {
      const sealed = Buffer.from(text, 'base64url');
      if (sealed.toString('base64url') !== text) return null;
      return open(purpose, sealed)?.toString('utf8') ?? null;
    },
    mac: (purpose, text) => createHmac('sha256', key(purpose)).update(text).digest('hex'),
  };
}
