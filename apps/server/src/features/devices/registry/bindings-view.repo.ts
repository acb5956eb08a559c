import type { DeviceBinding } from '@isotherm/contracts/device-registry';
import type { Indicator } from '@isotherm/domain/readings/indicator';
import type { Db } from '../../../platform/db/pool.ts';

interface BindingRow {
  channel_id: number;
  name: string;
  indicator: Indicator;
  sensor_index: number;
  sensor_serial: string;
  asset_id: number | null;
  asset_name: string | null;
  asset_code: string | null;
  /** A `Date`, or infinite if the binding is open. */
  valid_from: Date | number;
  valid_until: Date | number;
}

/**
 * Lists the bindings of a device, the latest first (decision 23). Assets outside the scope, from before the
 * device moved to another organisation, are omitted.
 */
export async function listDeviceBindings(
  db: Db,
  scope: string,
  deviceId: number,
  limit: number,
): Promise<DeviceBinding[]> {
  const { rows } = await db.query<BindingRow>(
    `select c.id as channel_id, c.name, b.indicator, s.index as sensor_index,
            coalesce(b.sensor_serial, s.serial) as sensor_serial,
            a.id as asset_id, a.name as asset_name, a.code as asset_code, b.valid_from, b.valid_until
       from binding b join channel c on c.id = b.channel_id join sensor s on s.id = b.sensor_id
       left join asset a on a.id = c.asset_id
       left join organization o on o.id = a.organization_id
      where b.device_id = $1 and (a.id is null or o.path like $2 || '%')
      order by b.valid_from desc, s.index, c.id limit $3`,
    [deviceId, scope, limit],
  );
  return rows.map((row) => ({
    channelId: row.channel_id,
    name: row.name,
    indicator: row.indicator,
    sensorIndex: row.sensor_index,
    sensorSerial: row.sensor_serial,
    asset:
      row.asset_id === null
        ? null
        : { id: row.asset_id, name: row.asset_name ?? '', code: row.asset_code ?? '' },
    from: momentOf(row.valid_from),
    until: momentOf(row.valid_until),
  }));
}

const momentOf = (moment: Date | number) => (moment instanceof Date ? moment.toISOString() : null);
