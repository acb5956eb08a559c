import type { DEVICE_VIEWS, DeviceInput } from '@isotherm/contracts/device-registry';
import { KIND_OF } from '@isotherm/domain/alarms/catalogue';
import type { DeviceType, TermBounds } from '@isotherm/domain/devices/device-state';
import type { Indicator } from '@isotherm/domain/readings/indicator';
import type { Statement } from '../../../platform/db/map-rows.ts';
import type { Db, Tx } from '../../../platform/db/pool.ts';
import {
  COUNTS,
  type DeviceQuery,
  FROM,
  momentsOf,
  newestOf,
  orderOf,
  valuesOf,
  WHERE,
} from './device-filter.ts';

/** Layout of a device: its type, and what each of its sensors measures. */
export interface Layout {
  type: string;
  sensors: string[][];
}

export interface DeviceRow {
  id: number;
  number: string;
  name: string;
  type: DeviceType;
  model: string;
  serial: string;
  organization_id: number;
  organization_name: string;
  organization_path: string;
  gateway_number: string | null;
  has_token: boolean;
  dev_eui: string | null;
  asset_id: number | null;
  asset_name: string | null;
  asset_code: string | null;
  asset_deleted: boolean;
  last_seen_at: Date | null;
  battery: number | null;
  signal: number | null;
  power: number | null;
  expires_at: Date | null;
  time_zone: string;
  offline_after_minutes: number;
  acquisition_interval_ms: number;
  upload_interval_ms: number;
  created_at: Date;
  version: number;
  changed_by: string;
  changed_at: Date;
  deleted_at: Date | null;
  deleted_by: string;
}

const COLUMNS = `d.id, d.number, d.name, d.type, d.model, d.serial, d.organization_id, o.name as organization_name,
       o.path as organization_path, g.number as gateway_number, d.token_hash is not null as has_token, d.dev_eui, d.asset_id, a.name as asset_name,
       a.code as asset_code, a.deleted_at is not null as asset_deleted, p.last_seen_at, ${newestOf('battery')} as battery, ${newestOf('signal')} as signal,
       ${newestOf('power')} as power, d.expires_at, d.time_zone, d.offline_after_minutes, d.acquisition_interval_ms,
       d.upload_interval_ms, d.created_at, d.version, d.changed_by, d.changed_at, d.deleted_at, d.deleted_by`;
const DETAILED = `${FROM} left join asset a on a.id = d.asset_id left join device g on g.id = d.gateway_id`;

/** Returns the query for the devices of a list, as {@link DeviceRow}. */
export async function deviceRows(
  db: Db,
  scope: string,
  query: DeviceQuery,
  bounds: TermBounds,
  page: { limit: number; offset: number },
): Promise<Statement> {
  const order = orderOf(query);
  return {
    // The rows of the page are selected first, so that values are read for 20 devices instead of all.
    text: `with page as materialized (select d.id ${FROM} ${WHERE} ${order} limit $16 offset $17)
     select ${COLUMNS} ${DETAILED} where d.id in (select id from page) ${order}`,
    values: [...(await filterValues(db, scope, query, bounds)), page.limit, page.offset],
  };
}

export async function listDeviceRows(
  db: Db,
  scope: string,
  query: DeviceQuery,
  bounds: TermBounds,
  page: { limit: number; offset: number },
): Promise<DeviceRow[]> {
  const { rows } = await db.query<DeviceRow>(await deviceRows(db, scope, query, bounds, page));
  return rows;
}

export async function countDevices(
  db: Db,
  scope: string,
  query: DeviceQuery,
  bounds: TermBounds,
): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `select count(*) as count ${FROM} ${WHERE}`,
    await filterValues(db, scope, query, bounds),
  );
  return (rows[0] as { count: number }).count;
}

async function filterValues(
  db: Db,
  scope: string,
  query: DeviceQuery,
  bounds: TermBounds,
): Promise<unknown[]> {
  const typed = query.search.trim();
  const { rows } = /^\d{8}$/.test(typed)
    ? await db.query<{ id: number }>('select id from device where number = $1 and removed_at is null', [
        typed,
      ])
    : { rows: [] };
  return valuesOf(
    scope,
    query,
    rows.map(({ id }) => id),
    bounds,
  );
}

