import { type listTrackEvents, MAX_TRACK_EVENTS } from '@isotherm/contracts/maps';
import type { ResponseOf } from '@isotherm/contracts/route';
import { defaultGapAllowanceMs, isOutside } from '@isotherm/domain/alarms/alarm-machine';
import { isUpper } from '@isotherm/domain/alarms/catalogue';
import { NO_READINGS } from '@isotherm/domain/readings/series';
import { spansOf } from '@isotherm/domain/readings/value-spans';
import type { Db } from '../../platform/db/pool.ts';
import { loadSeries } from '../telemetry/index.ts';
import { listWatchedChannels, type WatchedChannel } from './geo.repo.ts';

type TrackEvents = ResponseOf<typeof listTrackEvents>;

/**
 * Finds when the doors of an asset were open and when a quantity was outside its present limits, of all its channels or of those
 * in `channelIds`; the caller has checked the access. Times are cut to the range. Values are those that certificates have corrected.
 */
export async function loadTrackEvents(
  db: Db,
  assetId: number,
  channelIds: readonly number[] | null,
  range: { from: number; to: number },
  now: number,
): Promise<TrackEvents> {
  const channels = await listWatchedChannels(db, assetId, channelIds);
  const allowanceOf = (channel: WatchedChannel) => defaultGapAllowanceMs(channel.acquisitionIntervalMs);
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
  const doors: TrackEvents['doors'] = [];
  const excursions: TrackEvents['excursions'] = [];
  for (const channel of channels) {
    const { id: channelId, name, indicator, limits } = channel;
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
    if (indicator === 'door')
      for (const { from, to } of spans((value) => value >= 1)) doors.push({ channelId, name, from, to });
    for (const { kind, limit, isOutside: limitIsOutside } of limits) {
      const rule = { kind, limit, limitIsOutside };
      const isAbove = isUpper(kind);
      for (const { from, to, min, max } of spans((value) => isOutside(rule, value)))
        excursions.push({
          channelId,
          name,
          indicator,
          side: isAbove ? 'above' : 'below',
          limit,
          peak: isAbove ? max : min,
          from,
          to,
        });
    }
  }
  return {
    doors: first(doors),
    excursions: first(excursions),
    total: doors.length + excursions.length,
  };
}

/** When the last reading of a series ceases to count; null if it still does. */
function endOf(series: { at: Float64Array } | undefined, allowanceMs: number, now: number): number | null {
  const end = (series?.at.at(-1) ?? now) + allowanceMs;
  return end < now ? end : null;
}

const first = <T extends { from: number }>(spans: readonly T[]): T[] =>
  [...spans].sort((one, other) => one.from - other.from).slice(0, MAX_TRACK_EVENTS);
