import { KIND_OF } from '@isotherm/domain/alarms/catalogue';
import type { Tx } from '../../platform/db/pool.ts';

export interface ClockChannelRow {
  device_id: number;
  channel_id: number;
  asset_id: number;
  organization_id: number;
}

/** For each of these devices that have not expired before `at`, the first channel that is assigned to an asset. */
export async function listClockChannels(
  tx: Tx,
  deviceIds: readonly number[],
  at: Date,
): Promise<ClockChannelRow[]> {
  const { rows } = await tx.query<ClockChannelRow>(
    `select distinct on (b.device_id) b.device_id, c.id as channel_id, a.id as asset_id, a.organization_id
       from binding b join channel c on c.id = b.channel_id join asset a on a.id = c.asset_id
       join sensor s on s.id = b.sensor_id join device d on d.id = b.device_id
      where b.device_id = any($1::bigint[]) and b.valid_until = 'infinity' and coalesce(d.expires_at, 'infinity') > $2
      order by b.device_id, s.index, c.id`,
    [deviceIds, at],
  );
  return rows;
}

/** The channels with which the open clock alarms of these devices are stored. */
export async function listClockAlarmChannels(
  tx: Tx,
  deviceIds: readonly number[],
): Promise<{ device_id: number; channel_id: number }[]> {
  const { rows } = await tx.query<{ device_id: number; channel_id: number }>(
    `select distinct b.device_id, m.channel_id from binding b join alarm m on m.channel_id = b.channel_id
      where b.device_id = any($1::bigint[]) and m.kind = '${KIND_OF.offset}' and m.ended_at is null`,
    [deviceIds],
  );
  return rows;
}