export async function countViews(
  db: Db,
  scope: string,
  bounds: TermBounds,
): Promise<Record<(typeof DEVICE_VIEWS)[number], number>> {
  const { rows } = await db.query(COUNTS, momentsOf(scope, bounds));
  return rows[0];
}

const BY_NUMBERS = `where o.path like $1 || '%' and d.number = any($2) and d.removed_at is null
        and (d.deleted_at is not null) = $3 order by d.id`;

/**
 * Returns devices by number within a scope; deleted ones only on request, and only if they can be restored.
 */
export async function findDevices(
  db: Db,
  scope: string,
  numbers: readonly string[],
  options: { deleted?: boolean; lock?: boolean } = {},
): Promise<DeviceRow[]> {
  const deleted = options.deleted ?? false;
  // The lock is taken in a query of its own, because a query that waits for a lock would still see the
  // joined rows as they were before.
  if (options.lock) await holdDevices(db, scope, numbers, deleted);
  const { rows } = await db.query<DeviceRow>(`select ${COLUMNS} ${DETAILED} ${BY_NUMBERS}`, [
    scope,
    numbers,
    deleted,
  ]);
  return rows;
}

/** Locks devices until the end of the transaction. */
export async function holdDevices(
  db: Db,
  scope: string,
  numbers: readonly string[],
  deleted: boolean,
): Promise<void> {
  await db.query(
    `select 1 from device d join organization o on o.id = d.organization_id ${BY_NUMBERS} for update of d`,
    [scope, numbers, deleted],
  );
}

/** Returns one device in a scope, deleted or not; null if there is none, or if it was permanently removed. */
export async function findDevice(db: Db, scope: string, number: string): Promise<DeviceRow | null> {
  const { rows } = await db.query<DeviceRow>(
    `select ${COLUMNS} ${DETAILED} where o.path like $1 || '%' and d.number = $2 and d.removed_at is null`,
    [scope, number],
  );
  return rows[0] ?? null;
}

export interface SensorRow {
  sensor_id: number;
  index: number;
  serial: string;
  name: string;
  disabled_at: Date | null;
  channel_id: number | null;
  channel_name: string | null;
  indicator: Indicator | null;
  value: number | null;
  measured_at: Date | null;
  /** Tightest limits of the alarm rules in force. */
  low: number | null;
  high: number | null;
}

/** Lists the sensors of a device, one row per channel. */
export async function listSensorRows(db: Db, deviceId: number): Promise<SensorRow[]> {
  const { rows } = await db.query<SensorRow>(
    `select s.id as sensor_id, s.index, s.serial, s.name, s.disabled_at, c.id as channel_id, c.name as channel_name,
            c.indicator, l.value, l.measured_at, r.low, r.high
       from sensor s left join channel c on c.sensor_id = s.id and c.retired_at is null
       left join device d on d.id = s.device_id
       left join channel_latest l on l.channel_id = c.id and l.measured_at < coalesce(d.expires_at, 'infinity')
       left join lateral (
         select max(limit_value) filter (where kind = '${KIND_OF.below}') as low,
                min(limit_value) filter (where kind = '${KIND_OF.above}') as high
           from alarm_rule where channel_id = c.id and enabled) r on true
      where s.device_id = $1 order by s.index, c.id`,
    [deviceId],
  );
  return rows;
}

/** Data that a device's page shows in addition to the device. */
export interface Around {
  behind: number;
  commands: number;
  has_unmapped: boolean;
}

export async function countAround(db: Db, deviceId: number): Promise<Around> {
  const { rows } = await db.query<Around>(
    `select (select count(*) from device where gateway_id = $1 and deleted_at is null) as behind,
            (select count(*) from device_command where device_id = $1
                and state in ('reserved', 'requesting', 'configuring')) as commands,
            exists (select from unmapped_value where device_id = $1)
              or exists (select from undecoded_uplink where device_id = $1) as has_unmapped`,
    [deviceId],
  );
  return rows[0] as Around;
}

