import { getCurve } from '@isotherm/contracts/telemetry';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { call } from '../../shared/api/client.ts';
import { serverNow } from '../../shared/api/clock.ts';
import type { CurveWindow } from './curve-window.ts';

/** The newest range is asked for anew at this pace while somebody looks at it. */
const LIVE_EVERY_MS = 15_000;

export function curveQuery(channels: readonly number[], window: CurveWindow, points: number) {
  const live = window.kind === 'latest';
  return queryOptions({
    queryKey: ['telemetry', 'curve', channels.join(','), window, points],
    queryFn: ({ signal }) => {
      const to = live ? serverNow() : window.to;
      const from = live ? to - window.lengthMs : window.from;
      return call(getCurve, {
        query: {
          channels: channels.join(','),
          from: new Date(from).toISOString(),
          to: new Date(to).toISOString(),
          points,
        },
        signal,
        quiet: true,
      });
    },
    enabled: channels.length > 0 && points > 0,
    placeholderData: keepPreviousData,
    refetchInterval: live ? LIVE_EVERY_MS : false,
    staleTime: live ? 0 : 60_000,
    gcTime: 60_000,
  });
}
