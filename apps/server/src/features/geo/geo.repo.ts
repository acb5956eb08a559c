import type { AlarmLevel } from '@isotherm/domain/alarms/alarm-level';
import { type AlarmKind, KIND_OF } from '@isotherm/domain/alarms/catalogue';
import { OUT_OF_SERVICE } from '@isotherm/domain/assets/asset-status';
import { INDICATOR_NAMES, INDICATORS, type Indicator } from '@isotherm/domain/readings/indicator';
import { readInt4Array } from '../../platform/db/binary-array.ts';
import { containing } from '../../platform/db/like.ts';
import type { Db } from '../../platform/db/pool.ts';
import { PRESENT_LIMITS } from '../telemetry/index.ts';
import { type Bounds, type PlaceSnapshot, placeSnapshot } from './place-snapshots.ts';

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

/** Assets in service of the scope `$1`; `$2` are the states without service. */
const IN_SERVICE = `join organization o on o.id = a.organization_id and o.path like $1 || '%'`;
const SERVES = 'a.deleted_at is null and a.status <> all($2)';
/** A position after the expiry of its device is hidden (decision 33). */
const IS_SHOWN =
  'not exists (select from device d where d.id = p.device_id and d.expires_at <= p.measured_at)';

/** SQL for a place in the region `$3` to `$6`, west to north. */
function inBounds(table: string): string {
  return `${table}.latitude between $4 and $6
       and (${table}.longitude between $3 and $5
            or $3::float8 > $5::float8 and (${table}.longitude >= $3 or ${table}.longitude <= $5))`;
}

export interface PlaceCounts {
  positioned: number;
  unpositioned: number;
  /** West, south, east and north of all positions; null without positions. */
  extent: [number, number, number, number] | null;
}

/** Counts the assets of the scope with and without a place. */
export async function countPlaces(db: Db, scope: string): Promise<PlaceCounts> {
  const { rows } = await db.query<PlaceCounts>({
    name: 'count-places',
    text: `with places as (
             select coalesce(p.latitude, a.latitude) as latitude, coalesce(p.longitude, a.longitude) as longitude
               from asset a ${IN_SERVICE} left join asset_position p on p.asset_id = a.id and ${IS_SHOWN}
              where ${SERVES}
           ), placed as (select * from places where latitude is not null and longitude is not null)
           select count(*)::int as positioned, (select count(*) from places)::int - count(*)::int as unpositioned,
                  case when count(*) > 0
                       then array[min(longitude), min(latitude), max(longitude), max(latitude)] end as extent
             from placed`,
    values: [scope, OUT_OF_SERVICE],
  });
  return rows[0] as PlaceCounts;
}

const PLACE_COLUMNS = `a.id, at.latitude, at.longitude, p.speed_kmh, p.heading_deg, p.measured_at,
            p.moved_from[1] as from_latitude, p.moved_from[0] as from_longitude`;
/** Place of each asset `a` that has one. */
const PLACE_OF = `left join asset_position p on p.asset_id = a.id and ${IS_SHOWN}
       cross join lateral (select coalesce(p.latitude, a.latitude) as latitude, coalesce(p.longitude, a.longitude) as longitude) at`;

/** The assets of a region with a place, up to `most`. */
export async function listPlaces(db: Db, scope: string, bounds: Bounds, most: number): Promise<PlaceRow[]> {
  const { rows } = await db.query<PlaceRow>({
    name: 'list-places',
    text: `select ${PLACE_COLUMNS} from asset a ${IN_SERVICE} ${PLACE_OF}
            where ${SERVES} and ${inBounds('at')} limit $7`,
    values: [scope, OUT_OF_SERVICE, ...bounds, most],
  });
  return rows;
}

/** SQL for the highest level of the open alarms of each asset. */
const WORST = `select asset_id, max(level) as level from alarm where ended_at is null group by asset_id`;

/** The places of all assets of the scope. */
export async function loadPlaceSnapshot(db: Db, scope: string): Promise<PlaceSnapshot> {
  const { rows } = await db.query<{
    ids: Buffer;
    latitudes: Buffer;
    longitudes: Buffer;
    levels: Buffer;
    all: number;
  }>({
    name: 'place-snapshot',
    text: `with places as (
             select a.id::int as id, at.latitude, at.longitude, coalesce(w.level, 0)::int as level
               from asset a ${IN_SERVICE} ${PLACE_OF} left join (${WORST}) w on w.asset_id = a.id
              where ${SERVES}
           )
           select ${column('id')} as ids, ${column(`round(latitude * ${PLACE_PARTS})::int`)} as latitudes,
                  ${column(`round(longitude * ${PLACE_PARTS})::int`)} as longitudes, ${column('level')} as levels,
                  (select count(*)::int from places) as all
             from places where latitude is not null and longitude is not null`,
    values: [scope, OUT_OF_SERVICE],
  });
  const { ids, latitudes, longitudes, levels, all } = rows[0] as (typeof rows)[0];
  return placeSnapshot(
    Float64Array.from(readInt4Array(ids)),
    Float64Array.from(readInt4Array(latitudes), (value) => value / PLACE_PARTS),
    Float64Array.from(readInt4Array(longitudes), (value) => value / PLACE_PARTS),
    Uint8Array.from(readInt4Array(levels)),
    all,
  );
}