/** Form fields of a device as stored. */
export interface DeviceFields
  extends Omit<DeviceInput, 'gatewayNumber' | 'expiresOn' | 'acquisitionIntervalS' | 'uploadIntervalS'> {
  gatewayId: number | null;
  expiresAt: Date | null;
  acquisitionIntervalMs: number;
  uploadIntervalMs: number;
}

export interface NewDeviceRow extends DeviceFields {
  number: string;
  organizationId: number;
  keyHash: Buffer;
  tokenHash: Buffer | null;
  packetSecret: Buffer;
}

const hex = (bytes: Buffer) => `\\x${bytes.toString('hex')}`;

/** Inserts devices without sensors; see `insertSensors`. */
export async function insertDevices(
  tx: Tx,
  devices: readonly NewDeviceRow[],
  by: string,
  now: Date,
): Promise<void> {
  await tx.query(
    `insert into device (organization_id, number, name, type, model, serial, gateway_id, dev_eui, time_zone, expires_at,
                         offline_after_minutes, acquisition_interval_ms, upload_interval_ms, key_hash, token_hash,
                         packet_secret, changed_by, changed_at, created_at)
     select "organizationId", number, name, type, model, serial, "gatewayId", nullif("devEui", ''), "timeZone",
            "expiresAt", "offlineAfterMinutes", "acquisitionIntervalMs", "uploadIntervalMs", "keyHash", "tokenHash",
            "packetSecret", $2, $3, $3
       from jsonb_to_recordset($1::jsonb) as i("organizationId" bigint, number text, name text, type text, model text,
            serial text, "gatewayId" bigint, "devEui" text, "timeZone" text, "expiresAt" timestamptz,
            "offlineAfterMinutes" integer, "acquisitionIntervalMs" integer, "uploadIntervalMs" integer,
            "keyHash" bytea, "tokenHash" bytea, "packetSecret" bytea)`,
    [
      JSON.stringify(
        devices.map((each) => ({
          ...each,
          keyHash: hex(each.keyHash),
          tokenHash: each.tokenHash && hex(each.tokenHash),
          packetSecret: hex(each.packetSecret),
        })),
      ),
      by,
      now,
    ],
  );
}

export async function updateDevice(
  tx: Tx,
  id: number,
  fields: DeviceFields,
  by: string,
  now: Date,
): Promise<void> {
  await tx.query(
    `update device set name = $2, type = $3, model = $4, serial = $5, gateway_id = $6, dev_eui = nullif($7, ''),
            time_zone = $8, expires_at = $9, offline_after_minutes = $10, acquisition_interval_ms = $11,
            upload_interval_ms = $12, version = version + 1, changed_by = $13, changed_at = $14
      where id = $1`,
    [
      id,
      fields.name,
      fields.type,
      fields.model,
      fields.serial,
      fields.gatewayId,
      fields.devEui,
      fields.timeZone,
      fields.expiresAt,
      fields.offlineAfterMinutes,
      fields.acquisitionIntervalMs,
      fields.uploadIntervalMs,
      by,
      now,
    ],
  );
}

export async function updateSensor(
  tx: Tx,
  sensorId: number,
  fields: { name: string; serial: string; disabled: boolean },
  now: Date,
): Promise<void> {
  await tx.query(
    `update sensor set name = $2, serial = $3,
            disabled_at = case when $4 then coalesce(disabled_at, $5::timestamptz) end
      where id = $1`,
    [sensorId, fields.name, fields.serial, fields.disabled, now],
  );
}

/** Sets a key; the device's access token is revoked together with the former key. */
export async function setKey(tx: Tx, id: number, keyHash: Buffer, packetSecret: Buffer): Promise<void> {
  await tx.query('update device set key_hash = $2, packet_secret = $3, token_hash = null where id = $1', [
    id,
    keyHash,
    packetSecret,
  ]);
}

