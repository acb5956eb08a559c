import { type listTrackEvents, MAX_TRACK_EVENTS } from '@isotherm/contracts/maps';
import type { ResponseOf } from '@isotherm/contracts/route';
import { defaultGapAllowanceMs } from '@isotherm/domain/alarms/alarm-machine';
import { INDICATORS } from '@isotherm/domain/readings/indicator';
import { NO_READINGS } from '@isotherm/domain/readings/series';
import { spansOf } from '@isotherm/domain/readings/value-spans';
import type { Db } from '../../platform/db/pool.ts';
import { loadSeries } from '../telemetry/index.ts';
import { listWatchedChannels, type WatchedChannel } from './geo.repo.ts';

type TrackEvents = ResponseOf<typeof listTrackEvents>;

/**
 * Finds when the doors of an asset were open and when a value was outside its present limits; the caller has checked the access.
 * Times are cut to the range. Values are those that certificates have corrected.
 */
export async function loadTrackEvents(
  db: Db,
  assetId: number,
  range: { from: number; to: number },
  now: number,
): Promise<TrackEvents> {
  const channels = await listWatchedChannels(db, assetId);
  const allowanceOf = (channel: WatchedChannel) => defaultGapAllowanceMs(channel.acquisition_interval_ms);
  const before = Math.max(0, ...channels.map(allowanceOf));
  const series =
    channels.length === 0
      ? new Map()
      : await loadSeries(
          db,
          channels.map(({ id }) => id),
          range.from - before,
          range.to + before,
        );
  const events: TrackEvents = { doors: [], excursions: [] };
  for (const channel of channels) {
    const { id: channelId, name, indicator, low, high } = channel;
    const allowanceMs = allowanceOf(channel);
    const spans = (has: (value: number) => boolean) =>
      spansOf(series.get(channelId) ?? NO_READINGS, has, allowanceMs)
        // A reading counts until the next one, at most for the allowance: what was silent since then has ended.
        .map((span) => ({ ...span, to: span.to ?? endOf(series.get(channelId), allowanceMs, now) }))
        .filter(({ from, to }) => from < range.to && (to ?? now) > range.from)
        .map(({ from, to, min, max }) => ({
          from: Math.max(from, range.from),
          to: to === null || to > range.to ? null : to,
          min,
          max,
        }));
    if (INDICATORS[indicator].kind === 'switch')
      for (const { from, to } of spans((value) => value >= 1))
        events.doors.push({ channelId, name, from, to });
    if (high !== null)
      for (const { from, to, max } of spans((value) => value > high))
        events.excursions.push({
          channelId,
          name,
          indicator,
          side: 'above',
          limit: high,
          peak: max,
          from,
          to,
        });
    if (low !== null)
      for (const { from, to, min } of spans((value) => value < low))
        events.excursions.push({
          channelId,
          name,
          indicator,
          side: 'below',
          limit: low,
          peak: min,
          from,
          to,
        });
  }
  return { doors: first(events.doors), excursions: first(events.excursions) };
}

/** When the last reading of a series ceases to count; null if it still does. */
function endOf(series: { at: Float64Array } | undefined, allowanceMs: number, now: number): number | null {
  const end = (series?.at.at(-1) ?? now) + allowanceMs;
  return end < now ? end : null;
}

const first = <T extends { from: number }>(spans: readonly T[]): T[] =>
  [...spans].sort((one, other) => one.from - other.from).slice(0, MAX_TRACK_EVENTS);
