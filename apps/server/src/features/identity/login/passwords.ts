import { randomBytes } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { AppError } from '@isotherm/contracts/errors';
import { decryptPassword, generateKeyPair } from '@isotherm/contracts/password-cipher';
import { hash, verify } from '@node-rs/argon2';
import type pg from 'pg';
import type { Clock } from '../../../platform/clock.ts';
import { createGate } from '../../../platform/gate.ts';
import { equalText } from '../../../platform/http/signature.ts';
import type { Sealing } from '../../../platform/sealing.ts';
import type { UsedTokens } from '../../../platform/used-tokens.ts';
import { insertInstallationKey, readInstallationKey } from '../accounts.repo.ts';

const NONCE_LIFE_MS = 5 * 60_000;
const KEY_NAME = 'password-sm2';
/** Limits concurrent logins, because decryption and verification compete with ingest for the processors. */
const CROWD = { atOnce: 4, waiting: 200, ofOne: { atOnce: 2, waiting: 50 } };
/**
 * Limits hashing to one password at a time, because an import hashes thousands and must not delay logins and
 * ingest.
 */
const HASHING = { atOnce: 1, waiting: 5_000 };

export interface Passwords {
  /** Returns the public key and a nonce that is valid for one encrypted form within five minutes. */
  offer(): { publicKey: string; nonce: string; expiresAt: number };
  /**
   * Decrypts passwords encrypted with one nonce, and consumes the nonce, so that a recorded form cannot be
   * sent again (decision 12). Throws `login.cipher`, `login.nonce`, `request.too_many`. Callers are
   * scheduled fairly by `owner`.
   */
  open(owner: string, nonce: string, ...ciphers: string[]): Promise<string[]>;
  hash(owner: string, password: string): Promise<string>;
  /**
   * Verifies a password. It takes equally long for an unknown account (`null`) and an existing one.
   *
   * @throws {AppError} `request.too_many` if too many requests are waiting
   */
  verify(owner: string, hash: string | null, password: string): Promise<boolean>;
}

export async function createPasswords(
  pool: pg.Pool,
  sealing: Sealing,
  usedTokens: UsedTokens,
  clock: Clock,
): Promise<Passwords> {
  const keys = await loadKeys(pool, sealing);
  const nobody = await hash(randomBytes(16).toString('hex'));
  const gate = createGate(CROWD, () => new AppError('request.too_many'));
  const hashing = createGate(HASHING, () => new AppError('request.too_many'));

  function nonceExpiry(nonce: string): number | null {
    const [expires = '', random = '', proof = '', ...rest] = nonce.split('.');
    // Nothing may follow the nonce, or it would have several valid encodings.
    if (rest.length > 0) return null;
    return equalText(sealing.mac('login-nonce', `${expires}.${random}`), proof) ? Number(expires) : null;
  }

  return {
    offer() {
      const expiresAt = clock.now() + NONCE_LIFE_MS;
      const body = `${expiresAt}.${randomBytes(12).toString('hex')}`;
      return {
        publicKey: keys.publicKey,
        nonce: `${body}.${sealing.mac('login-nonce', body)}`,
        expiresAt,
      };
    },
    async open(owner, nonce, ...ciphers) {
      const expiresAt = nonceExpiry(nonce);
      if (expiresAt === null || expiresAt < clock.now()) throw new AppError('login.nonce');
      const passwords = await gate.pass(async () => {
        // This gives other tasks a turn in the event loop between two decryptions.
        await setImmediate();
        return ciphers.map((cipher) => {
          const opened = decryptPassword(keys.privateKey, cipher);
          if (!opened) throw new AppError('login.cipher');
          if (opened.nonce !== nonce) throw new AppError('login.nonce');
          return opened.password;
        });
      }, owner);
      if (!(await usedTokens.use(`login-nonce:${nonce}`, expiresAt))) throw new AppError('login.nonce');
      return passwords;
    },
    hash: (owner, password) => hashing.pass(() => hash(password), owner),
    async verify(owner, passwordHash, password) {
      const matches = await gate.pass(() => verify(passwordHash ?? nobody, password), owner);
      return matches && passwordHash !== null;
    },
  };
}

async function loadKeys(pool: pg.Pool, sealing: Sealing): Promise<{ publicKey: string; privateKey: string }> {
  if (!(await readInstallationKey(pool, KEY_NAME))) {
    const fresh = Buffer.from(JSON.stringify(generateKeyPair()));
    await insertInstallationKey(pool, KEY_NAME, sealing.seal(KEY_NAME, fresh));
  }
  const sealed = await readInstallationKey(pool, KEY_NAME);
  const opened = sealed && sealing.open(KEY_NAME, sealed);
  if (!opened) throw new Error('ISOTHERM_SECRET is not the one that this database was set up with');
  return JSON.parse(opened.toString('utf8'));
}
