import { AppError } from '@isotherm/contracts/errors';
import type pg from 'pg';
import type { Clock } from '../../../platform/clock.ts';
import { releaseAttempt, reserveAttempt } from '../accounts.repo.ts';

const WINDOW_MS = 15 * 60_000;

/**
 * Attempts allowed per quarter of an hour. `form` counts unauthenticated forms with a password, right or
 * wrong, since decrypting one costs processor time and a stored nonce.
 */
const MOST = { redeem: 20, verify: 30, totp: 20, form: 60 } as const;
export type AttemptKind = keyof typeof MOST;

/**
 * Limits attempts. They are counted before they are evaluated, so that parallel ones cannot bypass the limit
 * (docs/decisions/0004).
 */
export interface Attempts {
  /**
   * Counts an action of a subject (`webcam-test:wu.lei`) against a limit per quarter of an hour. Throws
   * `request.too_many`.
   */
  limit(subject: string, most: number): Promise<void>;
  /**
   * Counts an attempt. Throws `request.too_many`. `subject` is an account or a source address (`sourceOf`).
   */
  reserve(kind: AttemptKind, subject: string): Promise<void>;
  /** Removes an attempt that was successful and does not count. */
  release(kind: AttemptKind, subject: string): Promise<void>;
}

export function createAttempts(pool: pg.Pool, clock: Clock): Attempts {
  async function limit(subject: string, most: number): Promise<void> {
    const at = clock.now();
    const before = await reserveAttempt(pool, [subject], new Date(at), new Date(at - WINDOW_MS));
    if ((before.get(subject) ?? 0) >= most) throw new AppError('request.too_many');
  }
  return {
    limit,
    reserve: (kind, subject) => limit(`${kind}:${subject}`, MOST[kind]),
    release: (kind, subject) => releaseAttempt(pool, [`${kind}:${subject}`]),
  };
}
