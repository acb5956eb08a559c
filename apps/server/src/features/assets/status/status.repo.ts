import type { AssetKind } from '@isotherm/domain/assets/asset-kind';
import type { AssetStatus, StatusDeed } from '@isotherm/domain/assets/asset-status';
import { containing } from '../../../platform/db/like.ts';
import type { Db, Tx } from '../../../platform/db/pool.ts';

export interface ChangeRow {
  id: number;
  asset_id: number;
  asset_name: string;
  asset_code: string;
  asset_kind: AssetKind;
  organization_name: string;
  from_status: AssetStatus;
  to_status: AssetStatus;
  deed: StatusDeed;
  reason: string;
  changed_by: string;
  changed_at: Date;
  until_at: Date | null;
  ended_at: Date | null;
}

const FROM = `from asset_status_change s
              join asset a on a.id = s.asset_id
              join organization o on o.id = a.organization_id`;
const COLUMNS = `s.id, s.asset_id, a.name as asset_name, a.code as asset_code, a.kind as asset_kind,
       o.name as organization_name, s.from_status, s.to_status, s.deed, s.reason, s.changed_by, s.changed_at,
       s.until_at, s.ended_at`;

export interface ChangeFilter {
  scope: string;
  search: string;
  assetId: number | null;
  kind: AssetKind | null;
  deed: StatusDeed | null;
  from: string | null;
  to: string | null;
}

export async function listChangeRows(
  db: Db,
  filter: ChangeFilter,
  page: { order: 'asc' | 'desc'; limit: number; offset: number },
): Promise<{ rows: ChangeRow[]; total: number }> {
  const where = `where o.path like $1 || '%'
      and ($2 = '' or a.search_text like $2 or lower(s.reason) like $2)
      and ($3::bigint is null or s.asset_id = $3)
      and ($4::text is null or a.kind = $4)
      and ($5::text is null or s.deed = $5)
      and ($6::timestamptz is null or s.changed_at >= $6)
      and ($7::timestamptz is null or s.changed_at < $7)`;
  const values = [
    filter.scope,
    containing(filter.search.toLowerCase()),
    filter.assetId,
    filter.kind,
    filter.deed,
    filter.from,
    filter.to,
  ];
  const { order } = page;
  const [rows, count] = await Promise.all([
    db.query<ChangeRow>(
      `select ${COLUMNS} ${FROM} ${where}
        order by s.changed_at ${order}, s.id ${order} limit $8 offset $9`,
      [...values, page.limit, page.offset],
    ),
    db.query<{ count: number }>(`select count(*) as count ${FROM} ${where}`, values),
  ]);
  return { rows: rows.rows, total: count.rows[0]?.count ?? 0 };
}

export async function findChange(db: Db, id: number): Promise<ChangeRow> {
  const { rows } = await db.query<ChangeRow>(`select ${COLUMNS} ${FROM} where s.id = $1`, [id]);
  return rows[0] as ChangeRow;
}

export interface StatusChangeFields {
  assetId: number;
  from: AssetStatus;
  to: AssetStatus;
  deed: StatusDeed;
  reason: string;
  changedBy: string;
  changedAt: Date;
  untilAt: Date | null;
}

/** Ends the current status, begins the new one, and returns the id of the change. */
export async function insertChange(tx: Tx, change: StatusChangeFields): Promise<number> {
  await tx.query('update asset_status_change set ended_at = $2 where asset_id = $1 and ended_at is null', [
    change.assetId,
    change.changedAt,
  ]);
  await tx.query('update asset set status = $2 where id = $1', [change.assetId, change.to]);
  const { rows } = await tx.query<{ id: number }>(
    `insert into asset_status_change (asset_id, from_status, to_status, deed, reason, changed_by, changed_at, until_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8) returning id`,
    [
      change.assetId,
      change.from,
      change.to,
      change.deed,
      change.reason,
      change.changedBy,
      change.changedAt,
      change.untilAt,
    ],
  );
  return (rows[0] as { id: number }).id;
}

export interface DueRow {
  asset_id: number;
  asset_name: string;
  organization_path: string;
  from_status: AssetStatus;
  to_status: AssetStatus;
  until_at: Date;
}

/**
 * Returns expired statuses, locked until the end of the transaction; those locked by another process are
 * skipped.
 */
export async function takeDue(tx: Tx, now: Date, limit: number): Promise<DueRow[]> {
  const { rows } = await tx.query<DueRow>(
    `select s.asset_id, a.name as asset_name, o.path as organization_path, s.from_status, s.to_status, s.until_at
       ${FROM}
      where s.ended_at is null and s.until_at <= $1
      order by s.until_at limit $2 for update of a skip locked`,
    [now, limit],
  );
  return rows;
}
