import type { ALARM_REPORT_SORTS } from '@isotherm/contracts/table-reports';
import type { AlarmLevel } from '@isotherm/domain/alarms/alarm-level';
import type { AlarmKind } from '@isotherm/domain/alarms/catalogue';
import type { Indicator } from '@isotherm/domain/readings/indicator';
import type { Db } from '../../../platform/db/pool.ts';

/** What a report is about: an organisation with those below it, and possibly only some of its assets. */
export interface TableScope {
  path: string;
  assets: readonly number[] | null;
  from: Date;
  to: Date;
}

export type ByLevel = [number, number, number, number, number];

const LEVEL = 'coalesce(a.peak_level, a.level)';
const LEVELS = `array[${[1, 2, 3, 4, 5].map((level) => `count(*) filter (where ${LEVEL} = ${level})`).join(', ')}]::float8[]`;
const MEDIAN = `(percentile_cont(0.5) within group (order by extract(epoch from a.acknowledged_at - a.raised_at))
                   filter (where a.acknowledged_at is not null) * 1000)::float8`;
const ALARMS = `from alarm a join organization o on o.id = a.organization_id
  where o.path like $1 || '%' and ($2::bigint[] is null or a.asset_id = any($2)) and a.raised_at >= $3 and a.raised_at < $4`;
const valuesOf = ({ path, assets, from, to }: TableScope) => [path, assets, from, to];

export interface AlarmSums {
  total: number;
  unacknowledged: number;
  medianMs: number | null;
  levels: ByLevel;
}
const SUMS = `count(*)::int as total, (count(*) filter (where not a.is_acknowledged))::int as unacknowledged,
  ${MEDIAN} as "medianMs", ${LEVELS} as levels`;

export async function sumAlarms(db: Db, scope: TableScope): Promise<AlarmSums> {
  const { rows } = await db.query<AlarmSums>(`select ${SUMS} ${ALARMS}`, valuesOf(scope));
  return rows[0] as AlarmSums;
}

/** Sums the alarms of each site, the one with the most first. */
export async function sumAlarmsBySite(
  db: Db,
  scope: TableScope,
): Promise<(AlarmSums & { organizationId: number; name: string; assets: number })[]> {
  const { rows } = await db.query<AlarmSums & { organizationId: number; name: string; assets: number }>(
    `select o.id::float8 as "organizationId", o.name, ${SUMS},
            (select count(*) from asset s where s.organization_id = o.id and s.deleted_at is null
                and ($2::bigint[] is null or s.id = any($2)))::int as assets
     ${ALARMS} group by o.id, o.name order by count(*) desc, o.name, o.id`,
    valuesOf(scope),
  );
  return rows;
}

/** Counts the alarms of each local day by level. */
export async function countAlarmDays(
  db: Db,
  scope: TableScope,
  zone: string,
): Promise<{ day: string; levels: ByLevel }[]> {
  const { rows } = await db.query<{ day: string; levels: ByLevel }>(
    `select to_char(a.raised_at at time zone $5, 'YYYY-MM-DD') as day, ${LEVELS} as levels ${ALARMS} group by 1 order by 1`,
    [...valuesOf(scope), zone],
  );
  return rows;
}

export interface AlarmRow {
  id: number;
  level: AlarmLevel;
  kind: AlarmKind;
  indicator: Indicator;
  assetId: number | null;
  asset: string;
  code: string;
  site: string;
  channel: string;
  device: string;
  raisedAt: Date;
  endedAt: Date | null;
  peak: number | null;
  acknowledgedBy: string;
  acknowledgedAt: Date | null;
  cause: string;
  action: string;
}

const ALARM_SORT: Record<(typeof ALARM_REPORT_SORTS)[number], string> = {
  raisedAt: 'a.raised_at',
  level: LEVEL,
  asset: 'lower(s.name)',
  duration: 'coalesce(a.ended_at, now()) - a.raised_at',
  acknowledgedAt: 'a.acknowledged_at',
};

/** Which alarms of a report are listed, in which order. */
export interface AlarmPage {
  sort: keyof typeof ALARM_SORT;
  order: 'asc' | 'desc';
  limit: number;
  offset: number;
}

