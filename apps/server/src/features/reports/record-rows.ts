import { NO_READINGS, type Series } from '@isotherm/domain/readings/series';
import type pg from 'pg';
import { loadSeries } from '../telemetry/index.ts';
import type { ReportedChannel, ReportRange } from './record-report.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Readings that are in memory at the same time. */
const READINGS_AT_ONCE = 1_500_000;

/** One row of the table: the start of a minute, and a reading of each channel in it; NaN without one. */
export interface MinuteRow {
  at: number;
  values: Float64Array;
}

/**
 * Yields every reading of the channels as rows, one column for each channel, an hour or a day at a time. Times are
 * rounded down to the minute, so that channels of different devices share rows; several readings of a channel within a
 * minute are in several rows. The rows of a portion reuse nothing, but only one portion is in memory.
 */
export async function* minuteRows(
  pool: pg.Pool,
  channels: readonly ReportedChannel[],
  { from, to }: ReportRange,
  began: (part: number) => void,
): AsyncGenerator<MinuteRow[]> {
  const ids = channels.map(({ id }) => id);
  const windowMs = windowOf(channels);
  // Windows begin at full days, because days are sealed as a whole.
  for (let begin = from; begin < to; ) {
    const end = Math.min(to, (Math.floor(begin / windowMs) + 1) * windowMs);
    began((begin - from) / (to - from));
    const series = await loadSeries(pool, ids, begin, end);
    yield* rowsOf(ids.map((id) => series.get(id) ?? NO_READINGS));
    begin = end;
  }
}

function windowOf(channels: readonly ReportedChannel[]): number {
  const perDay = channels.reduce((sum, { intervalMs }) => sum + DAY_MS / intervalMs, 0);
  return perDay <= READINGS_AT_ONCE ? DAY_MS : HOUR_MS;
}

/** Number of rows of one portion: about 40,000 cells. */
const CELLS = 40_000;

function* rowsOf(columns: readonly Series[]): Generator<MinuteRow[]> {
  const next = new Int32Array(columns.length);
  const size = Math.max(1, Math.floor(CELLS / Math.max(1, columns.length)));
  let rows: MinuteRow[] = [];
  for (;;) {
    let first = Number.POSITIVE_INFINITY;
    for (let i = 0; i < columns.length; i++)
      first = Math.min(first, (columns[i] as Series).at[next[i] as number] ?? first);
    if (first === Number.POSITIVE_INFINITY) break;
    const at = Math.floor(first / MINUTE_MS) * MINUTE_MS;
    const values = new Float64Array(columns.length).fill(Number.NaN);
    for (let i = 0; i < columns.length; i++) {
      const { at: times, value } = columns[i] as Series;
      const index = next[i] as number;
      if (index >= times.length || (times[index] as number) >= at + MINUTE_MS) continue;
      values[i] = value[index] as number;
      next[i] = index + 1;
    }
    rows.push({ at, values });
    if (rows.length < size) continue;
    yield rows;
    rows = [];
  }
  if (rows.length > 0) yield rows;
}
