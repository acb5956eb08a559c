import { defaultGapAllowanceMs } from '@isotherm/domain/alarms/alarm-machine';
import { DAY_MS, sealDay, unsealDay, unsealDelays } from '@isotherm/domain/readings/sealed-day';
import { mergeSeries, type Series } from '@isotherm/domain/readings/series';
import type pg from 'pg';
import type { Clock } from '../../platform/clock.ts';
import { LOCK_KEYS } from '../../platform/db/lock-keys.ts';
import { type Tx, transaction, withSessionLock } from '../../platform/db/pool.ts';
import type { Logger } from '../../platform/log.ts';
import {
  countHot,
  deleteHot,
  findSealed,
  type HotDay,
  listHotDays,
  listIntervals,
  type SealedRow,
  upsertSealed,
} from './history.repo.ts';
import { holdDay } from './locks.ts';
import {
  type BacklogDay,
  closePartition,
  dropPartition,
  listBacklog,
  listPartitionDays,
} from './partitions.repo.ts';

/** The session of the sealer is idle while other connections seal a day, which takes minutes in a large fleet. */
const HANGING_AFTER_MS = 3_600_000;
/** Maximum number of readings per transaction: a few megabytes in memory. */
const SLICE_READINGS = 250_000;
/**
 * Late readings may arrive while a day is sealed; after this number of rounds the rest is left to the next
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
  readings: number;
}

/**
 * Seals all closed days: the readings of a day become one row per channel, and its partition is dropped.
 * Late readings of a sealed day, or of one without a partition, are merged into its rows. Returns null if
 * another process is sealing. After any interruption, readings are sealed, unsealed, or both, which gives
 * the same readings (series.ts), and the next run continues.
 */
export async function sealClosedDays(options: SealerOptions): Promise<SealReport | null> {
  return withSessionLock(options.owner, LOCK_KEYS.sealing, HANGING_AFTER_MS, (session) =>
    sealAll(options, session),
  );
}

async function sealAll(options: SealerOptions, session: Tx): Promise<SealReport> {
  const { clock, log, sealAfterMs } = options;
  const report: SealReport = { days: 0, readings: 0 };
  const before = Math.floor((clock.now() - sealAfterMs) / DAY_MS);
  const seal = async (day: number, how: () => Promise<number>) => {
    try {
      const readings = await how();
      report.days++;
      report.readings += readings;
    } catch (error) {
      // A day that cannot be sealed stays as it is and does not block other days.
      log.error({ err: error, day: isoDay(day) }, 'day could not be sealed');
    }
  };
  for (const day of await listPartitionDays(session, before))
    await seal(day, () => sealPartition(options, day));
  for await (const backlog of backlogsOf(session, before))
    for (const [day, hot] of backlog) await seal(day, () => sealBacklog(options, day, hot));
  return report;
}

/** Yields the number of readings per channel for days without a partition, many days at a time. */
async function* backlogsOf(session: Tx, before: number): AsyncGenerator<Map<number, Map<number, number>>> {
  // Day 0 (1970) is a safe start, since no reading is older than 2000.
  let last: Pick<BacklogDay, 'day' | 'channelId'> = { day: 0, channelId: 0 };
  for (;;) {
    const found = await listBacklog(session, before, last, BACKLOG_AT_ONCE);
    const days = new Map<number, Map<number, number>>();
    for (const { day, channelId, count } of found) {
      const channels = days.get(day) ?? new Map<number, number>();
      days.set(day, channels.set(channelId, count));
    }
    yield days;
    last = found.at(-1) ?? last;
    if (found.length < BACKLOG_AT_ONCE) return;
  }
}

/** Seals a day's partition while it stays readable and writable, then drops it in one short step. */
async function sealPartition({ pool, owner, log }: SealerOptions, day: number): Promise<number> {
  const sealed = new Map<number, number>();
  for (let round = 0; round < ROUNDS; round++) {
    const hot = await countHot(pool, day);
    for (const slice of slicesOf(hot, (channelId) => sealed.get(channelId) !== hot.get(channelId)))
      await transaction(pool, async (tx) => {
        for (const { channelId, count } of await sealSlice(tx, slice, day)) sealed.set(channelId, count);
      });
    if (await letGo(owner, day, sealed)) return sum(sealed.values());
  }
  log.warn({ day: isoDay(day) }, 'readings kept coming in while a day was sealed');
  return 0;
}

