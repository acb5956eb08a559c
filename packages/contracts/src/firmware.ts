import { FIRMWARE_VERSION } from '@isotherm/domain/devices/firmware-version';
import { ROLLOUT_DEEDS, ROLLOUT_STATES, UPGRADE_STATES } from '@isotherm/domain/devices/rollout';
import { z } from 'zod';
import { deviceNumber, file, label, prose, reason } from './fields.ts';
import { defineRoute, id, moment, pageOf, paging } from './route.ts';

export const FIRMWARE_MAX_BYTES = 16 * 1024 * 1024;
const MOST_AT_ONCE = 5_000;
const DAY_S = 86_400;
const HOUR_S = 3_600;

/**
 * Returns the text that is signed, and that a device verifies. It contains model and version, so that a file
 * cannot be used as another version or for another model. If the size is not known yet, it may be a
 * placeholder.
 */
export function firmwareStatement(of: {
  title: string;
  version: string;
  size: number | string;
  checksum: string;
}): string {
  return `isotherm-firmware\n${of.title}\n${of.version}\n${of.size}\n${of.checksum}\n`;
}

const version = z.string().trim().max(64).regex(FIRMWARE_VERSION, { error: 'format' });
/** Signature of 64 bytes. */
const signature = z
  .string()
  .trim()
  .regex(/^[A-Za-z0-9+/]{86}==$/, { error: 'format' });

export const firmware = z.object({
  id: z.number().int(),
  organizationId: z.number().int(),
  organizationName: z.string(),
  model: z.string(),
  version: z.string(),
  notes: z.string(),
  sizeBytes: z.number().int(),
  checksum: z.string(),
  keyName: z.string(),
  uploadedBy: z.string(),
  uploadedAt: moment,
  withdrawnAt: moment.nullable(),
  withdrawnBy: z.string(),
  /** Number of devices of the user's own and subordinate organisations that report this version. */
  running: z.number().int(),
});
export type Firmware = z.output<typeof firmware>;

export const listFirmware = defineRoute({
  name: 'listFirmware',
  method: 'GET',
  path: '/device/upgrade/firmware',
  access: 'device-upgrade:view',
  summary: 'Firmware of own, subordinate and superior organisations: by model, newest version first',
  response: z.array(firmware),
});

/**
 * Uploads a firmware version. Throws `firmware.signature|version_taken`, `organization.not_found`,
 * `upload.too_large`.
 */
export const uploadFirmware = defineRoute({
  name: 'uploadFirmware',
  method: 'POST',
  path: '/device/upgrade/firmware',
  access: 'device-upgrade:edit',
  summary: 'Take a signed firmware for a model; 16 MB at most',
  encoding: 'multipart',
  body: z.strictObject({
    file: file(FIRMWARE_MAX_BYTES),
    organizationId: id,
    model: label(),
    version,
    signature,
    notes: prose(2_000).default(''),
  }),
  response: firmware,
});

/**
 * Withdraws a firmware version: it is no longer offered or downloaded, and its roll-outs are cancelled.
 * Throws `firmware.not_found`.
 */
export const withdrawFirmware = defineRoute({
  name: 'withdrawFirmware',
  method: 'POST',
  path: '/device/upgrade/firmware/:id/withdraw',
  access: 'device-upgrade:edit',
  summary: 'Withdraw a firmware',
  params: z.object({ id }),
  body: z.strictObject({ reason }),
  response: z.null(),
});

export const firmwareKey = z.object({
  id: z.number().int(),
  organizationName: z.string(),
  name: z.string(),
  /** Public key: 32 bytes in base64. */
  publicKey: z.string(),
  addedBy: z.string(),
  addedAt: moment,
  endedAt: moment.nullable(),
});
export type FirmwareKey = z.output<typeof firmwareKey>;

export const listFirmwareKeys = defineRoute({
  name: 'listFirmwareKeys',
  method: 'GET',
  path: '/device/upgrade/key',
  access: 'device-upgrade:view',
  summary: 'Public keys that firmware is verified with, of own, subordinate and superior organisations',
  response: z.array(firmwareKey),
});

/**
 * Adds a key that is trusted for firmware of the organisation and those below it. Throws `firmware.key`,
 * `organization.not_found`.
 */
export const addFirmwareKey = defineRoute({
  name: 'addFirmwareKey',
  method: 'POST',
  path: '/device/upgrade/key',
  access: 'device-upgrade:keys',
  summary: 'Trust an Ed25519 public key',
  body: z.strictObject({
    organizationId: id,
    name: label(),
    /** Public key as PEM, or 32 bytes in base64. */
    publicKey: z.string().trim().min(1).max(1_000),
  }),
  response: firmwareKey,
});

/**
 * Ends the trust in a key: existing firmware stays, new signatures are refused. Throws `firmware.not_found`.
 */
export const endFirmwareKey = defineRoute({
  name: 'endFirmwareKey',
  method: 'POST',
  path: '/device/upgrade/key/:id/end',
  access: 'device-upgrade:keys',
  summary: 'Trust a public key no more',
  params: z.object({ id }),
  body: z.strictObject({ reason }),
  response: z.null(),
});

