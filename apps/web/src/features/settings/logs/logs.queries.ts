import { getLog, listLogs } from '@isotherm/contracts/logs';
import { queryOptions } from '@tanstack/react-query';
import { call } from '../../../shared/api/client.ts';

export const LOGS_KEY = ['settings', 'logs'] as const;

export function logQuery(seq: number) {
  return queryOptions({
    queryKey: [...LOGS_KEY, 'one', seq],
    queryFn: ({ signal }) => call(getLog, { params: { id: seq }, signal, quiet: true }),
  });
}

/** Query for the kinds of objects in the log, used by the filter. */
export const objectKindsQuery = queryOptions({
  queryKey: [...LOGS_KEY, 'kinds'],
  queryFn: async ({ signal }) =>
    (await call(listLogs, { query: { pageSize: 1 }, signal, quiet: true })).objectKinds,
  staleTime: 300_000,
});
