import { AppError } from '@isotherm/contracts/errors';
import type pg from 'pg';
import type { Clock } from '../../../platform/clock.ts';
import { releaseAttempt, reserveAttempt } from '../accounts.repo.ts';

const WINDOW_MS = 15 * 60_000;

/** Wrong guesses that one address may make within a quarter of an hour. */
const MOST = { redeem: 20, verify: 30, totp: 20 } as const;
export type AttemptKind = keyof typeof MOST;

/** Guesses are counted before they are judged, so that many at once cannot slip by (docs/decisions/0004). */
export interface Attempts {
  /** Throws `request.too_many`. `subject` is an address or an account. */
  reserve(kind: AttemptKind, subject: string): Promise<void>;
  /** It was right: not counted. */
  release(kind: AttemptKind, subject: string): Promise<void>;
}

export function createAttempts(pool: pg.Pool, clock: Clock): Attempts {
  return {
    async reserve(kind, subject) {
      const at = clock.now();
      const key = `${kind}:${subject}`;
      const failures = await reserveAttempt(pool, [key], new Date(at), new Date(at - WINDOW_MS));
      if ((failures.get(key) ?? 0) >= MOST[kind]) throw new AppError('request.too_many');
    },
    release: (kind, subject) => releaseAttempt(pool, [`${kind}:${subject}`]),
  };
}
