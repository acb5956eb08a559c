import type { DeviceGateway } from '@isotherm/contracts/device-connection';
import type { Db } from '../../platform/db/pool.ts';

export interface ContactRow {
  deviceId: number;
  at: Date;
  from: string;
  by: DeviceGateway;
}

const columns = (rows: readonly ContactRow[]) => [
  rows.map((row) => row.deviceId),
  rows.map((row) => row.at),
  rows.map((row) => row.from),
  rows.map((row) => row.by),
];

/**
 * Writes successful contacts. Deleted devices are skipped; a later contact recorded by another process is
 * kept.
 */
export async function writeConnected(db: Db, rows: readonly ContactRow[]): Promise<void> {
  await db.query({
    name: 'write-connected',
    text: `insert into device_contact (device_id, connected_at, connected_from, connected_by)
           select c.device_id, c.at, c.address, c.gateway
             from unnest($1::bigint[], $2::timestamptz[], $3::text[], $4::text[]) as c(device_id, at, address, gateway)
             join device d on d.id = c.device_id
            order by c.device_id
           on conflict (device_id) do update
              set connected_at = excluded.connected_at, connected_from = excluded.connected_from,
                  connected_by = excluded.connected_by, refused = 0
            where device_contact.connected_at is null or device_contact.connected_at < excluded.connected_at`,
    values: columns(rows),
  });
}

/** Writes failed contacts. `attempts` belong to the rows in the same order. */
export async function writeRefused(
  db: Db,
  rows: readonly ContactRow[],
  attempts: readonly number[],
): Promise<void> {
  await db.query({
    name: 'write-refused',
    text: `insert into device_contact (device_id, refused_at, refused_from, refused_by, refused)
           select c.device_id, c.at, c.address, c.gateway, c.attempts
             from unnest($1::bigint[], $2::timestamptz[], $3::text[], $4::text[], $5::integer[])
                  as c(device_id, at, address, gateway, attempts)
             join device d on d.id = c.device_id
            order by c.device_id
           on conflict (device_id) do update
              set refused_at = excluded.refused_at, refused_from = excluded.refused_from,
                  refused_by = excluded.refused_by,
                  refused = least(device_contact.refused::bigint + excluded.refused, 2147483647)`,
    values: [...columns(rows), attempts],
  });
}
