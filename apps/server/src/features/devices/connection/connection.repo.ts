import type { DeviceConnection, DeviceGateway } from '@isotherm/contracts/device-connection';
import type { ReadingFault } from '@isotherm/contracts/ingest';
import type { Db } from '../../../platform/db/pool.ts';

const MOST_MESSAGES = 10;

interface ContactRow {
  connected_at: Date | null;
  connected_from: string;
  connected_by: DeviceGateway;
  refused_at: Date | null;
  refused_from: string;
  refused_by: DeviceGateway;
  refused: number;
}

/**
 * Returns the contacts of a device; null where there was none. `refused` is returned even if the device has
 * connected since.
 */
export async function findContacts(
  db: Db,
  deviceId: number,
): Promise<Pick<DeviceConnection, 'connected' | 'refused'>> {
  const { rows } = await db.query<ContactRow>(
    `select connected_at, connected_from, connected_by, refused_at, refused_from, refused_by, refused
       from device_contact where device_id = $1`,
    [deviceId],
  );
  const [row] = rows;
  return {
    connected: row?.connected_at
      ? { at: row.connected_at.toISOString(), from: row.connected_from, by: row.connected_by }
      : null,
    refused:
      row?.refused_at && row.refused > 0
        ? {
            at: row.refused_at.toISOString(),
            from: row.refused_from,
            by: row.refused_by,
            attempts: row.refused,
          }
        : null,
  };
}

/**
 * Lists the newest refused messages, the latest first. Messages of a previous device with the same number, or
 * from the time when the device belonged to another organisation, are excluded.
 */
export async function listRefusedMessages(
  db: Db,
  device: { number: string; organizationId: number; createdAt: Date },
): Promise<DeviceConnection['messages']> {
  const { rows } = await db.query<{
    id: number;
    received_at: Date;
    gateway: DeviceGateway;
    address: string;
    code: string;
    faults: { fault: ReadingFault; readings: number }[] | null;
    payload_bytes: number;
  }>(
    `select m.id::float8 as id, m.received_at, m.gateway, m.address, m.code, m.payload_bytes,
            (select json_agg(json_build_object('fault', f.fault, 'readings', f.readings) order by f.readings desc, f.fault)
               from (select r ->> 'fault' as fault, count(*)::integer as readings
                       from jsonb_array_elements(case when jsonb_typeof(m.detail) = 'array' then m.detail else '[]' end) r
                      where r ? 'fault' group by 1) f) as faults
       from rejected_message m
      where m.device_number = $1 and m.organization_id = $2 and m.received_at >= $3
      order by m.id desc limit ${MOST_MESSAGES}`,
    [device.number, device.organizationId, device.createdAt],
  );
  return rows.map((row) => ({
    id: row.id,
    at: row.received_at.toISOString(),
    by: row.gateway,
    from: row.address,
    code: row.code,
    faults: row.code === 'readings-refused' ? (row.faults ?? []) : [],
    bytes: row.payload_bytes,
  }));
}
