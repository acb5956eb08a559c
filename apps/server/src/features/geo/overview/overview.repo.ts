import type { AlarmLevel } from '@isotherm/domain/alarms/alarm-level';
import { type AlarmKind, EXCURSION_KINDS } from '@isotherm/domain/alarms/catalogue';
import type { Indicator } from '@isotherm/domain/readings/indicator';
import type { Db } from '../../../platform/db/pool.ts';

/** A temperature or humidity above or below a limit; `al` is the alarm, `c` its channel. */
const IS_EXCURSION = `al.kind in (${EXCURSION_KINDS.map((kind) => `'${kind}'`).join(', ')}) and c.indicator in ('temperature', 'humidity')`;

export interface ExcursionRow {
  id: number;
  assetId: number;
  assetName: string;
  level: AlarmLevel;
  kind: AlarmKind;
  indicator: Indicator;
  since: Date;
  endedAt: Date | null;
  /** The place that was entered for the asset. */
  latitude: number | null;
  longitude: number | null;
}

const EXCURSION_COLUMNS = `al.id::float8 as id, a.id::float8 as "assetId", a.name as "assetName",
  coalesce(al.peak_level, al.level) as level, al.kind, c.indicator, al.since, al.ended_at as "endedAt", a.latitude, a.longitude`;

/** The alarm `al` lasted while its asset carried the goods of the waybill `w` on the leg `l`. */
const IS_ON_LEG = `al.asset_id = l.asset_id
  and al.since < coalesce(l.ended_at, w.ended_at, 'infinity') and coalesce(al.ended_at, 'infinity') > l.started_at`;

/** Excursions that began in the period, the newest first; `total` also counts those beyond the limit. */
export async function listExcursions(
  db: Db,
  scope: string,
  from: Date,
  to: Date,
  limit: number,
): Promise<(ExcursionRow & { total: number })[]> {
  const { rows } = await db.query<ExcursionRow & { total: number }>(
    `select ${EXCURSION_COLUMNS}, count(*) over ()::int as total
       from alarm al
       join asset a on a.id = al.asset_id and a.deleted_at is null
       join organization o on o.id = a.organization_id and o.path like $1 || '%'
       join channel c on c.id = al.channel_id
      where al.since >= $2 and al.since < $3 and ${IS_EXCURSION}
      order by al.since desc, al.id desc limit $4`,
    [scope, from, to, limit],
  );
  return rows;
}

export interface TripRow {
  id: number;
  number: string;
  from: string;
  to: string;
  departedAt: Date;
  endedAt: Date | null;
  excursions: number;
  firstAssetId: number;
  lastAssetId: number;
  total: number;
}

/** Trips that departed in the period, the newest first, with the excursions of each asset while it carried the goods. */
export async function listTrips(
  db: Db,
  scope: string,
  from: Date,
  to: Date,
  limit: number,
): Promise<TripRow[]> {
  const { rows } = await db.query<TripRow>(
    `select w.id::float8 as id, w.number, w.consignor_unit as "from", w.consignee_unit as "to", w.departed_at as "departedAt",
            w.ended_at as "endedAt", count(*) over ()::int as total,
            (select count(distinct al.id)::int from waybill_leg l
               join alarm al on ${IS_ON_LEG}
               join channel c on c.id = al.channel_id
              where l.waybill_id = w.id and ${IS_EXCURSION}) as excursions,
            coalesce((select asset_id from waybill_leg l where l.waybill_id = w.id order by position limit 1), w.asset_id)::float8 as "firstAssetId",
            coalesce((select asset_id from waybill_leg l where l.waybill_id = w.id order by position desc limit 1), w.asset_id)::float8 as "lastAssetId"
       from waybill w join organization o on o.id = w.organization_id and o.path like $1 || '%'
      where w.departed_at >= $2 and w.departed_at < $3
      order by w.departed_at desc, w.id desc limit $4`,
    [scope, from, to, limit],
  );
  return rows;
}

/** The number of a waybill; null outside the scope. */
export async function findTripNumber(db: Db, scope: string, waybillId: number): Promise<string | null> {
  const { rows } = await db.query<{ number: string }>(
    `select w.number from waybill w join organization o on o.id = w.organization_id and o.path like $2 || '%' where w.id = $1`,
    [waybillId, scope],
  );
  return rows[0]?.number ?? null;
}

/** The excursions that `listTrips` counts for a waybill, the newest first; the caller has checked the access. */
export async function listTripExcursions(db: Db, waybillId: number, limit: number): Promise<ExcursionRow[]> {
  const { rows } = await db.query<ExcursionRow>(
    `select ${EXCURSION_COLUMNS}
       from alarm al
       join asset a on a.id = al.asset_id
       join channel c on c.id = al.channel_id
      where ${IS_EXCURSION}
        and exists (select from waybill w join waybill_leg l on l.waybill_id = w.id where w.id = $1 and ${IS_ON_LEG})
      order by al.since desc, al.id desc limit $2`,
    [waybillId, limit],
  );
  return rows;
}

/** An asset at a time, epoch ms. */
export interface AssetMoment {
  assetId: number;
  at: number;
}

/**
 * Returns the devices that were bound to these assets at these times and whose subscription had not expired. Only assets
 * whose devices ever sent a position are looked up. `index` is that of the moment.
 */
export async function listDevicesAt(
  db: Db,
  moments: readonly AssetMoment[],
): Promise<{ index: number; deviceId: number }[]> {
  const { rows } = await db.query<{ index: number; deviceId: number }>(
    `with asked as (
       select (n - 1)::int as index, (m ->> 'assetId')::bigint as asset, to_timestamp((m ->> 'at')::float8 / 1000) as moment
         from jsonb_array_elements($1::jsonb) with ordinality as e(m, n)
        where exists (select from asset_position p where p.asset_id = (m ->> 'assetId')::bigint)
     ), bound as (
       select q.index, q.moment, b.device_id from asked q
         join channel c on c.asset_id = q.asset
         join binding b on b.channel_id = c.id and b.valid_from <= q.moment and b.valid_until > q.moment
       union
       select q.index, q.moment, d.id from asked q join device d on d.asset_id = q.asset
        where not exists (select from binding b where b.device_id = d.id)
     )
     select distinct on (b.index) b.index, b.device_id::float8 as "deviceId" from bound b
       join device d on d.id = b.device_id and b.moment < coalesce(d.expires_at, 'infinity')
      order by b.index, b.device_id`,
    [JSON.stringify(moments)],
  );
  return rows;
}
