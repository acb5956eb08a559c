import { ANNOUNCEMENT_STATES } from '@isotherm/domain/announcements/announcement';
import { z } from 'zod';
import { attachment, attachmentRoutes } from './attachments.ts';
import { sheetExport } from './batches.ts';
import { label, reason } from './fields.ts';
import { richText } from './rich-text.ts';
import { defineRoute, download, id, moment, pageOf, paging } from './route.ts';

/** Requirements §5: "at most 5 attachments per announcement". */
export const MOST_ANNOUNCEMENT_FILES = 5;
export const SEND_TYPES = ['now', 'scheduled'] as const;

export const announcementInput = z.strictObject({
  organizationId: id,
  title: label(),
  categoryId: id.nullable().default(null),
  /** User group; null for all users of the organisation and those below it. */
  groupId: id.nullable().default(null),
  body: richText,
  sendType: z.enum(SEND_TYPES).default('now'),
  /** When it is published, if its send type is `scheduled`. */
  dueAt: moment.nullable().default(null),
  /** Whether it opens in the console of each reader once. */
  popup: z.boolean().default(false),
  email: z.boolean().default(false),
  /** Last day on which it is shown first, in the time zone of the organisation. */
  pinnedUntil: z.iso.date().nullable().default(null),
});
export type AnnouncementInput = z.output<typeof announcementInput>;

export const announcement = announcementInput.extend({
  id: z.number().int(),
  organizationName: z.string(),
  categoryName: z.string().nullable(),
  /** Name of the user group; null for all users. */
  groupName: z.string().nullable(),
  summary: z.string(),
  state: z.enum(ANNOUNCEMENT_STATES),
  publishedAt: moment.nullable(),
  publishedBy: z.string(),
  recalledAt: moment.nullable(),
  recallReason: z.string(),
  /** Number of attachments. */
  files: z.number().int(),
  /** Number of users who have read it. */
  readers: z.number().int(),
  changedBy: z.string(),
  changedAt: moment,
});
export type Announcement = z.output<typeof announcement>;

const managedFilter = {
  search: z.string().max(100).default(''),
  organizationId: id.optional(),
  categoryId: id.optional(),
  state: z.enum(ANNOUNCEMENT_STATES).optional(),
  sort: z.enum(['title', 'publishedAt', 'changedAt']).default('changedAt'),
  order: z.enum(['asc', 'desc']).default('desc'),
};
const one = z.object({ id });

export const listAnnouncements = defineRoute({
  name: 'listAnnouncements',
  method: 'GET',
  path: '/announcement/manage',
  access: 'announcement-manage:view',
  summary: 'Announcements of own and subordinate organisations, also drafts and recalled ones',
  query: z.object({ ...paging, ...managedFilter }),
  response: pageOf(announcement),
});

/** Exports the filtered list as XLSX, as base64 in the JSON response. */
export const exportAnnouncements = defineRoute({
  name: 'exportAnnouncements',
  method: 'GET',
  path: '/announcement/manage/export',
  access: 'announcement-manage:export',
  summary: 'The filtered announcements as a spreadsheet',
  query: z.object(managedFilter),
  response: sheetExport,
});

/** What an author can choose from. */
export const getAnnouncementChoices = defineRoute({
  name: 'getAnnouncementChoices',
  method: 'GET',
  path: '/announcement/manage/choices',
  access: 'announcement-manage:view',
  summary: 'Categories and user groups that an announcement can have, and the limits of its attachments',
  response: z.object({
    categories: z.array(z.object({ id: z.number().int(), name: z.string() })),
    groups: z.array(
      z.object({
        id: z.number().int(),
        name: z.string(),
        organizationName: z.string(),
        users: z.number().int(),
      }),
    ),
    maxFileBytes: z.number().int(),
    /** Whether the installation can send e-mails. */
    canMail: z.boolean(),
  }),
});

/** Reads an announcement. Throws `announcement.not_found`. */
export const getAnnouncement = defineRoute({
  name: 'getAnnouncement',
  method: 'GET',
  path: '/announcement/manage/:id',
  access: 'announcement-manage:view',
  summary: 'One announcement',
  params: one,
  response: announcement,
});

