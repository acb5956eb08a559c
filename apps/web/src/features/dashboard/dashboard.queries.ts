import { arrangeDashboard, type Dashboard, getDashboard } from '@isotherm/contracts/dashboard';
import { keepPreviousData, queryOptions, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { call } from '../../shared/api/client.ts';

const KEY = ['dashboard'];
const REFRESH_MS = 30_000;

export function dashboardQuery(days: number) {
  return queryOptions({
    queryKey: [...KEY, days],
    queryFn: ({ signal }) => call(getDashboard, { query: { days }, signal, quiet: true }),
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
  });
}

/** Returns a function that stores the own arrangement of tiles; null returns to the default. */
export function useArrange(): (arrangement: Dashboard['arrangement'] | null) => Promise<void> {
  const queries = useQueryClient();
  return useCallback(
    async (arrangement) => {
      await call(arrangeDashboard, { body: { arrangement }, quiet: true });
      await queries.invalidateQueries({ queryKey: KEY });
    },
    [queries],
  );
}
