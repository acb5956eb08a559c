import type { AlarmLevel } from '@isotherm/domain/alarms/alarm-level';
import type { Indicator } from '@isotherm/domain/readings/indicator';
import type { Db } from '../../platform/db/pool.ts';

export interface CurveChannelRow {
  id: number;
  name: string;
  indicator: Indicator;
  acquisition_interval_ms: number;
  low: number | null;
  high: number | null;
}

/** Channels of the caller's scope among these. */
export async function findCurveChannels(
  db: Db,
  scope: string,
  ids: readonly number[],
): Promise<CurveChannelRow[]> {
  const { rows } = await db.query<CurveChannelRow>(
    `select c.id, c.name, c.indicator, d.acquisition_interval_ms,
            (select max(limit_value) from alarm_rule r where r.channel_id = c.id and r.kind = 'low' and r.enabled) as low,
            (select min(limit_value) from alarm_rule r where r.channel_id = c.id and r.kind = 'high' and r.enabled) as high
       from channel c
       join device d on d.id = c.device_id
       join organization o on o.id = d.organization_id
      where c.id = any($1) and o.path like $2 || '%'`,
    [ids, scope],
  );
  return rows;
}

export async function countReadings(
  db: Db,
  channelId: number,
  from: Date,
  to: Date,
  limit: number,
): Promise<number> {
  const { rows } = await db.query<{ count: number }>({
    name: 'count-readings',
    text: `select count(*) as count from (
             select 1 from reading where channel_id = $1 and measured_at >= $2 and measured_at < $3 limit $4) r`,
    values: [channelId, from, to, limit],
  });
  return (rows[0] as { count: number }).count;
}

/** [epoch ms, value] in order of time. */
export async function listReadings(
  db: Db,
  channelId: number,
  from: Date,
  to: Date,
): Promise<[number, number][]> {
  const { rows } = await db.query({
    name: 'list-readings',
    text: `select (extract(epoch from measured_at) * 1000)::float8, value from reading
            where channel_id = $1 and measured_at >= $2 and measured_at < $3 order by measured_at`,
    values: [channelId, from, to],
    rowMode: 'array',
  });
  return rows as unknown as [number, number][];
}

/** [bucket start in epoch ms, min, max, mean, first and last reading in epoch ms, count, count outside], by time. */
export type BucketTuple = [number, number, number, number, number, number, number, number];

export async function listCurveBuckets(
  db: Db,
  channel: CurveChannelRow,
  from: Date,
  to: Date,
  stepMs: number,
): Promise<BucketTuple[]> {
  const { rows } = await db.query({
    name: 'list-curve-buckets',
    text: `select floor(extract(epoch from measured_at) * 1000 / $4::float8) * $4::float8 as bucket,
                  min(value), max(value), avg(value),
                  (extract(epoch from min(measured_at)) * 1000)::float8,
                  (extract(epoch from max(measured_at)) * 1000)::float8,
                  count(*)::int,
                  (count(*) filter (where value > $5 or value < $6))::int
             from reading
            where channel_id = $1 and measured_at >= $2 and measured_at < $3
            group by bucket order by bucket`,
    values: [channel.id, from, to, stepMs, channel.high, channel.low],
    rowMode: 'array',
  });
  return rows as unknown as BucketTuple[];
}

export interface SpanRow {
  id: number;
  channel_id: number;
  level: AlarmLevel;
  kind: 'high' | 'low' | 'no-data';
  since: Date;
  raised_at: Date;
  ended_at: Date | null;
}

export async function listAlarmSpans(
  db: Db,
  channelIds: readonly number[],
  from: Date,
  to: Date,
): Promise<SpanRow[]> {
  const { rows } = await db.query<SpanRow>(
    `select id, channel_id, level, kind, since, raised_at, ended_at from alarm
      where channel_id = any($1) and since < $3 and coalesce(ended_at, 'infinity') > $2
      order by since limit 500`,
    [channelIds, from, to],
  );
  return rows;
}
