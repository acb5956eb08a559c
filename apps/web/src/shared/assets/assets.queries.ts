import { getAssetTree } from '@isotherm/contracts/asset-groups';
import { getAssetRecord, listAssets } from '@isotherm/contracts/asset-registry';
import { queryOptions } from '@tanstack/react-query';
import { call } from '../api/client.ts';

/** Most assets offered for an organisation or a search. */
export const OFFERED = 200;

export const assetTreeQuery = queryOptions({
  queryKey: ['assets', 'tree'],
  queryFn: ({ signal }) => call(getAssetTree, { signal, quiet: true }),
  staleTime: 15_000,
});

/** Assets of an organisation itself; with a search of all organisations; with both, of that one. */
export function offeredQuery(query: { organizationId?: number; search?: string }) {
  return queryOptions({
    queryKey: ['assets', 'offered', query],
    queryFn: ({ signal }) =>
      call(listAssets, { query: { ...query, below: 'false', pageSize: OFFERED }, signal, quiet: true }),
    staleTime: 15_000,
  });
}

/** Name and facts of a selected asset. */
export function namedAssetQuery(id: number) {
  return queryOptions({
    queryKey: ['assets', 'named', id],
    queryFn: ({ signal }) => call(getAssetRecord, { params: { id }, signal, quiet: true }),
    staleTime: 60_000,
  });
}
