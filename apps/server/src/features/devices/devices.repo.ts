import type { provisionItem } from '@isotherm/contracts/devices';
import type { z } from 'zod';
import type { Db, Tx } from '../../platform/db/pool.ts';
import { startBindings } from './registry/bindings.repo.ts';

export interface DeviceChannelRow {
  id: number;
  number: string;
  organization_id: number;
  model: string;
  asset_id: number | null;
  key_hash: Buffer;
  token_hash: Buffer | null;
  packet_secret: Buffer | null;
  acquisition_interval_ms: number;
  binding_version: number;
  clock_offset_ms: number;
  channel_id: number | null;
  /**
   * The device whose lane (group lock that serialises writes) the channel uses: the device whose readings
   * belong to the channel now.
   */
  channel_device_id: number | null;
  indicator: string | null;
  sensor_index: number | null;
  /** Time in epoch ms; infinite if the binding has no start. */
  valid_from: number | null;
  valid_until: number | null;
}

/**
 * Returns these devices with one row per binding, the newest first; a device without bindings has one row
 * with nulls.
 */
export async function findDevicesByNumber(db: Db, numbers: readonly string[]): Promise<DeviceChannelRow[]> {
  const { rows } = await db.query<DeviceChannelRow>({
    name: 'find-device',
    text: `select d.id, d.number, d.organization_id, d.model, d.asset_id, d.key_hash, d.token_hash, d.packet_secret, d.acquisition_interval_ms,
                  d.binding_version, coalesce(k.offset_ms, 0) as clock_offset_ms, c.id as channel_id, c.device_id as channel_device_id, b.indicator,
                  s.index as sensor_index, (extract(epoch from b.valid_from) * 1000)::float8 as valid_from,
                  (extract(epoch from b.valid_until) * 1000)::float8 as valid_until
             from device d
             left join device_clock k on k.device_id = d.id and k.valid_until = 'infinity'
             left join (binding b join channel c on c.id = b.channel_id
                                  join sensor s on s.id = b.sensor_id and s.disabled_at is null)
               on b.device_id = d.id
            where d.number = any($1) and d.deleted_at is null
            order by b.valid_from desc`,
    values: [numbers],
  });
  return rows;
}

/** Returns the number of the device with this DevEUI within the scope. */
export async function findNumberByEui(db: Db, scope: string, devEui: string): Promise<string | null> {
  const { rows } = await db.query<{ number: string }>({
    name: 'find-by-eui',
    text: `select d.number from device d join organization o on o.id = d.organization_id
            where d.dev_eui = $2 and d.deleted_at is null and o.path like $1 || '%'`,
    values: [scope, devEui],
  });
  return rows[0]?.number ?? null;
}

/**
 * Returns the numbers of the devices with these access tokens, by the hashes of the tokens in hexadecimal.
 */
export async function findNumbersByToken(
  db: Db,
  tokenHashes: readonly string[],
): Promise<Map<string, string>> {
  const { rows } = await db.query<{ hash: string; number: string }>({
    name: 'find-by-token',
    text: `select encode(token_hash, 'hex') as hash, number from device where token_hash = any($1) and deleted_at is null`,
    values: [tokenHashes.map((hash) => Buffer.from(hash, 'hex'))],
  });
  return new Map(rows.map(({ hash, number }) => [hash, number]));
}

/** Returns the number of the device behind the gateway with this number or name; null if several match. */
export async function findNumberByName(db: Db, gatewayId: number, name: string): Promise<string | null> {
  const { rows } = await db.query<{ number: string }>({
    name: 'find-by-name',
    text: `select number from device where gateway_id = $1 and (name = $2 or number = $2) and deleted_at is null limit 2`,
    values: [gatewayId, name],
  });
  return rows.length === 1 ? (rows[0] as { number: string }).number : null;
}

/** Assigns devices to gateways within the scope; returns the numbers of those that were assigned. */
export async function bindGateways(
  tx: Tx,
  scope: string,
  bonds: readonly { number: string; gatewayNumber: string }[],
): Promise<string[]> {
  const { rows } = await tx.query<{ number: string }>(
    `update device d set gateway_id = g.id
       from unnest($2::text[], $3::text[]) as bond(number, gateway_number)
       join device g on g.number = bond.gateway_number
       join organization o on o.id = g.organization_id
      where d.number = bond.number and d.removed_at is null and d.id <> g.id and g.deleted_at is null and o.path like $1 || '%'
     returning d.number`,
    [scope, bonds.map((bond) => bond.number), bonds.map((bond) => bond.gatewayNumber)],
  );
  return rows.map((row) => row.number);
}

export interface ExistingDevice {
  id: number;
  number: string;
  key_hash: Buffer;
  packet_secret: Buffer | null;
  organization_id: number;
  deleted: boolean;
}

export async function findExisting(db: Db, numbers: readonly string[]): Promise<ExistingDevice[]> {
  const { rows } = await db.query<ExistingDevice>(
    `select id, number, organization_id, key_hash, packet_secret, deleted_at is not null as deleted
       from device where number = any($1) and removed_at is null`,
    [numbers],
  );
  return rows;
}

export async function setPacketSecret(tx: Tx, deviceId: number, sealed: Buffer): Promise<void> {
  await tx.query('update device set packet_secret = $2 where id = $1', [deviceId, sealed]);
}

