import { setImmediate } from 'node:timers/promises';
import { defaultGapAllowanceMs } from '@isotherm/domain/alarms/alarm-machine';
import { type FactDay, type FactDays, packFacts, unpackFacts } from '@isotherm/domain/readings/day-facts';
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
import { listDaysWithoutFacts, listFactDays, listFactlessDays, updateFacts } from './day-facts.repo.ts';
import { listHidden, withoutHidden } from './hidden-readings.ts';
import { findSealed, listIntervals, type SealedReadingsRow } from './history.repo.ts';
import { dayOf, loadHot, loadSeries } from './history.ts';

/** Takes the history of a channel in order of time, each part either as facts or as readings. Facts are not to be kept. */
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
  // Days without facts are listed first: a day that gets them in between is then read in full, and never missed.
  const factless = await listFactlessDays(db, ids, dayOf(from), dayOf(to - 1));
  const stored = await listFactDays(db, ids, dayOf(from), dayOf(to - 1));
  let portion: Plan[] = [];
  let inFull = 0;
  for (const id of ids) {
    const digest = digests.get(id) as HistoryDigest;
    const end = Math.min(to, hidden.get(id) ?? Number.POSITIVE_INFINITY);
    const plan: Plan = {
      id,
      digest,
      facts: stored.get(id) ?? NO_FACTS,
      full: new Set(factless.get(id)),
      hot: hot.get(id) ?? NO_READINGS,
      from,
      end,
    };
    chooseFull(plan);
    portion.push(plan);
    inFull += plan.full.size;
    if (inFull < FULL_DAYS) continue;
    await digestPortion(db, portion);
    portion = [];
    inFull = 0;
  }
  await digestPortion(db, portion);
}

const NO_FACTS: FactDays = unpackFacts(new Uint8Array(0));

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
  facts: FactDays;
  /** Days whose readings are needed. */
  full: Set<number>;
  hot: Series;
  from: number;
  end: number;
}

function chooseFull({ digest, facts, full, hot, from, end }: Plan): void {
  for (let index = 0; index < facts.length; index++) {
    const day = facts.at(index);
    const begin = day.day * DAY_MS;
    if (begin >= end) break;
    const isWhole = begin >= from && begin + DAY_MS <= end;
    if (!isWhole || hasReadings(hot, begin) || digest.needsReadings(day)) full.add(day.day);
  }
}

function hasReadings({ at }: Series, begin: number): boolean {
  const index = firstAtOrAfter(at, begin);
  return index < at.length && (at[index] as number) < begin + DAY_MS;
}

async function digestPortion(db: Db, portion: readonly Plan[]): Promise<void> {
  const rows = new Map<number, Map<number, SealedReadingsRow>>();
  const wanted = portion.flatMap(({ id, full }) => [...full].map((day) => ({ id, day })));
  for (let at = 0; at < wanted.length; at += FULL_DAYS) {
    const some = wanted.slice(at, at + FULL_DAYS);
    const found = await findSealed(
      db,
      some.map(({ id }) => id),
      some.map(({ day }) => day),
    );
    for (const row of found) {
      const own = rows.get(row.channelId);
      if (own) own.set(row.day, row);
      else rows.set(row.channelId, new Map([[row.day, row]]));
    }
  }
  for (const plan of portion) give(plan, rows.get(plan.id) ?? new Map());
  await setImmediate();
}

/** Gives a digest all days in order of time: facts, readings of sealed days, and unsealed readings. */
function give({ digest, facts, hot, from, end }: Plan, rows: ReadonlyMap<number, SealedReadingsRow>): void {
  const inFull = [...rows.keys()].sort((a, b) => a - b);
  let next = 0;
  let done = from;
  const hotUntil = (moment: number) => {
    digest.addReadings(sliceSeries(hot, done, Math.max(done, moment)));
  };
  const addFull = (day: number) => {
    const [begin, stop] = [Math.max(from, day * DAY_MS), Math.min(end, (day + 1) * DAY_MS)];
    hotUntil(begin);
    const sealed = sliceSeries(unsealDay(rows.get(day) as SealedReadingsRow), begin, stop);
    digest.addReadings(mergeSeries(sealed, sliceSeries(hot, begin, stop)));
    done = Math.max(done, stop);
  };
  for (let index = 0; index < facts.length; index++) {
    const { day } = facts.at(index);
    if (day * DAY_MS >= end) break;
    while (next < inFull.length && (inFull[next] as number) < day) addFull(inFull[next++] as number);
    if (inFull[next] === day) {
      next++;
      addFull(day);
      continue;
    }
    hotUntil(day * DAY_MS);
    digest.addDay(facts.at(index));
    done = (day + 1) * DAY_MS;
  }
  for (const day of inFull.slice(next)) if (day * DAY_MS < end) addFull(day);
  hotUntil(end);
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
      return series ? [{ channelId, day, count, facts: packFacts(series, allowance) }] : [];
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
