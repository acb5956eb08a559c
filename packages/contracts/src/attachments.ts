import type { Permission } from '@isotherm/domain/access/permissions';
import { z } from 'zod';
import { FILE_TYPES } from './asset-files.ts';
import { ASSET_FILE_MAX_BYTES, file, label, reason } from './fields.ts';
import { defineRoute, download, id, moment } from './route.ts';

/** Largest number of attachments of a record. */
export const MOST_ATTACHMENTS = 20;
/** Maximum number of stored files of a record, including deleted ones, which are kept as evidence. */
export const MOST_KEPT_ATTACHMENTS = 100;
export const ATTACHMENT_NAME = 120;

/** Types of attachments. They are detected by the content of a file and not by its name. */
export const ATTACHMENT_TYPES = [
  ...FILE_TYPES,
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
] as const;
export type AttachmentType = (typeof ATTACHMENT_TYPES)[number];

export const attachment = z.object({
  id: z.number().int(),
  name: z.string(),
  mediaType: z.enum(ATTACHMENT_TYPES),
  sizeBytes: z.number().int(),
  addedBy: z.string(),
  addedAt: moment,
});
export type Attachment = z.output<typeof attachment>;

/**
 * Creates the routes for the attachments of a record. A user who may see or change the record may do the
 * same with its attachments. All routes throw the record's `not_found`.
 */
export function attachmentRoutes<const V extends Permission, const E extends Permission>(of: {
  /** Suffix of the route names. */
  name: string;
  /** Path of one record; it contains `:id`. */
  path: string;
  view: V;
  edit: E;
}) {
  const path = `${of.path}/file`;
  const one = z.object({ id, file: id });
  return {
    list: defineRoute({
      name: `list${of.name}Files`,
      method: 'GET',
      path,
      access: of.view,
      summary: 'Files that stand with the record',
      params: z.object({ id }),
      response: z.array(attachment),
    }),
    /**
     * Adds an attachment. Throws `upload.format`, `upload.too_large`, `file.too_many`,
     * `file.too_many_versions`.
     */
    add: defineRoute({
      name: `add${of.name}File`,
      method: 'POST',
      path,
      access: of.edit,
      summary: 'Add a file to the record; pdf, jpg, png or gif, 5 MB at most',
      params: z.object({ id }),
      encoding: 'multipart',
      body: z.strictObject({ file: file(ASSET_FILE_MAX_BYTES), name: label(ATTACHMENT_NAME) }),
      response: attachment,
    }),
    /** Returns the bytes of an attachment. Throws `file.not_found`. */
    read: defineRoute({
      name: `read${of.name}File`,
      method: 'GET',
      path: `${path}/:file`,
      access: of.view,
      summary: 'The bytes of a file of the record',
      params: one,
      response: download,
    }),
    /**
     * Deletes an attachment. Its bytes are kept for the audit log, but no longer shown. Throws
     * `file.not_found`.
     */
    remove: defineRoute({
      name: `delete${of.name}File`,
      method: 'DELETE',
      path: `${path}/:file`,
      access: of.edit,
      summary: 'Take a file away from the record',
      params: one,
      body: z.strictObject({ reason }),
      response: z.null(),
    }),
  };
}
export type AttachmentRoutes = ReturnType<typeof attachmentRoutes>;