/**
 * Creates a draft. Throws `organization.not_found`, `announcement_category.not_found`, `announcement_group.not_found`.
 */
export const createAnnouncement = defineRoute({
  name: 'createAnnouncement',
  method: 'POST',
  path: '/announcement/manage',
  access: 'announcement-manage:edit',
  summary: 'Create the draft of an announcement',
  body: announcementInput,
  response: announcement,
});

/**
 * Edits a draft. Throws `organization.not_found`, `announcement_category.not_found`, `announcement_group.not_found`,
 * `announcement.not_found|state`.
 */
export const editAnnouncement = defineRoute({
  name: 'editAnnouncement',
  method: 'PUT',
  path: '/announcement/manage/:id',
  access: 'announcement-manage:edit',
  summary: 'Change the draft of an announcement',
  params: one,
  body: announcementInput,
  response: announcement,
});

/** Deletes a draft. Throws `announcement.not_found|state`. */
export const deleteAnnouncement = defineRoute({
  name: 'deleteAnnouncement',
  method: 'DELETE',
  path: '/announcement/manage/:id',
  access: 'announcement-manage:edit',
  summary: 'Delete the draft of an announcement',
  params: one,
  body: z.strictObject({ reason }),
  response: z.null(),
});

/**
 * Publishes a draft now, or schedules it. Throws `announcement.not_found|state|past|nobody`, `message.no_transport`.
 */
export const publishAnnouncement = defineRoute({
  name: 'publishAnnouncement',
  method: 'POST',
  path: '/announcement/manage/:id/publish',
  access: 'announcement-manage:edit',
  summary: 'Publish a draft now, or at its time',
  params: one,
  response: announcement,
});

/** Returns a scheduled announcement to its draft. Throws `announcement.not_found|state`. */
export const cancelAnnouncement = defineRoute({
  name: 'cancelAnnouncement',
  method: 'POST',
  path: '/announcement/manage/:id/cancel',
  access: 'announcement-manage:edit',
  summary: 'Return a scheduled announcement to its draft',
  params: one,
  response: announcement,
});

/** Recalls a published announcement, so that no reader sees it any more. Throws `announcement.not_found|state`. */
export const recallAnnouncement = defineRoute({
  name: 'recallAnnouncement',
  method: 'POST',
  path: '/announcement/manage/:id/recall',
  access: 'announcement-manage:edit',
  summary: 'Recall a published announcement; readers do not see it any more',
  params: one,
  body: z.strictObject({ reason }),
  response: announcement,
});

/** Attachments. They are added and deleted while the announcement is a draft. All routes throw `announcement.not_found|state`. */
export const announcementFiles = attachmentRoutes({
  name: 'Announcement',
  path: '/announcement/manage/:id',
  view: 'announcement-manage:view',
  edit: 'announcement-manage:edit',
});

export const announcementReader = z.object({
  id: z.number().int(),
  username: z.string(),
  realname: z.string(),
  organizationName: z.string(),
  /** When the user read it for the first time; null if not yet. */
  readAt: moment.nullable(),
});
export type AnnouncementReader = z.output<typeof announcementReader>;

const readerFilter = {
  search: z.string().max(100).default(''),
  read: z.enum(['yes', 'no']).optional(),
};

/** Lists the users whom a published announcement is for. Throws `announcement.not_found`. */
export const listAnnouncementReaders = defineRoute({
  name: 'listAnnouncementReaders',
  method: 'GET',
  path: '/announcement/manage/:id/reader',
  access: 'announcement-manage:view',
  summary: 'Who has read an announcement, and who has not',
  params: one,
  query: z.object({ ...paging, ...readerFilter }),
  response: pageOf(announcementReader).extend({
    /** Number of users whom it is for, and of those who have read it, whatever the filter. */
    recipients: z.number().int(),
    readers: z.number().int(),
  }),
});

/** Exports the read receipts as XLSX. Throws `announcement.not_found`. */
export const exportAnnouncementReaders = defineRoute({
  name: 'exportAnnouncementReaders',
  method: 'GET',
  path: '/announcement/manage/:id/reader/export',
  access: 'announcement-manage:export',
  summary: 'Who has read an announcement as a spreadsheet',
  params: one,
  query: z.object(readerFilter),
  response: sheetExport,
});

