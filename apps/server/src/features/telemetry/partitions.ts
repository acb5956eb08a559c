import type pg from 'pg';
import { ensurePartitions } from './partitions.repo.ts';

/** A day before yesterday may be sealed, and then it has none. */
const DAYS_BACK = 1;
/** The demo's fleet brings a month of history. */
const DEMO_DAYS_BACK = 31;
const DAYS_AHEAD = 7;

/** Makes daily partitions ahead of time, so that no reading ever waits for one. */
export async function preparePartitions(pool: pg.Pool, demo: boolean): Promise<void> {
  await ensurePartitions(pool, demo ? DEMO_DAYS_BACK : DAYS_BACK, DAYS_AHEAD);
}
