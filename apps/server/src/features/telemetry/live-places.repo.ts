import { LEADER_MS } from '@isotherm/domain/geo/followed-device';
import { EARTH_RADIUS_M } from '@isotherm/domain/geo/geo';
import { MAX_SPEED_KMH, NOISE_M } from '@isotherm/domain/geo/track-faults';
import type { Tx } from '../../platform/db/pool.ts';
import type { StoredPosition } from './tracks.ts';

export interface PositionRow {
  device_id: number;
  /** Epoch ms. */
  at: number;
  latitude: number;
  longitude: number;
  speed_kmh: number | null;
  heading_deg: number | null;
}

/** The newest position of a device in a batch, with a fix; its time is estimated if the device's clock is wrong. */
export interface NewestPosition extends PositionRow {
  /** Whether a vehicle could have come from the position before it in the batch; null if there is none. */
  is_reached: boolean | null;
}

/** Distance, about 50 m, below which a vehicle has no direction of travel. */
const MOVED_DEG = 0.0005;
const METRES_PER_DEGREE = (EARTH_RADIUS_M * Math.PI) / 180;
const LEADER = `interval '${LEADER_MS / 1000} seconds'`;

/**
 * Whether a vehicle could have come from the place `k` to the position `s`. The distance is that on the plane of degrees, with
 * the longer of the two parallels: it is never shorter than the great circle, so that no jump is overlooked.
 */
const FITS = `power((s.latitude - k.latitude) * ${METRES_PER_DEGREE}, 2)
    + power((s.longitude - k.longitude) * ${METRES_PER_DEGREE} * cos(radians(least(abs(s.latitude), abs(k.latitude)))), 2)
    <= power(greatest(${NOISE_M}, ${MAX_SPEED_KMH / 3.6} * extract(epoch from s.measured_at - k.measured_at)), 2)`;

/**
 * Whether a position `s` follows the place `k` of the same asset by the rule of the followed device (`followed-device.ts`): it
 * is newer, and the device of `k` does not lead; or its own device leads.
 */
const FOLLOWS = (s: string, k: string) => `(
    ${s}.measured_at > ${k}.measured_at
      and not (${k}.device_id < ${s}.device_id and ${k}.measured_at > ${s}.measured_at - ${LEADER})
    or ${s}.device_id < ${k}.device_id and ${s}.measured_at > ${k}.measured_at - ${LEADER})`;

const MOVED_FROM = (next: string) =>
  `case when abs(${next}.latitude - known.latitude) + abs(${next}.longitude - known.longitude) > ${MOVED_DEG}
        then point(known.longitude, known.latitude) else known.moved_from end`;

/** True if the device is bound to its asset since before the position. */
const IS_BOUND = `not exists (select 1 from binding b join channel c on c.id = b.channel_id
     where b.device_id = d.id and c.asset_id = d.asset_id and b.valid_until = 'infinity' and b.valid_from > s.measured_at)`;

/**
 * Stores positions, and the newest as the place of the asset that the device is bound to since before it. Returns the assets
 * whose place cannot be decided from the shown place alone; their rows are locked. A new row shows its position provisionally. The
 * statement takes its row locks in the order of the assets, as every other batch does. The shown place may have been replaced while
 * it waited for a lock, so that the followed device is decided once more by the locked row.
 */
export async function insertPositions(
  tx: Tx,
  rows: readonly PositionRow[],
  newest: readonly NewestPosition[],
): Promise<number[]> {
  const { rows: doubtful } = await tx.query<[number]>({
    name: 'insert-positions',
    text: `with stored as (
             insert into position (device_id, measured_at, latitude, longitude, speed_kmh, heading_deg)
             select distinct on (device_id, at) device_id, to_timestamp(at / 1000), latitude, longitude, speed_kmh, heading_deg
               from jsonb_to_recordset($1::jsonb)
                 as p(device_id bigint, at float8, latitude float8, longitude float8, speed_kmh real, heading_deg smallint)
             on conflict do nothing
           ), sent as materialized (
             select device_id, to_timestamp(at / 1000) as measured_at, latitude, longitude, speed_kmh, heading_deg, is_reached
               from jsonb_to_recordset($2::jsonb)
                 as p(device_id bigint, at float8, latitude float8, longitude float8, speed_kmh real, heading_deg smallint,
                      is_reached boolean)
           ), newest as materialized (
             select distinct on (d.asset_id) d.asset_id, s.*,
                    count(*) over (partition by d.asset_id) > 1
                      or not coalesce(s.is_reached, k.asset_id is null or ${FITS})
                      or k.asset_id is not null and (not k.is_newest or k.device_id <> s.device_id) as is_doubtful
               from sent s
               join device d on d.id = s.device_id and d.asset_id is not null and s.measured_at < coalesce(d.expires_at, 'infinity')
               left join asset_position k on k.asset_id = d.asset_id
              where ${IS_BOUND}
                and (k.asset_id is null or not k.is_newest or ${FOLLOWS('s', 'k')})
              order by d.asset_id, s.measured_at desc
           ), shown as (
             insert into asset_position as known
                    (asset_id, device_id, measured_at, latitude, longitude, speed_kmh, heading_deg, is_newest)
             select asset_id, device_id, measured_at, latitude, longitude, speed_kmh, heading_deg, not is_doubtful
               from newest order by asset_id
             on conflict (asset_id) do update
                set device_id = excluded.device_id, measured_at = excluded.measured_at, latitude = excluded.latitude,
                    longitude = excluded.longitude, speed_kmh = excluded.speed_kmh, heading_deg = excluded.heading_deg,
                    is_newest = true, moved_from = ${MOVED_FROM('excluded')}
              where excluded.is_newest and ${FOLLOWS('excluded', 'known')}
           )
           select asset_id::float8 from newest where is_doubtful`,
    values: [JSON.stringify(rows), JSON.stringify(newest)],
    rowMode: 'array',
  } as never);
  return doubtful.map(([id]) => id);
}

