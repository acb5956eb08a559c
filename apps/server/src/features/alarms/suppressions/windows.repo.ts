import type { SuppressionWindow } from '@isotherm/domain/alarms/suppression';
import type { Db, Tx } from '../../../platform/db/pool.ts';

/**
 * SQL query for the windows `w` that meet a condition, with the paths by which `reaches` decides: of the
 * window's organisation, and of the group or organisation that is its target.
 */
export const windowsWhere = (condition: string): string => `
  select w.*, own.path as own_path, coalesce(top.path, grp.path) as target_path
    from alarm_suppression w join organization own on own.id = w.organization_id
    left join organization top on w.target_kind = 'organization' and top.id = w.target_id
    left join asset_group grp on w.target_kind = 'asset-group' and grp.id = w.target_id
   where ${condition}`;

/**
 * SQL for whether the window `w` of `windowsWhere` reaches an asset (an expression for its id) in the
 * organisation with a path (an expression). An asset that has left the organisation of the window is not
 * reached.
 */
export const reaches = (assetId: string, path: string): string => `(
  starts_with(${path}, w.own_path)
  and case w.target_kind
        when 'asset' then w.target_id = ${assetId}
        when 'organization' then starts_with(${path}, w.target_path)
        else exists (
          select from asset_group_member m join asset_group below on below.id = m.group_id
           where m.asset_id = ${assetId} and starts_with(below.path, w.target_path))
      end)`;

/** SQL for the time at which the window `w` ends, or ended. */
export const END = 'least(w.ends_at, w.ended_at)';

/** SQL for this time as text, ISO 8601 in UTC with milliseconds. */
export const END_MOMENT = `to_char(${END} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/**
 * Locks the windows that are active, so that none of them is edited before the transaction ends. The windows are locked before
 * the notifications, also when a window is edited.
 */
export async function lockActiveWindows(tx: Tx, now: Date): Promise<SuppressionWindow[]> {
  const { rows } = await tx.query<SuppressionWindow>(
    `select w.id::float8 as id, w.highest_level as "highestLevel",
            (extract(epoch from w.starts_at) * 1000)::float8 as from,
            (extract(epoch from w.ends_at) * 1000)::float8 as until, null as "endedAt"
       from alarm_suppression w
      where w.ended_at is null and w.starts_at <= $1 and w.ends_at > $1
      order by w.id for share of w`,
    [now],
  );
  return rows;
}

/** For each of these alarms, the ids of those of the windows that reach it now. */
export async function findReaching(
  db: Db,
  alarmIds: readonly number[],
  windowIds: readonly number[],
): Promise<Map<number, number[]>> {
  const { rows } = await db.query<{ id: number; windows: number[] }>(
    `with known as materialized (${windowsWhere('w.id = any($2::bigint[])')})
     select a.id::float8 as id, array_agg(w.id::float8) as windows
       from alarm a join channel c on c.id = a.channel_id join device d on d.id = c.device_id
       left join asset s on s.id = a.asset_id
       join organization o on o.id = coalesce(s.organization_id, d.organization_id)
       join known w on ${reaches('a.asset_id', 'o.path')}
      where a.id = any($1::bigint[]) group by a.id`,
    [alarmIds, windowIds],
  );
  return new Map(rows.map(({ id, windows }) => [id, windows]));
}

/** Has what a window holds back judged again at once. */
export async function judgeHeldAgain(tx: Tx, id: number): Promise<void> {
  await tx.query(
    `update alarm_notification set due_at = first_due_at where suppression_id = $1 and held and state = 'pending'`,
    [id],
  );
}
