import { z } from 'zod';
import { label, prose, reason } from './fields.ts';
import { defineRoute, id, moment } from './route.ts';

export const role = z.object({
  id: z.number().int(),
  /** Code of a system role, whose name is the text `roles.system.<code>`; null for other roles. */
  code: z.string().nullable(),
  name: z.string(),
  description: z.string(),
  systemDefault: z.boolean(),
  /** Organisation of the role; null for system roles. */
  organizationId: z.number().int().nullable(),
  organizationName: z.string(),
  pagePermissions: z.array(z.string()),
  /** True if the members of the role must use a second factor. */
  requiresSecondFactor: z.boolean(),
  holders: z.number().int(),
  /** True if the user may grant the role: it has no permission that the user lacks. */
  grantable: z.boolean(),
  /**
   * True if the user may edit the role: it belongs to their own or a subordinate organisation, is not a
   * system role, and is not one of the user's own roles.
   */
  editable: z.boolean(),
  updatedAt: moment,
});
export type Role = z.output<typeof role>;

/**
 * Input of a role. Permissions are `page:action` codes. A user cannot grant permissions that they lack
 * (`role.escalation`).
 */
export const roleInput = z.strictObject({
  name: label(60),
  description: prose(500).default(''),
  organizationId: id,
  pagePermissions: z.array(z.string().max(128)).max(2000),
  requiresSecondFactor: z.boolean().default(false),
});

export const listRoles = defineRoute({
  name: 'listRoles',
  method: 'GET',
  path: '/role',
  access: 'signed-in',
  summary:
    'Roles that the caller may see: system roles, and those of own, superior and subordinate organisations',
  response: z.array(role),
});

export const getRole = defineRoute({
  name: 'getRole',
  method: 'GET',
  path: '/role/:id',
  access: 'management-roles:view',
  summary: 'One role',
  params: z.object({ id }),
  response: role,
});

export const createRole = defineRoute({
  name: 'createRole',
  method: 'POST',
  path: '/role',
  access: 'management-roles:create',
  summary: 'Make a role, or copy one under a name of its own',
  body: roleInput,
  response: role,
});

export const editRole = defineRoute({
  name: 'editRole',
  method: 'PUT',
  path: '/role/:id',
  access: 'management-roles:edit',
  summary: 'Change a role; takes hold of every request at once',
  params: z.object({ id }),
  body: roleInput,
  response: role,
});

export const deleteRole = defineRoute({
  name: 'deleteRole',
  method: 'DELETE',
  path: '/role/:id',
  access: 'management-roles:delete',
  summary: 'Delete a role that nobody holds',
  params: z.object({ id }),
  body: z.strictObject({ reason }),
  response: z.null(),
});

export const listRoleHolders = defineRoute({
  name: 'listRoleHolders',
  method: 'GET',
  path: '/role/:id/holders',
  access: 'management-roles:view',
  summary: 'Accounts in scope that hold a role, the first 200',
  params: z.object({ id }),
  response: z.array(
    z.object({
      id: z.number().int(),
      username: z.string(),
      realname: z.string(),
      organizationName: z.string(),
    }),
  ),
});
