import type { AssetFile } from '@isotherm/contracts/asset-files';
import type { FileKind } from '@isotherm/domain/assets/asset-file';
import { containing } from '../../../platform/db/like.ts';
import type { Db, Tx } from '../../../platform/db/pool.ts';

export interface VersionRow {
  number: number;
  media_type: AssetFile['mediaType'];
  size_bytes: number;
  note: string;
  uploaded_by: string;
  uploaded_at: Date;
}

export interface FileRow extends VersionRow {
  id: number;
  asset_id: number;
  asset_name: string;
  asset_code: string;
  organization_path: string;
  kind: FileKind;
  name: string;
  valid_until: string | null;
}

const VERSION = 'v.number, v.media_type, length(v.bytes) as size_bytes, v.note, v.uploaded_by, v.uploaded_at';
const COLUMNS = `f.id, f.asset_id, a.name as asset_name, a.code as asset_code, o.path as organization_path, f.kind,
       f.name, f.valid_until::text as valid_until, ${VERSION}`;
/** Joins each document with its newest version. */
const FROM = `from asset_file f
              join asset a on a.id = f.asset_id and a.deleted_at is null
              join organization o on o.id = a.organization_id
              join lateral (select * from asset_file_version where file_id = f.id order by number desc limit 1) v on true`;

const SORT = { name: 'lower(f.name)', uploadedAt: 'v.uploaded_at', validUntil: 'f.valid_until' } as const;

export interface FileFilter {
  scope: string;
  search: string;
  assetId: number | null;
  kind: FileKind | null;
  /** Range of the last day of validity, both ends inclusive. */
  validFrom: string | null;
  validTo: string | null;
}

export async function listFileRows(
  db: Db,
  filter: FileFilter,
  page: { sort: keyof typeof SORT; order: 'asc' | 'desc'; limit: number; offset: number },
): Promise<{ rows: FileRow[]; total: number }> {
  const where = `where f.deleted_at is null and o.path like $1 || '%'
      and ($2 = '' or lower(f.name) like $2 or a.search_text like $2)
      and ($3::bigint is null or f.asset_id = $3)
      and ($4::text is null or f.kind = $4)
      and ($5::date is null or f.valid_until >= $5)
      and ($6::date is null or f.valid_until <= $6)`;
  const values = [
    filter.scope,
    containing(filter.search.toLowerCase()),
    filter.assetId,
    filter.kind,
    filter.validFrom,
    filter.validTo,
  ];
  const [rows, count] = await Promise.all([
    db.query<FileRow>(
      `select ${COLUMNS} ${FROM} ${where}
        order by ${SORT[page.sort]} ${page.order} nulls last, f.id ${page.order} limit $7 offset $8`,
      [...values, page.limit, page.offset],
    ),
    db.query<{ count: number }>(`select count(*) as count ${FROM} ${where}`, values),
  ]);
  return { rows: rows.rows, total: count.rows[0]?.count ?? 0 };
}

export async function findFile(db: Db, scope: string, id: number): Promise<FileRow | null> {
  const { rows } = await db.query<FileRow>(
    `select ${COLUMNS} ${FROM} where f.deleted_at is null and o.path like $1 || '%' and f.id = $2`,
    [scope, id],
  );
  return rows[0] ?? null;
}

/** Locks the document, so that two users who add versions at the same time are serialised. */
export async function lockFile(tx: Tx, id: number): Promise<void> {
  await tx.query('select 1 from asset_file where id = $1 for update', [id]);
}

/** Lists the versions, newest first. */
export async function listVersions(db: Db, fileId: number): Promise<VersionRow[]> {
  const { rows } = await db.query<VersionRow>(
    `select ${VERSION} from asset_file_version v where v.file_id = $1 order by v.number desc`,
    [fileId],
  );
  return rows;
}

export async function insertFile(
  tx: Tx,
  row: { assetId: number; kind: FileKind; name: string; validUntil: string | null },
): Promise<number> {
  const { rows } = await tx.query<{ id: number }>(
    'insert into asset_file (asset_id, kind, name, valid_until) values ($1, $2, $3, $4) returning id',
    [row.assetId, row.kind, row.name, row.validUntil],
  );
  return (rows[0] as { id: number }).id;
}

export async function insertVersion(
  tx: Tx,
  fileId: number,
  version: {
    number: number;
    mediaType: string;
    bytes: Uint8Array;
    note: string;
    uploadedBy: string;
    uploadedAt: Date;
  },
): Promise<void> {
  await tx.query(
    `insert into asset_file_version (file_id, number, media_type, bytes, note, uploaded_by, uploaded_at)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [
      fileId,
      version.number,
      version.mediaType,
      version.bytes,
      version.note,
      version.uploadedBy,
      version.uploadedAt,
    ],
  );
}

export async function setValidUntil(tx: Tx, id: number, validUntil: string | null): Promise<void> {
  await tx.query('update asset_file set valid_until = $2 where id = $1', [id, validUntil]);
}

export async function markDeleted(tx: Tx, id: number, deletedAt: Date): Promise<void> {
  await tx.query('update asset_file set deleted_at = $2 where id = $1', [id, deletedAt]);
}

export async function readBytes(
  db: Db,
  fileId: number,
  number: number,
): Promise<{ media_type: AssetFile['mediaType']; bytes: Buffer } | null> {
  const { rows } = await db.query<{ media_type: AssetFile['mediaType']; bytes: Buffer }>(
    'select media_type, bytes from asset_file_version where file_id = $1 and number = $2',
    [fileId, number],
  );
  return rows[0] ?? null;
}
