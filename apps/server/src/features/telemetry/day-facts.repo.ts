import { type FactDays, unpackFacts } from '@isotherm/domain/readings/day-facts';
import { byteaArray, int4Array } from '../../platform/db/binary-array.ts';
import type { Db } from '../../platform/db/pool.ts';

/**
 * Returns the facts of the sealed days `from` to `to` (both inclusive) by channel, without the days that have no valid
 * facts. The index `sealed_day_facts` contains all that is read.
 */
export async function listFactDays(
  db: Db,
  channelIds: readonly number[],
  from: number,
  to: number,
): Promise<Map<number, FactDays>> {
  const { rows } = await db.query<{ id: number; days: Buffer }>({
    name: 'list-fact-days',
    text: `select channel_id as id, string_agg(facts, '' order by sealed_day.day) as days
             from sealed_day
            where channel_id = any($1::int4[])
              and day between date '1970-01-01' + $2::int and date '1970-01-01' + $3::int
              and facts_count = count
            group by channel_id`,
    values: [int4Array(channelIds), from, to],
  });
  return new Map(rows.map(({ id, days }) => [id, unpackFacts(days)]));
}

/** Returns the sealed days of channels without valid facts, in order of time by channel. */
export async function listFactlessDays(
  db: Db,
  channelIds: readonly number[],
  from: number,
  to: number,
): Promise<Map<number, number[]>> {
  const { rows } = await db.query<{ id: number; days: number[] }>({
    name: 'list-factless-days',
    text: `select channel_id as id, array_agg(day - date '1970-01-01' order by sealed_day.day) as days
             from sealed_day
            where channel_id = any($1::int4[])
              and day between date '1970-01-01' + $2::int and date '1970-01-01' + $3::int
              and facts_count is distinct from count
            group by channel_id`,
    values: [int4Array(channelIds), from, to],
  });
  return new Map(rows.map(({ id, days }) => [id, days]));
}

/** Returns the next sealed days without valid facts, as pairs of channel and day, in this order. */
export async function listDaysWithoutFacts(
  db: Db,
  after: { channelId: number; day: number },
  most: number,
): Promise<{ channelId: number; day: number }[]> {
  const { rows } = await db.query<{ channelId: number; day: number }>(
    `select channel_id as "channelId", day - date '1970-01-01' as day from sealed_day
      where facts_count is distinct from count
        and (channel_id, sealed_day.day) > ($1::int, date '1970-01-01' + $2::int)
      order by channel_id, sealed_day.day limit $3`,
    [after.channelId, after.day, most],
  );
  return rows;
}

/**
 * Stores the facts of sealed days. A day into which readings were merged meanwhile has another count and is left as it
 * is, since its facts were stored with the merge.
 */
export async function updateFacts(
  db: Db,
  rows: readonly { channelId: number; day: number; count: number; facts: Uint8Array }[],
): Promise<void> {
  await db.query({
    name: 'update-facts',
    text: `update sealed_day set facts = f.facts, facts_count = f.count
             from unnest($1::int4[], $2::int4[], $3::int4[], $4::bytea[]) as f(channel_id, since_1970, count, facts)
            where sealed_day.channel_id = f.channel_id and sealed_day.day = date '1970-01-01' + f.since_1970
              and sealed_day.count = f.count`,
    values: [
      int4Array(rows.map(({ channelId }) => channelId)),
      int4Array(rows.map(({ day }) => day)),
      int4Array(rows.map(({ count }) => count)),
      byteaArray(rows.map(({ facts }) => facts)),
    ],
  });
}
