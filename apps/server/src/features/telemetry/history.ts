import { setImmediate } from 'node:timers/promises';
import {
  type Buckets,
  createReducer,
  type Limits,
  NO_LIMITS,
  type Reducer,
} from '@isotherm/domain/readings/buckets';
import { DAY_MS, unsealDay, unsealHours } from '@isotherm/domain/readings/sealed-day';
import { mergeSeries, NO_READINGS, type Series, sliceSeries } from '@isotherm/domain/readings/series';
import type { Db } from '../../platform/db/pool.ts';
import { calibratedOf, correctAll } from './calibrated.ts';
import { addEstimated, addEstimatedWindows } from './estimated-readings.repo.ts';
import { listHidden, withoutHidden } from './hidden-readings.ts';
import {
  findSealed,
  listHot,
  listHotWindows,
  listSealed,
  listSealedSummaries,
  type ReadingWindow,
} from './history.repo.ts';

/** Whether values are as corrected by certificates, or as sent by sensors. */
export type Told = 'corrected' | 'said';

export const dayOf = (moment: number) => Math.floor(moment / DAY_MS);

/** Sealed days that are decoded without a pause: about 10 ms with a reading a minute. */
const UNSEALED_AT_ONCE = 32;

/**
 * Returns the readings that people may see from `from` (inclusive) to `to` (exclusive) by channel, unsealed or
 * sealed; epoch ms. Readings after the expiry of a device are left out (decision 33).
 * Unsealed readings are queried first: a reading that is sealed in between is then found twice and merged,
 * and never missed. Do not use it in transactions with the isolation level repeatable read. Values are
 * corrected by certificates, or as stored, i.e. as sensors sent them.
 */
export async function loadSeries(
  db: Db,
  channelIds: readonly number[],
  from: number,
  to: number,
  as: Told = 'corrected',
): Promise<Map<number, Series>> {
  const all = await loadHot(db, channelIds, from, to);
  const parts = new Map<number, Series[]>();
  for (const [index, row] of (await listSealed(db, channelIds, dayOf(from), dayOf(to - 1))).entries()) {
    // Reports read hundreds of days of channels at once, and readings that arrive meanwhile must not wait for them.
    if (index % UNSEALED_AT_ONCE === UNSEALED_AT_ONCE - 1) await setImmediate();
    const own = parts.get(row.channelId);
    if (own) own.push(unsealDay(row));
    else parts.set(row.channelId, [unsealDay(row)]);
  }
  for (const [channelId, days] of parts) {
    const sealed = sliceSeries(joined(days), from, to);
    all.set(channelId, mergeSeries(sealed, all.get(channelId) ?? NO_READINGS));
  }
  withoutHidden(all, await listHidden(db, channelIds, to));
  return as === 'said' ? all : correctAll(db, all);
}

/** Returns unsealed readings, with those of wrong clocks at their estimated times. */
export const loadHot = async (db: Db, channelIds: readonly number[], from: number, to: number) =>
  addEstimated(db, await listHot(db, channelIds, from, to), channelIds, from, to);

/** Concatenates series that follow each other. */
export function joined(days: readonly Series[]): Series {
  if (days.length === 1) return days[0] as Series;
  let count = 0;
  for (const day of days) count += day.at.length;
  const whole = { at: new Float64Array(count), value: new Float64Array(count) };
  count = 0;
  for (const { at, value } of days) {
    whole.at.set(at, count);
    whole.value.set(value, count);
    count += at.length;
  }
  return whole;
}

/**
 * Returns all stored readings of one window per channel, with a fixed number of queries for any number of channels.
 * Windows must be finite. Channels without readings are omitted. Unlike `loadSeries`, readings that are hidden from
 * people are included: it is for evaluations, which know themselves until when a device is paid for.
 */
