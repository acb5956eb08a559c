import { DAY_MS } from '@isotherm/domain/readings/sealed-day';
import type { Db, Tx } from '../../platform/db/pool.ts';

export interface ExpiredChannels {
  path: string;
  channelIds: number[];
}

/** Number of channels in one lookup for old sealed days. */
const CHANNELS_AT_ONCE = 10_000;

/**
 * Lists channels with sealed days or estimated readings before `day` (in days since 1970), by organisation.
 */
export async function listExpired(db: Db, day: number): Promise<ExpiredChannels[]> {
  const { rows } = await db.query<{ id: number; path: string }>(
    `select c.id, o.path
       from channel c join device d on d.id = c.device_id left join asset a on a.id = c.asset_id
       join organization o on o.id = coalesce(a.organization_id, d.organization_id)
      order by o.path, c.id`,
  );
  const expired = new Set<number>();
  for (let i = 0; i < rows.length; i += CHANNELS_AT_ONCE)
    for (const list of [listSealedBefore, listEstimatedBefore])
      for (const id of await list(db, rows.slice(i, i + CHANNELS_AT_ONCE), day)) expired.add(id);
  const byPath = new Map<string, number[]>();
  for (const { id, path } of rows) {
    if (!expired.has(id)) continue;
    const own = byPath.get(path);
    if (own) own.push(id);
    else byPath.set(path, [id]);
  }
  return [...byPath].map(([path, channelIds]) => ({ path, channelIds }));
}

/** Returns the ids of those of these channels that have sealed days before `day`. */
async function listSealedBefore(db: Db, channels: readonly { id: number }[], day: number): Promise<number[]> {
  const { rows } = await db.query<{ channel_id: number }>(
    `select distinct channel_id from sealed_day
      where channel_id = any($1::int4[]) and day < date '1970-01-01' + $2::int`,
    [channels.map(({ id }) => id), day],
  );
  return rows.map((row) => row.channel_id);
}

/** Returns the ids of those of these channels that have readings with estimated times before `day`. */
async function listEstimatedBefore(
  db: Db,
  channels: readonly { id: number }[],
  day: number,
): Promise<number[]> {
  const { rows } = await db.query<{ channel_id: number }>(
    'select distinct channel_id from estimated_reading where channel_id = any($1::int4[]) and estimated_at < $2',
    [channels.map(({ id }) => id), new Date(day * DAY_MS)],
  );
  return rows.map((row) => row.channel_id);
}

/**
 * Deletes sealed days before `day`; returns the number of readings, and their first day, such as
 * `2019-11-21`.
 */
export async function deleteSealedBefore(
  tx: Tx,
  channelIds: readonly number[],
  day: number,
): Promise<{ readings: number; from: string | null }> {
  const { rows } = await tx.query<{ readings: number; from: string | null }>(
    `with gone as (
       delete from sealed_day where channel_id = any($1::int4[]) and day < date '1970-01-01' + $2::int
       returning day, count)
     select coalesce(sum(count), 0)::float8 as readings, to_char(min(day), 'YYYY-MM-DD') as from from gone`,
    [channelIds, day],
  );
  return rows[0] as { readings: number; from: string | null };
}

/** Returns the UTC days (since 1970) on which channels have unsealed readings, or a device has unsealed positions. */
export async function listHotDays(
  db: Db,
  channelIds: readonly number[],
  deviceId: number,
): Promise<number[]> {
  const readings = await db.query<{ day: number }>(
    `select distinct (measured_at at time zone 'UTC')::date - date '1970-01-01' as day from reading
      where channel_id = any($1::int4[])`,
    [channelIds],
  );
  const positions = await db.query<{ day: number }>(
    `select distinct (measured_at at time zone 'UTC')::date - date '1970-01-01' as day from position where device_id = $1`,
    [deviceId],
  );
  return [...new Set([...readings.rows, ...positions.rows].map(({ day }) => day))];
}

/** Deletes all unsealed readings of channels and all unsealed positions of a device; returns the number of readings. */
export async function deleteHot(tx: Tx, channelIds: readonly number[], deviceId: number): Promise<number> {
  const { rowCount } = await tx.query('delete from reading where channel_id = any($1::int4[])', [channelIds]);
  await tx.query('delete from position where device_id = $1', [deviceId]);
  return rowCount ?? 0;
}

/** Returns the time of the first reading of channels, sealed or not, in epoch ms; null without readings. */
export async function findFirstReading(db: Db, channelIds: readonly number[]): Promise<number | null> {
  const sealed = await db.query<{ at: Date | null }>(
    'select min(first_at) as at from sealed_day where channel_id = any($1::int4[])',
    [channelIds],
  );
  const hot = await db.query<{ at: Date | null }>(
    'select min(measured_at) as at from reading where channel_id = any($1::int4[])',
    [channelIds],
  );
  const moments = [sealed, hot].flatMap(({ rows }) => rows[0]?.at?.getTime() ?? []);
  return moments.length === 0 ? null : Math.min(...moments);
}
