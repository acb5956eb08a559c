import type { FenceEvent, FenceEventKind } from '@isotherm/domain/geo/fence-judge';
import type { TimedPlace } from '@isotherm/domain/geo/track-faults';
import { LOCK_SPACES } from '../../../platform/db/lock-keys.ts';
import type { Db, Tx } from '../../../platform/db/pool.ts';

/** Time of a column in epoch ms. */
const ms = (column: string) => `round(extract(epoch from ${column}) * 1000)::float8`;

/** Paths of organisations that have or had geofences. */
export async function listFencedPaths(db: Db): Promise<string[]> {
  const { rows } = await db.query<{ path: string }>(
    `select o.path from organization o
      where exists (select from geofence g join geofence_version v on v.geofence_id = g.id where g.organization_id = o.id)`,
  );
  return rows.map(({ path }) => path);
}

interface VersionRow {
  path: string;
  shared: boolean;
  id: number;
  geofence_id: number;
  valid_from: number;
  /** Null for the current version. */
  valid_until: number | null;
  shape: unknown;
  margin_m: number;
  dwell_minutes: number | null;
}

/** Versions of the geofences of these organisations; `shared` ones apply to organisations below as well. */
export async function listVersions(db: Db, paths: readonly string[]): Promise<VersionRow[]> {
  const { rows } = await db.query<VersionRow>(
    `select o.path, v.shared, v.id, v.geofence_id, ${ms('v.valid_from')} as valid_from,
            case when v.valid_until < 'infinity' then ${ms('v.valid_until')} end as valid_until,
            v.shape, v.margin_m, v.dwell_minutes
       from organization o
       join geofence g on g.organization_id = o.id
       join geofence_version v on v.geofence_id = g.id and v.valid_until > v.valid_from
      where o.path = any($1::text[])
      order by o.path, v.valid_from, v.id`,
    [paths],
  );
  return rows;
}

/** A time in which the positions of a device are those of an asset; times in epoch ms. */
export interface BoundSpan {
  assetId: number;
  path: string;
  deviceId: number;
  from: number;
  until: number;
}

/**
 * The assets to which these devices are or were bound, with all of their devices, as far as they are in organisations with
 * geofences. A device belongs to an asset while one of its sensors measures a channel of it (decision record 0010), and not after its
 * subscription expired (decision 33).
 */
export async function listBoundSpans(
  tx: Tx,
  deviceIds: readonly number[],
  fencedPaths: readonly string[],
): Promise<BoundSpan[]> {
  const { rows } = await tx.query<BoundSpan>({
    name: 'fence-bound-spans',
    text: `with touched as (
             select c.asset_id from binding b join channel c on c.id = b.channel_id
              where b.device_id = any($1::bigint[]) and c.asset_id is not null
             union
             select d.asset_id from device d where d.id = any($1::bigint[]) and d.asset_id is not null
           ), fenced as (
             select a.id, o.path from touched t
               join asset a on a.id = t.asset_id and a.deleted_at is null
               join organization o on o.id = a.organization_id
              where exists (select from unnest($2::text[]) as p(path) where o.path like p.path || '%')
           ), bound as (
             select f.id as asset_id, b.device_id, unnest(range_agg(tstzrange(b.valid_from, b.valid_until))) as span
               from fenced f join channel c on c.asset_id = f.id join binding b on b.channel_id = c.id
              group by f.id, b.device_id
             union all
             select f.id, d.id, tstzrange('-infinity', 'infinity') from fenced f join device d on d.asset_id = f.id
              where not exists (select from binding b where b.device_id = d.id)
           )
           select b.asset_id as "assetId", f.path, b.device_id as "deviceId",
                  ${ms(`greatest(lower(b.span), '1970-01-01')`)} as "from",
                  ${ms(`least(upper(b.span), d.expires_at, '9999-01-01')`)} as "until"
             from bound b join fenced f on f.id = b.asset_id join device d on d.id = b.device_id`,
    values: [deviceIds, fencedPaths],
  });
  return rows;
}

/** Assets share locks, so that a large batch does not exceed the database's lock table. */
const ASSET_LOCKS = 4_096;

/** Locks these assets, whose several devices different transactions may write, until the transaction ends, in order. */
export async function lockAssets(tx: Tx, assetIds: readonly number[]): Promise<void> {
  const keys = [...new Set(assetIds.map((id) => id % ASSET_LOCKS))].sort((a, b) => a - b);
  await tx.query(`select pg_advisory_xact_lock($1, key) from unnest($2::int[]) as key`, [
    LOCK_SPACES.assets,
    keys,
  ]);
}

export interface WantedSpan extends BoundSpan {
  /** Positions from `since` to `latest` are read, and `count` earlier and later ones. */
  since: number;
  latest: number;
}

/** A position of a device while it belonged to the asset. */
export interface PlaceOfSpan extends TimedPlace {
  assetId: number;
  deviceId: number;
}

