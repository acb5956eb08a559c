import { DAY_MS } from '@isotherm/domain/readings/sealed-day';
import { LOCK_SPACES } from '../../platform/db/lock-keys.ts';
import { HANGING_SESSION_TIMEOUT_MS, type Tx } from '../../platform/db/pool.ts';

/**
 * Number of lanes. Lanes serialise writes to the same channels across all processes: a transaction holds the
 * advisory lock of each lane it uses until it commits (decision 4: no row locks, which a distributed
 * database refuses). All channels of a device are in one lane. There are many more lanes than concurrent
 * transactions, and a writer takes free ones, so that two processes rarely wait for each other.
 */
export const LANES = 256;

/**
 * The previous release has 16 lanes in its own lock space. While its processes run together with this
 * release (an upgrade of one process at a time), they take those lanes exclusively and this release shares
 * them.
 */
const PREVIOUS_LANES = 16;

export const laneOf = (deviceId: number): number => deviceId % LANES;

/**
 * Number of locks of days: writers of readings share the days that they write to; the sealer holds a day exclusively.
 * Days share locks, so that buffered readings of many years do not exceed the database's lock table.
 */
const DAY_LOCKS = 1_024;

const inOrder = (keys: Iterable<number>) => [...new Set(keys)].sort((a, b) => a - b);

/** Returns SQL that calls `function(space, key)` for each key, in order. */
function inEach(call: string, space: number, keys: Iterable<number>): string {
  return `select ${call}(${space}, key) from unnest('{${inOrder(keys)}}'::int[]) as key`;
}

const sharePreviousLanes = (lanes: readonly number[]) =>
  inEach(
    'pg_advisory_xact_lock_shared',
    LOCK_SPACES.previousLanes,
    lanes.map((lane) => lane % PREVIOUS_LANES),
  );

const shareDays = (days: Iterable<number>) =>
  inEach('pg_advisory_xact_lock_shared', LOCK_SPACES.days, [...days].map(dayLockOf));

/** Adds the days (since 1970) of these moments (epoch ms). */
export function addDays(days: Set<number>, moments: ArrayLike<number>): void {
  let last: number | null = null;
  for (let i = 0; i < moments.length; i++) {
    const day = Math.floor((moments[i] as number) / DAY_MS);
    if (day !== last) days.add(day);
    last = day;
  }
}

function dayLockOf(day: number): number {
  return ((day % DAY_LOCKS) + DAY_LOCKS) % DAY_LOCKS;
}

/**
 * Takes the lanes of these devices for the transaction, in order. Every transaction that evaluates their
 * channels must hold these lanes.
 */
export async function lockLanes(tx: Tx, deviceIds: readonly number[]): Promise<void> {
  const lanes = deviceIds.map(laneOf);
  await tx.query(
    [
      `set local idle_in_transaction_session_timeout = ${HANGING_SESSION_TIMEOUT_MS}`,
      sharePreviousLanes(lanes),
      inEach('pg_advisory_xact_lock', LOCK_SPACES.lanes, lanes),
    ].join(';'),
  );
}

/**
 * Like `lockLanes`, and takes shared locks of the days (since 1970) of the readings. Lanes come first, then
 * days.
 */
export async function lockForWriting(
  tx: Tx,
  deviceIds: readonly number[],
  days: Iterable<number>,
): Promise<void> {
  await lockLanes(tx, deviceIds);
  await tx.query(shareDays(days));
}

/** Takes shared locks of these days (since 1970) as well. */
export async function shareMoreDays(tx: Tx, days: Iterable<number>): Promise<void> {
  await tx.query(shareDays(days));
}

/**
 * Locks those of the lanes that are free, at most `limit`, without waiting, and takes shared locks of the days of
 * the readings. With `waitFor`, it first waits for this lane, while it holds no other lane. Returns the locked
 * lanes.
 */
export async function claimLanes(
  tx: Tx,
  lanes: readonly number[],
  days: Iterable<number>,
  waitFor: number | null,
  limit = LANES,
): Promise<Set<number>> {
  const results = (await tx.query(
    [
      sharePreviousLanes(lanes),
      ...(waitFor === null ? [] : [inEach('pg_advisory_xact_lock', LOCK_SPACES.lanes, [waitFor])]),
      `select key as lane from unnest('{${inOrder(lanes)}}'::int[]) as key
        where pg_try_advisory_xact_lock(${LOCK_SPACES.lanes}, key) limit ${limit}`,
      shareDays(days),
    ].join(';'),
  )) as unknown as { rows: { lane: number }[] }[];
  return new Set(results.at(-2)?.rows.map((row) => row.lane));
}

/**
 * Locks at most `limit` of the lanes: those that are free, or if none is, the first one after waiting for it, and those that are
 * free then. Waiting for each lane in turn would take as long as several batches of readings, each of which may hold half of
 * all lanes. The session must end transactions that are idle, as that of `withSessionLock` does. Returns the locked lanes.
 */
export async function lockFreeLanes(tx: Tx, lanes: readonly number[], limit: number): Promise<Set<number>> {
  const free = await claimLanes(tx, lanes, [], null, limit);
  return free.size > 0 ? free : claimLanes(tx, lanes, [], Math.min(...lanes), limit);
}

/**
 * Thrown if another transaction holds a lane that this one needs additionally; retry with all lanes in
 * order.
 */
export class LanesBusy extends Error {}

/**
 * Takes further lanes in addition to those that the transaction holds: a replaced device still writes late
 * readings to channels to which the readings of another device belong now. It never waits, since waiting out
 * of order could deadlock; throws `LanesBusy`.
 */
export async function lockForeignLanes(tx: Tx, deviceIds: readonly number[]): Promise<void> {
  const lanes = inOrder(deviceIds.map(laneOf));
  if (lanes.length === 0) return;
  const { rows } = await tx.query<{ taken: boolean }>({
    name: 'lock-foreign-lanes',
    text: `select bool_and(pg_try_advisory_xact_lock(${LOCK_SPACES.lanes}, key)) as taken from unnest($1::int[]) as key`,
    values: [lanes],
  });
  if (!rows[0]?.taken) throw new LanesBusy('a lane is busy');
}

/**
 * Locks a day (days since 1970) exclusively for the transaction, so that no readings of that day are
 * written.
 */
export async function holdDay(tx: Tx, day: number): Promise<void> {
  await tx.query('select pg_advisory_xact_lock($1, $2)', [LOCK_SPACES.days, dayLockOf(day)]);
}
