import { listRoles } from '@isotherm/contracts/roles';
import {
  createUser,
  deleteUser,
  disableUsers,
  editUser,
  enableUsers,
  endUserSessions,
  getUser,
  listAgents,
  listUserSessions,
  resetUserPassword,
  unlockUser,
} from '@isotherm/contracts/users';
import { queryOptions } from '@tanstack/react-query';
import { call } from '../../../shared/api/client.ts';
import { crudChanges, useRefreshing } from '../../../shared/api/crud-changes.ts';

export const USERS_KEY = ['identity', 'users'] as const;
export const ROLES_KEY = ['identity', 'roles'] as const;

export function userQuery(id: number) {
  return queryOptions({
    queryKey: [...USERS_KEY, 'one', id],
    queryFn: ({ signal }) => call(getUser, { params: { id }, signal, quiet: true }),
  });
}

export function userSessionsQuery(id: number) {
  return queryOptions({
    queryKey: [...USERS_KEY, 'sessions', id],
    queryFn: ({ signal }) => call(listUserSessions, { params: { id }, signal, quiet: true }),
  });
}

/** Query for all roles that the user can see; roles that the user can grant are marked `grantable`. */
export const rolesQuery = queryOptions({
  queryKey: [...ROLES_KEY, 'all'],
  queryFn: ({ signal }) => call(listRoles, { signal, quiet: true }),
  staleTime: 60_000,
});

export const agentSource = {
  key: [...USERS_KEY, 'agents'],
  search: async (search: string) =>
    (await call(listAgents, { query: { search }, quiet: true })).map(
      ({ id, realname, organizationName }) => ({
        value: id,
        label: realname,
        hint: organizationName,
      }),
    ),
};

const useCrud = crudChanges(
  USERS_KEY,
  {
    create: createUser,
    edit: editUser,
    disable: disableUsers,
    enable: enableUsers,
    resetPassword: resetUserPassword,
    remove: deleteUser,
    endSessions: endUserSessions,
  },
  { also: [ROLES_KEY] },
);
const KEYS = [USERS_KEY, ROLES_KEY];

/** Mutations of accounts. The caller shows failures. */
export function useUserChanges() {
  const after = useRefreshing(KEYS);
  return {
    ...useCrud(),
    unlock: (id: number) => after(call(unlockUser, { params: { id } })),
  };
}
