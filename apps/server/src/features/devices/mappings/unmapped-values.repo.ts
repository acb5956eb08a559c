import type { UnmappedValues } from '@isotherm/contracts/payload-mappings';
import type { Db } from '../../../platform/db/pool.ts';

/** Maximum number of names kept per device; those received longest ago are dropped. */
export const MAX_UNMAPPED_NAMES = 50;

export interface UnmappedRow {
  device_id: number;
  path: string;
  value: number;
  received_at: string;
}

export interface UndecodedRow {
  device_id: number;
  port: number | null;
  payload_base64: string;
  received_at: string;
}

/**
 * Writes unmapped values. Deleted devices are skipped. Rows are sorted by key, so that two processes cannot
 * deadlock.
 */
export async function writeUnmapped(
  db: Db,
  values: readonly UnmappedRow[],
  uplinks: readonly UndecodedRow[],
): Promise<void> {
  await db.query(
    `insert into unmapped_value (device_id, path, value, received_at)
     select r.device_id, r.path, r.value, r.received_at
       from jsonb_to_recordset($1::jsonb) as r(device_id bigint, path text, value float8, received_at timestamptz)
       join device d on d.id = r.device_id
      order by r.device_id, r.path
     on conflict (device_id, path) do update set value = excluded.value, received_at = excluded.received_at
      where unmapped_value.received_at < excluded.received_at`,
    [JSON.stringify(values)],
  );
  await db.query(
    `delete from unmapped_value u using (
       select device_id, path, row_number() over (partition by device_id order by received_at desc, path) as place
         from unmapped_value where device_id = any($1)) old
      where old.place > $2 and u.device_id = old.device_id and u.path = old.path`,
    [[...new Set(values.map((row) => row.device_id))], MAX_UNMAPPED_NAMES],
  );
  await db.query(
    `insert into undecoded_uplink (device_id, port, payload, received_at)
     select r.device_id, r.port, decode(r.payload_base64, 'base64'), r.received_at
       from jsonb_to_recordset($1::jsonb) as r(device_id bigint, port integer, payload_base64 text,
            received_at timestamptz)
       join device d on d.id = r.device_id
      order by r.device_id
     on conflict (device_id) do update
        set port = excluded.port, payload = excluded.payload, received_at = excluded.received_at
      where undecoded_uplink.received_at < excluded.received_at`,
    [JSON.stringify(uplinks)],
  );
}

export interface UnmappedDevice {
  id: number;
  organization_id: number;
  model: string;
  /** Keys of its current channels, such as `temperature-1`. */
  channels: string[];
}

export async function findUnmappedDevice(
  db: Db,
  scope: string,
  number: string,
): Promise<UnmappedDevice | null> {
  const { rows } = await db.query<UnmappedDevice>(
    `select d.id, d.organization_id, d.model,
            array(select c.indicator || '-' || s.index from sensor s join channel c on c.sensor_id = s.id
                   where s.device_id = d.id and c.retired_at is null) as channels
       from device d join organization o on o.id = d.organization_id
      where d.number = $2 and d.removed_at is null and o.path like $1 || '%'`,
    [scope, number],
  );
  return rows[0] ?? null;
}

/** Returns the unmapped values of a device, the latest first. */
export async function findUnmapped(
  db: Db,
  deviceId: number,
): Promise<Pick<UnmappedValues, 'values' | 'undecoded'>> {
  const [values, uplinks] = await Promise.all([
    db.query<{ path: string; value: number; received_at: Date }>(
      'select path, value, received_at from unmapped_value where device_id = $1 order by received_at desc, path',
      [deviceId],
    ),
    db.query<{ port: number | null; payload: string; received_at: Date }>(
      `select port, encode(payload, 'hex') as payload, received_at from undecoded_uplink where device_id = $1`,
      [deviceId],
    ),
  ]);
  const [uplink] = uplinks.rows;
  return {
    values: values.rows.map(({ path, value, received_at }) => ({
      path,
      value,
      receivedAt: received_at.toISOString(),
    })),
    undecoded: uplink
      ? { port: uplink.port, payload: uplink.payload, receivedAt: uplink.received_at.toISOString() }
      : null,
  };
}
