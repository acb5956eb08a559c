import { z } from 'zod';
import { label, prose, reason } from './fields.ts';
import { defineRoute, id } from './route.ts';

export const assetGroup = z.object({
  id: z.number().int(),
  /** Parent group; null at the top of the user's scope. */
  parentId: z.number().int().nullable(),
  organizationId: z.number().int(),
  organizationName: z.string(),
  name: z.string(),
  description: z.string(),
  /** Number of assets that belong directly to the group, without its subgroups. */
  assets: z.number().int(),
});
export type AssetGroup = z.output<typeof assetGroup>;

const groupInput = z.strictObject({
  /** Parent group, which belongs to the same or a superior organisation; null for a root. */
  parentId: id.nullable().default(null),
  name: label(),
  description: prose().default(''),
});

export const listAssetGroups = defineRoute({
  name: 'listAssetGroups',
  method: 'GET',
  path: '/asset/group',
  access: 'asset-groups:view',
  summary: 'Groups of assets of own and subordinate organisations, parents before children',
  response: z.array(assetGroup),
});

/** Creates an asset group. Throws `organization.not_found`, `group.not_found|parent`. */
export const createAssetGroup = defineRoute({
  name: 'createAssetGroup',
  method: 'POST',
  path: '/asset/group',
  access: 'asset-groups:edit',
  summary: 'Make a group of assets',
  body: groupInput.extend({ organizationId: id }),
  response: assetGroup,
});

/** Edits an asset group. Throws `group.not_found|parent`. */
export const editAssetGroup = defineRoute({
  name: 'editAssetGroup',
  method: 'PUT',
  path: '/asset/group/:id',
  access: 'asset-groups:edit',
  summary: 'Change a group of assets, or hang it below another with all that is below it',
  params: z.object({ id }),
  body: groupInput,
  response: assetGroup,
});

/** Deletes a group and keeps its assets. Throws `group.not_found`, `group.has_children`. */
export const deleteAssetGroup = defineRoute({
  name: 'deleteAssetGroup',
  method: 'DELETE',
  path: '/asset/group/:id',
  access: 'asset-groups:edit',
  summary: 'Delete a group of assets without groups below it',
  params: z.object({ id }),
  body: z.strictObject({ reason }),
  response: z.null(),
});

const members = z.array(id).max(1000).default([]);

/**
 * Adds and removes assets of a group. Assets outside the group's organisation and those below it are
 * reported as failed. Throws `group.not_found`.
 */
export const changeGroupMembers = defineRoute({
  name: 'changeGroupMembers',
  method: 'POST',
  path: '/asset/group/:id/member',
  access: 'asset-groups:edit',
  summary: 'Put assets into a group and take others out',
  params: z.object({ id }),
  body: z.strictObject({ add: members, remove: members }),
  response: z.object({ success: z.number().int(), fail: z.number().int() }),
});

/** An organisation in the asset tree, with the assets in it and below it. */
export const assetTreeNode = z.object({
  id: z.number().int(),
  parentId: z.number().int().nullable(),
  code: z.string(),
  name: z.string(),
  assets: z.number().int(),
  /** Highest level of an open alarm; 0 if there is none. */
  level: z.number().int(),
  /** Number of assets without recent readings. */
  silent: z.number().int(),
});
export type AssetTreeNode = z.output<typeof assetTreeNode>;

export const getAssetTree = defineRoute({
  name: 'getAssetTree',
  method: 'GET',
  path: '/asset/tree',
  access: 'asset:view',
  summary: 'Own and subordinate organisations with how many assets they hold and the worst of them',
  response: z.array(assetTreeNode),
});
