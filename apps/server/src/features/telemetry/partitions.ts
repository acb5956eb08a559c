import type pg from 'pg';
import { ensurePartitions, POSITION_DAYS, READING_DAYS } from './partitions.repo.ts';

/**
 * Partitions are created for only one past day, because an earlier day may be sealed already and then has no
 * partition.
 */
const DAYS_BACK = 1;
/** The demo devices start with a month of history. */
const DEMO_DAYS_BACK = 31;
const DAYS_AHEAD = 7;

/** Creates daily partitions in advance, so that no reading and no position has to wait for one. */
export async function preparePartitions(pool: pg.Pool, demo: boolean): Promise<void> {
  for (const table of [READING_DAYS, POSITION_DAYS])
    await ensurePartitions(pool, table, demo ? DEMO_DAYS_BACK : DAYS_BACK, DAYS_AHEAD);
}
