import type { DayFacts, FactDay } from '@isotherm/domain/readings/day-facts';
import { decimalOf } from '@isotherm/domain/readings/decimal';
import {
  float8Array,
  int4Array,
  readFloat4Array,
  readFloat8Array,
  readInt4Array,
  readTimestamptzArray,
} from '../../platform/db/binary-array.ts';
import type { Db } from '../../platform/db/pool.ts';

/** The sealed days of a channel in order of time, as columns. */
export interface FactDays {
  /** Days since 1970, UTC. */
  days: Int32Array;
  /** Returns a day by its position, and whether its facts are about all of its readings. */
  at(index: number): FactDay & { isValid: boolean };
}

interface Columns {
  channel_id: number;
  day: Buffer;
  first_at: Buffer;
  last_at: Buffer;
  last_value: Buffer;
  min: Buffer;
  max: Buffer;
  count: Buffer;
  covered_ms: Buffer;
  longest_ms: Buffer;
  kinetic: Buffer;
  valid: Buffer;
}

const column = (value: string) => `array_send(array_agg(${value} order by sealed_day.day))`;

/**
 * Returns the facts of the sealed days `from` to `to` (both inclusive) by channel, as column arrays, which are several
 * times cheaper than rows. The index `sealed_day_facts` contains all that is read.
 */
export async function listFactDays(
  db: Db,
  channelIds: readonly number[],
  from: number,
  to: number,
): Promise<Map<number, FactDays>> {
  const { rows } = await db.query<Columns>({
    name: 'list-fact-days',
    text: `select channel_id, ${column(`day - date '1970-01-01'`)} as day, ${column('first_at')} as first_at,
                  ${column('last_at')} as last_at, ${column('last_value')} as last_value, ${column('min')} as min,
                  ${column('max')} as max, ${column('count')} as count,
                  ${column('coalesce(covered_ms, 0)')} as covered_ms,
                  ${column('coalesce(longest_ms, 0)')} as longest_ms, ${column('coalesce(kinetic, 0)')} as kinetic,
                  ${column('coalesce((facts_count = count)::int, 0)')} as valid
             from sealed_day
            where channel_id = any($1::int4[])
              and day between date '1970-01-01' + $2::int and date '1970-01-01' + $3::int
            group by channel_id`,
    values: [int4Array(channelIds), from, to],
  });
  return new Map(rows.map((row) => [row.channel_id, factDaysOf(row)]));
}

function factDaysOf(row: Columns): FactDays {
  const days = readInt4Array(row.day);
  const firstAt = readTimestamptzArray(row.first_at);
  const lastAt = readTimestamptzArray(row.last_at);
  const lastValue = readFloat4Array(row.last_value);
  const min = readFloat4Array(row.min);
  const max = readFloat4Array(row.max);
  const count = readInt4Array(row.count);
  const coveredMs = readInt4Array(row.covered_ms);
  const longestMs = readInt4Array(row.longest_ms);
  const kinetic = readFloat8Array(row.kinetic);
  const valid = readInt4Array(row.valid);
  return {
    days,
    at: (index) => ({
      day: days[index] as number,
      count: count[index] as number,
      firstAt: firstAt[index] as number,
      lastAt: lastAt[index] as number,
      lastValue: decimalOf(lastValue[index] as number),
      min: decimalOf(min[index] as number),
      max: decimalOf(max[index] as number),
      coveredMs: coveredMs[index] as number,
      longestMs: longestMs[index] as number,
      kinetic: kinetic[index] as number,
      isValid: valid[index] === 1,
    }),
  };
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
  rows: readonly ({ channelId: number; day: number; count: number } & DayFacts)[],
): Promise<void> {
  await db.query({
    name: 'update-facts',
    text: `update sealed_day
              set covered_ms = f.covered_ms, longest_ms = f.longest_ms, kinetic = f.kinetic, facts_count = f.count
             from unnest($1::int4[], $2::int4[], $3::int4[], $4::int4[], $5::int4[], $6::float8[])
               as f(channel_id, since_1970, count, covered_ms, longest_ms, kinetic)
            where sealed_day.channel_id = f.channel_id and sealed_day.day = date '1970-01-01' + f.since_1970
              and sealed_day.count = f.count`,
    values: [
      int4Array(rows.map(({ channelId }) => channelId)),
      int4Array(rows.map(({ day }) => day)),
      int4Array(rows.map(({ count }) => count)),
      int4Array(rows.map(({ coveredMs }) => coveredMs)),
      int4Array(rows.map(({ longestMs }) => longestMs)),
      float8Array(rows.map(({ kinetic }) => kinetic)),
    ],
  });
}
