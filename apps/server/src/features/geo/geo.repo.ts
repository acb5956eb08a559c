import type { MapCluster } from '@isotherm/contracts/maps';
import type { AlarmLevel } from '@isotherm/domain/alarms/alarm-level';
import type { AlarmKind } from '@isotherm/domain/alarms/catalogue';
import { OUT_OF_SERVICE } from '@isotherm/domain/assets/asset-status';
import type { Indicator } from '@isotherm/domain/readings/indicator';
import type { Db } from '../../platform/db/pool.ts';

export interface PlaceRow {
  id: number;
  latitude: number;
  longitude: number;
  speed_kmh: number | null;
  heading_deg: number | null;
  /** Null for the fixed place of an asset. */
  measured_at: Date | null;
  from_latitude: number | null;
  from_longitude: number | null;
}

/** West, south, east and north in degrees; west is greater than east across the antimeridian. */
export type Bounds = readonly [number, number, number, number];

/**
 * The place of each asset in service: the last of its devices, otherwise the one that was entered for it. A position
 * after the expiry of its device is hidden (decision 33).
 */
const PLACES = `places as (
    select a.id, coalesce(p.latitude, a.latitude) as latitude, coalesce(p.longitude, a.longitude) as longitude,
           p.speed_kmh, p.heading_deg, p.measured_at, p.moved_from
      from asset a
      join organization o on o.id = a.organization_id and o.path like $1 || '%'
      left join asset_position p on p.asset_id = a.id
        and not exists (select from device d where d.id = p.device_id and d.expires_at <= p.measured_at)
     where a.deleted_at is null and a.status <> all($2)
  )`;
const HAS_PLACE = 'latitude is not null and longitude is not null';
const IN_BOUNDS = `${HAS_PLACE} and latitude between $4 and $6
   and case when $3::float8 <= $5::float8 then longitude between $3 and $5 else longitude >= $3 or longitude <= $5 end`;

export interface PlaceCounts {
  /** Number of assets in the region. */
  inView: number;
  positioned: number;
  unpositioned: number;
  /** West, south, east and north of all positions; null without positions. */
  extent: [number, number, number, number] | null;
}

export async function countPlaces(db: Db, scope: string, bounds: Bounds): Promise<PlaceCounts> {
  const { rows } = await db.query<PlaceCounts>({
    name: 'count-places',
    text: `with ${PLACES}
           select count(*) filter (where ${IN_BOUNDS})::int as "inView",
                  count(*) filter (where ${HAS_PLACE})::int as positioned,
                  count(*) filter (where not (${HAS_PLACE}))::int as unpositioned,
                  case when count(*) filter (where ${HAS_PLACE}) > 0
                       then array[min(longitude), min(latitude), max(longitude), max(latitude)] end as extent
             from places`,
    values: [scope, OUT_OF_SERVICE, ...bounds],
  });
  return rows[0] as PlaceCounts;
}

export async function listPlaces(db: Db, scope: string, bounds: Bounds): Promise<PlaceRow[]> {
  const { rows } = await db.query<PlaceRow>({
    name: 'list-places',
    text: `with ${PLACES}
           select id, latitude, longitude, speed_kmh, heading_deg, measured_at, moved_from[1] as from_latitude, moved_from[0] as from_longitude
             from places where ${IN_BOUNDS}`,
    values: [scope, OUT_OF_SERVICE, ...bounds],
  });
  return rows;
}

/** Groups the assets of a region by squares of this size in degrees. */
export async function listClusters(
  db: Db,
  scope: string,
  bounds: Bounds,
  sizeDeg: number,
): Promise<MapCluster[]> {
  const { rows } = await db.query<MapCluster>({
    name: 'list-clusters',
    text: `with ${PLACES}, worst as (
             select asset_id, max(level) as level from alarm where ended_at is null group by asset_id
           )
           select avg(latitude)::float8 as latitude, avg(longitude)::float8 as longitude, count(*)::int as count,
                  coalesce(max(w.level), 0)::int as level
             from places left join worst w on w.asset_id = places.id
            where ${IN_BOUNDS}
            group by floor(latitude / $7::float8), floor(longitude / $7::float8)`,
    values: [scope, OUT_OF_SERVICE, ...bounds, sizeDeg],
  });
  return rows;
}

/** The name of an asset; null outside the scope. */
export async function findAssetName(db: Db, scope: string, assetId: number): Promise<string | null> {
  const { rows } = await db.query<{ name: string }>(
    `select a.name from asset a join organization o on o.id = a.organization_id
      where a.id = $1 and a.deleted_at is null and o.path like $2 || '%'`,
    [assetId, scope],
  );
  return rows[0]?.name ?? null;
}

export interface TrackAlarmRow {
  id: number;
  level: AlarmLevel;
  kind: AlarmKind;
  indicator: Indicator;
  since: Date;
  ended_at: Date | null;
}

/** Alarms of an asset that overlap the range, each with the highest level that it reached. */
export async function listTrackAlarms(
  db: Db,
  assetId: number,
  from: Date,
  to: Date,
): Promise<TrackAlarmRow[]> {
  const { rows } = await db.query<TrackAlarmRow>(
    `select a.id, coalesce(a.peak_level, a.level) as level, a.kind, c.indicator, a.since, a.ended_at
       from alarm a join channel c on c.id = a.channel_id
      where a.asset_id = $1 and a.since < $3 and coalesce(a.ended_at, 'infinity') > $2
      order by a.since, a.id`,
    [assetId, from, to],
  );
  return rows;
}

/** A time in which the positions of a device are those of an asset; epoch ms. */
export interface TrackSpan {
  deviceId: number;
  from: number;
  until: number;
}

/**
 * The times in the range in which devices were bound to the asset: a device belongs to an asset while one of its sensors
 * measures a channel of it (decision record 0010). A device without sensors belongs to the asset that it is bound to now.
 * Positions after the expiry of a device are hidden (decision 33).
 */
export async function listTrackSpans(db: Db, assetId: number, from: Date, to: Date): Promise<TrackSpan[]> {
  const ms = (time: string) => `ceil(extract(epoch from ${time}) * 1000)::float8`;
  const { rows } = await db.query<TrackSpan>({
    name: 'list-track-spans',
    text: `with bound as (
             select b.device_id, unnest(range_agg(tstzrange(b.valid_from, b.valid_until))) as span
               from channel c join binding b on b.channel_id = c.id
              where c.asset_id = $1 and b.valid_from < $3 and b.valid_until > $2 group by b.device_id
             union all
             select d.id, tstzrange('-infinity', 'infinity') from device d
              where d.asset_id = $1 and not exists (select 1 from binding b where b.device_id = d.id)
           )
           select b.device_id::float8 as "deviceId", ${ms('greatest(lower(b.span), $2)')} as "from",
                  ${ms(`least(upper(b.span), coalesce(d.expires_at, 'infinity'), $3)`)} as "until"
             from bound b join device d on d.id = b.device_id`,
    values: [assetId, from, to],
  });
  return rows;
}