export async function loadWindows(db: Db, windows: readonly ReadingWindow[]): Promise<Map<number, Series>> {
  if (windows.length === 0) return new Map();
  const all = await addEstimatedWindows(db, await listHotWindows(db, windows), windows);
  const channels: number[] = [];
  const days: number[] = [];
  for (const { channelId, from, to } of windows)
    for (let day = dayOf(from); day <= dayOf(to - 1); day++) {
      channels.push(channelId);
      days.push(day);
    }
  const parts = new Map<number, Series[]>();
  for (const row of await findSealed(db, channels, days)) {
    const own = parts.get(row.channelId);
    if (own) own.push(unsealDay(row));
    else parts.set(row.channelId, [unsealDay(row)]);
  }
  if (parts.size > 0)
    for (const { channelId, from, to } of windows) {
      const own = parts.get(channelId);
      if (!own) continue;
      const sealed = sliceSeries(joined(own), from, to);
      all.set(channelId, mergeSeries(sealed, all.get(channelId) ?? NO_READINGS));
    }
  return correctAll(db, all);
}

export interface ReducedChannel {
  id: number;
  gapAllowanceMs: number;
  limits: Limits;
}

export interface ReducedHistory {
  buckets: Buckets;
  /** The readings themselves, if there are no more of them than the points requested. */
  readings: Series | null;
}

const HOUR_MS = DAY_MS / 24;
/** Number of channel days in memory at once, with a reading each second as the worst case. */
const CHANNEL_DAYS_AT_ONCE = 128;

/**
 * Reduces the channels' history to the buckets between `bounds`; `now` is the end of known readings. Where
 * the inner bounds are whole hours, sealed days are reduced from their summaries, except days that are cut by
 * an outer bound, were outside the limits, or have late readings that are not sealed yet. Channels with
 * certificates are read in full, because a correction depends on the value.
 */
export async function reduceHistory(
  db: Db,
  channels: readonly ReducedChannel[],
  bounds: Float64Array,
  now: number,
  mostReadings: number,
  as: Told = 'corrected',
): Promise<Map<number, ReducedHistory>> {
  if (!bounds.subarray(1, -1).every((bound) => bound % HOUR_MS === 0))
    return reduceReadings(db, channels, bounds, now, mostReadings, as);
  const calibrated =
    as === 'said'
      ? new Set<number>()
      : await calibratedOf(
          db,
          channels.map((channel) => channel.id),
        );
  const said = channels.filter(({ id }) => !calibrated.has(id));
  const reduced = said.length > 0 ? await reduceSummaries(db, said, bounds, now) : new Map();
  const few = channels.filter(({ id }) => calibrated.has(id) || countOf(reduced.get(id)) <= mostReadings);
  if (few.length > 0)
    for (const [id, own] of await reduceReadings(db, few, bounds, now, mostReadings, as))
      reduced.set(id, own);
  return reduced;
}

function countOf(reduced: ReducedHistory | undefined): number {
  return reduced?.buckets.count.reduce((sum, count) => sum + count, 0) ?? 0;
}

/**
 * Returns how far outside the window readings matter: readings that are still valid in it, and the one that
 * follows its last reading.
 */
function reachOf(channels: readonly ReducedChannel[], bounds: Float64Array): { from: number; to: number } {
  const beside = Math.max(...channels.map((channel) => channel.gapAllowanceMs));
  return { from: (bounds[0] as number) - beside, to: (bounds[bounds.length - 1] as number) + beside };
}

function reducersOf(channels: readonly ReducedChannel[], bounds: Float64Array): Map<number, Reducer> {
  return new Map(
    channels.map(({ id, gapAllowanceMs, limits }) => [id, createReducer(bounds, gapAllowanceMs, limits)]),
  );
}

async function reduceReadings(
  db: Db,
  channels: readonly ReducedChannel[],
  bounds: Float64Array,
  now: number,
  mostReadings: number,
  as: Told,
): Promise<Map<number, ReducedHistory>> {
  const ids = channels.map((channel) => channel.id);
  const reducers = reducersOf(channels, bounds);
  const kept = new Map<number, { parts: Series[]; count: number }>(
    ids.map((id) => [id, { parts: [], count: 0 }]),
  );
  const reach = reachOf(channels, bounds);
  const step = Math.max(1, Math.floor(CHANNEL_DAYS_AT_ONCE / ids.length)) * DAY_MS;
  for (let from = reach.from; from < reach.to; from += step) {
    const series = await loadSeries(db, ids, from, Math.min(from + step, reach.to), as);
    for (const [id, readings] of series) {
      reducers.get(id)?.add(readings);
      const own = kept.get(id) as { parts: Series[]; count: number };
      const inside = sliceSeries(readings, bounds[0] as number, bounds[bounds.length - 1] as number);
      own.count += inside.at.length;
      if (own.count <= mostReadings) own.parts.push(inside);
    }
  }
  return new Map(
    [...reducers].map(([id, reducer]) => {
      const { parts, count } = kept.get(id) as { parts: Series[]; count: number };
      return [id, { buckets: reducer.finish(now), readings: count <= mostReadings ? joined(parts) : null }];
    }),
  );
}

