import {
  changeGroupMembers,
  createAssetGroup,
  deleteAssetGroup,
  editAssetGroup,
  listAssetGroups,
} from '@isotherm/contracts/asset-groups';
import type { BodyOf } from '@isotherm/contracts/route';
import { queryOptions, useQueryClient } from '@tanstack/react-query';
import { call } from '../../../shared/api/client.ts';

export const GROUPS_KEY = ['assets', 'groups'] as const;

export const groupsQuery = queryOptions({
  queryKey: [...GROUPS_KEY, 'all'],
  queryFn: ({ signal }) => call(listAssetGroups, { signal, quiet: true }),
  staleTime: 30_000,
});

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
