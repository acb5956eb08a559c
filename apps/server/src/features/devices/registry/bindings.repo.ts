import type { Tx } from '../../../platform/db/pool.ts';

export interface Bond {
  deviceId: number;
  /** Asset to bind the device to; null unbinds the device. */
  assetId: number | null;
}

/**
 * Returns the moment from which new bindings of these devices are valid: `now`, or just after their last
 * bindings began. The caller holds the devices' lanes (group locks that serialise writes), so every stored
 * reading was measured before it.
 */
export async function bindingMoment(tx: Tx, deviceIds: readonly number[], now: number): Promise<Date> {
  const { rows } = await tx.query<{ last: Date | null }>(
    `select max(valid_from) as last from binding
      where device_id = any($1::bigint[]) and valid_until = 'infinity' and valid_from > '-infinity'`,
    [deviceIds],
  );
  return new Date(Math.max(now, (rows[0]?.last?.getTime() ?? 0) + 1));
}

/**
 * Like `bindingMoment`, but returns `at` if the devices have been silent since then: then nothing that is stored was measured
 * after it.
 */
export async function earlierBindingMoment(
  tx: Tx,
  deviceIds: readonly number[],
  at: number,
  now: number,
): Promise<Date> {
  const { rows } = await tx.query<{ heard: Date | null }>(
    `select greatest(
       (select max(l.measured_at) from channel c join channel_latest l on l.channel_id = c.id
         where c.device_id = any($1::bigint[])),
       (select max(last_seen_at) from device_presence where device_id = any($1::bigint[]))) as heard`,
    [deviceIds],
  );
  const silentSince = (rows[0]?.heard?.getTime() ?? 0) + 1;
  return bindingMoment(tx, deviceIds, Math.min(now, Math.max(at, silentSince)));
}

/**
 * Call this before a transaction writes bindings, so that the trigger for older processes does not write
 * them too.
 */
export async function startBindings(tx: Tx): Promise<void> {
  await tx.query(`select set_config('isotherm.writes_bindings', 'on', true)`);
}

/**
 * Marks all devices whose readings ever belonged to these channels as rebound from `now` on, even if only the
 * lane (group lock) of a channel changes.
 */
async function noteRebound(tx: Tx, channelIds: readonly number[], now: Date): Promise<void> {
  await tx.query(
    `update device set binding_version = binding_version + 1, rebound_at = $2
      where id in (select device_id from binding where channel_id = any($1::int4[]))`,
    [channelIds, now],
  );
}

/**
 * Ends the open bindings of these devices and retires the channels to which their readings belonged. Returns
 * these channels.
 */
export async function endBindings(
  tx: Tx,
  deviceIds: readonly number[],
  now: Date,
  changedAt = now,
): Promise<number[]> {
  const { rows } = await tx.query<{ channel_id: number }>(
    `update binding b set valid_until = $2, sensor_serial = s.serial
       from sensor s
      where b.device_id = any($1::bigint[]) and b.valid_until = 'infinity' and s.id = b.sensor_id
     returning b.channel_id`,
    [deviceIds, now],
  );
  const ended = rows.map((row) => row.channel_id);
  await tx.query('update channel set retired_at = $2 where id = any($1::int4[])', [ended, now]);
  await noteRebound(tx, ended, changedAt);
  return ended;
}

/** Begins a binding of each of these channels with its sensor, from `now` on. */
export async function beginBindings(tx: Tx, channelIds: readonly number[], now: Date): Promise<void> {
  await tx.query(
    `insert into binding (sensor_id, indicator, channel_id, device_id, valid_from)
     select sensor_id, indicator, id, device_id, $2 from channel where id = any($1::int4[])`,
    [channelIds, now],
  );
}

/**
 * Binds the sensors of these devices to the device's own channels, which belong to no asset, from `now` on;
 * missing channels are created. `ended` are the channels to which their readings belonged until now;
 * calibrations in force are copied.
 */
