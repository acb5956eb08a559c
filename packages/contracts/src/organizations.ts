import { ORGANIZATION_LEVELS } from '@isotherm/domain/access/roles';
import { SIGNATURE_LEVELS } from '@isotherm/domain/access/signature';
import { z } from 'zod';
import { code, label, latitude, longitude, orNone, prose, reason } from './fields.ts';
import { defineRoute, id, moment, timeZone } from './route.ts';

export const organizationLevel = z.enum(ORGANIZATION_LEVELS);

/**
 * A node of the organisation tree. It is kept small, because a tree of 20,000 nodes is sent in one response.
 */
export const organizationNode = z.object({
  id: z.number().int(),
  /** Id of the parent; null at the top of the user's scope. */
  parentId: z.number().int().nullable(),
  code: z.string(),
  name: z.string(),
  level: organizationLevel,
});
export type OrganizationNode = z.output<typeof organizationNode>;

export const organization = organizationNode.extend({
  location: z.string(),
  latitude: z.number().nullable(),
  longitude: z.number().nullable(),
  description: z.string(),
  timeZone: z.string(),
  /** Alarm level from which actions are signed; 0: never, null: as in the organisation above. */
  signatureFromLevel: z.literal(SIGNATURE_LEVELS).nullable(),
  createdAt: moment,
  /** Ancestors, from the top of the user's scope to the parent. */
  ancestors: z.array(z.object({ id: z.number().int(), name: z.string() })),
  /** Numbers of records in this organisation and those below it. */
  counts: z.object({
    organizations: z.number().int(),
    users: z.number().int(),
    assets: z.number().int(),
    devices: z.number().int(),
  }),
});
export type Organization = z.output<typeof organization>;

export const organizationInput = z.strictObject({
  code,
  name: label(),
  level: organizationLevel,
  location: orNone(label(200)).default(''),
  latitude: latitude.nullable().default(null),
  longitude: longitude.nullable().default(null),
  description: prose().default(''),
  timeZone: timeZone.default('UTC'),
  /** Absent: unchanged; null for a new organisation. */
  signatureFromLevel: z.literal(SIGNATURE_LEVELS).nullable().optional(),
});

export const listOrganizations = defineRoute({
  name: 'listOrganizations',
  method: 'GET',
  path: '/organization/tree',
  access: 'signed-in',
  machines: true,
  summary:
    'Own and subordinate organisations as a flat list, parents before children: what every picker shows',
  response: z.array(organizationNode),
});

export const getOrganization = defineRoute({
  name: 'getOrganization',
  method: 'GET',
  path: '/organization/:id',
  access: 'management-organizations:view',
  summary: 'One organisation with what it holds',
  params: z.object({ id }),
  response: organization,
});

export const createOrganization = defineRoute({
  name: 'createOrganization',
  method: 'POST',
  path: '/organization',
  access: 'management-organizations:create',
  summary: 'Make an organisation below one in scope',
  body: organizationInput.extend({ parentId: id }),
  response: organization,
});

export const editOrganization = defineRoute({
  name: 'editOrganization',
  method: 'PUT',
  path: '/organization/:id',
  access: 'management-organizations:edit',
  summary: 'Change an organisation',
  params: z.object({ id }),
  body: organizationInput,
  response: organization,
});

/** Moves an organisation with all its descendants. Throws `organization.circle|level`. */
export const moveOrganization = defineRoute({
  name: 'moveOrganization',
  method: 'PUT',
  path: '/organization/:id/parent',
  access: 'management-organizations:move',
  summary: 'Move an organisation with its subtree below another',
  params: z.object({ id }),
  body: z.strictObject({ parentId: id, reason: reason.optional() }),
  response: organization,
});

/** Deletes an organisation. Throws `organization.in_use` with the records that prevent it. */
export const deleteOrganization = defineRoute({
  name: 'deleteOrganization',
  method: 'DELETE',
  path: '/organization/:id',
  access: 'management-organizations:delete',
  summary: 'Delete an organisation that holds nothing',
  params: z.object({ id }),
  body: z.strictObject({ reason }),
  response: z.null(),
});
