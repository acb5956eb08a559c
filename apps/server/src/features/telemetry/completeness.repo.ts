import { BATTERY_LOW_PERCENT, COMPLETE_SHARE, SIGNAL_WEAK_DBM } from '@isotherm/domain/devices/attention';
import { DAY_MS } from '@isotherm/domain/readings/sealed-day';
import type { Db, Tx } from '../../platform/db/pool.ts';

/** Returns the counted days (since 1970), with the time of the count in epoch ms. */
export async function listCounted(db: Db): Promise<Map<number, number>> {
  const { rows } = await db.query<{ day: number; counted_at: Date }>(
    `select day - date '1970-01-01' as day, counted_at from counted_day`,
  );
  return new Map(rows.map((row) => [row.day, row.counted_at.getTime()]));
}

export async function listDeviceRanges(db: Db, size: number): Promise<{ first: number; last: number }[]> {
  const { rows } = await db.query<{ first: number; last: number }>(
    `select min(id) as first, max(id) as last
       from (select id, (row_number() over (order by id) - 1) / $1 as part from device where deleted_at is null) d
      group by part order by part`,
    [size],
  );
  return rows;
}

/**
 * Counts a day of some devices. Missed readings are derived from gaps: a gap of n intervals, or to the end
 * of the day, misses n - 1 readings; a gap from the beginning of the day misses as many as fit. Readings at
 * twice the rate fill no gap. Readings are expected from the registration on, or from the first reading
 * before that.
 */
export async function countDeviceDays(
  db: Db,
  day: number,
  devices: { first: number; last: number },
  due: readonly string[],
): Promise<void> {
  const channels = await listDueChannels(db, day, devices, due);
  const heard = await listHeard(db, day, channels);
  const counts = new Map<number, { received: number; due: number; charges: number[]; signals: number[] }>();
  for (const channel of channels) {
    const own = heard.get(channel.id);
    if (!channel.registered && !own) continue;
    const count = counts.get(channel.device_id) ?? { received: 0, due: 0, charges: [], signals: [] };
    counts.set(channel.device_id, count);
    if (channel.indicator === 'battery') {
      if (own) count.charges.push(own.mean);
    } else if (channel.indicator === 'signal') {
      if (own) count.signals.push(own.mean);
    } else {
      count.received += Math.max(0, channel.due - (own?.missed ?? channel.due));
      count.due += channel.due;
    }
  }
  const all = [...counts.values()];
  await db.query({
    name: 'upsert-device-days',
    text: `insert into device_day (day, device_id, received, due, battery, signal)
           select date '1970-01-01' + $1::int, * from unnest($2::bigint[], $3::int4[], $4::int4[], $5::float4[], $6::float4[])
           on conflict (day, device_id) do update
              set received = excluded.received, due = excluded.due, battery = excluded.battery,
                  signal = excluded.signal`,
    values: [
      day,
      [...counts.keys()],
      all.map((count) => count.received),
      all.map((count) => count.due),
      all.map(({ charges }) =>
        charges.length === 0 ? null : charges.reduce((sum, charge) => sum + charge, 0) / charges.length,
      ),
      all.map(({ signals }) => (signals.length === 0 ? null : Math.min(...signals))),
    ],
  });
}

interface DueChannel {
  id: number;
  device_id: number;
  indicator: string;
  every_s: number;
  /** Whether the device was registered before the end of the day. */
  registered: boolean;
  from_at: Date;
  /** Number of readings that are expected on the day. */
  due: number;
}

async function listDueChannels(
  db: Db,
  day: number,
  devices: { first: number; last: number },
  due: readonly string[],
): Promise<DueChannel[]> {
  const { rows } = await db.query<DueChannel>({
    name: 'list-due-channels',
    text: `select *, floor(date_part('epoch', $2::timestamptz - from_at) / every_s) as due
             from (select c.id, d.id as device_id, c.indicator,
                          d.acquisition_interval_ms / 1000.0::float8 as every_s, d.created_at < $2 as registered,
                          case when d.created_at < $2 then greatest(d.created_at, $1) else $1 end as from_at
                     from device d join sensor s on s.device_id = d.id and s.disabled_at is null
                     join channel c on c.sensor_id = s.id and c.retired_at is null
                    where d.id between $3 and $4 and d.deleted_at is null
                      and c.indicator = any($5::text[] || array['battery', 'signal'])) asked`,
    values: [new Date(day * DAY_MS), new Date((day + 1) * DAY_MS), devices.first, devices.last, due],
  });
  return rows;
}

/** Returns the mean value and the number of missing readings of the channels with readings on the day. */
async function listHeard(
  db: Db,
  day: number,
  channels: readonly DueChannel[],
): Promise<Map<number, { mean: number; missed: number }>> {
  const { rows } = await db.query<{ id: number; mean: number; missed: number }>({
    name: 'list-heard',
    text: `with spoken as (
             select a.id, a.every_s, a.from_at, r.measured_at, r.value,
                    lag(r.measured_at) over (partition by r.channel_id order by r.measured_at) as before
               from unnest($3::int4[], $4::float8[], $5::timestamptz[]) as a(id, every_s, from_at)
               join reading r on r.channel_id = a.id
              where r.measured_at >= $1 and r.measured_at < $2
           )
           select id, avg(value)::float8 as mean,
                  (sum(case when before is null
                            then greatest(0, floor(date_part('epoch', measured_at - from_at) / every_s))
                            else greatest(0, round(date_part('epoch', measured_at - before) / every_s) - 1) end)
                     + greatest(0, round(date_part('epoch', $2::timestamptz - max(measured_at)) / min(every_s)) - 1)
                  )::float8 as missed
             from spoken group by id`,
    values: [
      new Date(day * DAY_MS),
      new Date((day + 1) * DAY_MS),
      channels.map((channel) => channel.id),
      channels.map((channel) => channel.every_s),
      channels.map((channel) => channel.from_at),
    ],
  });
  return new Map(rows.map(({ id, mean, missed }) => [id, { mean, missed }]));
}

