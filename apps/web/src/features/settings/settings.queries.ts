import { getRouterInfo, type RouteObject } from '@isotherm/contracts/settings';
import { type QueryClient, queryOptions, useQuery } from '@tanstack/react-query';
import { PAGE_PERMISSIONS_KEY } from '../../shared/access/permissions.ts';
import { call } from '../../shared/api/client.ts';

export const routerInfoQuery = queryOptions({
  queryKey: ['settings', 'router-info'],
  queryFn: ({ signal }) => call(getRouterInfo, { query: { showall: 'true' }, signal, quiet: true }),
  staleTime: Number.POSITIVE_INFINITY,
});

const NO_MENU: readonly RouteObject[] = [];

/** Returns the current menu. Its titles, order and links may change while the console is open. */
export function useMenu(): readonly RouteObject[] {
  return useQuery(routerInfoQuery).data ?? NO_MENU;
}

/**
 * Returns the number of unread announcements, from the latest response with permissions (requirements §7).
 */
export function unreadAnnouncementsIn(queries: QueryClient): number {
  const answers = queries
    .getQueryCache()
    .findAll({ queryKey: PAGE_PERMISSIONS_KEY })
    .map(({ state }) => state as { data?: { unreadAnnouncements: number }; dataUpdatedAt: number })
    .sort((a, b) => b.dataUpdatedAt - a.dataUpdatedAt);
  return answers.find(({ data }) => data)?.data?.unreadAnnouncements ?? 0;
}
