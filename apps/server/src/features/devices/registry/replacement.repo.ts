import type { Tx } from '../../../platform/db/pool.ts';
import {
  beginBindings,
  bindToAssets,
  bindToOwnChannels,
  copyCalibrations,
  endBindings,
  startBindings,
} from './bindings.repo.ts';

/** A channel of a device, and the channel of the other device for the same quantity. */
export interface Succession {
  channel_id: number;
  sensor_id: number;
  serial: string;
  /** Null if the other device does not measure this quantity. */
  next_channel_id: number | null;
  next_sensor_id: number | null;
}

export async function listSuccession(tx: Tx, deviceId: number, nextId: number): Promise<Succession[]> {
  const { rows } = await tx.query<Succession>(
    `select c.id as channel_id, s.id as sensor_id, s.serial, n.channel_id as next_channel_id,
            n.sensor_id as next_sensor_id
       from channel c join sensor s on s.id = c.sensor_id
       left join (select nc.id as channel_id, ns.id as sensor_id, ns.index, nc.indicator
                    from sensor ns join channel nc on nc.sensor_id = ns.id and nc.retired_at is null
                   where ns.device_id = $2) n on n.index = s.index and n.indicator = c.indicator
      where c.device_id = $1 and c.retired_at is null order by c.id`,
    [deviceId, nextId],
  );
  return rows;
}

/**
 * Transfers the channels of a device to another one from `now` on: the channels keep their history and
 * rules, and get another sensor. The other device's own channels are retired; the replaced device continues
 * unbound, with channels of its own. The calibrations of its sensors end, and those of the new sensors
 * apply.
 */
export async function handOver(
  tx: Tx,
  device: { id: number; number: string; asset_id: number | null },
  nextId: number,
  points: readonly Succession[],
  by: string,
  now: Date,
): Promise<void> {
  await startBindings(tx);
  const channelIds = points.map((point) => point.channel_id);
  const nextSensors = points.map((point) => point.next_sensor_id);
  // Only processes of the previous release read this column; the next release drops it.
  await tx.query(
    `insert into channel_source (channel_id, ended_at, device_number, sensor_serial)
     select p.channel_id, $3, $4, p.serial from unnest($1::int[], $2::text[]) as p(channel_id, serial)`,
    [channelIds, points.map((point) => point.serial), now, device.number],
  );
  await tx.query('update calibration set ended_at = $2 where sensor_id = any($1) and ended_at is null', [
    points.map((point) => point.sensor_id),
    now,
  ]);
  await tx.query(
    `update device set asset_id = case when id = $2 then $3::bigint end, version = version + 1, changed_by = $4,
            changed_at = $5
      where id in ($1, $2)`,
    [device.id, nextId, device.asset_id, by, now],
  );
  const ended = await endBindings(tx, [device.id, nextId], now);
  await tx.query(
    `update channel c set device_id = $3, sensor_id = p.next_sensor_id, retired_at = null
       from unnest($1::int[], $2::bigint[]) as p(channel_id, next_sensor_id) where c.id = p.channel_id`,
    [channelIds, nextSensors, nextId],
  );
  await beginBindings(tx, channelIds, now);
  await copyCalibrations(tx, ended, channelIds);
  await bindToOwnChannels(tx, [device.id], channelIds, now);
  // Further channels of the other device are bound to the asset as well.
  const succeeded = new Set([...channelIds, ...points.map((point) => point.next_channel_id)]);
  const beyond = ended.filter((id) => !succeeded.has(id));
  if (device.asset_id === null) await bindToOwnChannels(tx, [nextId], beyond, now);
  else await bindToAssets(tx, beyond, now);
}
