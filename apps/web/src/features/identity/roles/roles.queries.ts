import { getOperationTree } from '@isotherm/contracts/operations';
import { createRole, deleteRole, editRole, listRoleHolders } from '@isotherm/contracts/roles';
import type { BodyOf } from '@isotherm/contracts/route';
import { queryOptions, useQueryClient } from '@tanstack/react-query';
import { PAGE_PERMISSIONS_KEY } from '../../../shared/access/permissions.ts';
import { call } from '../../../shared/api/client.ts';
import { ROLES_KEY } from '../users/users.queries.ts';

/** Pages and operations, and which of them a role holds; 0 for one that is not made yet. */
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

/** What can be done to roles. Who calls words the failure. */
export function useRoleChanges() {
  const queries = useQueryClient();
  const after = async <T>(answer: Promise<T>): Promise<T> => {
    const done = await answer;
    void queries.invalidateQueries({ queryKey: ROLES_KEY });
    void queries.invalidateQueries({ queryKey: PAGE_PERMISSIONS_KEY });
    return done;
  };
  return {
    create: (body: BodyOf<typeof createRole>) => after(call(createRole, { body, quiet: true })),
    edit: (id: number, body: BodyOf<typeof editRole>) =>
      after(call(editRole, { params: { id }, body, quiet: true })),
    remove: (id: number, reason: string) =>
      after(call(deleteRole, { params: { id }, body: { reason }, quiet: true })),
  };
}
