import { analyzeAlarms } from '@isotherm/contracts/alarm-history';
import type { QueryOf } from '@isotherm/contracts/route';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { call } from '../../../shared/api/client.ts';
import { ALARMS_KEY } from '../alarms.queries.ts';

export const HISTORY_KEY = [...ALARMS_KEY, 'history'] as const;

export function analysisQuery(query: QueryOf<typeof analyzeAlarms>) {
  return queryOptions({
    queryKey: [...HISTORY_KEY, 'analysis', query],
    queryFn: ({ signal }) => call(analyzeAlarms, { query, signal, quiet: true }),
    placeholderData: keepPreviousData,
  });
}
