import type pg from 'pg';
import { ensurePartitions } from './telemetry.repo.ts';

const DAYS_BACK = 2;
/** The demo's fleet brings a month of history. */
const DEMO_DAYS_BACK = 31;
const DAYS_AHEAD = 7;

/** Makes daily partitions ahead of time, so that no reading ever waits for one. */
export async function preparePartitions(pool: pg.Pool, demo: boolean): Promise<void> {
  await ensurePartitions(pool, demo ? DEMO_DAYS_BACK : DAYS_BACK, DAYS_AHEAD);
}
