import type { TrackColumns } from '@isotherm/domain/geo/sealed-track';
import { DAY_MS } from '@isotherm/domain/readings/sealed-day';
import {
  byteaArray,
  int4Array,
  readInt4Array,
  readTimestamptzArray,
} from '../../platform/db/binary-array.ts';
import type { Db, Tx } from '../../platform/db/pool.ts';

/** Positions are fetched as binary column arrays of integers (sealed-track.ts). */
const HOT_COLUMNS = `array_send(array_agg(measured_at order by measured_at)) as at,
    array_send(array_agg(round(latitude * 100000)::int order by measured_at)) as latitude,
    array_send(array_agg(round(longitude * 100000)::int order by measured_at)) as longitude,
    array_send(array_agg(coalesce(round(speed_kmh * 10)::int, -1) order by measured_at)) as speed,
    array_send(array_agg(coalesce(heading_deg::int, -1) order by measured_at)) as heading`;

interface HotRow {
  device_id: number;
  at: Buffer;
  latitude: Buffer;
  longitude: Buffer;
  speed: Buffer;
  heading: Buffer;
}

const columnsOf = (row: HotRow): TrackColumns => ({
  at: readTimestamptzArray(row.at).map(Math.floor),
  latitude: readInt4Array(row.latitude),
  longitude: readInt4Array(row.longitude),
  speed: readInt4Array(row.speed),
  heading: readInt4Array(row.heading),
});

/** Unsealed positions of a UTC day (days since 1970), by device. */
export async function listHotTracks(
  db: Db,
  deviceIds: readonly number[],
  day: number,
): Promise<Map<number, TrackColumns>> {
  return listHotTracksBetween(db, deviceIds, day * DAY_MS, (day + 1) * DAY_MS);
}

/** Unsealed positions from `from` (inclusive) to `to` (exclusive) by device; epoch ms. */
export async function listHotTracksBetween(
  db: Db,
  deviceIds: readonly number[],
  from: number,
  to: number,
): Promise<Map<number, TrackColumns>> {
  const { rows } = await db.query<HotRow>({
    name: 'list-hot-tracks',
    text: `select device_id::float8, ${HOT_COLUMNS} from position
            where device_id = any($1::bigint[]) and measured_at >= $2 and measured_at < $3 group by device_id`,
    values: [deviceIds, new Date(from), new Date(to)],
  });
  return new Map(rows.map((row) => [row.device_id, columnsOf(row)]));
}

/** Returns the number of unsealed positions of a UTC day, by device. */
export async function countHotPositions(db: Db, day: number): Promise<Map<number, number>> {
  const { rows } = await db.query<[number, number]>({
    text: `select device_id::float8, count(*)::int from position
            where measured_at >= $1 and measured_at < $2 group by device_id order by device_id`,
    values: [new Date(day * DAY_MS), new Date((day + 1) * DAY_MS)],
    rowMode: 'array',
  } as never);
  return new Map(rows);
}

export async function deleteHotPositions(tx: Tx, deviceIds: readonly number[], day: number): Promise<number> {
  const { rowCount } = await tx.query(
    'delete from position where device_id = any($1::bigint[]) and measured_at >= $2 and measured_at < $3',
    [deviceIds, new Date(day * DAY_MS), new Date((day + 1) * DAY_MS)],
  );
  return rowCount ?? 0;
}

/** A sealed day of a device; `day` is in days since 1970. */
export interface SealedTrackRow {
  deviceId: number;
  day: number;
  count: number;
  hash: Buffer;
  positions: Buffer;
}

/** What is stored beside the bytes, so that they need not be decoded for it. */
export interface TrackSummary {
  firstAt: number;
  lastAt: number;
  fixedCount: number;
  lastLatitude: number;
  lastLongitude: number;
  lastSpeedKmh: number | null;
}

