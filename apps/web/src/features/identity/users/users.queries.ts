import type { ImportForm } from '@isotherm/contracts/batches';
import { listRoles } from '@isotherm/contracts/roles';
import type { BodyOf } from '@isotherm/contracts/route';
import {
  createUser,
  deleteUser,
  disableUsers,
  editUser,
  enableUsers,
  endUserSessions,
  exportUsers,
  getUser,
  getUserTemplate,
  importUsers,
  listAgents,
  listUserSessions,
  resetUserPassword,
  unlockUser,
} from '@isotherm/contracts/users';
import { type QueryClient, queryOptions, useQueryClient } from '@tanstack/react-query';
import { call } from '../../../shared/api/client.ts';
import { saveFile } from '../../../shared/ui/save-file.ts';

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

/** Every role that the caller may see; those to choose from are `grantable`. */
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

function refresh(queries: QueryClient): Promise<void> {
  return queries.invalidateQueries({ queryKey: USERS_KEY });
}

/** What can be done to accounts. Who calls words the failure. */
export function useUserChanges() {
  const queries = useQueryClient();
  const after = async <T>(answer: Promise<T>): Promise<T> => {
    const done = await answer;
    void refresh(queries);
    void queries.invalidateQueries({ queryKey: ROLES_KEY });
    return done;
  };
  return {
    create: (body: BodyOf<typeof createUser>) => after(call(createUser, { body, quiet: true })),
    edit: (id: number, body: BodyOf<typeof editUser>) =>
      after(call(editUser, { params: { id }, body, quiet: true })),
    disable: (ids: number[], reason: string) =>
      after(call(disableUsers, { body: { ids, reason }, quiet: true })),
    enable: (ids: number[]) => after(call(enableUsers, { body: { ids }, quiet: true })),
    resetPassword: (id: number, reason: string, secondFactor: boolean) =>
      after(call(resetUserPassword, { params: { id }, body: { reason, secondFactor }, quiet: true })),
    unlock: (id: number) => after(call(unlockUser, { params: { id } })),
    remove: (id: number, reason: string) =>
      after(call(deleteUser, { params: { id }, body: { reason }, quiet: true })),
    endSessions: (id: number) => after(call(endUserSessions, { params: { id }, quiet: true })),
    importFile: (body: ImportForm) => call(importUsers, { body, quiet: true }),
    imported: () => void refresh(queries),
  };
}

export async function saveUserTemplate(): Promise<void> {
  const { fileName, content } = await call(getUserTemplate);
  saveFile(fileName, content);
}

/** Saves the filtered accounts as a spreadsheet. */
export function exportUserList(query: Record<string, string | number>) {
  const { page: _page, pageSize: _size, ...filter } = query;
  return call(exportUsers, { query: filter as never });
}
