import { randomBytes } from 'node:crypto';
import type {
  DeviceBinding,
  DeviceClock,
  DeviceDetail,
  DeviceInput,
  DeviceRecord,
  editSensor,
  listDevices,
  NewDevice,
} from '@isotherm/contracts/device-registry';
import { AppError } from '@isotherm/contracts/errors';
import type { DeviceRenewal } from '@isotherm/contracts/renewal-orders';
import type { ResponseOf } from '@isotherm/contracts/route';
import type { TermBounds } from '@isotherm/domain/devices/device-state';
import { storedName } from '@isotherm/i18n/system-names';
import type pg from 'pg';
import type { z } from 'zod';
import type { Audit } from '../../../platform/audit/audit.ts';
import type { Clock } from '../../../platform/clock.ts';
import { mapRows } from '../../../platform/db/map-rows.ts';
import { type Db, isDuplicate, type Tx, transaction } from '../../../platform/db/pool.ts';
import type { Caller } from '../../../platform/http/caller.ts';
import type { Sealing } from '../../../platform/sealing.ts';
import { findOrganizationPath } from '../../identity/index.ts';
import { endCalibrations } from '../calibration/calibrations.repo.ts';
import { hashDeviceKey, hashDeviceToken } from '../device-directory.ts';
import { insertSensors, listModels } from '../devices.repo.ts';
import { findDeviceFirmware } from '../firmware/upgrades.repo.ts';
import { sealPacketSecret } from '../packet-secrets.ts';
import { listRenewals } from '../renewal/extensions.repo.ts';
import type { RenewalPolicyReader } from '../renewal/renewal-policy.ts';
import { listDeviceBindings } from './bindings-view.repo.ts';
import { loadDeviceClock } from './clock-view.repo.ts';
import { type DeviceQuery, viewOf } from './device-filter.ts';
import { detailOf, fieldsFrom, loggedOf, objectOf, recordOf } from './device-view.ts';
import {
  countAround,
  countDevices,
  countViews,
  type DeviceRow,
  deviceRows,
  findDevice,
  findDevices,
  findGateway,
  insertDevices,
  listDeviceRows,
  listSensorRows,
  setKey,
  setToken,
  updateDevice,
  updateSensor,
} from './registry.repo.ts';

export interface RegistryService {
  list(
    caller: Caller,
    query: z.output<(typeof listDevices)['query']>,
  ): Promise<ResponseOf<typeof listDevices>>;
  /** Returns all filtered devices for a spreadsheet. */
  listAll(caller: Caller, query: DeviceQuery, most: number): Promise<DeviceRecord[]>;
  models(caller: Caller): Promise<string[]>;
  get(caller: Caller, number: string): Promise<DeviceDetail>;
  /** Lists where the device measured, the latest first. Throws `device.not_found`. */
  bindings(caller: Caller, number: string): Promise<DeviceBinding[]>;
  /** Throws `device.not_found`. */
  renewals(caller: Caller, number: string): Promise<DeviceRenewal[]>;
  /** Throws `device.not_found`. */
  clock(caller: Caller, number: string): Promise<DeviceClock>;
  create(caller: Caller, form: NewDevice): Promise<{ device: DeviceDetail; key: string }>;
  edit(caller: Caller, number: string, version: number, form: DeviceInput): Promise<DeviceDetail>;
  editSensor(
    caller: Caller,
    number: string,
    index: number,
    form: z.output<(typeof editSensor)['body']>,
  ): Promise<DeviceDetail>;
  rotateKey(caller: Caller, number: string, reason: string): Promise<{ key: string }>;
  /** Sets the access token; an empty token removes it. Throws `device.not_found|token_taken`. */
  setToken(caller: Caller, number: string, token: string, reason: string): Promise<DeviceDetail>;
  /** Invalidates cached counts after a change. */
  forgetCounts(): void;
}

export interface RegistryParts {
  pool: pg.Pool;
  audit: Pick<Audit, 'record'>;
  clock: Clock;
  sealing: Sealing;
  renewal: Pick<RenewalPolicyReader, 'bounds'>;
  /** Notifies every process that these devices have changed. */
  changed: (numbers: readonly string[]) => void;
}

const COUNTS_KEEP_MS = 5_000;
const MOST_KEPT = 1_000;
const BINDINGS_ON_PAGE = 200;

