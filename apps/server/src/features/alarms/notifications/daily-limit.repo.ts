import type { NotificationChannel } from '@isotherm/domain/alarms/graded-policy';
import { type Person, personKey } from '@isotherm/domain/alarms/person';
import type { Db, Tx } from '../../../platform/db/pool.ts';

/** Number of messages about a device on a day of its organisation. */
export interface DayCount {
  deviceId: number;
  /** Number of the device. */
  device: string;
  /** Local date, as `2026-11-24`. */
  day: string;
  sent: number;
}

/** Locks the counts of today of these devices, by device id. */
export async function lockDayCounts(
  tx: Tx,
  channel: NotificationChannel,
  deviceIds: readonly number[],
  now: Date,
): Promise<Map<number, DayCount>> {
  if (deviceIds.length === 0) return new Map();
  const { rows } = await tx.query<DayCount>(
    `with today as (
       select d.id, d.number, ($3::timestamptz at time zone o.time_zone)::date as day
         from device d join organization o on o.id = d.organization_id where d.id = any($2::bigint[])
     ), counted as (
       insert into alarm_message_count (device_id, channel, day) select id, $1, day from today order by id
       on conflict (device_id, channel, day) do update set sent = alarm_message_count.sent
       returning device_id, sent
     )
     select t.id::float8 as "deviceId", t.number as device, t.day::text as day, c.sent
       from today t join counted c on c.device_id = t.id`,
    [channel, [...new Set(deviceIds)], now],
  );
  return new Map(rows.map((row) => [row.deviceId, row]));
}

/** Stores locked counts. */
export async function saveDayCounts(
  tx: Tx,
  channel: NotificationChannel,
  counts: readonly DayCount[],
): Promise<void> {
  if (counts.length === 0) return;
  await tx.query(
    `update alarm_message_count c set sent = n.sent
       from jsonb_to_recordset($2::jsonb) as n("deviceId" bigint, day date, sent integer)
      where c.channel = $1 and c.device_id = n."deviceId" and c.day = n.day`,
    [channel, JSON.stringify(counts)],
  );
}

/** Records who is told of a reached limit; returns those who were not told before, as `<device id> <person key>`. */
export async function insertNotices(
  tx: Tx,
  channel: NotificationChannel,
  notices: readonly (DayCount & { person: Person })[],
): Promise<Set<string>> {
  if (notices.length === 0) return new Set();
  const { rows } = await tx.query<{ deviceId: number; type: Person['type']; id: number }>(
    `insert into alarm_limit_notice (device_id, channel, day, person_type, person_id)
     select n."deviceId", $1, n.day, n.person ->> 'type', (n.person ->> 'id')::bigint
       from jsonb_to_recordset($2::jsonb) as n("deviceId" bigint, day date, person jsonb)
     on conflict do nothing
     returning device_id::float8 as "deviceId", person_type as type, person_id::float8 as id`,
    [channel, JSON.stringify(notices)],
  );
  return new Set(rows.map(({ deviceId, type, id }) => `${deviceId} ${personKey({ type, id })}`));
}

/** Deletes counts, notices and message windows of past days, which nobody reads any more. */
export async function deleteCountsBefore(db: Db, days: number): Promise<void> {
  await db.query('delete from alarm_message_count where day < current_date - $1::int', [days]);
  await db.query('delete from alarm_limit_notice where day < current_date - $1::int', [days]);
  await db.query(
    'delete from alarm_notification_window where closes_at < now() - make_interval(days => $1)',
    [days],
  );
}
