import { ATTENTIONS } from '@isotherm/domain/devices/attention';
import {
  CONNECTION_STATES,
  DEVICE_TYPES,
  OFFLINE_MINUTES_MIN,
  SUPPLY_STATES,
  TERM_STATES,
} from '@isotherm/domain/devices/device-state';
import { euiOf } from '@isotherm/domain/devices/eui';
import { RELEASE_STATES } from '@isotherm/domain/devices/release';
import { UPGRADE_STATES } from '@isotherm/domain/devices/rollout';
import { INDICATOR_NAMES } from '@isotherm/domain/readings/indicator';
import { z } from 'zod';
import { encodedFile, importBody, importReport, sheetExport } from './batches.ts';
import { code, deviceName, deviceNumber, label, orNone, reason } from './fields.ts';
import { DEVICE_TOKEN, READING_FAULTS } from './ingest.ts';
import { defineRoute, id, moment, pageOf, paging, timeZone } from './route.ts';
import { wrongClock } from './telemetry.ts';

const DAY_S = 86_400;

/** The last paid day in UTC: `2027-05-31`. */
const day = z.iso.date({ error: 'format' });
/** Upper limit of subscriptions, because JavaScript dates and lists cannot show days after the year 9999. */
export const LAST_PAID_DAY = '2999-12-31';

export const deviceRecord = z.object({
  id: z.number().int(),
  number: z.string(),
  name: z.string(),
  type: z.enum(DEVICE_TYPES),
  model: z.string(),
  serial: z.string(),
  organizationId: z.number().int(),
  organizationName: z.string(),
  /** Number of the gateway that sends the readings of the device; null if it has none. */
  gatewayNumber: z.string().nullable(),
  devEui: z.string().nullable(),
  asset: z.object({ id: z.number().int(), name: z.string(), code: z.string() }).nullable(),
  connection: z.enum(CONNECTION_STATES),
  lastSeenAt: moment.nullable(),
  /**
   * Milliseconds without a reading beyond the time after which the device counts as offline; null while it
   * is online.
   */
  offlineForMs: z.number().nullable(),
  /** Battery level in percent. */
  battery: z.number().nullable(),
  /** Signal strength in dBm. */
  signal: z.number().nullable(),
  supply: z.enum(SUPPLY_STATES),
  term: z.enum(TERM_STATES),
  toBeRenewed: z.boolean(),
  expiresOn: day.nullable(),
  timeZone: z.string(),
  offlineAfterMinutes: z.number().int(),
  acquisitionIntervalS: z.number(),
  uploadIntervalS: z.number(),
  createdAt: moment,
  /** Time of the deletion while the device can be restored, otherwise null. */
  deletedAt: moment.nullable(),
});
export type DeviceRecord = z.output<typeof deviceRecord>;

export const deviceSensor = z.object({
  index: z.number().int(),
  serial: z.string(),
  name: z.string(),
  disabled: z.boolean(),
  channels: z.array(
    z.object({
      channelId: z.number().int(),
      name: z.string(),
      indicator: z.enum(INDICATOR_NAMES),
      value: z.number().nullable(),
      measuredAt: moment.nullable(),
      /** Tightest lower limit in force, in the canonical unit. */
      low: z.number().nullable(),
      high: z.number().nullable(),
    }),
  ),
});
export type DeviceSensor = z.output<typeof deviceSensor>;

export const deviceDetail = deviceRecord.extend({
  /** Version of the record. An edit sends it, so that no change is overwritten unseen. */
  version: z.number().int(),
  changedBy: z.string(),
  changedAt: moment,
  deletedBy: z.string(),
  sensors: z.array(deviceSensor),
  /** True if the device may use an access token that it has kept from ThingsBoard. */
  hasToken: z.boolean(),
  /** Number of devices that are connected through this device, if it is a gateway. */
  behind: z.number().int(),
  openCommands: z.number().int(),
  /** True if the device sent values that no mapping converts to readings (`getUnmappedValues`). */
  hasUnmapped: z.boolean(),
  firmware: z.object({
    /** Firmware version that the device reported; null before its first report. */
    version: z.string().nullable(),
    reportedAt: moment.nullable(),
    /** State of the device in the latest roll-out that included it. */
    upgrade: z
      .object({
        rolloutId: z.number().int(),
        version: z.string(),
        state: z.enum(UPGRADE_STATES),
        percent: z.number().int(),
        reason: z.string(),
        since: moment,
      })
      .nullable(),
  }),
});
export type DeviceDetail = z.output<typeof deviceDetail>;