export interface LivePosition extends StoredPosition {
  headingDeg: number | null;
}

/** A device whose clock is wrong, as its positions in a batch show. */
export interface WrongClock {
  deviceId: number;
  /** Offset of the clock. */
  offsetMs: number;
  /** Newest time that it sent, in epoch ms: with the same offset, a later one that is stored is from another time. */
  latest: number;
}

/**
 * The last unsealed positions with a fix of a device, in order of time, since it is bound to the asset (`from`, epoch ms). Times
 * are estimated with `offsetMs`.
 */
export interface NewestPositions {
  assetId: number;
  deviceId: number;
  offsetMs: number;
  from: number;
  positions: LivePosition[];
}

/**
 * Returns up to `count` of the last positions of each device of these assets, up to `until` (epoch ms): a clock that was ahead may
 * have left positions in the future.
 */
export async function listNewestPositions(
  tx: Tx,
  assetIds: readonly number[],
  count: number,
  until: number,
  wrongClocks: readonly WrongClock[],
): Promise<NewestPositions[]> {
  const ms = (column: string) => `round(extract(epoch from ${column}) * 1000)::float8`;
  const { rows } = await tx.query<NewestPositions>({
    name: 'list-newest-positions',
    text: `select d.asset_id::float8 as "assetId", d.id::float8 as "deviceId", coalesce(w."offsetMs", 0) as "offsetMs",
                  ${ms('bound.since')} as "from", coalesce(p.positions, '[]') as positions
             from device d
             left join jsonb_to_recordset($4::jsonb) as w("deviceId" bigint, "offsetMs" float8, latest float8) on w."deviceId" = d.id
             cross join lateral (
               select coalesce(w."offsetMs", 0) * interval '1 millisecond' as ahead,
                      to_timestamp(coalesce(w.latest, $3::float8) / 1000) as latest) clock
             cross join lateral (
               select coalesce(max(b.valid_from), '1970-01-01') as since from binding b join channel c on c.id = b.channel_id
                where b.device_id = d.id and c.asset_id = d.asset_id and b.valid_until = 'infinity') bound
             cross join lateral (
               select json_agg(json_build_object('deviceId', d.id, 'at', ${ms('measured_at - clock.ahead')}, 'latitude', latitude,
                        'longitude', longitude, 'speedKmh', speed_kmh, 'headingDeg', heading_deg) order by measured_at) as positions
                 from (select * from position
                        where device_id = d.id and measured_at >= bound.since + clock.ahead and measured_at <= clock.latest
                          and measured_at < coalesce(d.expires_at, 'infinity') + clock.ahead and (latitude <> 0 or longitude <> 0)
                        order by measured_at desc limit $2) newest) p
            where d.asset_id = any($1::bigint[])`,
    values: [assetIds, count, until, JSON.stringify(wrongClocks)],
  });
  return rows;
}

/** Shows these places; those of the assets exist and are locked. */
export async function updatePlaces(
  tx: Tx,
  places: readonly (LivePosition & { assetId: number; isNewest: boolean })[],
): Promise<void> {
  await tx.query({
    name: 'update-places',
    text: `update asset_position known
              set device_id = n."deviceId", measured_at = to_timestamp(n.at / 1000), latitude = n.latitude, longitude = n.longitude,
                  speed_kmh = n."speedKmh", heading_deg = n."headingDeg", is_newest = n."isNewest", moved_from = ${MOVED_FROM('n')}
             from jsonb_to_recordset($1::jsonb)
               as n("assetId" bigint, "deviceId" bigint, at float8, latitude float8, longitude float8, "speedKmh" real,
                    "headingDeg" smallint, "isNewest" boolean)
            where known.asset_id = n."assetId"`,
    values: [JSON.stringify(places)],
  });
}

/** Keeps the places of these assets, whose newer positions are all jumps. */
export async function markDoubtful(tx: Tx, assetIds: readonly number[]): Promise<void> {
  await tx.query('update asset_position set is_newest = false where asset_id = any($1::bigint[])', [
    assetIds,
  ]);
}
