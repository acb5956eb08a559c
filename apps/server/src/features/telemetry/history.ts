import { DAY_MS, unsealDay } from '@isotherm/domain/readings/sealed-day';
import { mergeSeries, NO_READINGS, type Series, sliceSeries } from '@isotherm/domain/readings/series';
import type { Db } from '../../platform/db/pool.ts';
import { findSpan, listHot, listSealed } from './history.repo.ts';

export const dayOf = (moment: number) => Math.floor(moment / DAY_MS);

/**
 * All readings of `from` (included) to `to` (not) by channel, wherever they stand; epoch ms. Hot ones are read
 * first: what is sealed between the two questions is then seen twice, which is the same reading, and never
 * missed. Not for a transaction that repeats its reads.
 */
export async function loadSeries(
  db: Db,
  channelIds: readonly number[],
  from: number,
  to: number,
): Promise<Map<number, Series>> {
  const all = await listHot(db, channelIds, from, to);
  const parts = new Map<number, Series[]>();
  for (const row of await listSealed(db, channelIds, dayOf(from), dayOf(to - 1))) {
    const own = parts.get(row.channelId);
    if (own) own.push(unsealDay(row));
    else parts.set(row.channelId, [unsealDay(row)]);
  }
  for (const [channelId, days] of parts) {
    const sealed = sliceSeries(joined(days), from, to);
    all.set(channelId, mergeSeries(sealed, all.get(channelId) ?? NO_READINGS));
  }
  return all;
}

/** Days that follow each other, as one. */
function joined(days: readonly Series[]): Series {
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

const FIRST_STEP_MS = DAY_MS / 4;
const LONGEST_STEP_MS = 32 * DAY_MS;

/** Readings of a channel after `after`, in order of time, stretch by stretch; each stretch has some. */
export async function* readingsAfter(db: Db, channelId: number, after: number): AsyncGenerator<Series> {
  const span = await findSpan(db, channelId);
  if (!span) return;
  let from = Math.max(after + 1, span.from);
  for (let step = FIRST_STEP_MS; from <= span.to; step = Math.min(2 * step, LONGEST_STEP_MS)) {
    const series = (await loadSeries(db, [channelId], from, from + step)).get(channelId);
    if (series && series.at.length > 0) yield series;
    from += step;
  }
}

/** Readings of a channel before `before`, the newest stretch first, each in order of time and with some. */
export async function* readingsBefore(db: Db, channelId: number, before: number): AsyncGenerator<Series> {
  const span = await findSpan(db, channelId);
  if (!span) return;
  let to = Math.min(before, span.to + 1);
  for (let step = FIRST_STEP_MS; to > span.from; step = Math.min(2 * step, LONGEST_STEP_MS)) {
    const series = (await loadSeries(db, [channelId], to - step, to)).get(channelId);
    if (series && series.at.length > 0) yield series;
    to -= step;
  }
}
