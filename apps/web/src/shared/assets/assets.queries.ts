import { getAssetTree } from '@isotherm/contracts/asset-groups';
import { getAssetRecord, listAssets } from '@isotherm/contracts/asset-registry';
import { queryOptions } from '@tanstack/react-query';
import { call } from '../api/client.ts';

/** Largest number of assets that are offered for an organisation or a search. */
export const OFFERED = 200;

export const assetTreeQuery = queryOptions({
  queryKey: ['assets', 'tree'],
  queryFn: ({ signal }) => call(getAssetTree, { signal, quiet: true }),
  staleTime: 15_000,
});

/**
 * Query for the offered assets. With an organisation it returns the assets that belong directly to it, with a
 * search text the matches in all organisations, with both only the matches that belong to that organisation.
 */
export function offeredQuery(query: { organizationId?: number; search?: string }) {
  return queryOptions({
    queryKey: ['assets', 'offered', query],
    queryFn: ({ signal }) =>
      call(listAssets, { query: { ...query, below: 'false', pageSize: OFFERED }, signal, quiet: true }),
    staleTime: 15_000,
  });
}

/** Query for the name and the properties of a selected asset. */
export function namedAssetQuery(id: number) {
  return queryOptions({
    queryKey: ['assets', 'named', id],
    queryFn: ({ signal }) => call(getAssetRecord, { params: { id }, signal, quiet: true }),
    staleTime: 60_000,
  });
}
