import type pg from 'pg';
import { LOCK_KEYS } from './lock-keys.ts';

/** A process that hangs during the preparation blocks others for at most this time. */
const HANGING_AFTER = '5min';

/**
 * Waits until no other process prepares the database; the returned function releases the lock. Migrations,
 * rights, partitions, the job queue's schema and the seeds are written for one process at a time, so this
 * allows any number of processes to start on an empty database.
 */
export async function takeStartTurn(owner: pg.Pool): Promise<() => Promise<void>> {
  const client = await owner.connect();
  try {
    await client.query(`set idle_session_timeout = '${HANGING_AFTER}'`);
    await client.query('select pg_advisory_lock($1)', [LOCK_KEYS.start]);
  } catch (error) {
    client.release(error as Error);
    throw error;
  }
  return async () => {
    await client.query('select pg_advisory_unlock($1)', [LOCK_KEYS.start]);
    await client.query('reset idle_session_timeout');
    client.release();
  };
}
