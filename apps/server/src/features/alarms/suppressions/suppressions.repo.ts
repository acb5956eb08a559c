import { AppError } from '@isotherm/contracts/errors';
import type { Suppression, SuppressionChange, SuppressionInput } from '@isotherm/contracts/suppressions';
import type { SuppressionState } from '@isotherm/domain/alarms/suppression';
import { containing } from '../../../platform/db/like.ts';
import type { Db, Tx } from '../../../platform/db/pool.ts';
import { END, reaches, windowsWhere } from './windows.repo.ts';

type Moments = 'from' | 'until' | 'endedAt' | 'declaredAt' | 'changedAt';

export interface SuppressionRow extends Omit<Suppression, Moments | 'state' | 'isEditable'> {
  organizationPath: string;
  from: Date;
  until: Date;
  endedAt: Date | null;
  declaredAt: Date;
  changedAt: Date;
}

export interface SuppressionFilter {
  search: string;
  state?: SuppressionState | undefined;
  kind?: Suppression['kind'] | undefined;
  organizationId?: number | undefined;
  assetId?: number | undefined;
}

export interface SuppressionPage {
  sort: 'from' | 'until' | 'target';
  order: 'asc' | 'desc';
  limit: number;
  offset: number;
}

const FROM = `
  from (${windowsWhere('true')}) w join organization o on o.id = w.organization_id
  left join asset s on w.target_kind = 'asset' and s.id = w.target_id
  left join asset_group g on w.target_kind = 'asset-group' and g.id = w.target_id
  left join organization t on w.target_kind = 'organization' and t.id = w.target_id`;

const TARGET = 'coalesce(s.name, g.name, t.name, w.target_name)';

const COLUMNS = `w.id::float8 as id, w.organization_id::float8 as "organizationId", o.name as "organizationName",
  o.path as "organizationPath", w.target_kind as "targetKind", w.target_id::float8 as "targetId",
  ${TARGET} as "targetName", w.kind, w.starts_at as from, w.ends_at as until, w.ended_at as "endedAt",
  w.ended_by as "endedBy", w.reason, w.highest_level as "highestLevel", w.owner, w.declared_at as "declaredAt",
  w.changed_by as "changedBy", w.changed_at as "changedAt",
  (select count(*)::int from alarm_notification n where n.suppression_id = w.id and n.held and n.state = 'pending') as held`;

const SORT = { from: 'w.starts_at', until: END, target: `lower(${TARGET})` } as const;

/** SQL conditions of the states at the time `$2`. */
const STATE = `case when ${END} <= $2 then 'over' when w.starts_at > $2 then 'planned' else 'active' end`;

/** Windows within the scope; with an asset, those that reach it, if the asset is within the scope. */
export async function listSuppressionRows(
  db: Db,
  scope: string,
  now: Date,
  filter: SuppressionFilter,
  { sort, order, limit, offset }: SuppressionPage,
): Promise<{ rows: SuppressionRow[]; total: number }> {
  const where = `
    where case when $3::bigint is null then o.path like $1 || '%'
               else exists (select from asset x join organization p on p.id = x.organization_id
                             where x.id = $3 and p.path like $1 || '%' and ${reaches('x.id', 'p.path')}) end
      and ($4 = '' or lower(concat_ws(' ', ${TARGET}, w.reason)) like $4)
      and ($5::text is null or ${STATE} = $5) and ($6::text is null or w.kind = $6)
      and ($7::bigint is null or o.path like (select f.path from organization f where f.id = $7) || '%')`;
  const values = [
    scope,
    now,
    filter.assetId ?? null,
    containing(filter.search.trim().toLowerCase()),
    filter.state ?? null,
    filter.kind ?? null,
    filter.organizationId ?? null,
  ];
  const [found, count] = await Promise.all([
    db.query<SuppressionRow>(
      `select ${COLUMNS} ${FROM} ${where} order by ${SORT[sort]} ${order}, w.id ${order} limit $8 offset $9`,
      [...values, limit, offset],
    ),
    db.query<{ count: number }>(`select count(*)::int as count ${FROM} ${where}`, values),
  ]);
  return { rows: found.rows, total: count.rows[0]?.count ?? 0 };
}

export async function findSuppression(db: Db, scope: string, id: number): Promise<SuppressionRow | null> {
  const { rows } = await db.query<SuppressionRow>(
    `select ${COLUMNS} ${FROM} where o.path like $1 || '%' and w.id = $2`,
    [scope, id],
  );
  return rows[0] ?? null;
}

/** Locks a window until the transaction ends. Workers that judge notifications by it wait. */
export async function lockSuppression(tx: Tx, id: number): Promise<void> {
  await tx.query('select 1 from alarm_suppression where id = $1 for update', [id]);
}

/** Name and organisation of a target; null if it is not within the scope. */
export async function findSuppressionTarget(
  db: Db,
  scope: string,
  { targetKind, targetId }: Pick<SuppressionInput, 'targetKind' | 'targetId'>,
): Promise<{ name: string; organizationId: number } | null> {
  const { rows } = await db.query<{ name: string; organizationId: number }>(
    `select x.name, x.organization_id::float8 as "organizationId"
       from (select 'asset' as kind, id, name, organization_id from asset where deleted_at is null
             union all select 'asset-group', id, name, organization_id from asset_group
             union all select 'organization', id, name, id from organization) x
       join organization o on o.id = x.organization_id
      where x.kind = $2 and x.id = $3 and o.path like $1 || '%'`,
    [scope, targetKind, targetId],
  );
  return rows[0] ?? null;
}

export interface NewSuppression extends Omit<SuppressionInput, 'from' | 'until'> {
  organizationId: number;
  targetName: string;
  from: Date;
  until: Date;
  ownerId: number;
  owner: string;
  changedBy: string;
  now: Date;
}

export async function insertSuppression(tx: Tx, fields: NewSuppression): Promise<number> {
  const { rows } = await tx.query<{ id: number }>(
    `insert into alarm_suppression (organization_id, target_kind, target_id, target_name, kind, starts_at, ends_at,
                                    reason, highest_level, owner_id, owner, declared_at, changed_by, changed_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $12) returning id::float8 as id`,
    [
      fields.organizationId,
      fields.targetKind,
      fields.targetId,
      fields.targetName,
      fields.kind,
      fields.from,
      fields.until,
      fields.reason,
      fields.highestLevel,
      fields.ownerId,
      fields.owner,
      fields.now,
      fields.changedBy,
    ],
  );
  const [created] = rows;
  if (!created) throw new AppError('suppression.not_found');
  return created.id;
}

export async function updateSuppression(
  tx: Tx,
  id: number,
  { until, reason }: SuppressionChange,
  by: string,
  now: Date,
): Promise<void> {
  await tx.query(
    'update alarm_suppression set ends_at = $2, reason = $3, changed_by = $4, changed_at = $5 where id = $1',
    [id, until, reason, by, now],
  );
}

export async function endSuppressionRow(tx: Tx, id: number, by: string, now: Date): Promise<void> {
  await tx.query(
    `update alarm_suppression set ended_at = $3, ended_by = $2, changed_by = $2, changed_at = $3 where id = $1`,
    [id, by, now],
  );
}