/** Places are read as integers: parts of a degree that are smaller than the accuracy of a position. */
const PLACE_PARTS = 1_000_000;
const column = (value: string) => `array_send(coalesce(array_agg(${value}), '{}'::int4[]))`;

/** The assets of a region that have an open alarm, the most severe first, up to `most`. */
export async function listWorstPlaces(
  db: Db,
  scope: string,
  bounds: Bounds,
  most: number,
): Promise<PlaceRow[]> {
  const { rows } = await db.query<PlaceRow>({
    name: 'list-worst-places',
    text: `select ${PLACE_COLUMNS}
             from (${WORST}) w
             join asset a on a.id = w.asset_id ${IN_SERVICE} ${PLACE_OF}
            where ${SERVES} and ${inBounds('at')}
            order by w.level desc, a.id limit $7`,
    values: [scope, OUT_OF_SERVICE, ...bounds, most],
  });
  return rows;
}

/** The assets with a place whose name, code or place contains the search, by name, up to `most`. */
export async function findPlaces(db: Db, scope: string, search: string, most: number): Promise<PlaceRow[]> {
  const { rows } = await db.query<PlaceRow>(
    `select ${PLACE_COLUMNS} from asset a ${IN_SERVICE} ${PLACE_OF}
      where ${SERVES} and a.search_text like $3 and at.latitude is not null and at.longitude is not null
      order by lower(a.name), a.id limit $4`,
    [scope, OUT_OF_SERVICE, containing(search.toLowerCase()), most],
  );
  return rows;
}

/** The places of these assets, of which those out of service have none. The caller checks that they are in scope. */
export async function listPlacesOf(db: Db, assetIds: readonly number[]): Promise<PlaceRow[]> {
  const { rows } = await db.query<PlaceRow>({
    name: 'list-places-of',
    text: `select ${PLACE_COLUMNS} from asset a ${PLACE_OF}
            where a.id = any($1::bigint[]) and ${SERVES} and at.latitude is not null and at.longitude is not null`,
    values: [assetIds, OUT_OF_SERVICE],
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

/** A limit of a channel; `isOutside` as in the rules of the WHO, where a value equal to the limit is outside. */
export interface WatchedLimit {
  kind: (typeof KIND_OF)['below' | 'above'];
  limit: number;
  isOutside: boolean;
}

/** A channel that says when a door was open, or a quantity with limits. */
export interface WatchedChannel {
  id: number;
  name: string;
  indicator: Indicator;
  acquisitionIntervalMs: number;
  limits: WatchedLimit[];
}

/** Indicators whose values are excursions when they are outside a limit; an on/off state has none. */
const QUANTITIES = INDICATOR_NAMES.filter((indicator) => INDICATORS[indicator].kind === 'quantity');

/**
 * The doors of an asset and its quantities with limits, in their order; with `channelIds`, only those of these channels. Limits
 * are the narrowest of the enabled rules.
 */
export async function listWatchedChannels(
  db: Db,
  assetId: number,
  channelIds: readonly number[] | null,
): Promise<WatchedChannel[]> {
  const limitOf = (kind: string, column: string) =>
    `case when c.${column} is not null then jsonb_build_object('kind', '${kind}', 'limit', c.${column},
            'isOutside', exists (select from alarm_rule r where r.channel_id = c.id and r.kind = '${kind}' and r.enabled
                                   and r.limit_value = c.${column} and r.limit_is_outside)) end`;
  const { rows } = await db.query<WatchedChannel>(
    `select c.id, c.name, c.indicator, c.acquisition_interval_ms as "acquisitionIntervalMs",
            case when c.indicator = 'door' then '[]'
                 else array_to_json(array_remove(array[${limitOf(KIND_OF.above, 'high')}, ${limitOf(KIND_OF.below, 'low')}]::jsonb[], null))
            end as limits
       from (select c.id, c.name, c.indicator, d.acquisition_interval_ms, ${PRESENT_LIMITS}
               from channel c join device d on d.id = c.device_id
              where c.asset_id = $1 and ($2::bigint[] is null or c.id = any($2)) and (c.indicator = 'door' or c.indicator = any($3))) c
      where c.indicator = 'door' or c.low is not null or c.high is not null
      order by c.id`,
    [assetId, channelIds, QUANTITIES],
  );
  return rows;
}