/** Stores the counts of a day by organisation. */
export async function noteCounted(tx: Tx, day: number, now: Date): Promise<void> {
  await tx.query(`delete from organization_day where day = date '1970-01-01' + $1::int`, [day]);
  await tx.query(
    `insert into organization_day (day, organization_id, received, due, devices, silent, incomplete, battery_low,
                                   signal_weak)
     select t.day, d.organization_id, sum(t.received), sum(t.due), count(*),
            count(*) filter (where t.due > 0 and t.received = 0),
            count(*) filter (where t.received < ${COMPLETE_SHARE} * t.due),
            count(*) filter (where t.battery <= ${BATTERY_LOW_PERCENT}),
            count(*) filter (where t.signal <= ${SIGNAL_WEAK_DBM})
       from device_day t join device d on d.id = t.device_id
      where t.day = date '1970-01-01' + $1::int and d.deleted_at is null group by 1, 2`,
    [day],
  );
  await tx.query(
    `insert into counted_day (day, counted_at) values (date '1970-01-01' + $1::int, $2)
     on conflict (day) do update set counted_at = excluded.counted_at`,
    [day, now],
  );
}

/** Replaces the sums of some devices over a number of days up to the newest. */
export async function replaceSums(
  tx: Tx,
  newest: number,
  periods: readonly number[],
  devices: { first: number; last: number },
): Promise<void> {
  await tx.query('delete from device_completeness where device_id between $1 and $2', [
    devices.first,
    devices.last,
  ]);
  await tx.query({
    name: 'insert-device-completeness',
    text: `insert into device_completeness (device_id, days, received, due)
           select t.device_id, p.days, sum(t.received), sum(t.due)
             from unnest($2::int[]) as p(days), generate_series($1::int - p.days + 1, $1::int) as n
             join device_day t on t.day = date '1970-01-01' + n and t.device_id between $3 and $4
            group by 1, 2`,
    values: [newest, periods, devices.first, devices.last],
  });
}

/** Lists the daily mean charge of some devices, oldest first. */
export async function listBatteryDays(
  db: Db,
  days: readonly number[],
  devices: { first: number; last: number },
): Promise<{ deviceId: number; days: number[]; levels: number[] }[]> {
  const { rows } = await db.query<{ device_id: number; days: number[]; levels: number[] }>({
    name: 'list-battery-days',
    text: `select device_id, array_agg(day - date '1970-01-01' order by day) as days,
                  array_agg(battery order by day) as levels
             from device_day
            where day = any(select date '1970-01-01' + n from unnest($1::int[]) n)
              and device_id between $2 and $3 and battery is not null
            group by device_id`,
    values: [days, devices.first, devices.last],
  });
  return rows.map((row) => ({ deviceId: row.device_id, days: row.days, levels: row.levels }));
}

/** Replaces the forecasts of these devices. */
export async function replaceOutlooks(
  tx: Tx,
  devices: { first: number; last: number },
  outlooks: readonly { deviceId: number; perDay: number; emptyOn: number }[],
): Promise<void> {
  await tx.query('delete from battery_outlook where device_id between $1 and $2', [
    devices.first,
    devices.last,
  ]);
  await tx.query(
    `insert into battery_outlook (device_id, per_day, empty_on)
     select * from unnest($1::bigint[], $2::real[], $3::float8[])`,
    [
      outlooks.map(({ deviceId }) => deviceId),
      outlooks.map(({ perDay }) => perDay),
      outlooks.map(({ emptyOn }) => emptyOn),
    ],
  );
}

export async function deleteCountedBefore(db: Db, day: number): Promise<void> {
  await db.query(`delete from device_day where day < date '1970-01-01' + $1::int`, [day]);
  await db.query(`delete from organization_day where day < date '1970-01-01' + $1::int`, [day]);
  await db.query(`delete from counted_day where day < date '1970-01-01' + $1::int`, [day]);
}

/** Whether any device was registered before the end of a day, or has readings on it; otherwise there is nothing to count. */
export async function hasSomethingToCount(db: Db, day: number): Promise<boolean> {
  const [begin, end] = [new Date(day * DAY_MS), new Date((day + 1) * DAY_MS)];
  const isRegistered = await db.query('select 1 from device where created_at < $1 limit 1', [end]);
  if (isRegistered.rows.length > 0) return true;
  const isMeasured = await db.query(
    'select 1 from reading where measured_at >= $1 and measured_at < $2 limit 1',
    [begin, end],
  );
  return isMeasured.rows.length > 0;
}

export async function isJustRegistered(db: Db, after: number): Promise<boolean> {
  const { rows } = await db.query<{ some: boolean }>(
    'select exists (select 1 from device where created_at > $1) as some',
    [new Date(after)],
  );
  return rows[0]?.some ?? false;
}