export type NewItem = z.output<typeof provisionItem> & {
  organizationId: number;
  keyHash: Buffer;
  tokenHash: Buffer | null;
  packetSecret: Buffer;
};

/**
 * Inserts devices with their sensors and channels in set-based statements; their assets must exist already.
 * Returns the channel of each (device number, sensor index, indicator).
 */
export async function insertItems(
  tx: Tx,
  items: readonly NewItem[],
): Promise<{ number: string; index: number; indicator: string; channelId: number }[]> {
  const json = JSON.stringify(
    items.map((item) => ({
      code: item.asset.code,
      organization_id: item.organizationId,
      number: item.device.number,
      device_name: item.device.name,
      device_model: item.device.model,
      key_hash: `\\x${item.keyHash.toString('hex')}`,
      token_hash: item.tokenHash && `\\x${item.tokenHash.toString('hex')}`,
      packet_secret: `\\x${item.packetSecret.toString('hex')}`,
      dev_eui: item.device.devEui,
      interval_ms: item.device.acquisitionIntervalMs,
    })),
  );
  await tx.query(
    `insert into device (organization_id, asset_id, number, name, model, key_hash, token_hash, packet_secret,
                         acquisition_interval_ms, upload_interval_ms, offline_after_minutes, dev_eui)
     select i.organization_id, a.id, i.number, i.device_name, coalesce(i.device_model, ''), i.key_hash, i.token_hash, i.packet_secret,
            i.interval_ms, i.interval_ms, greatest(30, ceil(i.interval_ms * 2 / 60000.0)::integer), i.dev_eui
       from jsonb_to_recordset($1::jsonb) as i(organization_id bigint, code text, number text, device_name text,
            device_model text, key_hash bytea, token_hash bytea, packet_secret bytea, interval_ms integer, dev_eui text)
       join asset a on a.organization_id = i.organization_id and a.code = i.code and a.deleted_at is null`,
    [json],
  );
  return insertSensors(
    tx,
    items.map(({ device: { number }, sensors }) => ({ number, sensors })),
  );
}

export interface NewSensors {
  number: string;
  sensors: readonly {
    index: number;
    serial: string;
    name: string;
    channels: readonly { indicator: string; name: string }[];
  }[];
}

/**
 * Adds sensors and channels to existing devices. Their first bindings have no start, so that old buffered
 * readings can be stored.
 */
export async function insertSensors(
  tx: Tx,
  items: readonly NewSensors[],
): Promise<{ number: string; index: number; indicator: string; channelId: number }[]> {
  const json = JSON.stringify(items);
  await startBindings(tx);
  await tx.query(
    `insert into sensor (device_id, index, serial, name)
     select d.id, s.index, s.serial, s.name
       from jsonb_to_recordset($1::jsonb) as i(number text, sensors jsonb)
       join device d on d.number = i.number and d.removed_at is null
      cross join jsonb_to_recordset(i.sensors) as s(index integer, serial text, name text)`,
    [json],
  );
  const { rows } = await tx.query<{ number: string; index: number; indicator: string; channel_id: number }>(
    `with wanted as (
       select d.number, d.id as device_id, d.asset_id, n.id as sensor_id, n.index, c.indicator, c.name
         from jsonb_to_recordset($1::jsonb) as i(number text, sensors jsonb)
         join device d on d.number = i.number and d.removed_at is null
        cross join jsonb_to_recordset(i.sensors) as s(index integer, channels jsonb)
         join sensor n on n.device_id = d.id and n.index = s.index
        cross join jsonb_to_recordset(s.channels) as c(indicator text, name text)
     ), made as (
       insert into channel (sensor_id, device_id, asset_id, indicator, name)
       select sensor_id, device_id, asset_id, indicator, name from wanted
       returning id, sensor_id, indicator
     ), bound as (
       insert into binding (sensor_id, indicator, channel_id, device_id, valid_from)
       select m.sensor_id, m.indicator, m.id, w.device_id, '-infinity'
         from made m join wanted w on w.sensor_id = m.sensor_id and w.indicator = m.indicator
     )
     select w.number, w.index, w.indicator, m.id as channel_id
       from made m join wanted w on w.sensor_id = m.sensor_id and w.indicator = m.indicator`,
    [json],
  );
  return rows.map((row) => ({
    number: row.number,
    index: row.index,
    indicator: row.indicator,
    channelId: row.channel_id,
  }));
}

/** Returns which of these organisations are within the scope. */
export async function filterScope(db: Db, scope: string, ids: readonly number[]): Promise<number[]> {
  const { rows } = await db.query<{ id: number }>(
    `select id from organization where path like $1 || '%' and id = any($2)`,
    [scope, ids],
  );
  return rows.map((row) => row.id);
}

/** Lists the models of the devices in a scope, the most frequent first. */
export async function listModels(db: Db, scope: string): Promise<{ model: string; devices: number }[]> {
  const { rows } = await db.query<{ model: string; devices: number }>(
    `select d.model, count(*)::int as devices from device d join organization o on o.id = d.organization_id
      where o.path like $1 || '%' and d.deleted_at is null and d.model <> ''
      group by d.model order by devices desc, d.model limit 500`,
    [scope],
  );
  return rows;
}
