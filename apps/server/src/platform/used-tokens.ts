import { createHash } from 'node:crypto';
import type pg from 'pg';

export interface UsedTokens {
  /**
   * Returns true the first time `token` is used, then false; it is remembered until `expiresAt` (epoch ms).
   */
  use(token: string, expiresAt: number): Promise<boolean>;
  prune(): Promise<void>;
}

/** Stores one-time tokens that were used, shared by all processes. */
export function createUsedTokens(pool: pg.Pool): UsedTokens {
  return {
    async use(token, expiresAt) {
      const { rowCount } = await pool.query(
        `insert into used_token (hash, expires_at) values ($1, to_timestamp($2::float8 / 1000))
         on conflict do nothing`,
        [createHash('sha256').update(token).digest(), expiresAt],
      );
      return rowCount === 1;
    },
    async prune() {
      await pool.query('delete from used_token where expires_at < now()');
    },
  };
}
