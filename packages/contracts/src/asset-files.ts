import { FILE_KINDS } from '@isotherm/domain/assets/asset-file';
import { z } from 'zod';
import { ASSET_FILE_MAX_BYTES, file, label, orNone, prose, reason } from './fields.ts';
import { defineRoute, download, id, moment, pageOf, paging } from './route.ts';

/** Types of documents. They are detected by the first bytes of a file and not by its name. */
export const FILE_TYPES = ['application/pdf', 'image/jpeg', 'image/png', 'image/gif'] as const;
/** Last day of validity; '' for a document that does not expire. */
const validUntil = orNone(z.iso.date());

const fileVersion = z.object({
  number: z.number().int(),
  mediaType: z.enum(FILE_TYPES),
  sizeBytes: z.number().int(),
  note: z.string(),
  uploadedBy: z.string(),
  uploadedAt: moment,
});

/** A document of an asset with its newest version. */
export const assetFile = fileVersion.extend({
  id: z.number().int(),
  assetId: z.number().int(),
  assetName: z.string(),
  assetCode: z.string(),
  kind: z.enum(FILE_KINDS),
  name: z.string(),
  validUntil: z.string(),
});
export type AssetFile = z.output<typeof assetFile>;

export const assetFileDetail = assetFile.extend({
  /** All versions, newest first. */
  versions: z.array(fileVersion),
});
export type AssetFileDetail = z.output<typeof assetFileDetail>;

export const listAssetFiles = defineRoute({
  name: 'listAssetFiles',
  method: 'GET',
  path: '/asset/file',
  access: 'asset-files:view',
  summary: 'Documents of the assets of own and subordinate organisations',
  query: z.object({
    ...paging,
    /** Search text for the name of the document, or name, code or plate of the asset. */
    search: z.string().max(100).default(''),
    assetId: id.optional(),
    kind: z.enum(FILE_KINDS).optional(),
    /** `expired`: no longer valid; `soon`: expires within 30 days. */
    due: z.enum(['expired', 'soon']).optional(),
    sort: z.enum(['name', 'uploadedAt', 'validUntil']).default('uploadedAt'),
    order: z.enum(['asc', 'desc']).default('desc'),
  }),
  response: pageOf(assetFile),
});

/** Reads a document. Throws `file.not_found`. */
export const getAssetFile = defineRoute({
  name: 'getAssetFile',
  method: 'GET',
  path: '/asset/file/:id',
  access: 'asset-files:view',
  summary: 'One document with its versions',
  params: z.object({ id }),
  response: assetFileDetail,
});

/** Adds a document to an asset. Throws `asset.not_found`, `upload.format`, `upload.too_large`. */
export const uploadAssetFile = defineRoute({
  name: 'uploadAssetFile',
  method: 'POST',
  path: '/asset/:id/file',
  access: 'asset-files:edit',
  summary: 'Add a document to an asset; pdf, jpg, png or gif, 5 MB at most',
  params: z.object({ id }),
  encoding: 'multipart',
  body: z.strictObject({
    file: file(ASSET_FILE_MAX_BYTES),
    kind: z.enum(FILE_KINDS),
    name: label(),
    validUntil: validUntil.default(''),
    note: prose(500).default(''),
  }),
  response: assetFileDetail,
});

/** Maximum number of versions of a document. Old versions are never deleted. */
export const MOST_FILE_VERSIONS = 50;

/**
 * Adds a newer version of a document. Throws `file.not_found`, `file.too_many_versions`, `upload.format`,
 * `upload.too_large`.
 */
export const addFileVersion = defineRoute({
  name: 'addFileVersion',
  method: 'POST',
  path: '/asset/file/:id/version',
  access: 'asset-files:edit',
  summary: 'Add a newer version of a document; the older ones stay',
  params: z.object({ id }),
  encoding: 'multipart',
  body: z.strictObject({
    file: file(ASSET_FILE_MAX_BYTES),
    validUntil: validUntil.default(''),
    note: prose(500).default(''),
  }),
  response: assetFileDetail,
});

/** Returns the bytes of a version of a document. Throws `file.not_found`. */
export const readAssetFile = defineRoute({
  name: 'readAssetFile',
  method: 'GET',
  path: '/asset/file/:id/version/:number',
  access: 'asset-files:view',
  summary: 'The bytes of one version of a document',
  params: z.object({ id, number: id }),
  response: download,
});

/**
 * Deletes a document. Its versions are kept for the audit log, but no longer shown. Throws `file.not_found`.
 */
export const deleteAssetFile = defineRoute({
  name: 'deleteAssetFile',
  method: 'DELETE',
  path: '/asset/file/:id',
  access: 'asset-files:edit',
  summary: 'Take a document away from its asset',
  params: z.object({ id }),
  body: z.strictObject({ reason }),
  response: z.null(),
});