const share = z.number().min(0.01).max(1);

/** Devices of the firmware's model; if `numbers` is given, only those devices. */
const who = {
  firmwareId: id,
  organizationId: id.optional(),
  search: z.string().max(100).default(''),
  numbers: z.array(deviceNumber).max(MOST_AT_ONCE).default([]),
};

/** Returns which devices a roll-out would reach. Throws `firmware.not_found`. */
export const getRolloutOutlook = defineRoute({
  name: 'getRolloutOutlook',
  method: 'POST',
  path: '/device/upgrade/roll-out/outlook',
  access: 'device-upgrade:view',
  summary: 'Which devices a roll-out would reach',
  body: z.strictObject(who),
  response: z.object({
    devices: z.number().int(),
    /** Number of devices that are left out because they have this version or a newer one. */
    current: z.number().int(),
    /** Number of devices that are left out because they are in another roll-out. */
    busy: z.number().int(),
  }),
});

const waveState = z.object({
  devices: z.number().int(),
  states: z.record(z.enum(UPGRADE_STATES), z.number().int()),
});

export const rollout = z.object({
  id: z.number().int(),
  organizationName: z.string(),
  firmwareId: z.number().int(),
  model: z.string(),
  version: z.string(),
  note: z.string(),
  state: z.enum(ROLLOUT_STATES),
  /** Number of the last wave that has started; the first wave is 1. */
  wave: z.number().int(),
  waves: z.array(waveState),
  isAutomatic: z.boolean(),
  successShare: z.number(),
  failureShare: z.number(),
  offerWithinS: z.number().int(),
  createdBy: z.string(),
  createdAt: moment,
  endedAt: moment.nullable(),
});
export type Rollout = z.output<typeof rollout>;

export const listRollouts = defineRoute({
  name: 'listRollouts',
  method: 'GET',
  path: '/device/upgrade/roll-out',
  access: 'device-upgrade:view',
  summary: 'Roll-outs of own and subordinate organisations, newest first',
  query: z.object({
    ...paging,
    /** Search text for model or version. */
    search: z.string().max(100).default(''),
    state: z.enum(ROLLOUT_STATES).optional(),
  }),
  response: pageOf(rollout),
});

/** Reads a roll-out. Throws `firmware.not_found`. */
export const getRollout = defineRoute({
  name: 'getRollout',
  method: 'GET',
  path: '/device/upgrade/roll-out/:id',
  access: 'device-upgrade:view',
  summary: 'How far a roll-out is, wave by wave',
  params: z.object({ id }),
  response: rollout,
});

export const upgrade = z.object({
  number: z.string(),
  name: z.string(),
  organizationName: z.string(),
  wave: z.number().int(),
  state: z.enum(UPGRADE_STATES),
  percent: z.number().int(),
  reason: z.string(),
  /** Time of the device's last report. */
  since: moment,
  fromVersion: z.string().nullable(),
});
export type UpgradeRecord = z.output<typeof upgrade>;

/** Lists the devices of a roll-out. Throws `firmware.not_found`. */
export const listUpgrades = defineRoute({
  name: 'listUpgrades',
  method: 'GET',
  path: '/device/upgrade/roll-out/:id/device',
  access: 'device-upgrade:view',
  summary: 'Devices of a roll-out and how far each is',
  params: z.object({ id }),
  query: z.object({
    ...paging,
    search: z.string().max(100).default(''),
    state: z.enum(UPGRADE_STATES).optional(),
    wave: z.coerce.number().int().min(1).max(100).optional(),
  }),
  response: pageOf(upgrade),
});

/** Creates a roll-out; its first wave starts immediately. Throws `firmware.not_found|nobody`. */
export const createRollout = defineRoute({
  name: 'createRollout',
  method: 'POST',
  path: '/device/upgrade/roll-out',
  access: 'device-upgrade:send',
  summary: 'Roll a firmware out to devices of its model, in waves',
  body: z.strictObject({
    ...who,
    /** Cumulative sizes of the waves. The remaining devices are the last wave. */
    waves: z
      .array(
        z.strictObject({
          amount: z.number().int().min(1).max(100_000),
          unit: z.enum(['devices', 'percent']),
        }),
      )
      .max(20)
      .default([]),
    isAutomatic: z.boolean().default(true),
    successShare: share.default(0.9),
    failureShare: share.default(0.1),
    /** Seconds that an offer waits for its device. */
    offerWithinS: z
      .number()
      .int()
      .min(HOUR_S)
      .max(30 * DAY_S)
      .default(7 * DAY_S),
    note: prose(500).default(''),
  }),
  response: rollout,
});

/**
 * Changes a roll-out. Throws `firmware.not_found`, and `firmware.deed` if its state does not allow the
 * action.
 */
export const changeRollout = defineRoute({
  name: 'changeRollout',
  method: 'POST',
  path: '/device/upgrade/roll-out/:id/change',
  access: 'device-upgrade:send',
  summary: 'Pause, resume, cancel a roll-out, or let its next wave begin',
  params: z.object({ id }),
  body: z.strictObject({ deed: z.enum(ROLLOUT_DEEDS), reason: prose(500).default('') }),
  response: rollout,
});
