import {
  type Attachment,
  type AttachmentRoutes,
  type AttachmentType,
  MOST_ATTACHMENTS,
  MOST_KEPT_ATTACHMENTS,
} from '@isotherm/contracts/attachments';
import { AppError } from '@isotherm/contracts/errors';
import type pg from 'pg';
import type { Audit } from '../audit/audit.ts';
import type { RecordKind } from '../audit/kept-records.ts';
import type { Clock } from '../clock.ts';
import { type Tx, transaction } from '../db/pool.ts';
import { downloadOf, fileTypeOf } from '../documents/file-type.ts';
import type { Caller } from '../http/caller.ts';
import type { Mount } from '../http/mount.ts';
import {
  type AttachmentRow,
  countKept,
  insertAttachment,
  listAttachmentRows,
  lockSubject,
  markAttachmentDeleted,
  readAttachment,
  type SubjectKind,
} from './attachments.repo.ts';

const MEGABYTE = 1024 * 1024;

/** Rules for the attachments of one kind of record. */
export interface AttachmentRules<Row> {
  /** Largest number of attachments. */
  most?: number;
  /** Largest size of a file, if it is smaller than that of the contract. */
  maxBytes?: number;
  /** Returns the type of a file by its content; null if it is refused. */
  typeOf?(bytes: Uint8Array, name: string): AttachmentType | null;
  /** Throws if the attachments of the record cannot change any more. */
  expectOpen?(row: Row): void;
}

/**
 * Mounts the attachment routes for one kind of record. Access is that of the record; the type is detected
 * from the content, files are served with that type only, and changes are logged as changes of the record.
 */
export function mountAttachments<Row>(
  mount: Mount,
  routes: AttachmentRoutes,
  parts: { pool: pg.Pool; audit: Pick<Audit, 'record'>; clock: Clock },
  kind: SubjectKind,
  {
    find,
    objectOf,
    most = MOST_ATTACHMENTS,
    maxBytes = Number.POSITIVE_INFINITY,
    typeOf = fileTypeOf,
    expectOpen = () => undefined,
  }: Pick<RecordKind<Row>, 'find' | 'objectOf'> & AttachmentRules<Row>,
): void {
  const { pool, audit, clock } = parts;
  const now = () => new Date(clock.now());

  /** Changes files in one transaction with the audit entry, which names the files before and after. */
  async function changing<T>(
    caller: Caller,
    subject: number,
    work: (tx: Tx, before: readonly AttachmentRow[]) => Promise<T>,
    reason?: string,
  ): Promise<T> {
    return transaction(pool, async (tx) => {
      await lockSubject(tx, kind, subject);
      const record = await find(tx, caller, subject);
      expectOpen(record);
      const before = await listAttachmentRows(tx, kind, subject);
      const done = await work(tx, before);
      const after = await listAttachmentRows(tx, kind, subject);
      await audit.record(tx, caller, {
        action: 'change',
        ...objectOf(record),
        before: { files: before.map(({ name }) => name) },
        after: { files: after.map(({ name }) => name) },
        ...(reason === undefined ? {} : { reason }),
      });
      return done;
    });
  }

  mount(routes.list, async ({ caller, params }) => {
    await find(pool, caller, params.id);
    return (await listAttachmentRows(pool, kind, params.id)).map(viewOf);
  });
  mount(routes.add, ({ caller, params, body }) =>
    changing(caller, params.id, async (tx, before) => {
      if (before.length >= most) throw new AppError('file.too_many', { most });
      if ((await countKept(tx, kind, params.id)) >= MOST_KEPT_ATTACHMENTS)
        throw new AppError('file.too_many_versions', { most: MOST_KEPT_ATTACHMENTS });
      const { bytes } = body.file;
      if (bytes.length > maxBytes)
        throw new AppError('upload.too_large', { megabytes: Math.round((maxBytes / MEGABYTE) * 10) / 10 });
      const mediaType = typeOf(bytes, body.name);
      if (!mediaType) throw new AppError('upload.format');
      const trace = { addedBy: caller.username, addedAt: now() };
      return viewOf(
        await insertAttachment(tx, kind, params.id, { name: body.name, mediaType, bytes, ...trace }),
      );
    }),
  );
  mount(routes.read, async ({ caller, params }) => {
    await find(pool, caller, params.id);
    const stored = await readAttachment(pool, kind, params.id, params.file);
    if (!stored) throw new AppError('file.not_found');
    return downloadOf(`${kind}-${params.id}-${params.file}`, stored.mediaType, stored.bytes);
  });
  mount(routes.remove, ({ caller, params, body }) =>
    changing(
      caller,
      params.id,
      async (tx) => {
        if (!(await markAttachmentDeleted(tx, kind, params.id, params.file, now())))
          throw new AppError('file.not_found');
        return null;
      },
      body.reason,
    ),
  );
}

function viewOf({ addedAt, ...row }: AttachmentRow): Attachment {
  return { ...row, addedAt: addedAt.toISOString() };
}
