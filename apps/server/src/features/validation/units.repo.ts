import type { VerifierUnit } from '@isotherm/contracts/validation-studies';
import type { Db, Tx } from '../../platform/db/pool.ts';

export interface UnitRow extends Omit<VerifierUnit, 'changedAt'> {
  organizationPath: string;
  changedAt: Date;
}

const COLUMNS = `u.id, u.organization_id as "organizationId", o.name as "organizationName", o.path as "organizationPath",
  u.name, u.qualification, u.contact, u.phone, u.changed_by as "changedBy", u.changed_at as "changedAt",
  (select count(*)::int from validation_study v where v.verifier_unit_id = u.id) as studies`;
const FROM = 'from verifier_unit u join organization o on o.id = u.organization_id';
const SORT = { name: 'lower(u.name)', organizationName: 'lower(o.name)', changedAt: 'u.changed_at' } as const;

export async function listUnitRows(
  db: Db,
  scope: string,
  search: string,
  order: { sort: keyof typeof SORT; order: 'asc' | 'desc'; limit: number; offset: number },
): Promise<{ rows: UnitRow[]; total: number }> {
  const where = `where o.path like $1 || '%'
      and ($2 = '' or position(lower($2) in lower(concat_ws(E'\\n', u.name, u.qualification, u.contact))) > 0)`;
  const [page, count] = await Promise.all([
    db.query<UnitRow>(
      `select ${COLUMNS} ${FROM} ${where} order by ${SORT[order.sort]} ${order.order}, u.id limit $3 offset $4`,
      [scope, search, order.limit, order.offset],
    ),
    db.query<{ count: number }>(`select count(*)::int as count ${FROM} ${where}`, [scope, search]),
  ]);
  return { rows: page.rows, total: count.rows[0]?.count ?? 0 };
}

export async function findUnit(db: Db, scope: string, id: number): Promise<UnitRow | null> {
  const { rows } = await db.query<UnitRow>(
    `select ${COLUMNS} ${FROM} where o.path like $1 || '%' and u.id = $2`,
    [scope, id],
  );
  return rows[0] ?? null;
}

export interface UnitFields extends Pick<VerifierUnit, 'name' | 'qualification' | 'contact' | 'phone'> {
  changedBy: string;
  changedAt: Date;
}

const valuesOf = (unit: UnitFields) => [
  unit.name,
  unit.qualification,
  unit.contact,
  unit.phone,
  unit.changedBy,
  unit.changedAt,
];

export async function insertUnit(tx: Tx, organizationId: number, unit: UnitFields): Promise<number> {
  const { rows } = await tx.query<{ id: number }>(
    `insert into verifier_unit (name, qualification, contact, phone, changed_by, changed_at, organization_id)
     values ($1, $2, $3, $4, $5, $6, $7) returning id`,
    [...valuesOf(unit), organizationId],
  );
  return (rows[0] as { id: number }).id;
}

export async function updateUnit(tx: Tx, id: number, unit: UnitFields): Promise<void> {
  await tx.query(
    `update verifier_unit set name = $1, qualification = $2, contact = $3, phone = $4, changed_by = $5, changed_at = $6
      where id = $7`,
    [...valuesOf(unit), id],
  );
}

export async function deleteUnitRow(tx: Tx, id: number): Promise<void> {
  await tx.query('delete from verifier_unit where id = $1', [id]);
}
