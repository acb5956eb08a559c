import {
  createAnnouncementCategory,
  createAnnouncementGroup,
  deleteAnnouncementCategory,
  deleteAnnouncementGroup,
  editAnnouncementCategory,
  editAnnouncementGroup,
  listAnnouncementGroupRoles,
} from '@isotherm/contracts/announcement-groups';
import {
  cancelAnnouncement,
  claimAnnouncementPopups,
  createAnnouncement,
  deleteAnnouncement,
  editAnnouncement,
  getAnnouncement,
  getAnnouncementChoices,
  getReceivedAnnouncement,
  listAnnouncementReaders,
  listReceivedAnnouncements,
  markAllAnnouncements,
  markAnnouncement,
  publishAnnouncement,
  recallAnnouncement,
} from '@isotherm/contracts/announcements';
import type { QueryOf } from '@isotherm/contracts/route';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { pagePermissionsQuery } from '../../shared/access/permissions.ts';
import { call } from '../../shared/api/client.ts';
import { crudChanges, useRefreshing } from '../../shared/api/crud-changes.ts';

/** What the user has received. */
export const INBOX_KEY = ['announcements', 'inbox'] as const;
export const MANAGED_KEY = ['announcements', 'managed'] as const;
export const CATEGORIES_KEY = ['announcements', 'categories'] as const;
export const GROUPS_KEY = ['announcements', 'groups'] as const;
/** The response with permissions contains the number of unread announcements. */
export const UNREAD_KEY = pagePermissionsQuery('announcement-list').queryKey;

export const inboxQuery = (query: QueryOf<typeof listReceivedAnnouncements>) =>
  queryOptions({
    queryKey: [...INBOX_KEY, 'list', query],
    queryFn: ({ signal }) => call(listReceivedAnnouncements, { query, signal, quiet: true }),
    placeholderData: keepPreviousData,
  });

export const receivedQuery = (id: number) =>
  queryOptions({
    queryKey: [...INBOX_KEY, 'one', id],
    queryFn: ({ signal }) => call(getReceivedAnnouncement, { params: { id }, signal, quiet: true }),
    retry: false,
  });

/** The server tells the console when something was published; the interval catches what was missed. */
const REFRESH_MS = 300_000;

export const announcementPopupsQuery = queryOptions({
  queryKey: ['announcements', 'popups'],
  queryFn: ({ signal }) => call(claimAnnouncementPopups, { signal, quiet: true }),
  staleTime: 0,
  refetchInterval: REFRESH_MS,
});

export const loadAnnouncement = (id: number, signal: AbortSignal) =>
  call(getAnnouncement, { params: { id }, signal });

export const choicesQuery = queryOptions({
  queryKey: [...MANAGED_KEY, 'choices'],
  queryFn: ({ signal }) => call(getAnnouncementChoices, { signal, quiet: true }),
});

export const readersQuery = (id: number, query: QueryOf<typeof listAnnouncementReaders>) =>
  queryOptions({
    queryKey: [...MANAGED_KEY, 'readers', id, query],
    queryFn: ({ signal }) => call(listAnnouncementReaders, { params: { id }, query, signal, quiet: true }),
    placeholderData: keepPreviousData,
    retry: false,
  });

export const groupRolesQuery = queryOptions({
  queryKey: [...GROUPS_KEY, 'roles'],
  queryFn: ({ signal }) => call(listAnnouncementGroupRoles, { signal, quiet: true }),
});

/** Mutations of authors. The caller shows failures. */
export const useAnnouncementChanges = crudChanges(
  MANAGED_KEY,
  {
    create: createAnnouncement,
    edit: editAnnouncement,
    remove: deleteAnnouncement,
    publish: publishAnnouncement,
    cancel: cancelAnnouncement,
    recall: recallAnnouncement,
  },
  { also: [INBOX_KEY, UNREAD_KEY], wait: true },
);

export const useCategoryChanges = crudChanges(
  CATEGORIES_KEY,
  {
    create: createAnnouncementCategory,
    edit: editAnnouncementCategory,
    remove: deleteAnnouncementCategory,
  },
  { also: [MANAGED_KEY] },
);

export const useGroupChanges = crudChanges(
  GROUPS_KEY,
  { create: createAnnouncementGroup, edit: editAnnouncementGroup, remove: deleteAnnouncementGroup },
  { also: [MANAGED_KEY] },
);

const READ_KEYS = [INBOX_KEY, UNREAD_KEY, [...MANAGED_KEY, 'readers']];

/** Marks of the reader. A failure is shown as a toast. */
export function useMarks() {
  const after = useRefreshing(READ_KEYS);
  return {
    mark: (id: number, read: boolean) =>
      after(call(markAnnouncement, { params: { id }, body: { read } })).catch(() => null),
    markAll: () => after(call(markAllAnnouncements)),
  };
}
