import type { ScreenPage } from '@isotherm/contracts/screens';
import type { DimHours } from '@isotherm/domain/screens/layout';
import { containing } from '../../platform/db/like.ts';
import type { Db, Tx } from '../../platform/db/pool.ts';

export interface ScreenRow {
  id: number;
  organizationId: number;
  organizationName: string;
  organizationPath: string;
  name: string;
  pages: ScreenPage[];
  pageSeconds: 10 | 20 | 30 | 60 | 120;
  dim: DimHours | null;
  changedBy: string;
  changedAt: Date;
}

export type ScreenFields = Pick<ScreenRow, 'organizationId' | 'name' | 'pages' | 'pageSeconds' | 'dim'>;

const COLUMNS = `s.id::float8 as id, s.organization_id::float8 as "organizationId", o.name as "organizationName",
  o.path as "organizationPath", s.name, s.pages, s.page_seconds as "pageSeconds", s.dim, s.changed_by as "changedBy",
  s.changed_at as "changedAt"`;
const FROM = 'from screen s join organization o on o.id = s.organization_id';
const ORDER = { name: 'lower(s.name)', changedAt: 's.changed_at' } as const;

export async function listScreenRows(
  db: Db,
  scope: string,
  query: { search: string; sort: keyof typeof ORDER; order: 'asc' | 'desc'; limit: number; offset: number },
): Promise<{ rows: ScreenRow[]; total: number }> {
  const where = `where o.path like $1 || '%' and ($2 = '' or lower(s.name) like $2)`;
  const pattern = containing(query.search.trim().toLowerCase());
  const counted = await db.query<{ total: number }>(`select count(*)::int as total ${FROM} ${where}`, [
    scope,
    pattern,
  ]);
  const { rows } = await db.query<ScreenRow>(
    `select ${COLUMNS} ${FROM} ${where} order by ${ORDER[query.sort]} ${query.order}, s.id ${query.order} limit $3 offset $4`,
    [scope, pattern, query.limit, query.offset],
  );
  return { rows, total: counted.rows[0]?.total ?? 0 };
}

export async function findScreenRow(db: Db, scope: string, id: number): Promise<ScreenRow | null> {
  const { rows } = await db.query<ScreenRow>(
    `select ${COLUMNS} ${FROM} where s.id = $1 and o.path like $2 || '%'`,
    [id, scope],
  );
  return rows[0] ?? null;
}

export async function lockScreen(tx: Tx, id: number): Promise<void> {
  await tx.query('select from screen where id = $1 for update', [id]);
}

/** Locks the organisation, and counts its screens, so that their number stays limited. */
export async function countOwnScreens(tx: Tx, organizationId: number): Promise<number> {
  await tx.query('select from organization where id = $1 for no key update', [organizationId]);
  const { rows } = await tx.query<{ count: number }>(
    'select count(*)::int as count from screen where organization_id = $1',
    [organizationId],
  );
  return rows[0]?.count ?? 0;
}

const valuesOf = ({ organizationId, name, pages, pageSeconds, dim }: ScreenFields, by: string, at: Date) => [
  organizationId,
  name,
  JSON.stringify(pages),
  pageSeconds,
  dim && JSON.stringify(dim),
  by,
  at,
];

export async function insertScreen(tx: Tx, fields: ScreenFields, by: string, at: Date): Promise<number> {
  const { rows } = await tx.query<{ id: number }>(
    `insert into screen (organization_id, name, pages, page_seconds, dim, changed_by, changed_at)
     values ($1, $2, $3, $4, $5, $6, $7) returning id::float8 as id`,
    valuesOf(fields, by, at),
  );
  return (rows[0] as { id: number }).id;
}

export async function updateScreen(
  tx: Tx,
  id: number,
  fields: ScreenFields,
  by: string,
  at: Date,
): Promise<void> {
  await tx.query(
    `update screen set (organization_id, name, pages, page_seconds, dim, changed_by, changed_at) = ($1, $2, $3, $4, $5, $6, $7)
      where id = $8`,
    [...valuesOf(fields, by, at), id],
  );
}

export async function deleteScreenRow(tx: Tx, id: number): Promise<void> {
  await tx.query('delete from screen where id = $1', [id]);
}