/** Sets the access token; null removes it. */
export async function setToken(tx: Tx, id: number, tokenHash: Buffer | null): Promise<void> {
  await tx.query('update device set token_hash = $2 where id = $1', [id, tokenHash]);
}

export async function setOrganization(
  tx: Tx,
  ids: readonly number[],
  organizationId: number,
  by: string,
  now: Date,
): Promise<void> {
  await tx.query(
    `update device set organization_id = $2, version = version + 1, changed_by = $3, changed_at = $4
      where id = any($1)`,
    [ids, organizationId, by, now],
  );
}

/** Returns the id of the device with this number if it can be a gateway in the scope, else null. */
export async function findGateway(db: Db, scope: string, number: string): Promise<number | null> {
  const { rows } = await db.query<{ id: number }>(
    `select d.id from device d join organization o on o.id = d.organization_id
      where d.number = $2 and d.deleted_at is null and o.path like $1 || '%'`,
    [scope, number],
  );
  return rows[0]?.id ?? null;
}

/**
 * Returns which numbers, DevEUIs and access tokens (by their hashes in hexadecimal) are in use anywhere, and
 * which numbers can be gateways in the scope.
 */
export async function findTaken(
  db: Db,
  scope: string,
  numbers: readonly string[],
  euis: readonly string[],
  gateways: readonly string[],
  tokens: readonly Buffer[],
): Promise<{ numbers: Set<string>; euis: Set<string>; gateways: Set<string>; tokens: Set<string> }> {
  const { rows } = await db.query<{
    number: string;
    dev_eui: string | null;
    token: string | null;
    in_scope: boolean;
  }>(
    `select d.number, d.dev_eui, encode(d.token_hash, 'hex') as token, o.path like $1 || '%' and d.deleted_at is null as in_scope
       from device d join organization o on o.id = d.organization_id
      where d.removed_at is null and (d.number = any($2) or d.dev_eui = any($3) or d.token_hash = any($4))`,
    [scope, [...numbers, ...gateways], euis.filter((eui) => eui !== ''), tokens],
  );
  return {
    numbers: new Set(rows.map(({ number }) => number)),
    euis: new Set(rows.flatMap(({ dev_eui }) => dev_eui ?? [])),
    tokens: new Set(rows.flatMap(({ token }) => token ?? [])),
    gateways: new Set(rows.filter(({ in_scope }) => in_scope).map(({ number }) => number)),
  };
}

/** Lists layouts of the devices of these models in the scope, the most frequent first. */
export async function listLayouts(
  db: Db,
  scope: string,
  models: readonly string[],
): Promise<Map<string, Layout[]>> {
  const { rows } = await db.query<Layout & { model: string }>(
    `with measured as (
       select d.id, d.model, d.type, s.index, json_agg(c.indicator order by c.indicator) as indicators
         from device d join organization o on o.id = d.organization_id
         join sensor s on s.device_id = d.id join channel c on c.sensor_id = s.id and c.retired_at is null
        where o.path like $1 || '%' and d.deleted_at is null and d.model = any($2) and d.model <> ''
        group by d.id, s.index
     ), layout as (
       select model, type, jsonb_agg(indicators order by index) as sensors from measured group by id, model, type
     )
     select model, type, sensors from layout group by model, type, sensors order by count(*) desc`,
    [scope, models],
  );
  const layouts = new Map<string, Layout[]>();
  for (const { model, type, sensors } of rows)
    layouts.set(model, [...(layouts.get(model) ?? []), { type, sensors }]);
  return layouts;
}

export async function setExpiry(
  tx: Tx,
  ids: readonly number[],
  expiresAt: readonly Date[],
  by: string,
  now: Date,
): Promise<void> {
  await tx.query(
    `update device d set expires_at = r.at, version = version + 1, changed_by = $3, changed_at = $4
       from unnest($1::bigint[], $2::timestamptz[]) as r(id, at) where d.id = r.id`,
    [ids, expiresAt, by, now],
  );
}
