import type { Db, Tx } from '../../platform/db/pool.ts';

export interface ExpiredChannels {
  path: string;
  channelIds: number[];
}

/** Channels with sealed days before `day` (in days since 1970), by organisation. */
export async function listExpired(db: Db, day: number): Promise<ExpiredChannels[]> {
  const { rows } = await db.query<ExpiredChannels>(
    `select o.path, array_agg(c.id::bigint order by c.id) as "channelIds"
       from channel c join device d on d.id = c.device_id join organization o on o.id = d.organization_id
      where exists (select 1 from sealed_day s where s.channel_id = c.id and s.day < date '1970-01-01' + $1::int)
      group by o.path order by o.path`,
    [day],
  );
  return rows;
}

/** Deletes sealed days before `day`; how many readings went, and their first day as `2019-11-21`. */
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
