import type pg from 'pg';
import { ensurePartitions } from './partitions.repo.ts';

/**
 * Partitions are created for only one past day, because an earlier day may be sealed already and then has no
 * partition.
 */
const DAYS_BACK = 1;
/** The demo devices start with a month of history. */
const DEMO_DAYS_BACK = 31;
const DAYS_AHEAD = 7;

/** Creates daily partitions in advance, so that no reading has to wait for a partition. */
export async function preparePartitions(pool: pg.Pool, demo: boolean): Promise<void> {
  await ensurePartitions(pool, demo ? DEMO_DAYS_BACK : DAYS_BACK, DAYS_AHEAD);
}
