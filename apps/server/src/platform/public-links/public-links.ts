import { createHash, randomBytes } from 'node:crypto';
import type pg from 'pg';
import type { Clock } from '../clock.ts';
import { sourceOf } from '../connections/connection-limits.ts';
import type { Db, Tx } from '../db/pool.ts';
import {
  deleteLinksExpiredBefore,
  findLink,
  forgetPinTries,
  insertLink,
  type LinkPurpose,
  type LinkRow,
  listOpenLinks,
  type NewLink,
  type OpenLink,
  revokeLink,
  takePinTry,
  takeUse,
} from './public-links.repo.ts';

/** 128 random bits (decision 28). */
const TOKEN_BYTES = 16;
/** Length of a token in a link. */
export const TOKEN_LENGTH = 22;
const DAY_MS = 86_400_000;
/** How long an expired link is kept, so that it can be seen that it existed. */
const KEPT_MS = 30 * DAY_MS;

export type PublicLink = Pick<LinkRow, 'subjectId' | 'personType' | 'personId' | 'isUsed' | 'pinTries'>;

/**
 * Links that work without login. Only the hash of a token is stored. Looking at a link does not use it, because mail
 * servers open the links of e-mails.
 */
export interface PublicLinks {
  /** Creates a link; returns its token, which is known to nobody else. */
  create(tx: Tx, link: NewLink, now: number, token?: string): Promise<string>;
  /** Makes the token of a link that is created later, because what it shows contains it. */
  makeToken(): string;
  /** Returns a link that is neither expired nor revoked, also if it was used; otherwise null. */
  find(db: Db, purpose: LinkPurpose, token: string, now: number): Promise<PublicLink | null>;
  /** Uses a link; of two callers at once, only as many succeed as it has uses left. Null if it has none. */
  use(tx: Tx, purpose: LinkPurpose, token: string, now: number): Promise<PublicLink | null>;
  /**
   * Counts an entered PIN before it is compared; false if `most` were entered already. It is no part of a transaction that
   * may be rolled back.
   */
  tryPin(db: Db, purpose: LinkPurpose, token: string, now: number, most: number): Promise<boolean>;
  /** Forgets the entered PINs after the right one. */
  acceptPin(db: Db, purpose: LinkPurpose, token: string): Promise<void>;
  /** Links of these records that can still be used, the newest first. */
  listOpen(db: Db, purpose: LinkPurpose, subjectIds: readonly number[], now: number): Promise<OpenLink[]>;
  /** Revokes a link of a record for an account; null if there is no such link that can still be used. */
  revoke(
    tx: Tx,
    purpose: LinkPurpose,
    subjectId: number,
    link: { id: number; by: number | null },
    now: number,
  ): Promise<OpenLink | null>;
  /** Deletes links that expired a month ago. */
  forgetExpired(db: Db, now: number): Promise<void>;
}

const makeToken = () => randomBytes(TOKEN_BYTES).toString('base64url');

export function createPublicLinks(): PublicLinks {
  const hashOf = (token: string) => createHash('sha256').update(token).digest();
  return {
    async create(tx, { lifeMs, ...link }, now, token = makeToken()) {
      const expiresAt = lifeMs === null ? null : new Date(now + lifeMs);
      await insertLink(tx, hashOf(token), link, new Date(now), expiresAt);
      return token;
    },
    makeToken,
    find: (db, purpose, token, now) => findLink(db, purpose, hashOf(token), new Date(now)),
    use: (tx, purpose, token, now) => takeUse(tx, purpose, hashOf(token), new Date(now)),
    tryPin: (db, purpose, token, now, most) => takePinTry(db, purpose, hashOf(token), new Date(now), most),
    acceptPin: (db, purpose, token) => forgetPinTries(db, purpose, hashOf(token)),
    listOpen: (db, purpose, subjectIds, now) => listOpenLinks(db, purpose, subjectIds, new Date(now)),
    revoke: (tx, purpose, subjectId, { id, by }, now) =>
      revokeLink(tx, purpose, subjectId, new Date(now), id, by),
    forgetExpired: (db, now) => deleteLinksExpiredBefore(db, new Date(now - KEPT_MS)),
  };
}

/**
 * Wrong tokens from one address in a quarter of an hour. A token has 128 bits; the limit is for floods. A right token is
 * always accepted, because a hospital may have one address.
 */
const WRONG_OF_ADDRESS = 300;

/** Finds a link for an anonymous caller; null if there is none, which is counted by address. Throws `request.too_many`. */
export type FindLink = (purpose: LinkPurpose, token: string, address: string) => Promise<PublicLink | null>;

export function createFindLink(parts: {
  pool: pg.Pool;
  links: Pick<PublicLinks, 'find'>;
  clock: Clock;
  /** Counts calls of a subject against a limit. */
  limit: (subject: string, most: number) => Promise<void>;
}): FindLink {
  const { pool, links, clock, limit } = parts;
  return async (purpose, token, address) => {
    const link = await links.find(pool, purpose, token, clock.now());
    if (link === null) await limit(`link:${sourceOf(address)}`, WRONG_OF_ADDRESS);
    return link;
  };
}