const interval = z.number().int().min(1).max(DAY_S);

/** A LoRaWAN DevEUI, or a MAC address, which is extended to an EUI-64. */
const devEui = z
  .string()
  .trim()
  .refine((text) => euiOf(text) !== null, { error: 'dev-eui' })
  .transform((text) => euiOf(text) ?? text);

const deviceFields = z.strictObject({
  name: deviceName,
  type: z.enum(DEVICE_TYPES),
  model: orNone(label()).default(''),
  serial: orNone(code).default(''),
  gatewayNumber: orNone(deviceNumber).default(''),
  devEui: orNone(devEui).default(''),
  timeZone: timeZone.default('UTC'),
  expiresOn: day
    .refine((text) => text <= LAST_PAID_DAY, { error: 'format' })
    .nullable()
    .default(null),
  offlineAfterMinutes: z.number().int().min(OFFLINE_MINUTES_MIN).max(10_080).default(30),
  acquisitionIntervalS: interval.default(60),
  uploadIntervalS: interval.default(60),
});
type Periods = Pick<
  z.output<typeof deviceFields>,
  'offlineAfterMinutes' | 'acquisitionIntervalS' | 'uploadIntervalS'
>;

/** Checks the rule "Offline alarm trigger must exceed one collection period". */
function checked<S extends z.ZodObject>(schema: S): S {
  return schema
    .refine((form) => (form as Periods).uploadIntervalS >= (form as Periods).acquisitionIntervalS, {
      path: ['uploadIntervalS'],
      error: 'below-acquisition',
    })
    .refine((form) => (form as Periods).offlineAfterMinutes * 60 > (form as Periods).uploadIntervalS, {
      path: ['offlineAfterMinutes'],
      error: 'above-interval',
    });
}

export const deviceInput = checked(deviceFields);
export type DeviceInput = z.output<typeof deviceInput>;

export const sensorInput = z.strictObject({
  name: label(),
  serial: orNone(code).default(''),
  indicators: z.array(z.enum(INDICATOR_NAMES)).min(1).max(INDICATOR_NAMES.length),
});

/** Device key with 32 to 128 characters. Only its hash is stored. */
export const deviceKey = z
  .string()
  .trim()
  .min(32)
  .max(128)
  .regex(/^[!-~]*$/, { error: 'device-key' });

/**
 * Access token that the device has kept from ThingsBoard. Only its hash is stored. Empty if there is none.
 */
export const deviceToken = orNone(z.string().trim().regex(DEVICE_TOKEN, { error: 'device-token' }));

export const newDevice = checked(
  deviceFields.extend({
    number: deviceNumber,
    organizationId: id,
    /** Device key; if empty, the server generates one. */
    key: orNone(deviceKey).default(''),
    token: deviceToken.default(''),
    sensors: z.array(sensorInput).min(1).max(64),
  }),
);
export type NewDevice = z.output<typeof newDevice>;

/** Tabs of the list. A device may be in several of them. */
export const DEVICE_VIEWS = ['all', 'online', 'offline', 'to-renew', 'unbound', 'deleted'] as const;

const deviceFilter = {
  /**
   * Search text for number, name, model, serial number or DevEUI. The number of a gateway also finds the
   * devices behind it.
   */
  search: z.string().max(100).default(''),
  organizationId: id.optional(),
  connection: z.enum(CONNECTION_STATES).optional(),
  term: z.enum([...TERM_STATES, 'to-renew']).optional(),
  bound: z.enum(['bound', 'unbound']).optional(),
  supply: z.enum(SUPPLY_STATES).optional(),
  type: z.enum(DEVICE_TYPES).optional(),
  model: z.string().max(120).optional(),
  attention: z.enum(ATTENTIONS).optional(),
  /** `true` lists the deleted devices that can be restored, instead of those in use. */
  deleted: z.enum(['true']).optional(),
  sort: z
    .enum(['number', 'name', 'model', 'organization', 'lastSeenAt', 'expiresOn', 'createdAt'])
    .default('number'),
  order: z.enum(['asc', 'desc']).default('asc'),
};

export const listDevices = defineRoute({
  name: 'listDevices',
  method: 'GET',
  path: '/device/list',
  access: 'device-list:view',
  summary: 'Devices of own and subordinate organisations with their states',
  query: z.object({ ...paging, ...deviceFilter }),
  response: pageOf(deviceRecord).extend({
    /** Number of devices in the user's scope in each view, without the filter. */
    counts: z.record(z.enum(DEVICE_VIEWS), z.number().int()),
  }),
});

