import { DAY_MS } from '@isotherm/domain/readings/sealed-day';
import type { Tx } from '../../platform/db/pool.ts';

/**
 * Lanes serialise what touches the same channels across all processes: a batch holds the advisory lock of
 * each lane it touches, taken in order, until it commits (decision 4: no row locks, which a distributed
 * database refuses). All channels of a device are in one lane.
 */
export const LANES = 16;
const LANE_LOCK_SPACE = 7_411;

/**
 * Who writes readings shares the days they belong to; who moves a day from hot to sealed holds it alone. Days
 * share locks, so that a backlog of many years takes no more of them than the database has.
 */
const DAY_LOCK_SPACE = 7_412;
const DAY_LOCKS = 1_024;

const inOrder = (keys: Iterable<number>) => [...new Set(keys)].sort((a, b) => a - b);

function laneLocks(deviceIds: readonly number[]): string[] {
  return inOrder(deviceIds.map((id) => id % LANES)).map(
    (lane) => `select pg_advisory_xact_lock(${LANE_LOCK_SPACE},${lane})`,
  );
}

function dayLocks(moments: Float64Array): string[] {
  const days = new Set<number>();
  for (const moment of moments) days.add(dayLockOf(Math.floor(moment / DAY_MS)));
  return inOrder(days).map((day) => `select pg_advisory_xact_lock_shared(${DAY_LOCK_SPACE},${day})`);
}

function dayLockOf(day: number): number {
  return ((day % DAY_LOCKS) + DAY_LOCKS) % DAY_LOCKS;
}

/** Takes the lanes of these devices for the transaction, in order: whoever judges their channels holds them. */
export async function lockLanes(tx: Tx, deviceIds: readonly number[]): Promise<void> {
  await tx.query(laneLocks(deviceIds).join(';'));
}

/** As `lockLanes`, and shares the days of the readings at these moments (epoch ms). Lanes first, then days. */
export async function lockForWriting(
  tx: Tx,
  deviceIds: readonly number[],
  moments: Float64Array,
): Promise<void> {
  await tx.query([...laneLocks(deviceIds), ...dayLocks(moments)].join(';'));
}

/** Holds a day (in days since 1970) alone for the transaction: nobody writes readings of it meanwhile. */
export async function holdDay(tx: Tx, day: number): Promise<void> {
  await tx.query('select pg_advisory_xact_lock($1, $2)', [DAY_LOCK_SPACE, dayLockOf(day)]);
}
