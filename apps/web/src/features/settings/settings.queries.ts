import { getRouterInfo } from '@isotherm/contracts/settings';
import { queryOptions } from '@tanstack/react-query';
import { call } from '../../shared/api/client.ts';

export const routerInfoQuery = queryOptions({
  queryKey: ['settings', 'router-info'],
  queryFn: ({ signal }) => call(getRouterInfo, { query: { showall: 'true' }, signal, quiet: true }),
  staleTime: Number.POSITIVE_INFINITY,
});