export const listModels = defineRoute({
  name: 'listModels',
  method: 'GET',
  path: '/device/list/models',
  access: 'device-list:view',
  summary: 'Models of the devices of own and subordinate organisations',
  response: z.array(z.string()),
});

export const exportDevices = defineRoute({
  name: 'exportDevices',
  method: 'GET',
  path: '/device/list/export',
  access: 'device-list:export',
  summary: 'The filtered devices as a spreadsheet',
  query: z.object(deviceFilter),
  response: sheetExport,
});

const oneDevice = z.object({ number: deviceNumber });

export const getDevice = defineRoute({
  name: 'getDevice',
  method: 'GET',
  path: '/device/list/:number',
  access: 'device-list:view',
  summary: 'One device with its sensors and what they say',
  params: oneDevice,
  response: deviceDetail,
});

/** A period in which the readings of a sensor of the device belonged to a channel (decision 23). */
export const deviceBinding = z.object({
  channelId: z.number().int(),
  name: z.string(),
  indicator: z.enum(INDICATOR_NAMES),
  sensorIndex: z.number().int(),
  sensorSerial: z.string(),
  /** Null while the device was unbound; the channel then belongs to the device only. */
  asset: z.object({ id: z.number().int(), name: z.string(), code: z.string() }).nullable(),
  /** Start of the period; null if it has none. */
  from: moment.nullable(),
  /** End of the period; null while the period is ongoing. */
  until: moment.nullable(),
});
export type DeviceBinding = z.output<typeof deviceBinding>;

/** Lists the newest 200 bindings of a device. Throws `device.not_found`. */
export const listDeviceBindings = defineRoute({
  name: 'listDeviceBindings',
  method: 'GET',
  path: '/device/list/:number/binding',
  access: 'device-list:view',
  summary: 'Where a device measured, and when, the latest first',
  params: oneDevice,
  response: z.array(deviceBinding),
});

/** The state of a device's clock, derived from its messages (decision 34). */
export const deviceClock = z.object({
  /** Device time minus real time in ms; 0 while the clock is right. */
  offsetMs: z.number().int(),
  /** Periods in which the clock was wrong, the latest first; at most 100. */
  wrong: z.array(wrongClock),
  /**
   * Readings that were rejected because of their time and kept for inspection, the latest first; at most
   * 200.
   */
  untimed: z.array(
    z.object({
      /** Key of the channel within the device, such as `temperature-1`. */
      channelKey: z.string(),
      /** The channel; null if the device does not have it any more. */
      channel: z.object({ name: z.string(), indicator: z.enum(INDICATOR_NAMES) }).nullable(),
      /** Time of the reading as the device sent it. */
      measuredAt: moment,
      value: z.number(),
      fault: z.enum(READING_FAULTS),
      receivedAt: moment,
    }),
  ),
});
export type DeviceClock = z.output<typeof deviceClock>;

/** Reads the clock state of a device. Throws `device.not_found`. */
export const getDeviceClock = defineRoute({
  name: 'getDeviceClock',
  method: 'GET',
  path: '/device/list/:number/clock',
  access: 'device-list:view',
  summary:
    'The clock of a device: its offset, when it was wrong, and readings that were refused for their time',
  params: oneDevice,
  response: deviceClock,
});

/**
 * Creates a device. Its key is contained in this response only. Throws
 * `device.number_taken|eui_taken|token_taken|gateway`, `organization.not_found`.
 */
export const createDevice = defineRoute({
  name: 'createDevice',
  method: 'POST',
  path: '/device/list',
  access: 'device-list:create',
  summary: 'Register a device; its key is shown this once',
  body: newDevice,
  response: z.object({ device: deviceDetail, key: z.string() }),
});

/**
 * Edits a device. Throws `device.not_found|eui_taken|gateway`, and `device.changed` if `version` is not the
 * stored one.
 */
export const editDevice = defineRoute({
  name: 'editDevice',
  method: 'PUT',
  path: '/device/list/:number',
  access: 'device-list:edit',
  summary: 'Change a device',
  params: oneDevice,
  body: z.strictObject({ version: z.number().int(), device: deviceInput }),
  response: deviceDetail,
});