/** An announcement in the list of a reader. */
export const receivedAnnouncement = z.object({
  id: z.number().int(),
  title: z.string(),
  summary: z.string(),
  categoryName: z.string().nullable(),
  organizationName: z.string(),
  /** Name of the user group that it is for; '' for all users. */
  groupName: z.string(),
  publishedAt: moment,
  /** Last day on which it is shown first; null if it is not pinned now. */
  pinnedUntil: z.iso.date().nullable(),
  isRead: z.boolean(),
  files: z.number().int(),
});
export type ReceivedAnnouncement = z.output<typeof receivedAnnouncement>;

export const READER_VIEWS = ['all', 'unread', 'pinned'] as const;

export const listReceivedAnnouncements = defineRoute({
  name: 'listReceivedAnnouncements',
  method: 'GET',
  path: '/announcement',
  access: 'announcement-list:view',
  summary: 'Published announcements for the caller, pinned ones first, then the newest',
  machines: false,
  query: z.object({
    ...paging,
    search: z.string().max(100).default(''),
    categoryId: id.optional(),
    view: z.enum(READER_VIEWS).default('all'),
  }),
  response: pageOf(receivedAnnouncement).extend({
    /** Numbers of all announcements for the caller, whatever the filter. */
    counts: z.object({ all: z.number().int(), unread: z.number().int(), pinned: z.number().int() }),
    categories: z.array(z.object({ id: z.number().int(), name: z.string() })),
  }),
});

/** Reads a published announcement. Throws `announcement.not_found`. */
export const getReceivedAnnouncement = defineRoute({
  name: 'getReceivedAnnouncement',
  method: 'GET',
  path: '/announcement/:id',
  access: 'announcement-list:view',
  summary: 'One announcement for the caller',
  machines: false,
  params: one,
  response: receivedAnnouncement.omit({ files: true }).extend({
    body: z.string(),
    files: z.array(attachment.pick({ id: true, name: true, mediaType: true, sizeBytes: true })),
  }),
});
export type ReadAnnouncement = z.output<typeof getReceivedAnnouncement.response>;

/** Returns the bytes of an attachment. Throws `announcement.not_found`, `file.not_found`. */
export const readReceivedFile = defineRoute({
  name: 'readReceivedFile',
  method: 'GET',
  path: '/announcement/:id/file/:file',
  access: 'announcement-list:view',
  summary: 'The bytes of an attachment of an announcement',
  machines: false,
  params: z.object({ id, file: id }),
  response: download,
});

/** Marks an announcement as read or unread. Throws `announcement.not_found`. */
export const markAnnouncement = defineRoute({
  name: 'markAnnouncement',
  method: 'PUT',
  path: '/announcement/:id/read',
  access: 'announcement-list:view',
  summary: 'Mark an announcement as read or unread',
  machines: false,
  params: one,
  body: z.strictObject({ read: z.boolean() }),
  response: z.null(),
});

export const markAllAnnouncements = defineRoute({
  name: 'markAllAnnouncements',
  method: 'PUT',
  path: '/announcement/read',
  access: 'announcement-list:view',
  summary: 'Mark all announcements for the caller as read',
  machines: false,
  response: z.null(),
});

/**
 * Returns announcements with popup that no console of the caller has shown yet, and notes that this one shows them: each is
 * returned once, whatever the number of tabs and sessions.
 */
export const claimAnnouncementPopups = defineRoute({
  name: 'claimAnnouncementPopups',
  method: 'POST',
  path: '/announcement/popup',
  access: 'announcement-list:view',
  summary: 'Take the announcements that are to be shown to the caller once',
  machines: false,
  response: z.array(
    receivedAnnouncement.pick({ id: true, title: true, organizationName: true, publishedAt: true }).extend({
      body: z.string(),
      files: z.number().int(),
    }),
  ),
});
export type AnnouncementPopup = z.output<typeof claimAnnouncementPopups.response>[number];
