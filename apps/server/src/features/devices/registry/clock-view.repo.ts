import type { DeviceClock } from '@isotherm/contracts/device-registry';
import type { Db } from '../../../platform/db/pool.ts';

const MOST_PERIODS = 100;
const MOST_UNTIMED = 200;

/**
 * Returns the clock of a device: its current offset, the periods when it was wrong, and readings rejected
 * for their time; the latest first.
 */
export async function loadDeviceClock(db: Db, deviceId: number): Promise<DeviceClock> {
  const { rows: periods } = await db.query<{
    offset_ms: number;
    valid_from: Date;
    valid_until: Date | null;
  }>(
    `select offset_ms, valid_from, nullif(valid_until, 'infinity') as valid_until from device_clock
      where device_id = $1 order by valid_from desc limit ${MOST_PERIODS}`,
    [deviceId],
  );
  const { rows: untimed } = await db.query<{
    channel_key: string;
    channel: DeviceClock['untimed'][number]['channel'];
    measured_at: Date;
    value: number;
    fault: DeviceClock['untimed'][number]['fault'];
    received_at: Date;
  }>(
    `select u.channel_key, named.channel, u.measured_at, u.value, u.fault, u.received_at
       from untimed_reading u
       left join lateral (
         select json_build_object('name', c.name, 'indicator', c.indicator) as channel
           from channel c join sensor s on s.id = c.sensor_id
          where s.device_id = u.device_id and c.indicator || '-' || s.index = u.channel_key
          order by c.retired_at desc nulls first, c.id desc limit 1
       ) named on true
      where u.device_id = $1
      order by u.received_at desc, u.measured_at desc, u.channel_key limit ${MOST_UNTIMED}`,
    [deviceId],
  );
  const current = periods.find((row) => row.valid_until === null);
  return {
    offsetMs: current?.offset_ms ?? 0,
    wrong: periods.map((row) => ({
      from: row.valid_from.toISOString(),
      until: row.valid_until?.toISOString() ?? null,
      offsetMs: row.offset_ms,
    })),
    untimed: untimed.map((row) => ({
      channelKey: row.channel_key,
      channel: row.channel,
      measuredAt: row.measured_at.toISOString(),
      value: row.value,
      fault: row.fault,
      receivedAt: row.received_at.toISOString(),
    })),
  };
}
