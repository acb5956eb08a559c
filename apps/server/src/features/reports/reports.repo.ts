import { KIND_OF } from '@isotherm/domain/alarms/catalogue';
import { INDICATORS, type Indicator } from '@isotherm/domain/readings/indicator';
import type { LimitVersion } from '@isotherm/domain/reports/record-statistics';
import type { Db } from '../../platform/db/pool.ts';

/** Quantities of the device itself, not of its surroundings. */
const OF_DEVICE: readonly string[] = ['battery', 'signal', 'voltage'];
/** Quantities of a report; switches have no mean. */
const QUANTITIES = Object.entries(INDICATORS).flatMap(([name, { kind }]) =>
  kind === 'quantity' && !OF_DEVICE.includes(name) ? [name] : [],
);
/** A value equal to a limit that counts as outside is treated as beyond a limit that is stricter by this much. */
const OUTSIDE_AT_LIMIT = 1e-9;

export interface ReportAsset {
  id: number;
  name: string;
  code: string;
}

/** Returns those of these assets that are in the caller's scope, by name. */
export async function findReportAssets(
  db: Db,
  scope: string,
  ids: readonly number[],
): Promise<ReportAsset[]> {
  const { rows } = await db.query<ReportAsset>(
    `select a.id, a.name, a.code from asset a join organization o on o.id = a.organization_id
      where a.id = any($1::bigint[]) and o.path like $2 || '%' and a.deleted_at is null order by a.name, a.id`,
    [ids, scope],
  );
  return rows;
}

export interface ReportChannel {
  id: number;
  assetId: number;
  asset: string;
  code: string;
  name: string;
  indicator: Indicator;
  device: string;
  serial: string;
  intervalMs: number;
  /** Time zone of the organisation of the asset. */
  zone: string;
  /** Path of this organisation. */
  organizationPath: string;
  /** Number and due date of the newest certificate of the sensor. */
  certificate: string | null;
  dueOn: string | null;
}

const CHANNEL_COLUMNS = `c.id, a.id as "assetId", a.name as asset, a.code, c.name, c.indicator, d.number as device, s.serial,
            d.acquisition_interval_ms::float8 as "intervalMs", o.time_zone as zone, o.path as "organizationPath",
            k.certificate, to_char(k.due_on, 'YYYY-MM-DD') as "dueOn"
       from channel c
       join asset a on a.id = c.asset_id
       join organization o on o.id = a.organization_id
       join device d on d.id = c.device_id
       join sensor s on s.id = c.sensor_id
       left join lateral (
         select certificate, due_on from calibration k where k.sensor_id = s.id and k.ended_at is null
          order by k.calibrated_on desc, k.id desc limit 1) k on true`;

/** Returns the quantities of the surroundings in assets, in the order of the report, with those that were retired after `from`. */
export async function findReportChannels(
  db: Db,
  assetIds: readonly number[],
  from: Date,
): Promise<ReportChannel[]> {
  const { rows } = await db.query<ReportChannel>(
    `select ${CHANNEL_COLUMNS}
      where a.id = any($1::bigint[]) and c.indicator = any($2) and (c.retired_at is null or c.retired_at > $3)
      order by a.name, a.id, c.indicator <> 'temperature', c.indicator, c.name, c.id`,
    [assetIds, QUANTITIES, from],
  );
  return rows;
}

/** Returns those of these channels that measure temperatures of assets in the scope. */
export async function findTemperatureChannels(
  db: Db,
  scope: string,
  channelIds: readonly number[],
): Promise<ReportChannel[]> {
  const { rows } = await db.query<ReportChannel>(
    `select ${CHANNEL_COLUMNS}
      where c.id = any($1::int4[]) and c.indicator = 'temperature' and o.path like $2 || '%' and a.deleted_at is null
      order by a.name, a.id, c.name, c.id`,
    [channelIds, scope],
  );
  return rows;
}

export interface LimitVersionRow extends LimitVersion {
  /** Id of the rule version. */
  id: number;
  channelId: number;
}

/** Returns the versions of the limits of these channels that were in force in a range. */
export async function findLimitVersions(
  db: Db,
  channelIds: readonly number[],
  from: Date,
  to: Date,
): Promise<LimitVersionRow[]> {
  const { rows } = await db.query<LimitVersionRow>(
    `select r.id, r.channel_id as "channelId",
            case r.kind when '${KIND_OF.below}' then 'low' else 'high' end as kind,
            r.limit_value + case when not r.limit_is_outside then 0
                                 when r.kind = '${KIND_OF.below}' then ${OUTSIDE_AT_LIMIT} else -${OUTSIDE_AT_LIMIT} end as limit,
            (extract(epoch from r.valid_from) * 1000)::float8 as from,
            (extract(epoch from coalesce(r.valid_until, 'infinity')) * 1000)::float8 as until
       from alarm_rule r
      where r.channel_id = any($1::int4[]) and r.kind in ('${KIND_OF.below}', '${KIND_OF.above}')
        and r.valid_from < $3 and coalesce(r.valid_until, 'infinity') > $2
      order by r.channel_id, r.valid_from, r.id`,
    [channelIds, from, to],
  );
  return rows;
}

export interface ReportExcursion {
  level: number;
  assetId: number;
  channelId: number;
  since: Date;
  endedAt: Date | null;
  peak: number | null;
  acknowledgedBy: string | null;
  cause: string;
  action: string;
}

/** Returns the alarms about limits of these channels in a range, the earliest first, at most `most`. */
export async function findExcursions(
  db: Db,
  channelIds: readonly number[],
  from: Date,
  to: Date,
  most: number,
): Promise<ReportExcursion[]> {
  const { rows } = await db.query<ReportExcursion>(
    `select coalesce(a.peak_level, a.level)::int as level, a.asset_id as "assetId", a.channel_id as "channelId", a.since,
            a.ended_at as "endedAt", a.peak_value as peak,
            coalesce(nullif(h.realname, ''), h.username, nullif(a.acknowledged_by_link, '')) as "acknowledgedBy",
            coalesce(a.acknowledged_cause, '') as cause, coalesce(a.corrective_action, '') as action
       from alarm a left join account h on h.id = a.acknowledged_by
      where a.channel_id = any($1::int4[]) and a.kind in ('${KIND_OF.below}', '${KIND_OF.above}')
        and a.since < $3 and coalesce(a.ended_at, 'infinity') > $2
      order by a.since, a.id limit $4`,
    [channelIds, from, to, most],
  );
  return rows;
}