export async function upsertSealedTracks(
  tx: Tx,
  day: number,
  rows: readonly (SealedTrackRow & TrackSummary)[],
): Promise<void> {
  await tx.query({
    name: 'upsert-sealed-tracks',
    text: `insert into sealed_track (device_id, day, first_at, last_at, count, fixed_count, last_latitude, last_longitude,
                                     last_speed_kmh, hash, positions)
           select s."deviceId", date '1970-01-01' + $1::int, to_timestamp(s."firstAt" / 1000), to_timestamp(s."lastAt" / 1000),
                  c.count, s."fixedCount", s."lastLatitude", s."lastLongitude", s."lastSpeedKmh", c.hash, c.positions
             from rows from (jsonb_to_recordset($2::jsonb)
                    as ("deviceId" bigint, "firstAt" float8, "lastAt" float8, "fixedCount" int, "lastLatitude" float8,
                        "lastLongitude" float8, "lastSpeedKmh" real)) with ordinality as s
             join unnest($3::int4[], $4::bytea[], $5::bytea[]) with ordinality as c(count, hash, positions, ordinality) using (ordinality)
           on conflict (device_id, day) do update
             set first_at = excluded.first_at, last_at = excluded.last_at, count = excluded.count,
                 fixed_count = excluded.fixed_count, last_latitude = excluded.last_latitude,
                 last_longitude = excluded.last_longitude, last_speed_kmh = excluded.last_speed_kmh,
                 hash = excluded.hash, positions = excluded.positions`,
    values: [
      day,
      JSON.stringify(rows.map(({ hash: _hash, positions: _positions, ...summary }) => summary)),
      int4Array(rows.map((row) => row.count)),
      byteaArray(rows.map((row) => row.hash)),
      byteaArray(rows.map((row) => row.positions)),
    ],
  });
}

const SEALED = `device_id::float8 as "deviceId", day - date '1970-01-01' as day, count, hash, positions`;

/** Returns the sealed days `from` to `to` (both inclusive) of these devices, ordered by device and day. */
export async function listSealedTracks(
  db: Db,
  deviceIds: readonly number[],
  from: number,
  to: number,
): Promise<SealedTrackRow[]> {
  const { rows } = await db.query<SealedTrackRow>({
    name: 'list-sealed-tracks',
    text: `select ${SEALED} from sealed_track
            where device_id = any($1::bigint[])
              and day between date '1970-01-01' + $2::int and date '1970-01-01' + $3::int
            order by device_id, sealed_track.day`,
    values: [deviceIds, from, to],
  });
  return rows;
}

/** Positions of a device that are wanted: all of `since` to `latest`, and some before and after; epoch ms. */
export interface SealedNeighbours {
  deviceId: number;
  since: number;
  latest: number;
}

/**
 * Returns the sealed days with the positions from `since` to `latest`, and as many earlier and later ones as together have
 * `count` positions with a fix.
 */
export async function listSealedNeighbours(
  db: Db,
  wanted: readonly SealedNeighbours[],
  count: number,
): Promise<SealedTrackRow[]> {
  const dayOf = (column: string) => `date '1970-01-01' + floor(${column} / ${DAY_MS})::int`;
  const beside = (condition: string, order: string) => `
    (select device_id, day, count, hash, positions from (
       select t.*, sum(fixed_count) over (order by day ${order} rows between unbounded preceding and current row) - fixed_count as nearer
         from (select * from sealed_track where device_id = w."deviceId" and ${condition} order by day ${order} limit $2) t) n
      where nearer < $2)`;
  const { rows } = await db.query<SealedTrackRow>({
    name: 'list-sealed-neighbours',
    text: `select distinct on (device_id, day) ${SEALED}
             from jsonb_to_recordset($1::jsonb) as w("deviceId" bigint, since float8, latest float8)
             cross join lateral (
               (select device_id, day, count, hash, positions from sealed_track
                 where device_id = w."deviceId" and day between ${dayOf('w.since')} and ${dayOf('w.latest')})
               union all ${beside(`fixed_count > 0 and day < ${dayOf('w.since')}`, 'desc')}
               union all ${beside(`fixed_count > 0 and day > ${dayOf('w.latest')}`, 'asc')}
             ) s
            order by device_id, day`,
    values: [JSON.stringify(wanted), count],
  });
  return rows;
}

