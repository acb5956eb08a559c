import { KIND_OF } from '@isotherm/domain/alarms/catalogue';
import type { AssetKind } from '@isotherm/domain/assets/asset-kind';
import type { Db } from '../../../platform/db/pool.ts';

export interface ComplianceAssetRow {
  id: number;
  name: string;
  code: string;
  kind: AssetKind;
  siteId: number;
  site: string;
  /** Time zone of the site. */
  zone: string;
  /** End of the last validation study that was judged; epoch ms. */
  mappedAt: number | null;
}

/** Returns assets in the scope by site and name, at most `most`: those given, or those of an organisation and below it. */
export async function findComplianceAssets(
  db: Db,
  scope: string,
  wanted: { ids: readonly number[] | null; path: string },
  until: Date,
  most: number,
): Promise<ComplianceAssetRow[]> {
  const { rows } = await db.query<ComplianceAssetRow>(
    `select a.id::float8 as id, a.name, a.code, a.kind, o.id::float8 as "siteId", o.name as site, o.time_zone as zone,
            (select (extract(epoch from max(v.to_at)) * 1000)::float8 from validation_study v
              where v.asset_id = a.id and v.judged_at is not null and v.to_at <= $4) as "mappedAt"
       from asset a join organization o on o.id = a.organization_id
      where o.path like $1 || '%' and o.path like $2 || '%' and a.deleted_at is null
        and ($3::bigint[] is null or a.id = any($3))
      order by o.path, a.name, a.id limit $5`,
    [scope, wanted.path, wanted.ids, until, most],
  );
  return rows;
}

export async function countComplianceAssets(db: Db, scope: string, path: string): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `select count(*)::int as count from asset a join organization o on o.id = a.organization_id
      where o.path like $1 || '%' and o.path like $2 || '%' and a.deleted_at is null`,
    [scope, path],
  );
  return rows[0]?.count ?? 0;
}

/** Returns the path and name of an organisation in the scope; null if there is none. */
export async function findReportOrganization(
  db: Db,
  scope: string,
  id: number,
): Promise<{ path: string; name: string } | null> {
  const { rows } = await db.query<{ path: string; name: string }>(
    `select path, name from organization where id = $2 and path like $1 || '%'`,
    [scope, id],
  );
  return rows[0] ?? null;
}

/** Returns when the alarms of sites were tested last before a time; epoch ms, by site. */
export async function findAlarmTests(
  db: Db,
  siteIds: readonly number[],
  until: Date,
): Promise<Map<number, number>> {
  const { rows } = await db.query<{ id: number; at: number }>(
    `select o.id::float8 as id, (extract(epoch from max(t.started_at)) * 1000)::float8 as at
       from organization o
       join organization p on o.path like p.path || '%'
       join alarm_test t on t.organization_id = p.id and t.started_at <= $2
       left join asset a on a.id = t.asset_id
      where o.id = any($1::bigint[]) and (a.id is null or a.organization_id = o.id)
      group by o.id`,
    [siteIds, until],
  );
  return new Map(rows.map(({ id, at }) => [id, at]));
}

export interface ComplianceChannelRow {
  id: number;
  assetId: number;
  indicator: 'temperature' | 'humidity';
  intervalMs: number;
  /** Since when readings are expected; epoch ms. */
  since: number | null;
  retiredAt: number | null;
  /** The newest certificate of the sensor at the end of the range; epoch ms. */
  calibratedAt: number | null;
  calibrationDueAt: number | null;
}

/** Returns the channels of temperature and humidity in assets, with those that were retired after `from`. */
export async function findComplianceChannels(
  db: Db,
  assetIds: readonly number[],
  from: Date,
  until: Date,
): Promise<ComplianceChannelRow[]> {
  const { rows } = await db.query<ComplianceChannelRow>(
    `select c.id, c.asset_id::float8 as "assetId", c.indicator, d.acquisition_interval_ms::float8 as "intervalMs",
            (select (extract(epoch from min(b.valid_from)) * 1000)::float8 from binding b
              where b.channel_id = c.id and isfinite(b.valid_from)) as since,
            (extract(epoch from c.retired_at) * 1000)::float8 as "retiredAt",
            (extract(epoch from k.calibrated_on) * 1000)::float8 as "calibratedAt",
            (extract(epoch from k.due_on) * 1000)::float8 as "calibrationDueAt"
       from channel c
       join device d on d.id = c.device_id
       left join lateral (
         select k.calibrated_on, k.due_on from calibration k
          where k.sensor_id = c.sensor_id and k.ended_at is null and k.calibrated_on <= $3
          order by k.calibrated_on desc, k.id desc limit 1) k on true
      where c.asset_id = any($1::bigint[]) and c.indicator in ('temperature', 'humidity')
        and (c.retired_at is null or c.retired_at > $2)
      order by c.id`,
    [assetIds, from, until],
  );
  return rows;
}

/** Returns the numbers of excursions of assets in a range, and of those without acknowledgement, cause or corrective action. */
export async function countExcursions(
  db: Db,
  assetIds: readonly number[],
  from: Date,
  to: Date,
): Promise<Map<number, { excursions: number; unhandled: number }>> {
  const { rows } = await db.query<{ assetId: number; excursions: number; unhandled: number }>(
    `select a.asset_id::float8 as "assetId", count(*)::int as excursions,
            (count(*) filter (where not a.is_acknowledged or a.acknowledged_cause = '' or a.corrective_action = ''))::int
              as unhandled
       from alarm a
      where a.asset_id = any($1::bigint[]) and a.kind in ('${KIND_OF.below}', '${KIND_OF.above}')
        and a.since < $3 and coalesce(a.ended_at, 'infinity') > $2
      group by a.asset_id`,
    [assetIds, from, to],
  );
  return new Map(rows.map(({ assetId, ...counts }) => [assetId, counts]));
}

export interface ComplianceExcursion {
  site: string;
  asset: string;
  code: string;
  channel: string;
  level: number;
  since: Date;
  endedAt: Date | null;
  peak: number | null;
  acknowledgedBy: string | null;
  cause: string;
  action: string;
}

/** Returns the excursions of assets in a range, the earliest first, at most `most`. */
export async function listComplianceExcursions(
  db: Db,
  assetIds: readonly number[],
  from: Date,
  to: Date,
  most: number,
): Promise<ComplianceExcursion[]> {
  const { rows } = await db.query<ComplianceExcursion>(
    `select o.name as site, t.name as asset, t.code, coalesce(c.name, '') as channel,
            coalesce(a.peak_level, a.level)::int as level, a.since, a.ended_at as "endedAt", a.peak_value as peak,
            coalesce(nullif(h.realname, ''), h.username, nullif(a.acknowledged_by_link, '')) as "acknowledgedBy",
            coalesce(a.acknowledged_cause, '') as cause, coalesce(a.corrective_action, '') as action
       from alarm a
       join asset t on t.id = a.asset_id
       join organization o on o.id = t.organization_id
       left join channel c on c.id = a.channel_id
       left join account h on h.id = a.acknowledged_by
      where a.asset_id = any($1::bigint[]) and a.kind in ('${KIND_OF.below}', '${KIND_OF.above}')
        and a.since < $3 and coalesce(a.ended_at, 'infinity') > $2
      order by a.since, a.id limit $4`,
    [assetIds, from, to, most],
  );
  return rows;
}
