import { setImmediate } from 'node:timers/promises';
import { defaultGapAllowanceMs } from '@isotherm/domain/alarms/alarm-machine';
import { type FactDay, factsOf } from '@isotherm/domain/readings/day-facts';
import { DAY_MS, unsealDay } from '@isotherm/domain/readings/sealed-day';
import {
  firstAtOrAfter,
  mergeSeries,
  NO_READINGS,
  type Series,
  sliceSeries,
} from '@isotherm/domain/readings/series';
import type { Db } from '../../platform/db/pool.ts';
import { calibratedOf } from './calibrated.ts';
import { type FactDays, listDaysWithoutFacts, listFactDays, updateFacts } from './day-facts.repo.ts';
import { listHidden, withoutHidden } from './hidden-readings.ts';
import { findSealed, listIntervals, type SealedReadingsRow } from './history.repo.ts';
import { dayOf, loadHot, loadSeries } from './history.ts';

/** Takes the history of a channel in order of time, each part either as facts or as readings. */
export interface HistoryDigest {
  /** Whether the facts of a day are not enough. */
  needsReadings(day: FactDay): boolean;
  addDay(day: FactDay): void;
  addReadings(series: Series): void;
}

/** Sealed days whose readings are in memory at once, compressed: a few megabytes. */
const FULL_DAYS = 4_000;
/** Channel days that are read with all readings at once, for channels that are corrected by certificates. */
const CORRECTED_DAYS = 512;

/**
 * Gives each digest the history of its channel from `from` (inclusive) to `to` (exclusive), epoch ms, as `loadSeries`
 * returns it. Sealed days are given as facts, unless the digest needs their readings, the day is cut by the range or by an
 * expiry, it has readings that are not sealed yet or no valid facts, or certificates correct the channel.
 */
export async function digestHistory(
  db: Db,
  digests: ReadonlyMap<number, HistoryDigest>,
  from: number,
  to: number,
): Promise<void> {
  if (from >= to) return;
  const corrected = await calibratedOf(db, [...digests.keys()]);
  await digestReadings(db, digests, [...corrected], from, to);
  const ids = [...digests.keys()].filter((id) => !corrected.has(id));
  if (ids.length === 0) return;
  const hidden = await listHidden(db, ids, to);
  const hot = withoutHidden(await loadHot(db, ids, from, to), hidden);
  const stored = await listFactDays(db, ids, dayOf(from), dayOf(to - 1));
  let portion: Plan[] = [];
  let inFull = 0;
  for (const id of ids) {
    const digest = digests.get(id) as HistoryDigest;
    const end = Math.min(to, hidden.get(id) ?? Number.POSITIVE_INFINITY);
    const plan = planOf(id, digest, stored.get(id), hot.get(id) ?? NO_READINGS, from, end);
    portion.push(plan);
    inFull += plan.full.length;
    if (inFull < FULL_DAYS) continue;
    await digestPortion(db, portion);
    portion = [];
    inFull = 0;
  }
  await digestPortion(db, portion);
}

async function digestReadings(
  db: Db,
  digests: ReadonlyMap<number, HistoryDigest>,
  ids: readonly number[],
  from: number,
  to: number,
): Promise<void> {
  if (ids.length === 0) return;
  const step = Math.max(1, Math.floor(CORRECTED_DAYS / ids.length)) * DAY_MS;
  for (let begin = from; begin < to; begin += step) {
    const series = await loadSeries(db, ids, begin, Math.min(begin + step, to));
    for (const [id, readings] of series) digests.get(id)?.addReadings(readings);
    await setImmediate();
  }
}

/** How the history of a channel is given to its digest. */
interface Plan {
  id: number;
  digest: HistoryDigest;
  days: FactDay[];
  /** Days whose readings are needed. */
  full: number[];
  hot: Series;
  from: number;
  end: number;
}

function planOf(
  id: number,
  digest: HistoryDigest,
  stored: FactDays | undefined,
  hot: Series,
  from: number,
  end: number,
): Plan {
  const plan: Plan = { id, digest, days: [], full: [], hot, from, end };
  for (let index = 0; index < (stored?.days.length ?? 0); index++) {
    const day = (stored as FactDays).at(index);
    const begin = day.day * DAY_MS;
    if (begin >= end) break;
    plan.days.push(day);
    const isWhole = begin >= from && begin + DAY_MS <= end;
    if (!day.isValid || !isWhole || hasReadings(hot, begin) || digest.needsReadings(day))
      plan.full.push(day.day);
  }
  return plan;
}

function hasReadings({ at }: Series, begin: number): boolean {
  const index = firstAtOrAfter(at, begin);
  return index < at.length && (at[index] as number) < begin + DAY_MS;
}

async function digestPortion(db: Db, portion: readonly Plan[]): Promise<void> {
  const rows = new Map<string, SealedReadingsRow>();
  const wanted = portion.flatMap(({ id, full }) => full.map((day) => ({ id, day })));
  for (let at = 0; at < wanted.length; at += FULL_DAYS) {
    const some = wanted.slice(at, at + FULL_DAYS);
    const found = await findSealed(
      db,
      some.map(({ id }) => id),
      some.map(({ day }) => day),
    );
    for (const row of found) rows.set(`${row.channelId}:${row.day}`, row);
  }
  for (const { id, digest, days, hot, from, end } of portion) {
    let done = from;
    for (const day of days) {
      const begin = day.day * DAY_MS;
      const next = begin + DAY_MS;
      digest.addReadings(sliceSeries(hot, done, Math.max(done, begin)));
      const row = rows.get(`${id}:${day.day}`);
      if (row) {
        const sealed = sliceSeries(unsealDay(row), Math.max(from, begin), Math.min(end, next));
        digest.addReadings(mergeSeries(sealed, sliceSeries(hot, Math.max(from, begin), Math.min(end, next))));
      } else digest.addDay(day);
      done = next;
    }
    digest.addReadings(sliceSeries(hot, done, Math.max(done, end)));
  }
  await setImmediate();
}

/** Channel days per statement of the step below, and of one run of its job. */
const AT_ONCE = 1_000;
const MOST_A_RUN = 60_000;

/** Adds facts to days that were sealed by earlier releases, at most 60,000 a run; returns the number of days. */
export async function addMissingFacts(db: Db): Promise<number> {
  let done = 0;
  let last = { channelId: 0, day: 0 };
  while (done < MOST_A_RUN) {
    const missing = await listDaysWithoutFacts(db, last, AT_ONCE);
    const next = missing.at(-1);
    if (!next) break;
    // A day that cannot be decoded is left out, and does not block the others.
    last = next;
    const rows = await findSealed(
      db,
      missing.map(({ channelId }) => channelId),
      missing.map(({ day }) => day),
    );
    const intervals = await listIntervals(db, [...new Set(rows.map(({ channelId }) => channelId))]);
    const facts = rows.flatMap((row) => {
      const { channelId, day, count } = row;
      const allowance = defaultGapAllowanceMs(intervals.get(channelId) ?? 0);
      const series = decoded(row);
      return series ? [{ channelId, day, count, ...factsOf(series, allowance) }] : [];
    });
    await updateFacts(db, facts);
    done += facts.length;
    await setImmediate();
  }
  return done;
}

function decoded(row: SealedReadingsRow): Series | null {
  try {
    return unsealDay(row);
  } catch {
    return null;
  }
}