export const randomKey = () => randomBytes(32).toString('base64url');

export function createRegistryService(parts: RegistryParts): RegistryService {
  const { pool, audit, clock, sealing, renewal, changed } = parts;
  const kept = new Map<string, { counts: Awaited<ReturnType<typeof countViews>>; until: number }>();

  /** Returns cached counts, so that paging does not count 100,000 devices each time. */
  async function countsOf(scope: string, bounds: TermBounds) {
    const now = bounds.expiredUntil;
    const known = kept.get(scope);
    if (known && known.until > now) return known.counts;
    const counts = await countViews(pool, scope, bounds);
    if (kept.size >= MOST_KEPT) kept.clear();
    kept.set(scope, { counts, until: now + COUNTS_KEEP_MS });
    return counts;
  }
  const today = () => new Date(clock.now());

  /** Returns a device in use, locked until the end of the transaction. */
  async function hold(tx: Tx, caller: Caller, number: string): Promise<DeviceRow> {
    const [row] = await findDevices(tx, caller.scope, [number], { lock: true });
    if (!row) throw new AppError('device.not_found');
    return row;
  }

  async function detail(db: Db, caller: Caller, number: string): Promise<DeviceDetail> {
    const row = await findDevice(db, caller.scope, number);
    if (!row) throw new AppError('device.not_found');
    const [sensors, around, firmware] = [
      await listSensorRows(db, row.id),
      await countAround(db, row.id),
      await findDeviceFirmware(db, row.id),
    ];
    return { ...detailOf(row, sensors, around, await renewal.bounds()), firmware };
  }

  async function gatewayOf(db: Db, caller: Caller, form: DeviceInput, own: string): Promise<number | null> {
    const { gatewayNumber: number } = form;
    if (number === '') return null;
    const id = number === own ? null : await findGateway(db, caller.scope, number);
    if (id === null) throw new AppError('device.gateway', { number });
    return id;
  }

  return {
    forgetCounts: () => kept.clear(),
    async list(caller, query) {
      const bounds = await renewal.bounds();
      const view = viewOf(query);
      const [rows, counted, counts] = await Promise.all([
        listDeviceRows(pool, caller.scope, query, bounds, {
          limit: query.pageSize,
          offset: (query.page - 1) * query.pageSize,
        }),
        view === null ? countDevices(pool, caller.scope, query, bounds) : null,
        countsOf(caller.scope, bounds),
      ]);
      const total = counted ?? counts[view ?? 'all'];
      return { items: rows.map((row) => recordOf(row, bounds)), total, counts };
    },
    async listAll(caller, query, most) {
      const bounds = await renewal.bounds();
      const all = await deviceRows(pool, caller.scope, query, bounds, { limit: most, offset: 0 });
      return mapRows(pool, all, (row: DeviceRow) => recordOf(row, bounds));
    },
    models: async (caller) => (await listModels(pool, caller.scope)).map(({ model }) => model).sort(),
    get: (caller, number) => detail(pool, caller, number),
    async bindings(caller, number) {
      const row = await findDevice(pool, caller.scope, number);
      if (!row) throw new AppError('device.not_found');
      return listDeviceBindings(pool, caller.scope, row.id, BINDINGS_ON_PAGE);
    },
    async clock(caller, number) {
      const row = await findDevice(pool, caller.scope, number);
      if (!row) throw new AppError('device.not_found');
      return loadDeviceClock(pool, row.id);
    },
    async renewals(caller, number) {
      const row = await findDevice(pool, caller.scope, number);
      if (!row) throw new AppError('device.not_found');
      return listRenewals(pool, row.id);
    },
    async create(caller, form) {
      const { number, sensors } = form;
      const key = form.key === '' ? randomKey() : form.key;
      const device = await transaction(pool, async (tx) => {
        const path = await findOrganizationPath(tx, caller.scope, form.organizationId);
        if (path === null) throw new AppError('organization.not_found');
        const gatewayId = await gatewayOf(tx, caller, form, number);
        await insertDevices(
          tx,
          [
            {
              ...fieldsFrom(form, gatewayId),
              ...secretsOf(sealing, key, form.token),
              number,
              organizationId: form.organizationId,
            },
          ],
          caller.username,
          today(),
        );
        await insertSensors(tx, [{ number, sensors: sensorsOf(sensors) }]);
        const made = await hold(tx, caller, number);
        const after = { ...loggedOf(made), number, sensors, hasToken: made.has_token };
        await audit.record(tx, caller, { action: 'create', ...objectOf(made), after });
        return detail(tx, caller, number);
      }).catch((error: unknown) => {
        throw taken(error, number);
      });
      changed([number]);
      return { device, key };
    },
    async edit(caller, number, version, form) {
      const device = await transaction(pool, async (tx) => {
        const before = await hold(tx, caller, number);
        if (before.version !== version) throw new AppError('device.changed', { name: before.changed_by });
        const gatewayId = await gatewayOf(tx, caller, form, number);
        await updateDevice(tx, before.id, fieldsFrom(form, gatewayId), caller.username, today());
        const after = await hold(tx, caller, number);
        await audit.record(tx, caller, {
          action: 'change',
          ...objectOf(after),
          before: loggedOf(before),
          after: loggedOf(after),
        });
        return detail(tx, caller, number);
      }).catch((error: unknown) => {
        throw taken(error, number);
      });
      changed([number]);
      return device;
    },
    async editSensor(caller, number, index, form) {
      const device = await transaction(pool, async (tx) => {
        const row = await hold(tx, caller, number);
        const before = (await listSensorRows(tx, row.id)).find((sensor) => sensor.index === index);
        if (!before) throw new AppError('device.not_found');
        const name = storedName(form.name, before.name, caller.language);
        await updateSensor(tx, before.sensor_id, { ...form, name }, today());
        if (form.serial !== before.serial) await endCalibrations(tx, before.sensor_id, form.serial, today());
        await audit.record(tx, caller, {
          action: 'change',
          ...objectOf(row),
          before: {
            sensor: index,
            sensorName: before.name,
            serial: before.serial,
            disabled: before.disabled_at !== null,
          },
          after: { sensor: index, sensorName: name, serial: form.serial, disabled: form.disabled },
        });
        return detail(tx, caller, number);
      });
      changed([number]);
      return device;
    },
    async rotateKey(caller, number, reason) {
      const key = randomKey();
      const { keyHash, packetSecret } = secretsOf(sealing, key, '');
      await transaction(pool, async (tx) => {
        const row = await hold(tx, caller, number);
        await setKey(tx, row.id, keyHash, packetSecret);
        await audit.record(tx, caller, { action: 'key-change', ...objectOf(row), reason });
      });
      changed([number]);
      return { key };
    },
    async setToken(caller, number, token, reason) {
      const device = await transaction(pool, async (tx) => {
        const row = await hold(tx, caller, number);
        await setToken(tx, row.id, hashDeviceToken(token));
        await audit.record(tx, caller, {
          action: 'token-change',
          ...objectOf(row),
          before: { hasToken: row.has_token },
          after: { hasToken: token !== '' },
          reason,
        });
        return detail(tx, caller, number);
      }).catch((error: unknown) => {
        throw taken(error, number);
      });
      changed([number]);
      return device;
    },
  };
}

/**
 * Returns the stored form of a key and a token: their hashes, and the secret from which packet keys are
 * derived.
 */
export const secretsOf = (sealing: Sealing, key: string, token: string) => ({
  keyHash: hashDeviceKey(key),
  tokenHash: hashDeviceToken(token),
  packetSecret: sealPacketSecret(sealing, key),
});

/** Returns the sensors of a form, numbered in its order; channels are named after their sensor. */
export function sensorsOf(sensors: NewDevice['sensors']) {
  return sensors.map(({ name, serial, indicators }, at) => ({
    index: at + 1,
    name,
    serial,
    channels: [...new Set(indicators)].map((indicator) => ({ indicator, name })),
  }));
}

/** Maps a violation of a unique index to the error code of the number or name in use. */
export function taken(error: unknown, number: string): unknown {
  if (isDuplicate(error, 'device_number_key'))
    return new AppError('device.number_taken', { number }, { cause: error });
  if (isDuplicate(error, 'device_token_key')) return new AppError('device.token_taken', {}, { cause: error });
  if (isDuplicate(error, 'device_dev_eui_key')) return new AppError('device.eui_taken', {}, { cause: error });
  return error;
}
