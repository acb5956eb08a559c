import { getPagePermissions, getRouterInfo } from '@isotherm/contracts/settings';
import type { Permission } from '@isotherm/domain/access/permissions';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { call } from '../../shared/api/client.ts';

export const routerInfoQuery = queryOptions({
  queryKey: ['settings', 'router-info'],
  queryFn: ({ signal }) => call(getRouterInfo, { query: { showall: 'true' }, signal, quiet: true }),
  staleTime: Number.POSITIVE_INFINITY,
});

/** What the caller may do on one page; asked again on every navigation (requirements §2). */
export function pagePermissionsQuery(page: string) {
  return queryOptions({
    queryKey: ['settings', 'permissions', page],
    queryFn: ({ signal }) => call(getPagePermissions, { query: { menuname: page }, signal, quiet: true }),
    staleTime: 60_000,
    retry: false,
  });
}

/** True when the caller holds the permission. While it is not known, and when asking failed, it is not held. */
export function usePermission(permission: Permission): boolean {
  const page = permission.slice(0, permission.indexOf(':'));
  const { data } = useQuery(pagePermissionsQuery(page));
  return data?.permissions.includes(permission) ?? false;
}
