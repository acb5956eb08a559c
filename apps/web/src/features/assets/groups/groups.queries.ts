import {
  changeGroupMembers,
  createAssetGroup,
  deleteAssetGroup,
  editAssetGroup,
  listAssetGroups,
} from '@isotherm/contracts/asset-groups';
import type { BodyOf } from '@isotherm/contracts/route';
import { queryOptions } from '@tanstack/react-query';
import { call } from '../../../shared/api/client.ts';
import { crudChanges, useRefreshing } from '../../../shared/api/crud-changes.ts';
import { ASSETS_KEY } from '../assets.queries.ts';

export const GROUPS_KEY = ['assets', 'groups'] as const;

export const groupsQuery = queryOptions({
  queryKey: [...GROUPS_KEY, 'all'],
  queryFn: ({ signal }) => call(listAssetGroups, { signal, quiet: true }),
  staleTime: 30_000,
});

const useCrud = crudChanges(ASSETS_KEY, {
  create: createAssetGroup,
  edit: editAssetGroup,
  remove: deleteAssetGroup,
});
const KEYS = [ASSETS_KEY];

export function useGroupChanges() {
  const after = useRefreshing(KEYS);
  return {
    ...useCrud(),
    members: (id: number, body: BodyOf<typeof changeGroupMembers>) =>
      after(call(changeGroupMembers, { params: { id }, body })),
  };
}
