import type { ClockSuspicion } from '@isotherm/domain/devices/device-clock';
import type { Db, Tx } from '../../platform/db/pool.ts';

/**
 * A reading as it is stored: `[channel, time of measurement as sent, time that is used, seconds of delay]`.
 * Times are in epoch ms.
 */
export type StoredReading = [channelId: number, measuredAt: number, at: number, delayS: number];
/**
 * A reading as it would be stored if the clock is wrong: `[channel, as sent, estimated, value, received]`.
 * Times are in epoch ms.
 */
export type EstimatedReading = [
  channelId: number,
  measuredAt: number,
  at: number,
  value: number,
  receivedAt: number,
];

/** Readings of messages that may come from a wrong clock. */
export interface SuspectReadings {
  stored: StoredReading[];
  estimated: EstimatedReading[];
}

export interface DeviceClockRow {
  offsetMs: number;
  suspicion: ClockSuspicion | null;
  readings: SuspectReadings;
}

/** Returns the clocks of these devices; clocks that are right and without suspicion are omitted. */
export async function loadClocks(tx: Tx, deviceIds: readonly number[]): Promise<Map<number, DeviceClockRow>> {
  const { rows } = await tx.query<{
    id: number;
    offset_ms: number;
    lead_ms: number | null;
    first_received_at: Date | null;
    last_received_at: Date | null;
    messages: number | null;
    readings: SuspectReadings | null;
  }>({
    name: 'load-device-clocks',
    text: `select asked.id, coalesce(c.offset_ms, 0) as offset_ms, s.lead_ms, s.first_received_at, s.last_received_at,
                  s.messages, s.readings
             from unnest($1::bigint[]) as asked(id)
             left join device_clock c on c.device_id = asked.id and c.valid_until = 'infinity'
             left join device_clock_suspicion s on s.device_id = asked.id
            where c.device_id is not null or s.device_id is not null`,
    values: [deviceIds],
  });
  return new Map(
    rows.map((row) => [
      row.id,
      {
        offsetMs: row.offset_ms,
        suspicion:
          row.first_received_at === null
            ? null
            : {
                leadMs: row.lead_ms as number,
                firstReceivedAt: row.first_received_at.getTime(),
                lastReceivedAt: (row.last_received_at as Date).getTime(),
                messages: row.messages as number,
              },
        readings: row.readings ?? { stored: [], estimated: [] },
      },
    ]),
  );
}

/** Returns when these devices last sent a timely reading, in epoch ms; a device that never did is omitted. */
export async function lastLiveTimes(
  tx: Tx,
  deviceIds: readonly number[],
  liveWithinMs: number,
): Promise<Map<number, number>> {
  const { rows } = await tx.query<{ id: number; at: Date }>({
    name: 'last-live-times',
    text: `select b.device_id as id, max(l.received_at) as at
             from binding b join channel_latest l on l.channel_id = b.channel_id
            where b.device_id = any($1::bigint[]) and b.valid_until = 'infinity'
              and l.measured_at >= l.received_at - $2 * interval '1 ms'
            group by b.device_id`,
    values: [deviceIds, liveWithinMs],
  });
  return new Map(rows.map((row) => [row.id, row.at.getTime()]));
}

export async function saveSuspicions(
  tx: Tx,
  rows: readonly (ClockSuspicion & { deviceId: number; readings: SuspectReadings })[],
): Promise<void> {
  await tx.query(
    `insert into device_clock_suspicion (device_id, lead_ms, first_received_at, last_received_at, messages, readings)
     select "deviceId", "leadMs", to_timestamp("firstReceivedAt" / 1000), to_timestamp("lastReceivedAt" / 1000), messages, readings
       from jsonb_to_recordset($1::jsonb) as s("deviceId" bigint, "leadMs" bigint, "firstReceivedAt" float8,
            "lastReceivedAt" float8, messages integer, readings jsonb)
     on conflict (device_id) do update
       set lead_ms = excluded.lead_ms, first_received_at = excluded.first_received_at,
           last_received_at = excluded.last_received_at, messages = excluded.messages, readings = excluded.readings`,
    [JSON.stringify(rows)],
  );
}

export async function deleteSuspicions(tx: Tx, deviceIds: readonly number[]): Promise<void> {
  await tx.query('delete from device_clock_suspicion where device_id = any($1::bigint[])', [deviceIds]);
}

/**
 * A change of the offset of a device's clock: the offset that applies from `at` on, 0 for a right clock.
 * Times are in epoch ms.
 */
export interface ClockChange {
  deviceId: number;
  at: number;
  offsetMs: number;
}

/** Ends the previous offsets and begins the new ones; each device occurs once. */
export async function saveClockChanges(tx: Tx, changes: readonly ClockChange[]): Promise<void> {
  const json = JSON.stringify(changes);
  const recordset = `jsonb_to_recordset($1::jsonb) as n("deviceId" bigint, at float8, "offsetMs" bigint)`;
  // A period that became empty is deleted.
  await tx.query(
    `with gone as (
       delete from device_clock c using ${recordset}
        where c.device_id = n."deviceId" and c.valid_until = 'infinity' and c.valid_from >= to_timestamp(n.at / 1000))
     update device_clock c set valid_until = to_timestamp(n.at / 1000) from ${recordset}
      where c.device_id = n."deviceId" and c.valid_until = 'infinity' and c.valid_from < to_timestamp(n.at / 1000)`,
    [json],
  );
  await tx.query(
    `insert into device_clock (device_id, valid_from, offset_ms)
     select n."deviceId", to_timestamp(n.at / 1000), n."offsetMs" from ${recordset} where n."offsetMs" <> 0`,
    [json],
  );
}

/** A period in which a device clock was wrong, by time of receipt. */
export interface WrongClockRow {
  channel_id: number;
  valid_from: Date;
  /** Null while the period is ongoing. */
  valid_until: Date | null;
  offset_ms: number;
}

/**
 * Lists the periods in which the clocks of devices were wrong while their readings belonged to these
 * channels, within the window.
 */
export async function listWrongClocks(
  db: Db,
  channelIds: readonly number[],
  from: Date,
  to: Date,
): Promise<WrongClockRow[]> {
  const { rows } = await db.query<WrongClockRow>(
    `select b.channel_id, greatest(k.valid_from, b.valid_from) as valid_from,
            nullif(least(k.valid_until, b.valid_until), 'infinity') as valid_until, k.offset_ms
       from binding b join device_clock k on k.device_id = b.device_id
        and k.valid_from < b.valid_until and k.valid_until > b.valid_from
      where b.channel_id = any($1::int4[]) and k.valid_from < $3 and k.valid_until > $2
      order by b.channel_id, k.valid_from limit 2000`,
    [channelIds, from, to],
  );
  return rows;
}
