import { PERSON_TYPES } from '@isotherm/domain/alarms/person';
import { z } from 'zod';
import { sheetExport } from './batches.ts';
import { label, prose, reason } from './fields.ts';
import { defineRoute, id, moment, pageOf, paging } from './route.ts';

/** Largest number of members of a group. */
export const MAX_MEMBERS = 200;

/** A person who can be notified: a receiver or an account. */
export const person = z.strictObject({ type: z.enum(PERSON_TYPES), id });

/** A person with the name, for lists and fields. */
export const namedPerson = z.object({
  type: z.enum(PERSON_TYPES),
  id: z.number().int(),
  /** Empty if the person no longer exists or belongs to an organisation outside the user’s scope. */
  name: z.string(),
  organizationName: z.string(),
  /** True if the person has an e-mail address. */
  hasEmail: z.boolean(),
  /** False if the person was removed or has left the organisation, and is therefore not notified. */
  isActive: z.boolean(),
});
export type NamedPerson = z.output<typeof namedPerson>;

export const recipientGroupInput = z.strictObject({
  organizationId: id,
  /** Name of the group; unique within the organisation, ignoring case. */
  name: label(60),
  description: prose().default(''),
  members: z.array(person).min(1).max(MAX_MEMBERS),
});
export type RecipientGroupInput = z.output<typeof recipientGroupInput>;

export const recipientGroup = recipientGroupInput.extend({
  id: z.number().int(),
  organizationName: z.string(),
  members: z.array(namedPerson),
  /** Number of policies that use the group. */
  policies: z.number().int(),
  changedBy: z.string(),
  changedAt: moment,
});
export type RecipientGroup = z.output<typeof recipientGroup>;

const groupFilter = {
  /** Searched in the names of groups. */
  search: z.string().max(100).default(''),
  organizationId: id.optional(),
  sort: z.enum(['name', 'organization', 'changedAt']).default('name'),
  order: z.enum(['asc', 'desc']).default('asc'),
};

export const listRecipientGroups = defineRoute({
  name: 'listRecipientGroups',
  method: 'GET',
  path: '/recipient-group',
  access: 'device-recipient-groups:view',
  summary: 'Groups of recipients of alarms in own and subordinate organisations',
  query: z.object({ ...paging, ...groupFilter }),
  response: pageOf(recipientGroup),
});

/** Exports the filtered list as XLSX, as base64 in the JSON response; one row for each member. */
export const exportRecipientGroups = defineRoute({
  name: 'exportRecipientGroups',
  method: 'GET',
  path: '/recipient-group/export',
  access: 'device-recipient-groups:export',
  summary: 'The filtered recipient groups and their members as a spreadsheet',
  query: z.object(groupFilter),
  response: sheetExport,
});

/** Lists receivers and accounts that can become members of a group. It throws no errors of its own. */
export const listGroupCandidates = defineRoute({
  name: 'listGroupCandidates',
  method: 'GET',
  path: '/recipient-group/candidates',
  access: 'device-recipient-groups:view',
  summary: 'Receivers and accounts of own and subordinate organisations that can be members of a group',
  query: z.object({ search: z.string().max(100).default('') }),
  response: z.array(namedPerson),
});

/** Reads a group. Throws `recipient_group.not_found`. */
export const getRecipientGroup = defineRoute({
  name: 'getRecipientGroup',
  method: 'GET',
  path: '/recipient-group/:id',
  access: 'device-recipient-groups:view',
  summary: 'One recipient group',
  params: z.object({ id }),
  response: recipientGroup,
});

/**
 * Creates a group. Throws `organization.not_found`, `recipient_group.taken`, or `recipient_group.member` if a
 * member does not belong to the organisation of the group or one below it.
 */
export const createRecipientGroup = defineRoute({
  name: 'createRecipientGroup',
  method: 'POST',
  path: '/recipient-group',
  access: 'device-recipient-groups:edit',
  summary: 'Create a recipient group',
  body: recipientGroupInput,
  response: recipientGroup,
});

/**
 * Edits a group. Members that the group has had before are accepted even if they are not notified any more.
 * Throws `organization.not_found` and `recipient_group.not_found|taken|member`.
 */
export const editRecipientGroup = defineRoute({
  name: 'editRecipientGroup',
  method: 'PUT',
  path: '/recipient-group/:id',
  access: 'device-recipient-groups:edit',
  summary: 'Change a recipient group',
  params: z.object({ id }),
  body: recipientGroupInput,
  response: recipientGroup,
});

/** Deletes a group. Throws `recipient_group.not_found`, or `recipient_group.used` if a policy uses it. */
export const deleteRecipientGroup = defineRoute({
  name: 'deleteRecipientGroup',
  method: 'DELETE',
  path: '/recipient-group/:id',
  access: 'device-recipient-groups:edit',
  summary: 'Delete a recipient group that no policy uses',
  params: z.object({ id }),
  body: z.strictObject({ reason }),
  response: z.null(),
});