/** Unsealed positions of these spans in order of time, without those of receivers without a fix. */
export async function listPlaces(
  tx: Tx,
  spans: readonly WantedSpan[],
  count: number,
): Promise<PlaceOfSpan[]> {
  const columns = `${ms('measured_at')} as at, latitude, longitude`;
  const { rows } = await tx.query<[number, number, number, number, number]>({
    name: 'fence-places',
    text: `select s."assetId", s."deviceId", p.at, p.latitude, p.longitude
             from jsonb_to_recordset($1::jsonb)
               as s("assetId" bigint, "deviceId" bigint, "from" float8, "until" float8, since float8, latest float8)
             cross join lateral (
               (select ${columns} from position
                 where device_id = s."deviceId" and measured_at < to_timestamp(least(s.since, s."until") / 1000)
                   and measured_at >= to_timestamp(s."from" / 1000) and (latitude <> 0 or longitude <> 0)
                 order by measured_at desc limit $2)
               union all
               (select ${columns} from position
                 where device_id = s."deviceId" and measured_at >= to_timestamp(greatest(s.since, s."from") / 1000)
                   and measured_at <= to_timestamp(s.latest / 1000)
                   and measured_at < to_timestamp(s."until" / 1000) and (latitude <> 0 or longitude <> 0))
               union all
               (select ${columns} from position
                 where device_id = s."deviceId" and measured_at > to_timestamp(s.latest / 1000)
                   and measured_at >= to_timestamp(s."from" / 1000)
                   and measured_at < to_timestamp(s."until" / 1000) and (latitude <> 0 or longitude <> 0)
                 order by measured_at limit $2)
             ) p
            order by s."assetId", s."deviceId", p.at`,
    values: [JSON.stringify(spans), count],
    rowMode: 'array',
  } as never);
  return rows.map(([assetId, deviceId, at, latitude, longitude]) => ({
    assetId,
    deviceId,
    at,
    latitude,
    longitude,
  }));
}

export interface EventRow extends FenceEvent {
  id: number;
  assetId: number;
}

/**
 * Events of each asset from `start` on, and the stays that last then. The stays that last now are locked, so that none of them
 * becomes a dwell meanwhile.
 */
export async function listEventsFrom(
  tx: Tx,
  starts: readonly { assetId: number; start: number }[],
): Promise<EventRow[]> {
  const wanted = `jsonb_to_recordset($1::jsonb) as s("assetId" bigint, start float8)`;
  const values = [JSON.stringify(starts)];
  await tx.query({
    name: 'fence-lock-stays',
    text: `select from ${wanted} join geofence_event e on e.asset_id = s."assetId" and e.until_at is null and e.kind in ('enter', 'found')
            order by e.id for update of e`,
    values,
  });
  const { rows } = await tx.query<EventRow & { fenceId: number; kind: FenceEventKind }>({
    name: 'fence-events-from',
    text: `select e.id, e.asset_id as "assetId", e.geofence_id as "fenceId", e.version_id as "versionId", e.kind,
                  ${ms('e.at')} as at, ${ms('e.until_at')} as "until", ${ms('e.due_at')} as "dueAt", e.latitude, e.longitude
             from ${wanted} join geofence_event e on e.asset_id = s."assetId"
              and (e.at >= to_timestamp(s.start / 1000) or (e.until_at is null and e.kind in ('enter', 'found'))
                   or e.until_at >= to_timestamp(s.start / 1000))`,
    values,
  });
  return rows;
}

export async function deleteEvents(tx: Tx, ids: readonly number[]): Promise<void> {
  await tx.query('delete from geofence_event where id = any($1::bigint[])', [ids]);
}

/** An event that was not known before. */
export interface NewEvent {
  id: number;
  assetId: number;
  geofenceId: number;
  kind: FenceEventKind;
  at: number;
}

/** Writes events, and the ends of those that exist; returns the new ones. */
export async function saveEvents(
  tx: Tx,
  events: readonly (FenceEvent & { assetId: number })[],
  recordedAt: number,
): Promise<NewEvent[]> {
  const { rows } = await tx.query<NewEvent & { isNew: boolean }>({
    name: 'fence-save-events',
    text: `insert into geofence_event (asset_id, geofence_id, version_id, kind, at, until_at, due_at, latitude, longitude, recorded_at)
           select "assetId", "fenceId", "versionId", kind, to_timestamp(at / 1000), to_timestamp("until" / 1000),
                  to_timestamp("dueAt" / 1000), latitude, longitude, to_timestamp($2::float8 / 1000)
             from jsonb_to_recordset($1::jsonb)
               as e("assetId" bigint, "fenceId" bigint, "versionId" bigint, kind text, at float8, "until" float8, "dueAt" float8,
                    latitude float8, longitude float8)
            order by "assetId", at, "versionId"
           on conflict (asset_id, version_id, kind, at) do update set until_at = excluded.until_at, due_at = excluded.due_at
           returning id, asset_id as "assetId", geofence_id as "geofenceId", kind, ${ms('at')} as at, xmax = 0 as "isNew"`,
    values: [JSON.stringify(events), recordedAt],
  });
  return rows.filter(({ isNew }) => isNew).map(({ isNew: _, ...event }) => event);
}

/** Records a dwell of each stay that lasts long enough by now; returns how many. */
export async function recordDueDwells(db: Db, now: Date): Promise<number> {
  const { rowCount } = await db.query(
    `with due as (
       select e.id, e.asset_id, e.geofence_id, e.version_id, e.due_at, e.latitude, e.longitude
         from geofence_event e where e.due_at <= $1 order by e.due_at limit 5000 for update skip locked
     ), told as (
       update geofence_event e set due_at = null from due where e.id = due.id
     )
     insert into geofence_event (asset_id, geofence_id, version_id, kind, at, latitude, longitude, recorded_at)
     select due.asset_id, due.geofence_id, due.version_id, 'dwell', due.due_at, due.latitude, due.longitude, $1
       from due join geofence_version v on v.id = due.version_id and v.valid_until >= due.due_at
     on conflict do nothing`,
    [now],
  );
  return rowCount ?? 0;
}
