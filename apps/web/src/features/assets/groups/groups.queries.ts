import {
  changeGroupMembers,
  createAssetGroup,
  deleteAssetGroup,
  editAssetGroup,
  getAssetTree,
  listAssetGroups,
} from '@isotherm/contracts/asset-groups';
import { listAssets } from '@isotherm/contracts/asset-registry';
import type { BodyOf } from '@isotherm/contracts/route';
import { queryOptions, useQueryClient } from '@tanstack/react-query';
import { call } from '../../../shared/api/client.ts';

export const GROUPS_KEY = ['assets', 'groups'] as const;
/** So many of an organisation, or of a search, are offered at once. */
export const OFFERED = 200;

export const groupsQuery = queryOptions({
  queryKey: [...GROUPS_KEY, 'all'],
  queryFn: ({ signal }) => call(listAssetGroups, { signal, quiet: true }),
  staleTime: 30_000,
});

export const assetTreeQuery = queryOptions({
  queryKey: ['assets', 'tree'],
  queryFn: ({ signal }) => call(getAssetTree, { signal, quiet: true }),
  staleTime: 15_000,
});

/** Assets of one organisation itself, or, with words, of all. */
export function offeredQuery(query: { organizationId: number } | { search: string }) {
  return queryOptions({
    queryKey: ['assets', 'offered', query],
    queryFn: ({ signal }) =>
      call(listAssets, { query: { ...query, below: 'false', pageSize: OFFERED }, signal, quiet: true }),
    staleTime: 15_000,
  });
}

export function useGroupChanges() {
  const queries = useQueryClient();
  const after = async <T>(answer: Promise<T>): Promise<T> => {
    const done = await answer;
    void queries.invalidateQueries({ queryKey: ['assets'] });
    return done;
  };
  return {
    create: (body: BodyOf<typeof createAssetGroup>) => after(call(createAssetGroup, { body, quiet: true })),
    edit: (id: number, body: BodyOf<typeof editAssetGroup>) =>
      after(call(editAssetGroup, { params: { id }, body, quiet: true })),
    remove: (id: number, reason: string) =>
      after(call(deleteAssetGroup, { params: { id }, body: { reason }, quiet: true })),
    members: (id: number, body: BodyOf<typeof changeGroupMembers>) =>
      after(call(changeGroupMembers, { params: { id }, body })),
  };
}
