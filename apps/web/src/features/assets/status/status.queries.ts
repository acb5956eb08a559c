import { changeAssetStatus, listStatusChanges } from '@isotherm/contracts/asset-status';
import type { BodyOf } from '@isotherm/contracts/route';
import { queryOptions, useQueryClient } from '@tanstack/react-query';
import { call } from '../../../shared/api/client.ts';

export const STATUS_KEY = ['assets', 'status'] as const;
/** Number of changes on the page of an asset; the full history page has all of them. */
const OF_ONE = 100;

/** Query for the newest status changes of one asset. */
export function statusChangesQuery(assetId: number) {
  return queryOptions({
    queryKey: [...STATUS_KEY, 'of', assetId],
    queryFn: ({ signal }) =>
      call(listStatusChanges, { query: { assetId, pageSize: OF_ONE }, signal, quiet: true }),
  });
}

export function useStatusChange() {
  const queries = useQueryClient();
  return async (assetId: number, body: BodyOf<typeof changeAssetStatus>) => {
    const done = await call(changeAssetStatus, { params: { id: assetId }, body, quiet: true });
    void queries.invalidateQueries({ queryKey: ['assets'] });
    return done;
  };
}
