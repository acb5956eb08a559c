import {
  createOrganization,
  deleteOrganization,
  editOrganization,
  getOrganization,
  moveOrganization,
} from '@isotherm/contracts/organizations';
import { queryOptions } from '@tanstack/react-query';
import { ORGANIZATIONS_KEY } from '../../../shared/access/organizations.ts';
import { call } from '../../../shared/api/client.ts';
import { crudChanges, useRefreshing } from '../../../shared/api/crud-changes.ts';

export function organizationQuery(id: number) {
  return queryOptions({
    queryKey: [...ORGANIZATIONS_KEY, 'one', id],
    queryFn: ({ signal }) => call(getOrganization, { params: { id }, signal, quiet: true }),
  });
}

const useCrud = crudChanges(
  ORGANIZATIONS_KEY,
  { create: createOrganization, edit: editOrganization, remove: deleteOrganization },
  { wait: true },
);
const KEYS = [ORGANIZATIONS_KEY];

/** Mutations of organisations. The caller shows failures. */
export function useOrganizationChanges() {
  const after = useRefreshing(KEYS, true);
  return {
    ...useCrud(),
    move: (id: number, parentId: number, reason: string) =>
      after(
        call(moveOrganization, {
          params: { id },
          body: reason === '' ? { parentId } : { parentId, reason },
          quiet: true,
        }),
      ),
  };
}