/** Lists alarms of a report. */
export async function listAlarmRows(db: Db, scope: TableScope, page: AlarmPage): Promise<AlarmRow[]> {
  const { rows } = await db.query<AlarmRow>(
    `select a.id::float8 as id, ${LEVEL}::int as level, a.kind, coalesce(c.indicator, 'temperature') as indicator,
            s.id::float8 as "assetId", coalesce(s.name, '') as asset, coalesce(s.code, '') as code, o.name as site,
            coalesce(c.name, '') as channel, coalesce(d.number, '') as device, a.raised_at as "raisedAt",
            a.ended_at as "endedAt", a.peak_value as peak,
            coalesce(nullif(h.realname, ''), h.username, a.acknowledged_by_link, '') as "acknowledgedBy",
            a.acknowledged_at as "acknowledgedAt", a.acknowledged_cause as cause, a.corrective_action as action
       from alarm a join organization o on o.id = a.organization_id
       left join asset s on s.id = a.asset_id
       left join channel c on c.id = a.channel_id
       left join device d on d.id = c.device_id
       left join account h on h.id = a.acknowledged_by
      where o.path like $1 || '%' and ($2::bigint[] is null or a.asset_id = any($2))
        and a.raised_at >= $3 and a.raised_at < $4
      order by ${ALARM_SORT[page.sort]} ${page.order} nulls last, a.raised_at desc, a.id desc limit $5 offset $6`,
    [...valuesOf(scope), page.limit, page.offset],
  );
  return rows;
}

const DEVICES = `from device d join organization o on o.id = d.organization_id
  where o.path like $1 || '%' and ($2::bigint[] is null or d.asset_id = any($2)) and d.deleted_at is null
    and d.removed_at is null`;

export interface DeviceRow {
  id: number;
  number: string;
  name: string;
  model: string;
  siteId: number;
  site: string;
  assetId: number | null;
  asset: string;
  received: number;
  due: number;
  days: number;
  silentDays: number;
  battery: number | null;
  alarms: number;
  expiresAt: Date | null;
}

/** Lists devices with the sums of the counted days of the range, the least complete first. */
export async function listDeviceRows(db: Db, scope: TableScope): Promise<DeviceRow[]> {
  const { rows } = await db.query<DeviceRow>(
    `with chosen as (
       select d.id, d.number, d.name, d.model, d.expires_at, d.asset_id, o.id as site_id, o.name as site ${DEVICES}
     ), sums as (
       select t.device_id, sum(t.received)::float8 as received, sum(t.due)::float8 as due, count(*)::int as days,
              (count(*) filter (where t.due > 0 and t.received = 0))::int as silent,
              (array_agg(t.battery order by t.day desc) filter (where t.battery is not null))[1] as battery
         from device_day t
        where t.device_id = any(array(select id from chosen))
          and t.day >= ($3::timestamptz at time zone 'UTC')::date and t.day < ($4::timestamptz at time zone 'UTC')::date
        group by t.device_id
     ), alarms as (
       select c.device_id, count(*)::int as count from alarm a join channel c on c.id = a.channel_id
        where a.raised_at >= $3 and a.raised_at < $4 and c.device_id = any(array(select id from chosen))
        group by c.device_id
     )
     select d.id::float8 as id, d.number, d.name, d.model, d.site_id::float8 as "siteId", d.site,
            s.id::float8 as "assetId", coalesce(s.name, '') as asset, coalesce(t.received, 0) as received,
            coalesce(t.due, 0) as due, coalesce(t.days, 0) as days, coalesce(t.silent, 0) as "silentDays", t.battery,
            coalesce(m.count, 0) as alarms, d.expires_at as "expiresAt"
       from chosen d left join sums t on t.device_id = d.id left join alarms m on m.device_id = d.id
       left join asset s on s.id = d.asset_id
      order by case when t.due > 0 then t.received / t.due end nulls last, d.number`,
    valuesOf(scope),
  );
  return rows;
}

/** Sums the counted days of the range over all devices of the report. */
export async function sumDeviceDays(
  db: Db,
  scope: TableScope,
): Promise<{ day: string; received: number; due: number; devices: number; silent: number }[]> {
  const { rows } = await db.query<{
    day: string;
    received: number;
    due: number;
    devices: number;
    silent: number;
  }>(
    `select to_char(t.day, 'YYYY-MM-DD') as day, sum(t.received)::float8 as received, sum(t.due)::float8 as due,
            count(*)::int as devices, (count(*) filter (where t.due > 0 and t.received = 0))::int as silent
       from device_day t
      where t.device_id = any(array(select d.id ${DEVICES}))
        and t.day >= ($3::timestamptz at time zone 'UTC')::date and t.day < ($4::timestamptz at time zone 'UTC')::date
      group by t.day order by t.day`,
    valuesOf(scope),
  );
  return rows;
}
