import { ASSET_KINDS, ASSET_TYPES, type AssetKind } from '@isotherm/domain/assets/asset-kind';
import { ASSET_STATUSES } from '@isotherm/domain/assets/asset-status';
import { z } from 'zod';
import { assetState, channelValue } from './assets.ts';
import { encodedFile, importBody, importReport, sheetExport } from './batches.ts';
import { assetSize, code, label, latitude, longitude, orNone, reason, volume } from './fields.ts';
import { defineRoute, id, moment, pageOf, paging, timeZone } from './route.ts';

/** Fields that every kind of asset has (requirements §3, "Asset"). */
const COMMON_FIELDS = {
  organizationId: id,
  name: label(),
  code,
  materialCode: orNone(code).default(''),
  nationalCode: orNone(code).default(''),
  manufacturer: orNone(label()).default(''),
  factoryNumber: orNone(label(64)).default(''),
  model: orNone(label()).default(''),
  size: orNone(assetSize).default(''),
  /** Volume in the unit of the asset kind (`VOLUME_UNITS`). */
  volume: volume.nullable().default(null),
  purchaseSource: orNone(label()).default(''),
  dualPower: z.boolean().default(false),
  dualCompressor: z.boolean().default(false),
  place: orNone(label(200)).default(''),
  latitude: latitude.nullable().default(null),
  longitude: longitude.nullable().default(null),
  /** Time zone. The default is that of the organisation for a new asset, otherwise it stays unchanged. */
  timeZone: timeZone.optional(),
};

const isWholePosition = (form: { latitude: number | null; longitude: number | null }) =>
  (form.latitude === null) === (form.longitude === null);

function formOf<K extends AssetKind, Own extends z.ZodRawShape>(kind: K, own: Own) {
  return z
    .strictObject({ kind: z.literal(kind), ...COMMON_FIELDS, ...own })
    .refine((form) => isWholePosition(form as unknown as { latitude: null; longitude: null }), {
      path: ['longitude'],
      error: 'whole-position',
    });
}

/** One schema for each kind of asset, with the common fields and its own. */
export const assetForms = {
  'cold-store': formOf('cold-store', {}),
  refrigerator: formOf('refrigerator', {
    brand: orNone(label()).default(''),
    type: z.enum(ASSET_TYPES.refrigerator),
  }),
  'cold-box': formOf('cold-box', {}),
  vehicle: formOf('vehicle', { plate: code.max(20), type: z.enum(ASSET_TYPES.vehicle) }),
  container: formOf('container', {}),
};

const assetInput = z.discriminatedUnion('kind', [
  assetForms['cold-store'],
  assetForms.refrigerator,
  assetForms['cold-box'],
  assetForms.vehicle,
  assetForms.container,
]);
export type AssetInput = z.output<typeof assetInput>;

/** An asset of the registry. Fields that its kind does not have are empty. */
export const assetRecord = z.object({
  id: z.number().int(),
  kind: z.enum(ASSET_KINDS),
  organizationId: z.number().int(),
  organizationName: z.string(),
  name: z.string(),
  code: z.string(),
  materialCode: z.string(),
  nationalCode: z.string(),
  manufacturer: z.string(),
  factoryNumber: z.string(),
  brand: z.string(),
  model: z.string(),
  type: z.string(),
  plate: z.string(),
  size: z.string(),
  volume: z.number().nullable(),
  purchaseSource: z.string(),
  dualPower: z.boolean(),
  dualCompressor: z.boolean(),
  place: z.string(),
  latitude: z.number().nullable(),
  longitude: z.number().nullable(),
  timeZone: z.string(),
  status: z.enum(ASSET_STATUSES),
  /** Numbers of the devices that are bound to the asset. */
  devices: z.array(z.string()),
  createdAt: moment,
  deletedAt: moment.nullable(),
  /** Version, which increases with every change. An edit sends the version that it is based on. */
  version: z.number().int(),
});
export type AssetRecord = z.output<typeof assetRecord>;

export const listedAsset = assetRecord.extend({
  /** The current worst state of the asset; null for a deleted asset. */
  state: assetState.nullable(),
  main: channelValue.nullable(),
  cause: channelValue.nullable(),
  /** True if the value in `main` is out of date. */
  silent: z.boolean(),
});
export type ListedAsset = z.output<typeof listedAsset>;

