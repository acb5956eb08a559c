import { getRouterInfo } from '@isotherm/contracts/settings';
import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { PAGE_PERMISSIONS_KEY } from '../../shared/access/permissions.ts';
import { call } from '../../shared/api/client.ts';

export const routerInfoQuery = queryOptions({
  queryKey: ['settings', 'router-info'],
  queryFn: ({ signal }) => call(getRouterInfo, { query: { showall: 'true' }, signal, quiet: true }),
  staleTime: Number.POSITIVE_INFINITY,
});

/** Announcements not read yet, as the newest answer about any page's permissions said (requirements §7). */
export function unreadAnnouncementsIn(queries: QueryClient): number {
  const answers = queries
    .getQueryCache()
    .findAll({ queryKey: PAGE_PERMISSIONS_KEY })
    .map(({ state }) => state as { data?: { unreadAnnouncements: number }; dataUpdatedAt: number })
    .sort((a, b) => b.dataUpdatedAt - a.dataUpdatedAt);
  return answers.find(({ data }) => data)?.data?.unreadAnnouncements ?? 0;
}