/** Drops the partition; returns false if it has readings that were not sealed. */
async function letGo(owner: pg.Pool, day: number, sealed: ReadonlyMap<number, number>): Promise<boolean> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await transaction(owner, async (tx) => {
        await holdDay(tx, day);
        // The count is exact: no other session can write until the drop, not even one without the day's
        // lock.
        await closePartition(tx, day);
        const hot = await countHot(tx, day);
        if (hot.size !== sealed.size || [...hot].some(([id, count]) => sealed.get(id) !== count))
          return false;
        await dropPartition(tx, day);
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
 * Merges readings of a day without a partition into its sealed rows; writes for this day are locked during
 * the merge.
 */
async function sealBacklog(
  { pool }: SealerOptions,
  day: number,
  hot: ReadonlyMap<number, number>,
): Promise<number> {
  let readings = 0;
  for (const slice of slicesOf(hot, () => true))
    await transaction(pool, async (tx) => {
      await holdDay(tx, day);
      const count = sum((await sealSlice(tx, slice, day)).map((hot) => hot.count));
      const gone = await deleteHot(tx, slice, day);
      if (gone !== count) throw new Error(`${count} readings were sealed, but ${gone} deleted`);
      readings += count;
    });
  return readings;
}

/** Splits channels into portions with about as many readings as one transaction may contain. */
function slicesOf(hot: ReadonlyMap<number, number>, wanted: (channelId: number) => boolean): number[][] {
  const slices: number[][] = [];
  let room = 0;
  for (const [channelId, count] of hot) {
    if (!wanted(channelId)) continue;
    if (room <= 0) {
      slices.push([]);
      room = SLICE_READINGS;
    }
    slices.at(-1)?.push(channelId);
    room -= count;
  }
  return slices;
}

/**
 * Writes the sealed rows of these channels, reads them back, and compares every reading with the original.
 */
async function sealSlice(tx: Tx, channelIds: readonly number[], day: number): Promise<HotDay[]> {
  const hotDays = await listHotDays(tx, channelIds, day);
  const intervals = await listIntervals(tx, channelIds);
  const days = channelIds.map(() => day);
  const before = new Map((await findSealed(tx, channelIds, days)).map((row) => [row.channelId, row]));
  const whole = hotDays.map((hot) => {
    expectSums(hot);
    const sealed = before.get(hot.channelId);
    return sealed ? mergeDay({ series: unsealDay(sealed), delayS: unsealDelays(sealed) }, hot) : hot;
  });
  const rows = whole.map(({ series, delayS }, index): SealedRow => {
    const { channelId } = hotDays[index] as HotDay;
    const allowance = defaultGapAllowanceMs(intervals.get(channelId) ?? 0);
    return { channelId, day, ...sealDay(series, delayS, allowance) };
  });
  await upsertSealed(tx, day, rows);
  const written = new Map((await findSealed(tx, channelIds, days)).map((row) => [row.channelId, row]));
  whole.forEach(({ series }, index) => {
    const { channelId } = hotDays[index] as HotDay;
    const row = written.get(channelId);
    if (!row || !isSame(unsealDay(row), series)) throw new Error(`channel ${channelId} does not come back`);
  });
  return hotDays;
}

/** Compares count and sums computed by the database with the readings received here. */
function expectSums({ channelId, series, count, valueSum, timeSum }: HotDay): void {
  let values = 0;
  let times = 0;
  for (let i = 0; i < series.at.length; i++) {
    values += Math.fround(series.value[i] as number);
    times += (series.at[i] as number) % DAY_MS;
  }
  if (series.at.length !== count || !isClose(values, valueSum) || !isClose(times / 1000, timeSum))
    throw new Error(`channel ${channelId} did not arrive as it stands`);
}

/** Returns whether two sums are equal except for rounding in the order of summation. */
function isClose(a: number, b: number): boolean {
  return a === b || Math.abs(a - b) <= 1e-9 * Math.max(Math.abs(a), Math.abs(b), 1);
}

interface DayReadings {
  series: Series;
  delayS: Int32Array;
}

/**
 * Merges two days. If both contain a reading with the same time, the sealed one is kept, because it was
 * stored first.
 */
function mergeDay(sealed: DayReadings, hot: DayReadings): DayReadings {
  const series = mergeSeries(sealed.series, hot.series);
  const delayS = new Int32Array(series.at.length);
  let s = 0;
  let h = 0;
  series.at.forEach((at, index) => {
    while ((sealed.series.at[s] ?? Number.POSITIVE_INFINITY) < at) s++;
    while ((hot.series.at[h] ?? Number.POSITIVE_INFINITY) < at) h++;
    delayS[index] = (sealed.series.at[s] === at ? sealed.delayS[s] : hot.delayS[h]) as number;
  });
  return { series, delayS };
}

function isSame(a: Series, b: Series): boolean {
  if (a.at.length !== b.at.length) return false;
  for (let i = 0; i < a.at.length; i++) if (a.at[i] !== b.at[i] || a.value[i] !== b.value[i]) return false;
  return true;
}

function sum(values: Iterable<number>): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}

function isoDay(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}