const assetFilter = {
  /** Search text for name, code, plate, factory number, national or material code. */
  search: z.string().max(100).default(''),
  kind: z.enum(ASSET_KINDS).optional(),
  organizationId: id.optional(),
  /** True to include the organisations below the selected one. */
  below: z.enum(['true', 'false']).default('true'),
  /** Only assets in this group and its subgroups. */
  groupId: id.optional(),
  status: z.enum(ASSET_STATUSES).optional(),
  type: z.string().max(40).optional(),
  /** `bound`: only assets with a device; `unbound`: only assets without one. */
  binding: z.enum(['bound', 'unbound']).optional(),
  deleted: z.enum(['true', 'false']).default('false'),
  /** `state` sorts by urgency; in descending order the worst comes first. */
  sort: z.enum(['name', 'code', 'organization', 'status', 'state', 'createdAt']).default('name'),
  order: z.enum(['asc', 'desc']).default('asc'),
};

export const listAssets = defineRoute({
  name: 'listAssets',
  method: 'GET',
  path: '/asset',
  access: 'asset:view',
  summary: 'Assets of own and subordinate organisations, by kind',
  query: z.object({ ...paging, ...assetFilter }),
  response: pageOf(listedAsset),
});

export const exportAssets = defineRoute({
  name: 'exportAssets',
  method: 'GET',
  path: '/asset/export',
  access: 'asset:export',
  summary: 'The filtered assets of one kind as a spreadsheet that can be imported again',
  query: z.object({ ...assetFilter, kind: z.enum(ASSET_KINDS) }),
  response: sheetExport,
});

export const getAssetTemplate = defineRoute({
  name: 'getAssetTemplate',
  method: 'GET',
  path: '/asset/template',
  access: 'asset:import',
  summary: 'The spreadsheet of assets of one kind to fill in, as base64',
  query: z.object({ kind: z.enum(ASSET_KINDS) }),
  response: encodedFile,
});

/**
 * Imports assets from a spreadsheet. Rows with errors are reported and left out; the others are written in
 * one transaction.
 */
export const importAssets = defineRoute({
  name: 'importAssets',
  method: 'POST',
  path: '/asset/import',
  access: 'asset:import',
  summary: 'Make assets of one kind from a spreadsheet (xls or xlsx), or only check it',
  encoding: 'multipart',
  body: importBody.extend({ kind: z.enum(ASSET_KINDS) }),
  response: importReport,
});

/** Reads an asset. Throws `asset.not_found`. */
export const getAssetRecord = defineRoute({
  name: 'getAssetRecord',
  method: 'GET',
  path: '/asset/:id/record',
  access: 'asset:view',
  summary: 'What the registry holds of one asset',
  params: z.object({ id }),
  response: assetRecord,
});

/** Creates an asset. Throws `organization.not_found`, `asset.code_taken`. */
export const createAsset = defineRoute({
  name: 'createAsset',
  method: 'POST',
  path: '/asset',
  access: 'asset:create',
  summary: 'Make an asset',
  body: assetInput,
  response: assetRecord,
});

/**
 * Edits an asset. Its kind cannot be changed. Throws `asset.not_found|code_taken`, `organization.not_found`,
 * `asset.changed` if `version` is not the newest, and `asset.in_use` if the organisation changes while
 * devices are bound.
 */
export const editAsset = defineRoute({
  name: 'editAsset',
  method: 'PUT',
  path: '/asset/:id',
  access: 'asset:edit',
  summary: 'Change an asset that nobody else has changed meanwhile',
  params: z.object({ id }),
  query: z.object({ version: z.coerce.number().int().min(1) }),
  body: assetInput,
  response: assetRecord,
});

/**
 * Deletes an asset; it can be restored. Throws `asset.not_found`, and `asset.in_use` with the devices that
 * are still bound.
 */
export const deleteAsset = defineRoute({
  name: 'deleteAsset',
  method: 'DELETE',
  path: '/asset/:id',
  access: 'asset:delete',
  summary: 'Delete an asset that no device is bound to',
  params: z.object({ id }),
  body: z.strictObject({ reason }),
  response: z.null(),
});

/** Restores a deleted asset. Throws `asset.not_found`, `asset.code_taken`. */
export const restoreAsset = defineRoute({
  name: 'restoreAsset',
  method: 'POST',
  path: '/asset/:id/restore',
  access: 'asset:delete',
  summary: 'Take back the deletion of an asset',
  params: z.object({ id }),
  response: assetRecord,
});
