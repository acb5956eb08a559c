import type { MAINTENANCE_SHOWN, MaintenanceRecord } from '@isotherm/contracts/maintenance';
import type { AssetKind } from '@isotherm/domain/assets/asset-kind';
import {
  MAINTENANCE_MEASURES,
  MAINTENANCE_NORMS,
  type MaintenanceKind,
  type MaintenanceValues,
} from '@isotherm/domain/assets/maintenance-norms';
import { attachmentCount } from '../../../platform/attachments/attachments.repo.ts';
import type { Db, Tx } from '../../../platform/db/pool.ts';

export interface MaintenanceRow {
  id: number;
  asset: { id: number; name: string; code: string; kind: AssetKind };
  organization_name: string;
  organization_path: string;
  kind: MaintenanceKind;
  done_on: string;
  done_by: string;
  measured: MaintenanceValues;
  work: string;
  next_due_on: string | null;
  cost: number | null;
  currency: string;
  superseded: boolean;
  files: number;
  changed_by: string;
  changed_at: Date;
}

const SUPERSEDED = `exists (select 1 from maintenance_record n
                             where n.asset_id = m.asset_id and (n.done_on, n.id) > (m.done_on, m.id))`;
/** SQL condition for values outside the maintenance norms (domain: MAINTENANCE_NORMS). */
const OUTSIDE = MAINTENANCE_MEASURES.map((measure) => {
  const { min, max } = MAINTENANCE_NORMS[measure];
  return `coalesce((m.measured->>'${measure}')::float8 not between ${min} and ${max}, false)`;
}).join(' or ');
const COLUMNS = `m.id, json_build_object('id', a.id, 'name', a.name, 'code', a.code, 'kind', a.kind) as asset,
  o.name as organization_name, o.path as organization_path, m.kind, to_char(m.done_on, 'YYYY-MM-DD') as done_on,
  m.done_by, m.measured, m.work, to_char(m.next_due_on, 'YYYY-MM-DD') as next_due_on, m.cost::float8 as cost, m.currency,
  ${SUPERSEDED} as superseded, ${attachmentCount('maintenance', 'm.id')} as files, m.changed_by, m.changed_at`;
const FROM = `from maintenance_record m join asset a on a.id = m.asset_id
              join organization o on o.id = a.organization_id`;
const SORT = {
  doneOn: 'm.done_on',
  nextDueOn: 'm.next_due_on',
  assetName: 'lower(a.name)',
  cost: 'm.cost',
} as const;

export async function listMaintenanceRows(
  db: Db,
  filter: {
    scope: string;
    search: string;
    shown: (typeof MAINTENANCE_SHOWN)[number];
    kind: MaintenanceKind | null;
    assetId: number | null;
    dueBy: Date;
  },
  order: { sort: keyof typeof SORT; order: 'asc' | 'desc'; limit: number; offset: number },
): Promise<{ rows: MaintenanceRow[]; total: number }> {
  const where = `where o.path like $1 || '%' and a.deleted_at is null
      and ($2 = '' or position(lower($2) in lower(concat_ws(E'\\n', a.name, a.code, m.done_by, m.work))) > 0)
      and case $3::text when 'outside' then ${OUTSIDE}
                  when 'due' then m.next_due_on <= $4::timestamptz and not ${SUPERSEDED} else true end
      and ($5::text is null or m.kind = $5) and ($6::bigint is null or m.asset_id = $6)`;
  const values = [filter.scope, filter.search, filter.shown, filter.dueBy, filter.kind, filter.assetId];
  const [page, count] = await Promise.all([
    db.query<MaintenanceRow>(
      `select ${COLUMNS} ${FROM} ${where}
        order by ${SORT[order.sort]} ${order.order} nulls last, m.id ${order.order} limit $7 offset $8`,
      [...values, order.limit, order.offset],
    ),
    db.query<{ count: number }>(`select count(*)::int as count ${FROM} ${where}`, values),
  ]);
  return { rows: page.rows, total: count.rows[0]?.count ?? 0 };
}

export async function findMaintenance(db: Db, scope: string, id: number): Promise<MaintenanceRow | null> {
  const { rows } = await db.query<MaintenanceRow>(
    `select ${COLUMNS} ${FROM} where o.path like $1 || '%' and a.deleted_at is null and m.id = $2`,
    [scope, id],
  );
  return rows[0] ?? null;
}

export async function isAssetInScope(db: Db, scope: string, id: number): Promise<boolean> {
  const { rowCount } = await db.query(
    `select 1 from asset a join organization o on o.id = a.organization_id
      where o.path like $1 || '%' and a.deleted_at is null and a.id = $2`,
    [scope, id],
  );
  return rowCount === 1;
}

export interface MaintenanceFields
  extends Pick<
    MaintenanceRecord,
    'kind' | 'doneOn' | 'doneBy' | 'measured' | 'work' | 'nextDueOn' | 'cost' | 'currency'
  > {
  changedBy: string;
  changedAt: Date;
}

const valuesOf = (fields: MaintenanceFields) => [
  fields.kind,
  fields.doneOn,
  fields.doneBy,
  JSON.stringify(fields.measured),
  fields.work,
  fields.nextDueOn,
  fields.cost,
  fields.currency,
  fields.changedBy,
  fields.changedAt,
];

export async function insertMaintenance(tx: Tx, assetId: number, fields: MaintenanceFields): Promise<number> {
  const { rows } = await tx.query<{ id: number }>(
    `insert into maintenance_record (kind, done_on, done_by, measured, work, next_due_on, cost, currency, changed_by,
                                     changed_at, asset_id)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) returning id`,
    [...valuesOf(fields), assetId],
  );
  return (rows[0] as { id: number }).id;
}

export async function updateMaintenance(tx: Tx, id: number, fields: MaintenanceFields): Promise<void> {
  await tx.query(
    `update maintenance_record set kind = $1, done_on = $2, done_by = $3, measured = $4, work = $5, next_due_on = $6,
            cost = $7, currency = $8, changed_by = $9, changed_at = $10 where id = $11`,
    [...valuesOf(fields), id],
  );
}

export async function deleteMaintenanceRow(tx: Tx, id: number): Promise<void> {
  await tx.query('delete from maintenance_record where id = $1', [id]);
}
