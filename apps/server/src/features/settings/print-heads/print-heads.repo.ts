import { AppError } from '@isotherm/contracts/errors';
import type { PrintHead, PrintHeadInput } from '@isotherm/contracts/print-heads';
import { containing } from '../../../platform/db/like.ts';
import type { Db, Tx } from '../../../platform/db/pool.ts';

export interface PrintHeadRow extends Omit<PrintHead, 'changedAt'> {
  organizationPath: string;
  changedAt: Date;
}

const COLUMNS = `h.id::float8 as id, h.organization_id::float8 as "organizationId", o.name as "organizationName",
  o.path as "organizationPath", h.report_kind as "reportKind", h.title, h.fields, h.signatures, h.logo,
  h.changed_by as "changedBy", h.changed_at as "changedAt"`;
const FROM = 'from print_head h join organization o on o.id = h.organization_id';
const SORT = { organizationName: 'lower(o.name)', changedAt: 'h.changed_at' } as const;

export async function listHeadRows(
  db: Db,
  scope: string,
  search: string,
  page: { sort: keyof typeof SORT; order: 'asc' | 'desc'; limit: number; offset: number },
): Promise<{ rows: PrintHeadRow[]; total: number }> {
  const where = `where o.path like $1 || '%' and ($2 = '' or lower(h.title || ' ' || o.name) like $2)`;
  const values = [scope, containing(search.trim().toLowerCase())];
  const [found, count] = await Promise.all([
    db.query<PrintHeadRow>(
      `select ${COLUMNS} ${FROM} ${where} order by ${SORT[page.sort]} ${page.order}, h.id limit $3 offset $4`,
      [...values, page.limit, page.offset],
    ),
    db.query<{ count: number }>(`select count(*)::int as count ${FROM} ${where}`, values),
  ]);
  return { rows: found.rows, total: count.rows[0]?.count ?? 0 };
}

export async function findHead(db: Db, scope: string, id: number): Promise<PrintHeadRow | null> {
  const { rows } = await db.query<PrintHeadRow>(
    `select ${COLUMNS} ${FROM} where o.path like $1 || '%' and h.id = $2`,
    [scope, id],
  );
  return rows[0] ?? null;
}

/** Locks a print head until the transaction ends. */
export async function lockHead(tx: Tx, id: number): Promise<void> {
  await tx.query('select from print_head where id = $1 for update', [id]);
}

/**
 * Returns the head of a kind of reports of an organisation: that of the nearest organisation at or above it, and of two of
 * the same organisation the one for the kind.
 */
export async function findHeadFor(
  db: Db,
  organizationId: number,
  kind: string,
): Promise<PrintHeadRow | null> {
  const { rows } = await db.query<PrintHeadRow>(
    `select ${COLUMNS} ${FROM} join organization own on own.id = $1
      where own.path like o.path || '%' and h.report_kind in ('all', $2)
      order by length(o.path) desc, h.report_kind = 'all' limit 1`,
    [organizationId, kind],
  );
  return rows[0] ?? null;
}

/** Returns an image as it is stored; null if there is none. */
export async function findLogo(
  db: Db,
  address: string,
): Promise<{ mediaType: string; bytes: Buffer } | null> {
  const { rows } = await db.query<{ mediaType: string; bytes: Buffer }>(
    `select media_type as "mediaType", bytes from stored_image where '/files/images/' || id = $1`,
    [address],
  );
  return rows[0] ?? null;
}

export interface HeadFields extends PrintHeadInput {
  changedBy: string;
  changedAt: Date;
}

const valuesOf = (fields: HeadFields) => [
  fields.organizationId,
  fields.reportKind,
  fields.title,
  fields.fields,
  fields.signatures,
  fields.changedBy,
  fields.changedAt,
];

export async function insertHead(tx: Tx, fields: HeadFields): Promise<number> {
  const { rows } = await tx.query<{ id: number }>(
    `insert into print_head (organization_id, report_kind, title, fields, signatures, changed_by, changed_at)
     values ($1, $2, $3, $4, $5, $6, $7) returning id::float8 as id`,
    valuesOf(fields),
  );
  const [created] = rows;
  if (!created) throw new AppError('print_head.not_found');
  return created.id;
}

export async function updateHead(tx: Tx, id: number, fields: HeadFields): Promise<void> {
  await tx.query(
    `update print_head set organization_id = $1, report_kind = $2, title = $3, fields = $4, signatures = $5, changed_by = $6,
            changed_at = $7
      where id = $8`,
    [...valuesOf(fields), id],
  );
}

export async function setHeadLogo(
  tx: Tx,
  id: number,
  logo: string,
  by: { changedBy: string; changedAt: Date },
): Promise<void> {
  await tx.query('update print_head set logo = $2, changed_by = $3, changed_at = $4 where id = $1', [
    id,
    logo,
    by.changedBy,
    by.changedAt,
  ]);
}

export async function deleteHead(tx: Tx, id: number): Promise<void> {
  await tx.query('delete from print_head where id = $1', [id]);
}