export const editSensor = defineRoute({
  name: 'editSensor',
  method: 'PUT',
  path: '/device/list/:number/sensor/:index',
  access: 'device-list:edit',
  summary: 'Rename a sensor, or switch it off and on',
  params: oneDevice.extend({ index: z.coerce.number().int().min(1).max(64) }),
  body: z.strictObject({ name: label(), serial: orNone(code).default(''), disabled: z.boolean() }),
  response: deviceDetail,
});

/**
 * Generates a new device key. The old key and the access token are invalid at once, and connections opened
 * with them are closed.
 */
export const rotateDeviceKey = defineRoute({
  name: 'rotateDeviceKey',
  method: 'POST',
  path: '/device/list/:number/key',
  access: 'device-list:key',
  summary: 'Give a device another key; it is shown this once',
  params: oneDevice,
  body: z.strictObject({ reason }),
  response: z.object({ key: z.string() }),
});

/**
 * Sets or, with an empty token, removes the access token. Connections opened with the current one are
 * closed. Throws `device.not_found|token_taken`.
 */
export const setDeviceToken = defineRoute({
  name: 'setDeviceToken',
  method: 'PUT',
  path: '/device/list/:number/token',
  access: 'device-list:key',
  summary: 'Set or remove the access token that a device kept from ThingsBoard',
  params: oneDevice,
  body: z.strictObject({ token: deviceToken, reason }),
  response: deviceDetail,
});

/**
 * Replaces a device by an unbound device of the same organisation. The channels move to the new device with
 * their history, rules and asset; the replaced device is unbound. Throws
 * `device.not_found|bound|other_organization|model_mismatch`.
 */
export const replaceDevice = defineRoute({
  name: 'replaceDevice',
  method: 'POST',
  path: '/device/list/:number/replace',
  access: 'device-list:replace',
  summary: 'Put another device in the place of one',
  params: oneDevice,
  body: z.strictObject({ by: deviceNumber, reason }),
  response: deviceDetail,
});

const expiring = {
  search: deviceFilter.search,
  organizationId: deviceFilter.organizationId,
  term: z.enum(['expiring', 'expired', 'lapsed']).optional(),
  sort: deviceFilter.sort.default('expiresOn'),
  order: deviceFilter.order,
};

/** A device with what happens to its data after it has been expired for long (docs/backup.md). */
export const expiringDevice = deviceRecord.extend({
  release: z
    .object({
      state: z.enum(RELEASE_STATES),
      /** When the data are deleted, if that was announced; when they were, if they were. */
      at: moment.nullable(),
      /** Until when the archive can be downloaded; null if there is none. */
      archiveUntil: moment.nullable(),
    })
    .nullable(),
});
export type ExpiringDevice = z.output<typeof expiringDevice>;

export const listExpiring = defineRoute({
  name: 'listExpiring',
  method: 'GET',
  path: '/device/expired',
  access: 'device-expired:view',
  summary: 'Devices that are to be renewed: expiring within 3 months, expired or lapsed',
  query: z.object({ ...paging, ...expiring }),
  response: pageOf(expiringDevice),
});

/**
 * Imports devices from a spreadsheet. Rows with errors are reported and left out; the others are written in
 * one transaction.
 */
export const importDevices = defineRoute({
  name: 'importDevices',
  method: 'POST',
  path: '/device/list/import',
  access: 'device-list:import',
  summary: 'Register devices from a spreadsheet (xls or xlsx), or only check it',
  encoding: 'multipart',
  body: importBody,
  response: importReport.extend({
    /** Keys that were generated for rows without one. They are contained in this response only. */
    keys: encodedFile.nullable(),
  }),
});

export const getDeviceTemplate = defineRoute({
  name: 'getDeviceTemplate',
  method: 'GET',
  path: '/device/list/template',
  access: 'device-list:import',
  summary: 'The spreadsheet of devices to fill in, as base64',
  response: encodedFile,
});

export const importBonds = defineRoute({
  name: 'importBonds',
  method: 'POST',
  path: '/device/list/bind-import',
  access: 'device-list:bind',
  summary: 'Bind devices to assets by a spreadsheet of numbers and asset codes, or only check it',
  encoding: 'multipart',
  body: importBody,
  response: importReport,
});

export const getBondTemplate = defineRoute({
  name: 'getBondTemplate',
  method: 'GET',
  path: '/device/list/bind-template',
  access: 'device-list:bind',
  summary: 'The spreadsheet of devices and assets to fill in, as base64',
  response: encodedFile,
});
