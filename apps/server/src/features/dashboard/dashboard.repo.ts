import type { OutsideDay } from '@isotherm/domain/dashboard/limit-time';
import { type Arrangement, TILE_NAMES, type TileName } from '@isotherm/domain/dashboard/tiles';
import type { Db } from '../../platform/db/pool.ts';

/** Kinds of alarms about a value outside its limits. */
const LIMIT_KINDS = "('high', 'low')";
/** Kinds of alarms about data that does not arrive. */
const SILENCE_KINDS = "('no-data', 'offline')";

export interface AssetCounts {
  total: number;
  /** Those without an open alarm. */
  calm: number;
  /** Those with an open alarm about data that does not arrive. */
  silent: number;
  /** Those for which no alarm can be raised: without a rule in force. */
  unwatched: number;
}

export async function countAssets(db: Db, scope: string): Promise<AssetCounts> {
  const { rows } = await db.query<AssetCounts>(
    `with troubled as (
       select a.asset_id, bool_or(a.kind in ${SILENCE_KINDS}) as silent
         from alarm a join organization o on o.id = a.organization_id
        where a.ended_at is null and a.asset_id is not null and o.path like $1 || '%' group by 1
     ), watched as (
       select distinct c.asset_id from channel c join alarm_rule r on r.channel_id = c.id
        where r.enabled and c.retired_at is null
     )
     select count(*)::int as total, count(*) filter (where t.asset_id is null)::int as calm,
            count(*) filter (where t.silent)::int as silent, count(*) filter (where w.asset_id is null)::int as unwatched
       from asset s join organization o on o.id = s.organization_id left join troubled t on t.asset_id = s.id
       left join watched w on w.asset_id = s.id
      where o.path like $1 || '%' and s.deleted_at is null`,
    [scope],
  );
  return rows[0] as AssetCounts;
}

/** Returns the number of open alarms of levels 1 to 5, and of those that nobody has acknowledged. */
export async function countOpenByLevel(
  db: Db,
  scope: string,
): Promise<{ level: number; open: number; unacknowledged: number }[]> {
  const { rows } = await db.query<{ level: number; open: number; unacknowledged: number }>(
    `select a.level::int as level, count(*) filter (where a.ended_at is null)::int as open,
            count(*) filter (where not a.is_acknowledged)::int as unacknowledged
       from alarm a join organization o on o.id = a.organization_id
      where (a.ended_at is null or not a.is_acknowledged) and o.path like $1 || '%' group by 1`,
    [scope],
  );
  return rows;
}

/**
 * Returns for each UTC day of the period how long assets had an alarm about a limit, summed over the assets. Alarms
 * of one asset that overlap count once. Both moments must be at midnight UTC.
 */
export async function sumOutside(
  db: Db,
  scope: string,
  from: Date,
  to: Date,
  now: Date,
): Promise<OutsideDay[]> {
  const { rows } = await db.query<OutsideDay>(
    `with spans as (
       select a.asset_id, range_agg(tstzrange(greatest(a.since, $2), least(coalesce(a.ended_at, $4), $3))) as spans
         from alarm a join organization o on o.id = a.organization_id
        where a.kind in ${LIMIT_KINDS} and a.asset_id is not null and o.path like $1 || '%'
          and a.since < least(coalesce(a.ended_at, $4), $3)
          and (a.raised_at >= $2 or a.ended_at is null or a.ended_at > $2)
          and greatest(a.since, $2) < least(coalesce(a.ended_at, $4), $3)
        group by 1
     ), parts as (
       select day, extract(epoch from least(upper(span), day + interval '24 hours') - greatest(lower(span), day)) * 1000 as ms
         from spans, unnest(spans.spans) as span,
              generate_series(date_trunc('day', lower(span), 'UTC'), upper(span), interval '24 hours') as day
        where day < upper(span)
     )
     select to_char(d at time zone 'UTC', 'YYYY-MM-DD') as day, coalesce(sum(p.ms), 0)::float8 as "outsideMs"
       from generate_series($2::timestamptz, $3::timestamptz - interval '24 hours', interval '24 hours') as d
       left join parts p on p.day = d group by d order by d`,
    [scope, from, to, now],
  );
  return rows;
}

/** Returns the number of devices whose subscription ends in each of the next weeks. */
export async function countExpiring(db: Db, scope: string, now: Date, weeks: number): Promise<number[]> {
  const { rows } = await db.query<{ week: number; count: number }>(
    `select floor(extract(epoch from d.expires_at - $2) / 604800)::int as week, count(*)::int as count
       from device d join organization o on o.id = d.organization_id
      where o.path like $1 || '%' and d.deleted_at is null and d.removed_at is null
        and d.expires_at >= $2 and d.expires_at < $2::timestamptz + make_interval(hours => 168 * $3)
      group by 1`,
    [scope, now, weeks],
  );
  const counts = Array.from({ length: weeks }, () => 0);
  for (const { week, count } of rows) counts[week] = count;
  return counts;
}

/** Counts configurations of backups whose last backup has failed, or which the server has paused. */
export async function countFailedBackups(db: Db, scope: string): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `select count(*)::int as count from report_schedule s join organization o on o.id = s.organization_id
      where s.kind = 'data-backup' and o.path like $1 || '%'
        and (s.pause_reason is not null
             or (s.enabled and (select r.state from report_run r where r.schedule_id = s.id and r.ended_at is not null
                                 order by r.id desc limit 1) = 'failed'))`,
    [scope],
  );
  return rows[0]?.count ?? 0;
}

/** Counts expired devices whose data will be deleted at the end of a grace period. */
export async function countReleasedDevices(db: Db, scope: string): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `select count(*)::int as count from device_release r join organization o on o.id = r.organization_id
      where r.state = 'announced' and o.path like $1 || '%'`,
    [scope],
  );
  return rows[0]?.count ?? 0;
}

export async function findArrangement(db: Db, accountId: number): Promise<Arrangement | null> {
  const { rows } = await db.query<{ shown: string[]; hidden: string[] }>(
    'select shown, hidden from dashboard_arrangement where account_id = $1',
    [accountId],
  );
  // A tile that this release does not know is left out.
  const known = (names: string[]) =>
    names.filter((name): name is TileName => TILE_NAMES.some((each) => each === name));
  return rows[0] ? { shown: known(rows[0].shown), hidden: known(rows[0].hidden) } : null;
}

export async function saveArrangement(db: Db, accountId: number, own: Arrangement, at: Date): Promise<void> {
  await db.query(
    `insert into dashboard_arrangement (account_id, shown, hidden, changed_at) values ($1, $2, $3, $4)
     on conflict (account_id) do update set shown = excluded.shown, hidden = excluded.hidden,
            changed_at = excluded.changed_at`,
    [accountId, own.shown, own.hidden, at],
  );
}

export async function deleteArrangement(db: Db, accountId: number): Promise<void> {
  await db.query('delete from dashboard_arrangement where account_id = $1', [accountId]);
}

export async function findName(db: Db, organizationId: number): Promise<string> {
  const { rows } = await db.query<{ name: string }>('select name from organization where id = $1', [
    organizationId,
  ]);
  return rows[0]?.name ?? '';
}
