import {
  type DeviceDetail,
  type DeviceInput,
  type DeviceRecord,
  type DeviceSensor,
  LAST_PAID_DAY,
} from '@isotherm/contracts/device-registry';
import { addMonths, deviceState, type TermBounds } from '@isotherm/domain/devices/device-state';
import { INDICATOR_NAMES } from '@isotherm/domain/readings/indicator';
import type { Around, DeviceFields, DeviceRow, SensorRow } from './registry.repo.ts';

const DAY_MS = 86_400_000;

/** Returns the first moment that is not paid for, from the last paid day. */
export function expiryOf(lastDay: string | null): Date | null {
  return lastDay === null ? null : new Date(Date.parse(`${lastDay}T00:00:00Z`) + DAY_MS);
}

/**
 * Returns the last paid day a number of months later: the same day of the month, or the last day of a
 * shorter month.
 */
export function renewedUntil(expiresAt: Date, months: number): Date {
  const lastDay = Math.min(addMonths(expiresAt.getTime() - DAY_MS, months), Date.parse(LAST_PAID_DAY));
  return new Date(lastDay + DAY_MS);
}

export function lastDayOf(expiresAt: Date | null): string | null {
  return expiresAt && new Date(expiresAt.getTime() - 1).toISOString().slice(0, 10);
}

export function recordOf(row: DeviceRow, bounds: TermBounds): DeviceRecord {
  const { connection, offlineForMs, term, toBeRenewed, supply } = deviceState(
    {
      lastSeenAt: row.last_seen_at?.getTime() ?? null,
      offlineAfterMinutes: row.offline_after_minutes,
      expiresAt: row.expires_at?.getTime() ?? null,
      power: row.power,
      assetId: row.asset_id,
    },
    bounds,
  );
  return {
    id: row.id,
    number: row.number,
    name: row.name,
    type: row.type,
    model: row.model,
    serial: row.serial,
    organizationId: row.organization_id,
    organizationName: row.organization_name,
    gatewayNumber: row.gateway_number,
    devEui: row.dev_eui,
    asset:
      row.asset_id === null
        ? null
        : { id: row.asset_id, name: row.asset_name ?? '', code: row.asset_code ?? '' },
    connection,
    offlineForMs,
    supply,
    term,
    toBeRenewed,
    lastSeenAt: row.last_seen_at?.toISOString() ?? null,
    battery: row.battery,
    signal: row.signal,
    expiresOn: lastDayOf(row.expires_at),
    timeZone: row.time_zone,
    offlineAfterMinutes: row.offline_after_minutes,
    acquisitionIntervalS: row.acquisition_interval_ms / 1000,
    uploadIntervalS: row.upload_interval_ms / 1000,
    createdAt: row.created_at.toISOString(),
    deletedAt: row.deleted_at?.toISOString() ?? null,
  };
}

export function detailOf(
  row: DeviceRow,
  sensors: readonly SensorRow[],
  around: Around,
  bounds: TermBounds,
): Omit<DeviceDetail, 'firmware'> {
  return {
    ...recordOf(row, bounds),
    version: row.version,
    changedBy: row.changed_by,
    changedAt: row.changed_at.toISOString(),
    deletedBy: row.deleted_by,
    hasToken: row.has_token,
    sensors: sensorsOf(sensors),
    behind: around.behind,
    openCommands: around.commands,
    hasUnmapped: around.has_unmapped,
  };
}

function sensorsOf(rows: readonly SensorRow[]): DeviceSensor[] {
  const sensors = new Map<number, DeviceSensor>();
  for (const row of rows) {
    const { index, serial, name } = row;
    const sensor = sensors.get(index) ?? {
      index,
      serial,
      name,
      disabled: row.disabled_at !== null,
      channels: [],
    };
    sensors.set(index, sensor);
    if (row.channel_id === null || row.indicator === null) continue;
    sensor.channels.push({
      channelId: row.channel_id,
      name: row.channel_name ?? '',
      indicator: row.indicator,
      value: row.value,
      measuredAt: row.measured_at?.toISOString() ?? null,
      low: row.low,
      high: row.high,
    });
  }
  // Channels are sorted by indicator, so that a channel that replaces another one keeps its position.
  const place = ({ indicator }: DeviceSensor['channels'][number]) => INDICATOR_NAMES.indexOf(indicator);
  for (const { channels } of sensors.values()) channels.sort((a, b) => place(a) - place(b));
  return [...sensors.values()];
}

/** Returns the form fields as stored; the caller looks up the gateway. */
export function fieldsFrom(form: DeviceInput, gatewayId: number | null): DeviceFields {
  const { name, type, model, serial, devEui, timeZone, offlineAfterMinutes } = form;
  return {
    name,
    type,
    model,
    serial,
    devEui,
    timeZone,
    offlineAfterMinutes,
    gatewayId,
    expiresAt: expiryOf(form.expiresOn),
    acquisitionIntervalMs: form.acquisitionIntervalS * 1000,
    uploadIntervalMs: form.uploadIntervalS * 1000,
  };
}

/** Returns the object of an audit entry. */
export function objectOf(row: DeviceRow) {
  return {
    objectKind: 'device',
    objectId: row.number,
    objectName: row.name,
    organizationPath: row.organization_path,
  };
}

/** Returns the fields of an audit entry. */
export function loggedOf(row: DeviceRow) {
  return {
    name: row.name,
    type: row.type,
    model: row.model,
    serial: row.serial,
    devEui: row.dev_eui,
    organization: row.organization_name,
    asset: row.asset_code,
    gatewayNumber: row.gateway_number,
    timeZone: row.time_zone,
    expiresOn: lastDayOf(row.expires_at),
    offlineAfterMinutes: row.offline_after_minutes,
    acquisitionIntervalS: row.acquisition_interval_ms / 1000,
    uploadIntervalS: row.upload_interval_ms / 1000,
  };
}
