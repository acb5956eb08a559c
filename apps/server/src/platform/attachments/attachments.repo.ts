import type { Attachment } from '@isotherm/contracts/attachments';
import type { Db, Tx } from '../db/pool.ts';

/** Kinds of records that can have attachments. */
export type SubjectKind = 'alarm' | 'announcement' | 'calibration' | 'maintenance';

export interface AttachmentRow extends Omit<Attachment, 'addedAt'> {
  addedAt: Date;
}

const COLUMNS = `id, name, media_type as "mediaType", length(bytes) as "sizeBytes", added_by as "addedBy",
  added_at as "addedAt"`;

/** Returns SQL for the number of attachments as a column of a list; `id` is an expression of its query. */
export const attachmentCount = (kind: SubjectKind, id: string) =>
  `(select count(*)::int from record_file rf
     where rf.subject_kind = '${kind}' and rf.subject_id = ${id} and rf.deleted_at is null)`;

/** Lists attachments, oldest first. */
export async function listAttachmentRows(db: Db, kind: SubjectKind, subject: number) {
  const { rows } = await db.query<AttachmentRow>(
    `select ${COLUMNS} from record_file
      where subject_kind = $1 and subject_id = $2 and deleted_at is null order by id`,
    [kind, subject],
  );
  return rows;
}

/** Counts how many files were ever added to a record, including deleted ones. */
export async function countKept(db: Db, kind: SubjectKind, subject: number): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    'select count(*)::int as count from record_file where subject_kind = $1 and subject_id = $2',
    [kind, subject],
  );
  return (rows[0] as { count: number }).count;
}

/** Locks a record, so that requests that add files to it are serialised. */
export async function lockSubject(tx: Tx, kind: SubjectKind, subject: number): Promise<void> {
  await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`record_file/${kind}/${subject}`]);
}

export async function insertAttachment(
  tx: Tx,
  kind: SubjectKind,
  subject: number,
  file: { name: string; mediaType: string; bytes: Uint8Array; addedBy: string; addedAt: Date },
): Promise<AttachmentRow> {
  const { rows } = await tx.query<AttachmentRow>(
    `insert into record_file (subject_kind, subject_id, name, media_type, bytes, added_by, added_at)
     values ($1, $2, $3, $4, $5, $6, $7) returning ${COLUMNS}`,
    [kind, subject, file.name, file.mediaType, file.bytes, file.addedBy, file.addedAt],
  );
  return rows[0] as AttachmentRow;
}

export async function readAttachment(db: Db, kind: SubjectKind, subject: number, id: number) {
  const { rows } = await db.query<{ mediaType: Attachment['mediaType']; bytes: Buffer }>(
    `select media_type as "mediaType", bytes from record_file
      where subject_kind = $1 and subject_id = $2 and id = $3 and deleted_at is null`,
    [kind, subject, id],
  );
  return rows[0] ?? null;
}

/** Marks a file as deleted; returns false if there was none to delete. */
export async function markAttachmentDeleted(
  tx: Tx,
  kind: SubjectKind,
  subject: number,
  id: number,
  at: Date,
): Promise<boolean> {
  const { rowCount } = await tx.query(
    `update record_file set deleted_at = $4
      where subject_kind = $1 and subject_id = $2 and id = $3 and deleted_at is null`,
    [kind, subject, id, at],
  );
  return rowCount === 1;
}
