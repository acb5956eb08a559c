import type { Tx } from '../../../platform/db/pool.ts';

/** A measuring point of a device, and what of another device would measure there. */
export interface Succession {
  channel_id: number;
  sensor_id: number;
  serial: string;
  /** Null where the other device has nothing that measures this. */
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
 * Hands the measuring points of a device over to another: the channels stay, with their history and their rules, and
 * another sensor feeds them. What the other one measured by itself is retired; the replaced one goes on unbound, as
 * new measuring points. Its calibrations end with it, those of the other sensor hold from now on.
 */
export async function handOver(
  tx: Tx,
  device: { id: number; number: string; asset_id: number | null },
  nextId: number,
  points: readonly Succession[],
  by: string,
  now: Date,
): Promise<void> {
  const columns = [
    points.map((point) => point.channel_id),
    points.map((point) => point.next_channel_id),
    points.map((point) => point.next_sensor_id),
  ];
  const list = 'unnest($1::int[], $2::int[], $3::bigint[]) as p(channel_id, next_channel_id, next_sensor_id)';
  await tx.query(
    `insert into channel_source (channel_id, ended_at, device_number, sensor_serial)
     select p.channel_id, $3, $4, p.serial from unnest($1::int[], $2::text[]) as p(channel_id, serial)`,
    [columns[0], points.map((point) => point.serial), now, device.number],
  );
  await tx.query('update calibration set ended_at = $2 where sensor_id = any($1) and ended_at is null', [
    points.map((point) => point.sensor_id),
    now,
  ]);
  await tx.query(
    `insert into calibration_point (calibration_id, channel_id, position, reference, reading, uncertainty)
     select k.id, p.channel_id, c.position, c.reference, c.reading, c.uncertainty
       from ${list} join calibration k on k.sensor_id = p.next_sensor_id and k.ended_at is null
       join calibration_point c on c.calibration_id = k.id and c.channel_id = p.next_channel_id`,
    columns,
  );
  await tx.query('update channel set retired_at = $2 where id = any($1)', [columns[1], now]);
  const { rows } = await tx.query<{ sensor_id: number; indicator: string; name: string }>(
    'select sensor_id, indicator, name from channel where id = any($1)',
    [columns[0]],
  );
  await tx.query(
    `update channel c set device_id = $4, sensor_id = p.next_sensor_id
       from ${list} where c.id = p.channel_id`,
    [...columns, nextId],
  );
  await tx.query(
    `insert into channel (sensor_id, device_id, indicator, name)
     select f.sensor_id, $2, f.indicator, f.name
       from jsonb_to_recordset($1::jsonb) as f(sensor_id bigint, indicator text, name text)`,
    [JSON.stringify(rows), device.id],
  );
  await tx.query('update channel set asset_id = $2 where device_id = $1 and retired_at is null', [
    nextId,
    device.asset_id,
  ]);
  await tx.query(
    `update device set asset_id = case when id = $2 then $3::bigint end, version = version + 1, changed_by = $4,
            changed_at = $5
      where id in ($1, $2)`,
    [device.id, nextId, device.asset_id, by, now],
  );
}
