import { getDeviceStats } from '@isotherm/contracts/device-stats';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { call } from '../../../shared/api/client.ts';

const REFRESH_MS = 60_000;

export function statsQuery(organizationId: number | undefined, days: number) {
  return queryOptions({
    queryKey: ['devices', 'stats', organizationId ?? null, days],
    queryFn: ({ signal }) =>
      call(getDeviceStats, {
        query: { days, ...(organizationId === undefined ? {} : { organizationId }) },
        signal,
        quiet: true,
      }),
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
  });
}
