import { DAY_MS } from '@isotherm/domain/readings/sealed-day';
import type pg from 'pg';
import type { Clock } from '../../platform/clock.ts';
import { LOCK_KEYS } from '../../platform/db/lock-keys.ts';
import { type Db, type Tx, transaction, withSessionLock } from '../../platform/db/pool.ts';
import type { Logger } from '../../platform/log.ts';
import { holdDay } from './locks.ts';
import {
  type BacklogDay,
  closePartition,
  type DayTable,
  dropPartition,
  listBacklog,
  listPartitionDays,
} from './partitions.repo.ts';

/** The session of the sealer is idle while other connections seal a day, which takes minutes in a large fleet. */
const HANGING_AFTER_MS = 3_600_000;
/** Maximum number of rows per transaction: a few megabytes in memory. */
const SLICE_ROWS = 250_000;
/**
 * Late rows may arrive while a day is sealed; after this number of rounds the rest is left to the next
 * run.
 */
const ROUNDS = 3;
/** Number of channel days per query: a device may send thousands of days in one message. */
const BACKLOG_AT_ONCE = 100_000;
const DROP_TRIES = 5;
const DROP_AGAIN_MS = 500;

export interface SealerOptions {
  pool: pg.Pool;
  /** Connection pool of the role that may drop partitions. */
  owner: pg.Pool;
  clock: Clock;
  log: Logger;
  /** A day is sealed this long after its end, when most late readings have arrived. */
  sealAfterMs: number;
}

export interface SealReport {
  days: number;
  /** Number of sealed rows of all tables. */
  readings: number;
}

/** How the rows of a table are sealed. A key is a channel or a device. */
export interface SealedTable {
  table: DayTable;
  /** Number of unsealed rows of a UTC day, by key. */
  countHot(db: Db, day: number): Promise<Map<number, number>>;
  /** Writes the sealed rows of these keys and compares them with the originals; returns the number of rows of each key. */
  sealSlice(tx: Tx, keys: readonly number[], day: number): Promise<Map<number, number>>;
  deleteHot(tx: Tx, keys: readonly number[], day: number): Promise<number>;
}

/**
 * Seals all closed days of these tables: the rows of a day become one row per key, and its partition is dropped.
 * Late rows of a sealed day, or of one without a partition, are merged into its rows. Returns null if
 * another process is sealing. After any interruption, rows are sealed, unsealed, or both, which readers merge,
 * and the next run continues.
 */
export async function sealDays(
  options: SealerOptions,
  tables: readonly SealedTable[],
): Promise<SealReport | null> {
  return withSessionLock(options.owner, LOCK_KEYS.sealing, HANGING_AFTER_MS, async (session) => {
    const report: SealReport = { days: 0, readings: 0 };
    for (const table of tables) await sealTable(options, session, table, report);
    return report;
  });
}

async function sealTable(
  options: SealerOptions,
  session: Tx,
  sealed: SealedTable,
  report: SealReport,
): Promise<void> {
  const { clock, log, sealAfterMs } = options;
  const before = Math.floor((clock.now() - sealAfterMs) / DAY_MS);
  const seal = async (day: number, how: () => Promise<number>) => {
    try {
      const readings = await how();
      report.days++;
      report.readings += readings;
    } catch (error) {
      // A day that cannot be sealed stays as it is and does not block other days.
      log.error({ err: error, table: sealed.table.name, day: isoDay(day) }, 'day could not be sealed');
    }
  };
  for (const day of await listPartitionDays(session, sealed.table, before))
    await seal(day, () => sealPartition(options, sealed, day));
  for await (const backlog of backlogsOf(session, sealed.table, before))
    for (const [day, hot] of backlog) await seal(day, () => sealBacklog(options, sealed, day, hot));
}