/** Yields all sealed tracks, in portions and without order, from one snapshot. */
export async function* scanSealedTracks(tx: Tx, atOnce: number): AsyncGenerator<SealedTrackRow[]> {
  await tx.query(`declare sealed_tracks no scroll cursor for select ${SEALED} from sealed_track`);
  for (;;) {
    const { rows } = await tx.query<SealedTrackRow>(`fetch ${atOnce} from sealed_tracks`);
    if (rows.length === 0) break;
    yield rows;
  }
  await tx.query('close sealed_tracks');
}

/** Lists devices with sealed tracks before `day` (days since 1970), by the path of their organisation. */
export async function listExpiredTracks(
  db: Db,
  day: number,
): Promise<{ path: string; deviceIds: number[] }[]> {
  const { rows } = await db.query<{ path: string; deviceIds: number[] }>(
    `select o.path, array_agg(d.id::float8 order by d.id) as "deviceIds"
       from device d left join asset a on a.id = d.asset_id
       join organization o on o.id = coalesce(a.organization_id, d.organization_id)
      where exists (select from sealed_track t where t.device_id = d.id and t.day < date '1970-01-01' + $1::int)
      group by o.path order by o.path`,
    [day],
  );
  return rows;
}

/** Deletes sealed tracks before `day`; returns the number of positions, and their first day, such as `2019-11-21`. */
export async function deleteSealedTracksBefore(
  tx: Tx,
  deviceIds: readonly number[],
  day: number,
): Promise<{ positions: number; from: string | null }> {
  const { rows } = await tx.query<{ positions: number; from: string | null }>(
    `with gone as (
       delete from sealed_track where device_id = any($1::bigint[]) and day < date '1970-01-01' + $2::int returning day, count)
     select coalesce(sum(count), 0)::float8 as positions, to_char(min(day), 'YYYY-MM-DD') as from from gone`,
    [deviceIds, day],
  );
  return rows[0] as { positions: number; from: string | null };
}

/** A device at a time in epoch ms. */
export interface DeviceMoment {
  deviceId: number;
  at: number;
}

/** Returns for each of these moments the last unsealed position with a fix from `earliest` ms before it; null without one. */
export async function listHotPlacesAt(
  db: Db,
  moments: readonly DeviceMoment[],
  earliest: number,
): Promise<({ at: number; latitude: number; longitude: number } | null)[]> {
  const { rows } = await db.query<[number | null, number, number]>({
    name: 'list-hot-places-at',
    text: `select extract(epoch from p.measured_at)::float8 * 1000, p.latitude, p.longitude
             from jsonb_array_elements($1::jsonb) with ordinality as m(moment, n)
             left join lateral (
               select measured_at, latitude, longitude from position
                where device_id = (moment ->> 'deviceId')::bigint
                  and measured_at <= to_timestamp((moment ->> 'at')::float8 / 1000)
                  and measured_at > to_timestamp(((moment ->> 'at')::float8 - $2) / 1000) and (latitude <> 0 or longitude <> 0)
                order by measured_at desc limit 1) p on true
            order by n`,
    values: [JSON.stringify(moments), earliest],
    rowMode: 'array',
  } as never);
  return rows.map(([at, latitude, longitude]) =>
    at === null ? null : { at: Math.floor(at), latitude, longitude },
  );
}

/** Returns the sealed days among these pairs of device and day (days since 1970), each once. */
export async function findSealedTracks(
  db: Db,
  pairs: readonly { deviceId: number; day: number }[],
): Promise<SealedTrackRow[]> {
  const { rows } = await db.query<SealedTrackRow>({
    name: 'find-sealed-tracks',
    text: `select distinct on (device_id, t.day) device_id::float8 as "deviceId", t.day - date '1970-01-01' as day, count, hash, positions
             from jsonb_to_recordset($1::jsonb) as asked("deviceId" bigint, day int)
             join sealed_track t on t.device_id = asked."deviceId" and t.day = date '1970-01-01' + asked.day
            order by device_id, t.day`,
    values: [JSON.stringify(pairs)],
  });
  return rows;
}
