import { KIND_OF } from '@isotherm/domain/alarms/catalogue';
import type { Tx } from '../../platform/db/pool.ts';
import type { DevicePlace } from './alarm-rows.ts';

/**
 * The place of the first of these devices that have channels and have not expired before `at`; those at an asset come
 * before others.
 */
export async function findDevicePlace(
  tx: Tx,
  deviceIds: readonly number[],
  at: Date,
): Promise<DevicePlace | null> {
  const { rows } = await tx.query<DevicePlace>(
    `select c.id as channel_id, a.id as asset_id, coalesce(a.organization_id, d.organization_id) as organization_id
       from unnest($1::bigint[]) with ordinality as asked(id, position)
       join device d on d.id = asked.id and d.deleted_at is null and coalesce(d.expires_at, 'infinity') > $2
       join channel c on c.device_id = d.id and c.retired_at is null
       left join asset a on a.id = c.asset_id
      order by a.id is null, asked.position, c.id limit 1`,
    [deviceIds, at],
  );
  return rows[0] ?? null;
}

/** The channels with which the open alarms about failed backups of these devices are stored. */
export async function listBackupAlarmChannels(tx: Tx, deviceIds: readonly number[]): Promise<number[]> {
  const { rows } = await tx.query<{ channel_id: number }>(
    `select m.channel_id from channel c join alarm m on m.channel_id = c.id
      where c.device_id = any($1::bigint[]) and m.kind = '${KIND_OF.failure}' and m.ended_at is null`,
    [deviceIds],
  );
  return rows.map((row) => row.channel_id);
}
