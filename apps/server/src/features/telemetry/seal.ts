import { defaultGapAllowanceMs } from '@isotherm/domain/alarms/alarm-machine';
import { packFacts } from '@isotherm/domain/readings/day-facts';
import { DAY_MS, sealDay, unsealDay, unsealDelays } from '@isotherm/domain/readings/sealed-day';
import { mergeSeries, type Series } from '@isotherm/domain/readings/series';
import type { Tx } from '../../platform/db/pool.ts';
import {
  countHot,
  deleteHot,
  findSealed,
  type HotDay,
  listHotDays,
  listIntervals,
  upsertSealed,
} from './history.repo.ts';
import { READING_DAYS } from './partitions.repo.ts';
import { type SealedTable, type SealerOptions, type SealReport, sealDays } from './seal-days.ts';
import { SEALED_TRACKS } from './seal-tracks.ts';

export type { SealerOptions, SealReport };

const SEALED_READINGS: SealedTable = { table: READING_DAYS, countHot, sealSlice, deleteHot };

/** Seals all closed days of readings (series.ts) and positions; see `sealDays`. */
export const sealClosedDays = (options: SealerOptions): Promise<SealReport | null> =>
  sealDays(options, [SEALED_READINGS, SEALED_TRACKS]);

/**
 * Writes the sealed rows of these channels, reads them back, and compares every reading with the original.
 */
async function sealSlice(tx: Tx, channelIds: readonly number[], day: number): Promise<Map<number, number>> {
  const hotDays = await listHotDays(tx, channelIds, day);
  const intervals = await listIntervals(tx, channelIds);
  const days = channelIds.map(() => day);
  const before = new Map((await findSealed(tx, channelIds, days)).map((row) => [row.channelId, row]));
  const whole = hotDays.map((hot) => {
    expectSums(hot);
    const sealed = before.get(hot.channelId);
    return sealed ? mergeDay({ series: unsealDay(sealed), delayS: unsealDelays(sealed) }, hot) : hot;
  });
  const rows = whole.map(({ series, delayS }, index) => {
    const { channelId } = hotDays[index] as HotDay;
    const allowance = defaultGapAllowanceMs(intervals.get(channelId) ?? 0);
    return { channelId, day, ...sealDay(series, delayS, allowance), facts: packFacts(series, allowance) };
  });
  await upsertSealed(tx, day, rows);
  const written = new Map((await findSealed(tx, channelIds, days)).map((row) => [row.channelId, row]));
  whole.forEach(({ series }, index) => {
    const { channelId } = hotDays[index] as HotDay;
    const row = written.get(channelId);
    if (!row || !isSame(unsealDay(row), series)) throw new Error(`channel ${channelId} does not come back`);
  });
  return new Map(hotDays.map(({ channelId, count }) => [channelId, count]));
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
