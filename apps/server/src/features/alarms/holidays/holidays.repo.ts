import type { Holiday, HolidayInput } from '@isotherm/contracts/holidays';
import { containing } from '../../../platform/db/like.ts';
import type { Db, Tx } from '../../../platform/db/pool.ts';

export interface HolidayRow extends Omit<Holiday, 'changedAt' | 'isPast'> {
  organizationCode: string;
  organizationPath: string;
  changedAt: Date;
}

export interface HolidayFilter {
  search: string;
  organizationId?: number | undefined;
}

export interface HolidayPage {
  sort: 'date' | 'name' | 'organization';
  order: 'asc' | 'desc';
  limit: number;
  offset: number;
}

const COLUMNS = `h.id, h.organization_id as "organizationId", o.name as "organizationName", o.code as "organizationCode",
  o.path as "organizationPath", to_char(h.date, 'YYYY-MM-DD') as date, h.name, h.changed_by as "changedBy",
  h.changed_at as "changedAt"`;
const FROM = 'from holiday h join organization o on o.id = h.organization_id';
const SORT = { date: 'h.date', name: 'lower(h.name)', organization: 'lower(o.name)' } as const;

export async function listHolidayRows(
  db: Db,
  scope: string,
  { search, organizationId }: HolidayFilter,
  { sort, order, limit, offset }: HolidayPage,
): Promise<{ rows: HolidayRow[]; total: number }> {
  const where = `where o.path like $1 || '%' and ($2 = '' or lower(h.name || ' ' || h.date) like $2)
      and ($3::bigint is null or h.organization_id = $3)`;
  const values = [scope, containing(search.trim().toLowerCase()), organizationId ?? null];
  const [found, count] = await Promise.all([
    db.query<HolidayRow>(
      `select ${COLUMNS} ${FROM} ${where} order by ${SORT[sort]} ${order}, h.date, h.id limit $4 offset $5`,
      [...values, limit, offset],
    ),
    db.query<{ count: number }>(`select count(*)::int as count ${FROM} ${where}`, values),
  ]);
  return { rows: found.rows, total: count.rows[0]?.count ?? 0 };
}

export async function findHoliday(db: Db, scope: string, id: number): Promise<HolidayRow | null> {
  const { rows } = await db.query<HolidayRow>(
    `select ${COLUMNS} ${FROM} where o.path like $1 || '%' and h.id = $2`,
    [scope, id],
  );
  return rows[0] ?? null;
}

/** Returns those of these dates that already are holidays, as `<organisation id> <date>`. */
export async function findTakenDates(db: Db, wanted: readonly HolidayInput[]): Promise<ReadonlySet<string>> {
  const { rows } = await db.query<{ key: string }>(
    `select h.organization_id || ' ' || to_char(h.date, 'YYYY-MM-DD') as key
       from holiday h
       join unnest($1::bigint[], $2::date[]) as w(organization_id, date)
         on w.organization_id = h.organization_id and w.date = h.date`,
    [wanted.map(({ organizationId }) => organizationId), wanted.map(({ date }) => date)],
  );
  return new Set(rows.map(({ key }) => key));
}

export interface HolidayFields extends HolidayInput {
  changedBy: string;
  changedAt: Date;
}

const valuesOf = ({ organizationId, date, name, changedBy, changedAt }: HolidayFields) => [
  organizationId,
  date,
  name,
  changedBy,
  changedAt,
];

export async function insertHoliday(tx: Tx, fields: HolidayFields): Promise<number> {
  const { rows } = await tx.query<{ id: number }>(
    `insert into holiday (organization_id, date, name, changed_by, changed_at) values ($1, $2, $3, $4, $5)
     returning id`,
    valuesOf(fields),
  );
  return (rows[0] as { id: number }).id;
}

export async function updateHoliday(tx: Tx, id: number, fields: HolidayFields): Promise<void> {
  await tx.query(
    `update holiday set organization_id = $1, date = $2, name = $3, changed_by = $4, changed_at = $5 where id = $6`,
    [...valuesOf(fields), id],
  );
}

export async function deleteHolidayRow(tx: Tx, id: number): Promise<void> {
  await tx.query('delete from holiday where id = $1', [id]);
}
