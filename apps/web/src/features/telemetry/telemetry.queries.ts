import type { ResponseOf } from '@isotherm/contracts/route';
import {
  type AGGREGATE_PERIODS,
  getAggregates,
  getCurve,
  MOST_CURVE_CHANNELS,
} from '@isotherm/contracts/telemetry';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { call } from '../../shared/api/client.ts';
import { serverNow } from '../../shared/api/clock.ts';
import type { CurveWindow } from './curve-window.ts';

/** Polling interval while the chart shows a range that ends now. */
const LIVE_EVERY_MS = 15_000;
const TABLE_EVERY_MS = 60_000;

/** Query for the curves of channels, in several calls if there are more than a call returns. */
export function curveQuery(
  channels: readonly number[],
  window: CurveWindow,
  points: number,
  told: 'corrected' | 'said' = 'corrected',
) {
  const live = window.kind === 'latest';
  return queryOptions({
    queryKey: ['telemetry', 'curve', channels.join(','), window, points, told],
    queryFn: async ({ signal }): Promise<Curve> => {
      const range = rangeOf(window);
      const parts = Array.from({ length: Math.ceil(channels.length / MOST_CURVE_CHANNELS) }, (_, part) =>
        channels.slice(part * MOST_CURVE_CHANNELS, (part + 1) * MOST_CURVE_CHANNELS),
      );
      const [first, ...others] = await Promise.all(
        parts.map((part) =>
          call(getCurve, {
            query: { channels: part.join(','), ...range, points, told },
            signal,
            quiet: true,
          }),
        ),
      );
      if (!first) throw new Error('a curve without channels');
      return {
        ...first,
        series: [first, ...others].flatMap(({ series }) => series),
        alarms: [first, ...others].flatMap(({ alarms }) => alarms),
      };
    },
    enabled: channels.length > 0 && points > 0,
    placeholderData: keepPreviousData,
    refetchInterval: live ? LIVE_EVERY_MS : false,
    staleTime: live ? 0 : 60_000,
    gcTime: 60_000,
  });
}

type Curve = ResponseOf<typeof getCurve>;

export type Period = (typeof AGGREGATE_PERIODS)[number];

/** Query for the statistics of periods in the local time of the zone. */
export function aggregatesQuery(
  channels: readonly number[],
  window: CurveWindow,
  period: Period,
  zone: string,
) {
  const live = window.kind === 'latest';
  return queryOptions({
    queryKey: ['telemetry', 'aggregates', channels.join(','), window, period, zone],
    queryFn: ({ signal }) =>
      call(getAggregates, {
        query: { channels: channels.join(','), ...rangeOf(window), period, zone },
        signal,
        quiet: true,
      }),
    enabled: channels.length > 0,
    placeholderData: keepPreviousData,
    refetchInterval: live ? TABLE_EVERY_MS : false,
    staleTime: live ? 0 : 60_000,
    gcTime: 60_000,
  });
}

/** Returns the range of a window; one that ends now is fixed. */
export function rangeOf(window: CurveWindow): { from: string; to: string } {
  const to = window.kind === 'latest' ? serverNow() : window.to;
  const from = window.kind === 'latest' ? to - window.lengthMs : window.from;
  return { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
}