/** Yields the number of rows per key for days without a partition, many days at a time. */
async function* backlogsOf(
  session: Tx,
  table: DayTable,
  before: number,
): AsyncGenerator<Map<number, Map<number, number>>> {
  // Day 0 (1970) is a safe start, since nothing is older than 2000.
  let last: Pick<BacklogDay, 'day' | 'key'> = { day: 0, key: 0 };
  for (;;) {
    const found = await listBacklog(session, table, before, last, BACKLOG_AT_ONCE);
    const days = new Map<number, Map<number, number>>();
    for (const { day, key, count } of found) {
      const keys = days.get(day) ?? new Map<number, number>();
      days.set(day, keys.set(key, count));
    }
    yield days;
    last = found.at(-1) ?? last;
    if (found.length < BACKLOG_AT_ONCE) return;
  }
}

/** Seals a day's partition while it stays readable and writable, then drops it in one short step. */
async function sealPartition(
  { pool, owner, log }: SealerOptions,
  { table, countHot, sealSlice }: SealedTable,
  day: number,
): Promise<number> {
  const sealed = new Map<number, number>();
  for (let round = 0; round < ROUNDS; round++) {
    const hot = await countHot(pool, day);
    for (const slice of slicesOf(hot, (key) => sealed.get(key) !== hot.get(key)))
      await transaction(pool, async (tx) => {
        for (const [key, count] of await sealSlice(tx, slice, day)) sealed.set(key, count);
      });
    if (await letGo(owner, { table, countHot }, day, sealed)) return sum(sealed.values());
  }
  log.warn({ table: table.name, day: isoDay(day) }, 'readings kept coming in while a day was sealed');
  return 0;
}

/** Drops the partition; returns false if it has rows that were not sealed. */
async function letGo(
  owner: pg.Pool,
  { table, countHot }: Pick<SealedTable, 'table' | 'countHot'>,
  day: number,
  sealed: ReadonlyMap<number, number>,
): Promise<boolean> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await transaction(owner, async (tx) => {
        await holdDay(tx, day);
        // The count is exact: no other session can write until the drop, not even one without the day's
        // lock.
        await closePartition(tx, table, day);
        const hot = await countHot(tx, day);
        if (hot.size !== sealed.size || [...hot].some(([id, count]) => sealed.get(id) !== count))
          return false;
        await dropPartition(tx, table, day);
        return true;
      });
    } catch (error) {
      // Another session is reading the partition for a long time, and all other sessions would wait behind
      // the drop.
      if ((error as { code?: string }).code !== LOCK_NOT_AVAILABLE || attempt === DROP_TRIES) throw error;
      await new Promise((wake) => setTimeout(wake, DROP_AGAIN_MS));
    }
  }
}

const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Merges rows of a day without a partition into its sealed rows; writes for this day are locked during
 * the merge.
 */
async function sealBacklog(
  { pool }: SealerOptions,
  { sealSlice, deleteHot }: SealedTable,
  day: number,
  hot: ReadonlyMap<number, number>,
): Promise<number> {
  let rows = 0;
  for (const slice of slicesOf(hot, () => true))
    await transaction(pool, async (tx) => {
      await holdDay(tx, day);
      const count = sum((await sealSlice(tx, slice, day)).values());
      const gone = await deleteHot(tx, slice, day);
      if (gone !== count) throw new Error(`${count} rows were sealed, but ${gone} deleted`);
      rows += count;
    });
  return rows;
}

/** Splits keys into portions with about as many rows as one transaction may contain. */
function slicesOf(hot: ReadonlyMap<number, number>, wanted: (key: number) => boolean): number[][] {
  const slices: number[][] = [];
  let room = 0;
  for (const [key, count] of hot) {
    if (!wanted(key)) continue;
    if (room <= 0) {
      slices.push([]);
      room = SLICE_ROWS;
    }
    slices.at(-1)?.push(key);
    room -= count;
  }
  return slices;
}

function sum(values: Iterable<number>): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}

function isoDay(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}
