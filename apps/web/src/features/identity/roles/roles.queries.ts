import { getOperationTree } from '@isotherm/contracts/operations';
import { createRole, deleteRole, editRole, listRoleHolders } from '@isotherm/contracts/roles';
import { queryOptions } from '@tanstack/react-query';
import { PAGE_PERMISSIONS_KEY } from '../../../shared/access/permissions.ts';
import { call } from '../../../shared/api/client.ts';
import { crudChanges } from '../../../shared/api/crud-changes.ts';
import { ROLES_KEY } from '../users/users.queries.ts';

/** Query for all pages and operations, with those of a role selected; id 0 for a new role. */
export function operationTreeQuery(roleId: number) {
  return queryOptions({
    queryKey: [...ROLES_KEY, 'operations', roleId],
    queryFn: ({ signal }) => call(getOperationTree, { params: { id: roleId }, signal, quiet: true }),
  });
}

export function roleHoldersQuery(roleId: number) {
  return queryOptions({
    queryKey: [...ROLES_KEY, 'holders', roleId],
    queryFn: ({ signal }) => call(listRoleHolders, { params: { id: roleId }, signal, quiet: true }),
  });
}

/** Mutations of roles. The caller shows failures. */
export const useRoleChanges = crudChanges(
  ROLES_KEY,
  { create: createRole, edit: editRole, remove: deleteRole },
  { also: [PAGE_PERMISSIONS_KEY] },
);