async function reduceSummaries(
  db: Db,
  channels: readonly ReducedChannel[],
  bounds: Float64Array,
  now: number,
): Promise<Map<number, ReducedHistory>> {
  const ids = channels.map((channel) => channel.id);
  const reach = reachOf(channels, bounds);
  const hidden = await listHidden(db, ids, reach.to);
  const endOf = (channelId: number) => hidden.get(channelId) ?? Number.POSITIVE_INFINITY;
  const hot = withoutHidden(await loadHot(db, ids, reach.from, reach.to), hidden);
  const rows = (await listSealedSummaries(db, ids, dayOf(reach.from), dayOf(reach.to - 1))).filter(
    ({ channelId, day }) => day * DAY_MS < endOf(channelId),
  );
  const limits = new Map(channels.map((channel) => [channel.id, channel.limits]));
  const cut = [bounds[0] as number, bounds[bounds.length - 1] as number]
    .filter((bound) => bound % HOUR_MS !== 0)
    .map(dayOf);
  const inFull = rows.filter(({ channelId, day, min, max }) => {
    const { low, high } = limits.get(channelId) as Limits;
    const isHidden = endOf(channelId) < (day + 1) * DAY_MS;
    return (
      max > high || min < low || isHidden || cut.includes(day) || hotOn(hot.get(channelId), day).at.length > 0
    );
  });
  const key = (row: { channelId: number; day: number }) => `${row.channelId}:${row.day}`;
  const full = new Map(
    (
      await findSealed(
        db,
        inFull.map((row) => row.channelId),
        inFull.map((row) => row.day),
      )
    ).map((row) => [key(row), row]),
  );
  const reducers = reducersOf(channels, bounds);
  const done = new Map<number, number>();
  for (const row of rows) {
    const reducer = reducers.get(row.channelId) as Reducer;
    const own = hot.get(row.channelId) ?? NO_READINGS;
    reducer.add(sliceSeries(own, done.get(row.channelId) ?? reach.from, row.day * DAY_MS));
    const readings = full.get(key(row));
    if (readings) {
      const shown = sliceSeries(unsealDay(readings), Number.NEGATIVE_INFINITY, endOf(row.channelId));
      reducer.add(mergeSeries(shown, hotOn(own, row.day)));
    } else reducer.addSummaries(unsealHours(row), row.firstAt, { at: row.lastAt, value: row.lastValue });
    done.set(row.channelId, (row.day + 1) * DAY_MS);
  }
  return new Map(
    [...reducers].map(([id, reducer]) => {
      reducer.add(sliceSeries(hot.get(id) ?? NO_READINGS, done.get(id) ?? reach.from, reach.to));
      return [id, { buckets: reducer.finish(now), readings: null }];
    }),
  );
}

function hotOn(series: Series | undefined, day: number): Series {
  return sliceSeries(series ?? NO_READINGS, day * DAY_MS, (day + 1) * DAY_MS);
}

/** Returns the lowest and highest reading of each bucket starting at `from`; null where there is none. */
export async function extremesOf(
  db: Db,
  channelIds: readonly number[],
  from: number,
  to: number,
  stepMs: number,
): Promise<Map<number, { min: (number | null)[]; max: (number | null)[] }>> {
  const bounds = Float64Array.from({ length: (to - from) / stepMs + 1 }, (_, i) => from + i * stepMs);
  const channels = channelIds.map((id) => ({ id, gapAllowanceMs: 0, limits: NO_LIMITS }));
  const reduced = await reduceHistory(db, channels, bounds, to, 0);
  return new Map(
    [...reduced].map(([id, { buckets }]) => {
      const known = (column: Float64Array) =>
        Array.from(column, (value) => (Number.isFinite(value) ? value : null));
      return [id, { min: known(buckets.min), max: known(buckets.max) }];
    }),
  );
}