export async function bindToOwnChannels(
  tx: Tx,
  deviceIds: readonly number[],
  ended: readonly number[],
  now: Date,
): Promise<void> {
  const { rows: reopened } = await tx.query<{ id: number }>(
    `update channel c set retired_at = null
       from (select distinct on (own.sensor_id, own.indicator) own.id
               from channel own
              where own.device_id = any($1::bigint[]) and own.asset_id is null
                and exists (select 1 from binding b
                             where b.channel_id = any($2::int4[]) and b.sensor_id = own.sensor_id
                               and b.indicator = own.indicator)
              order by own.sensor_id, own.indicator, own.id) o
      where c.id = o.id
     returning c.id`,
    [deviceIds, ended],
  );
  const { rows: created } = await tx.query<{ id: number }>(
    `insert into channel (sensor_id, device_id, indicator, name)
     select distinct on (b.sensor_id, b.indicator) b.sensor_id, b.device_id, b.indicator, f.name
       from binding b join channel f on f.id = b.channel_id
      where b.device_id = any($1::bigint[]) and b.channel_id = any($2::int4[])
        and not exists (select 1 from channel own
                         where own.sensor_id = b.sensor_id and own.indicator = b.indicator and own.retired_at is null)
      order by b.sensor_id, b.indicator, b.valid_from desc
     returning id`,
    [deviceIds, ended],
  );
  const own = [...reopened, ...created].map(({ id }) => id);
  await beginBindings(tx, own, now);
  await copyCalibrations(tx, ended, own);
}

/**
 * Binds the sensors whose readings belonged to the `ended` channels to new channels of their device's asset
 * from `now` on.
 */
export async function bindToAssets(tx: Tx, ended: readonly number[], now: Date): Promise<void> {
  const { rows } = await tx.query<{ id: number }>(
    `insert into channel (sensor_id, device_id, asset_id, indicator, name)
     select c.sensor_id, c.device_id, d.asset_id, c.indicator, c.name
       from channel c join device d on d.id = c.device_id where c.id = any($1::int4[]) and d.asset_id is not null
     returning id`,
    [ended],
  );
  const channelIds = rows.map(({ id }) => id);
  await beginBindings(tx, channelIds, now);
  await copyCalibrations(tx, ended, channelIds);
}

/** Calibrations of a sensor apply to its new channel as they did to the previous one. */
export async function copyCalibrations(
  tx: Tx,
  from: readonly number[],
  to: readonly number[],
): Promise<void> {
  await tx.query(
    `insert into calibration_point (calibration_id, channel_id, position, reference, reading, uncertainty)
     select p.calibration_id, n.id, p.position, p.reference, p.reading, p.uncertainty
       from channel n
       join calibration k on k.sensor_id = n.sensor_id and k.ended_at is null
       join calibration_point p on p.calibration_id = k.id
       join channel c on c.id = p.channel_id and c.indicator = n.indicator
      where n.id = any($2::int4[]) and c.id = any($1::int4[])
     on conflict do nothing`,
    [from, to],
  );
}

/**
 * Replaces the bindings of devices from `now` on. Earlier readings stay with the channel and asset of the
 * earlier binding (decisions 9 and 23), whenever they arrive. Returns the retired channels. The caller holds
 * the devices' lanes (group locks that serialise writes), so that no reading is stored meanwhile. `changedAt` is
 * the present time if the bindings begin earlier.
 */
export async function rebind(
  tx: Tx,
  bonds: readonly Bond[],
  by: string,
  now: Date,
  changedAt = now,
): Promise<number[]> {
  if (bonds.length === 0) return [];
  await startBindings(tx);
  const deviceIds = bonds.map(({ deviceId }) => deviceId);
  await tx.query(
    `update device d set asset_id = b.asset_id, version = version + 1, changed_by = $3, changed_at = $4
       from unnest($1::bigint[], $2::bigint[]) as b(device_id, asset_id) where d.id = b.device_id`,
    [deviceIds, bonds.map(({ assetId }) => assetId), by, changedAt],
  );
  const ended = await endBindings(tx, deviceIds, now, changedAt);
  await bindToAssets(tx, ended, now);
  const unbound = bonds.filter(({ assetId }) => assetId === null).map(({ deviceId }) => deviceId);
  if (unbound.length > 0) await bindToOwnChannels(tx, unbound, ended, now);
  return ended;
}
