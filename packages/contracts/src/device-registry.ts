import { ATTENTIONS } from '@isotherm/domain/devices/attention';
import {
  CONNECTION_STATES,
  DEVICE_TYPES,
  OFFLINE_MINUTES_MIN,
  SUPPLY_STATES,
  TERM_STATES,
} from '@isotherm/domain/devices/device-state';
import { euiOf } from '@isotherm/domain/devices/eui';
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
/** The upper limit of subscriptions: JavaScript dates and lists cannot show days after the year 9999. */
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
  /** The gateway that sends its readings. */
  gatewayNumber: z.string().nullable(),
  devEui: z.string().nullable(),
  asset: z.object({ id: z.number().int(), name: z.string(), code: z.string() }).nullable(),
  connection: z.enum(CONNECTION_STATES),
  lastSeenAt: moment.nullable(),
  /** How long it has been silent beyond its offline standard. */
  offlineForMs: z.number().nullable(),
  /** Percent. */
  battery: z.number().nullable(),
  /** dBm. */
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
  /** When it was deleted, while it can be restored. */
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
      /** Tightest limits in force, canonical unit. */
      low: z.number().nullable(),
      high: z.number().nullable(),
    }),
  ),
});
export type DeviceSensor = z.output<typeof deviceSensor>;

export const deviceDetail = deviceRecord.extend({
  /** Version to name in an edit, so that nobody overwrites a change that they have not seen. */
  version: z.number().int(),
  changedBy: z.string(),
  changedAt: moment,
  deletedBy: z.string(),
  sensors: z.array(deviceSensor),
  /** Whether it may use an access token that it kept from ThingsBoard. */
  hasToken: z.boolean(),
  /** Number of devices connected through it. */
  behind: z.number().int(),
  openCommands: z.number().int(),
  /** Whether it sent values that became no reading (`getUnmappedValues`). */
  hasUnmapped: z.boolean(),
  firmware: z.object({
    /** Version that the device reported; null before its first report. */
    version: z.string().nullable(),
    reportedAt: moment.nullable(),
    /** State in the latest roll-out that reached it. */
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

/** "Offline alarm trigger must exceed one collection period". */
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

/** Between 32 and 128 characters; only its hash is stored. */
export const deviceKey = z
  .string()
  .trim()
  .min(32)
  .max(128)
  .regex(/^[!-~]*$/, { error: 'device-key' });

/** Access token kept from ThingsBoard; only its hash is stored. Empty: none. */
export const deviceToken = orNone(z.string().trim().regex(DEVICE_TOKEN, { error: 'device-token' }));

export const newDevice = checked(
  deviceFields.extend({
    number: deviceNumber,
    organizationId: id,
    /** Empty: the server generates one. */
    key: orNone(deviceKey).default(''),
    token: deviceToken.default(''),
    sensors: z.array(sensorInput).min(1).max(64),
  }),
);
export type NewDevice = z.output<typeof newDevice>;

/** Tabs of the list, which overlap. */
export const DEVICE_VIEWS = ['all', 'online', 'offline', 'to-renew', 'unbound', 'deleted'] as const;

const deviceFilter = {
  /** Number, name, model, serial or DevEUI; the number of a gateway also finds the devices behind it. */
  search: z.string().max(100).default(''),
  organizationId: id.optional(),
  connection: z.enum(CONNECTION_STATES).optional(),
  term: z.enum([...TERM_STATES, 'to-renew']).optional(),
  bound: z.enum(['bound', 'unbound']).optional(),
  supply: z.enum(SUPPLY_STATES).optional(),
  type: z.enum(DEVICE_TYPES).optional(),
  model: z.string().max(120).optional(),
  attention: z.enum(ATTENTIONS).optional(),
  /** Deleted devices that can be restored, instead of those in use. */
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
    /** Number of devices in scope in each view, whatever the filter. */
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

/** A period in which a sensor of the device fed a channel (decision 23). */
export const deviceBinding = z.object({
  channelId: z.number().int(),
  name: z.string(),
  indicator: z.enum(INDICATOR_NAMES),
  sensorIndex: z.number().int(),
  sensorSerial: z.string(),
  /** Null while the device was unbound: the channel is its own. */
  asset: z.object({ id: z.number().int(), name: z.string(), code: z.string() }).nullable(),
  /** Null if it has no beginning. */
  from: moment.nullable(),
  /** Null while it is open. */
  until: moment.nullable(),
});
export type DeviceBinding = z.output<typeof deviceBinding>;

/** The newest 200. Throws `device.not_found`. */
export const listDeviceBindings = defineRoute({
  name: 'listDeviceBindings',
  method: 'GET',
  path: '/device/list/:number/binding',
  access: 'device-list:view',
  summary: 'Where a device measured, and when, the latest first',
  params: oneDevice,
  response: z.array(deviceBinding),
});

/** The clock of a device, as derived from its messages (decision 34). */
export const deviceClock = z.object({
  /** Device time minus real time; 0 while the clock is right. */
  offsetMs: z.number().int(),
  /** Periods in which it was wrong, the latest first; at most 100. */
  wrong: z.array(wrongClock),
  /** Readings rejected because of their time and kept for inspection, the latest first; at most 200. */
  untimed: z.array(
    z.object({
      /** Channel within the device, such as `temperature-1`. */
      channelKey: z.string(),
      /** Null if the device has no such channel any more. */
      channel: z.object({ name: z.string(), indicator: z.enum(INDICATOR_NAMES) }).nullable(),
      /** As the device sent it. */
      measuredAt: moment,
      value: z.number(),
      fault: z.enum(READING_FAULTS),
      receivedAt: moment,
    }),
  ),
});
export type DeviceClock = z.output<typeof deviceClock>;

/** Throws `device.not_found`. */
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
 * The key is only in this response. Throws `device.number_taken|eui_taken|token_taken|gateway`, `organization.not_found`.
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

/** Throws `device.not_found|eui_taken|gateway`, and `device.changed` if `version` is not the stored one. */
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

/** Invalidates the old key and the access token at once, and closes the connections opened with them. */
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
 * An empty token removes the present one. Connections opened with the present one are closed. Throws
 * `device.not_found|token_taken`.
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
 * Transfers the channels to an unbound device of the same organisation, with their history, rules and asset;
 * the replaced device is unbound. Throws `device.not_found|bound|other_organization|model_mismatch`.
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

export const listExpiring = defineRoute({
  name: 'listExpiring',
  method: 'GET',
  path: '/device/expired',
  access: 'device-expired:view',
  summary: 'Devices that are to be renewed: expiring within 3 months, expired or lapsed',
  query: z.object({ ...paging, ...expiring }),
  response: pageOf(deviceRecord),
});

/** Rows with errors are reported and left out; the others are written in one transaction. */
export const importDevices = defineRoute({
  name: 'importDevices',
  method: 'POST',
  path: '/device/list/import',
  access: 'device-list:import',
  summary: 'Register devices from a spreadsheet (xls or xlsx), or only check it',
  encoding: 'multipart',
  body: importBody,
  response: importReport.extend({
    /** Keys generated for rows without one: they are only in this response. */
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
