import { z } from 'zod';
import { label, reason } from './fields.ts';
import { defineRoute, id, moment, pageOf, paging } from './route.ts';

/** Largest number of organisations and of roles of a user group. */
export const MOST_GROUP_PARTS = 50;

const trace = { changedBy: z.string(), changedAt: moment };
const one = z.object({ id });

export const announcementCategoryInput = z.strictObject({
  organizationId: id,
  /** Unique within the organisation, ignoring case. */
  name: label(40),
});
export type AnnouncementCategoryInput = z.output<typeof announcementCategoryInput>;

export const announcementCategory = announcementCategoryInput.extend({
  id: z.number().int(),
  organizationName: z.string(),
  /** Announcements in the category. */
  announcements: z.number().int(),
  ...trace,
});
export type AnnouncementCategory = z.output<typeof announcementCategory>;

const listQuery = z.object({
  ...paging,
  search: z.string().max(100).default(''),
  organizationId: id.optional(),
  sort: z.enum(['name', 'organization', 'changedAt']).default('name'),
  order: z.enum(['asc', 'desc']).default('asc'),
});

export const listAnnouncementCategories = defineRoute({
  name: 'listAnnouncementCategories',
  method: 'GET',
  path: '/announcement/category',
  access: 'announcement-categories:view',
  summary: 'Categories of announcements of own and subordinate organisations',
  query: listQuery,
  response: pageOf(announcementCategory),
});

/** Creates a category. Throws `organization.not_found`, `announcement_category.taken`. */
export const createAnnouncementCategory = defineRoute({
  name: 'createAnnouncementCategory',
  method: 'POST',
  path: '/announcement/category',
  access: 'announcement-categories:edit',
  summary: 'Create a category of announcements',
  body: announcementCategoryInput,
  response: announcementCategory,
});

/** Edits a category. Throws `organization.not_found`, `announcement_category.not_found|taken`. */
export const editAnnouncementCategory = defineRoute({
  name: 'editAnnouncementCategory',
  method: 'PUT',
  path: '/announcement/category/:id',
  access: 'announcement-categories:edit',
  summary: 'Change a category of announcements',
  params: one,
  body: announcementCategoryInput,
  response: announcementCategory,
});

/** Deletes a category. Throws `announcement_category.not_found`. */
export const deleteAnnouncementCategory = defineRoute({
  name: 'deleteAnnouncementCategory',
  method: 'DELETE',
  path: '/announcement/category/:id',
  access: 'announcement-categories:edit',
  summary: 'Delete a category; its announcements stay without one',
  params: one,
  body: z.strictObject({ reason }),
  response: z.null(),
});

export const announcementGroupInput = z.strictObject({
  organizationId: id,
  /** Unique within the organisation, ignoring case. */
  name: label(60),
  /** Organisations, each with those below it. */
  organizationIds: z.array(id).min(1, { error: 'choice' }).max(MOST_GROUP_PARTS),
  /** Roles; empty means all. */
  roleIds: z.array(id).max(MOST_GROUP_PARTS).default([]),
});
export type AnnouncementGroupInput = z.output<typeof announcementGroupInput>;

const groupRole = z.object({
  id: z.number().int(),
  /** Code of a system role; null for a role of an organisation. */
  code: z.string().nullable(),
  name: z.string(),
});

export const announcementGroup = announcementGroupInput.extend({
  id: z.number().int(),
  organizationName: z.string(),
  organizationNames: z.array(z.string()),
  roles: z.array(groupRole),
  /** Active users of the group. */
  users: z.number().int(),
  ...trace,
});
export type AnnouncementGroup = z.output<typeof announcementGroup>;

export const listAnnouncementGroups = defineRoute({
  name: 'listAnnouncementGroups',
  method: 'GET',
  path: '/announcement/user-group',
  access: 'announcement-user-groups:view',
  summary: 'User groups of own and subordinate organisations, to which announcements are sent',
  query: listQuery,
  response: pageOf(announcementGroup),
});

/** Roles that a user group can have. */
export const listAnnouncementGroupRoles = defineRoute({
  name: 'listAnnouncementGroupRoles',
  method: 'GET',
  path: '/announcement/user-group/role',
  access: 'announcement-user-groups:view',
  summary: 'Roles that a user group can have',
  response: z.array(groupRole),
});

/** Creates a user group. Throws `organization.not_found`, `role.not_found`, `announcement_group.taken`. */
export const createAnnouncementGroup = defineRoute({
  name: 'createAnnouncementGroup',
  method: 'POST',
  path: '/announcement/user-group',
  access: 'announcement-user-groups:edit',
  summary: 'Create a user group for announcements',
  body: announcementGroupInput,
  response: announcementGroup,
});

/**
 * Edits a user group. What was published before keeps its readers. Throws `organization.not_found`, `role.not_found`,
 * `announcement_group.not_found|taken`.
 */
export const editAnnouncementGroup = defineRoute({
  name: 'editAnnouncementGroup',
  method: 'PUT',
  path: '/announcement/user-group/:id',
  access: 'announcement-user-groups:edit',
  summary: 'Change a user group; published announcements keep their readers',
  params: one,
  body: announcementGroupInput,
  response: announcementGroup,
});

/** Deletes a user group. Throws `announcement_group.not_found|in_use`. */
export const deleteAnnouncementGroup = defineRoute({
  name: 'deleteAnnouncementGroup',
  method: 'DELETE',
  path: '/announcement/user-group/:id',
  access: 'announcement-user-groups:edit',
  summary: 'Delete a user group; published announcements keep their readers',
  params: one,
  body: z.strictObject({ reason }),
  response: z.null(),
});
