import { COMMAND_KINDS, REQUEST_STATES } from '@isotherm/domain/devices/command';
import { INDICATOR_NAMES } from '@isotherm/domain/readings/indicator';
import { z } from 'zod';
import { prose } from './fields.ts';
import { defineRoute, id, moment, pageOf, paging } from './route.ts';

const interval = z.number().int().min(10).max(86_400);
const limit = z.number().min(-200).max(200).nullable();

/** A command with its parameters. */
export const givenOrder = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('reboot') }),
  z.strictObject({ kind: z.literal('shutdown') }),
  z.strictObject({ kind: z.literal('acquisition-interval'), seconds: interval }),
  z.strictObject({ kind: z.literal('upload-interval'), seconds: interval }),
  /** Duration in minutes without a reading after which the device counts as offline. */
  z.strictObject({ kind: z.literal('offline-standard'), minutes: z.number().int().min(1).max(10_080) }),
  /** Limits that the device uses for its own buzzer. */
  z
    .strictObject({
      kind: z.literal('alarm-limits'),
      sensor: z.number().int().min(1).max(64),
      indicator: z.enum(INDICATOR_NAMES),
      low: limit,
      high: limit,
    })
    .refine(({ low, high }) => low === null || high === null || low < high, {
      path: ['high'],
      error: 'above-other',
    }),
]);
export type GivenOrder = z.output<typeof givenOrder>;

/**
 * A firmware version that a device may download (docs/firmware.md). The field names are those of the
 * ThingsBoard device API.
 */
export const firmwareOffer = z.strictObject({
  kind: z.literal('firmware'),
  /** Model of the devices that it is made for. */
  title: z.string(),
  version: z.string(),
  /** Size of the file in bytes. */
  size: z.number().int(),
  /** SHA-256 of the file in hexadecimal. */
  checksum: z.string(),
  checksumAlgorithm: z.literal('SHA256'),
  /** Ed25519 signature of `firmwareStatement`, in base64. */
  signature: z.string(),
});
export type FirmwareOffer = z.output<typeof firmwareOffer>;

export const commandOrder = z.union([givenOrder, firmwareOffer]);
export type CommandOrder = z.output<typeof commandOrder>;
export const isGiven = (order: CommandOrder): order is GivenOrder => order.kind !== 'firmware';

/** Response of a device to a command, over MQTT as JSON. Gateway packets have the same content. */
export const commandAnswer = z.object({
  id: z.number().int().min(1).max(0xffff_ffff),
  state: z.enum(['configuring', 'success', 'failed']),
  /** Error number that the device defines. */
  reason: z.number().int().min(0).max(255).default(0),
});
export type CommandAnswer = z.output<typeof commandAnswer>;

/**
 * MQTT topic for the commands to a device, as `{ id, kind, … }`. A device
 * can subscribe only to this topic and to its results topic.
 */
export const commandsTopic = (deviceNumber: string) => `isotherm/v1/${deviceNumber}/commands`;
export const commandAnswersTopic = (deviceNumber: string) => `isotherm/v1/${deviceNumber}/command-answers`;

export const COMMAND_FAILURES = ['device', 'cancelled'] as const;

export const deviceCommand = z.object({
  id: z.number().int(),
  batchId: z.number().int(),
  deviceNumber: z.string(),
  deviceName: z.string(),
  organizationName: z.string(),
  order: commandOrder,
  state: z.enum(REQUEST_STATES),
  attempts: z.number().int(),
  /** Time of the change to this state. */
  since: moment,
  requestedAt: moment,
  requestedBy: z.string(),
  expiresAt: moment,
  /**
   * Reason of the failure, reported by the device, or that the command was cancelled; null if it did not
   * fail.
   */
  failure: z.enum(COMMAND_FAILURES).nullable(),
  /** Error number that the device defines. */
  failureReason: z.number().int(),
});
export type DeviceCommand = z.output<typeof deviceCommand>;

export const commandBatch = z.object({
  id: z.number().int(),
  order: commandOrder,
  note: z.string(),
  requestedAt: moment,
  requestedBy: z.string(),
  expiresAt: moment,
  /** Number of devices in each state. */
  states: z.record(z.enum(REQUEST_STATES), z.number().int()),
});
export type CommandBatch = z.output<typeof commandBatch>;

const deviceNumber = z.string().regex(/^\d{8}$/, { error: 'format' });
export const MOST_DEVICES_AT_ONCE = 5_000;

/**
 * Sends a command to several devices. Devices outside the user's scope are reported; the others get the
 * command.
 */
export const sendCommands = defineRoute({
  name: 'sendCommands',
  method: 'POST',
  path: '/device/command',
  access: 'device-commands:send',
  summary: 'Tell devices to do something; those that are away are told when they come',
  body: z.strictObject({
    devices: z.array(deviceNumber).min(1).max(MOST_DEVICES_AT_ONCE),
    order: givenOrder,
    note: prose(500).default(''),
    /** Seconds that the command waits for its device before it expires. */
    expiresInS: z
      .number()
      .int()
      .min(60)
      .max(7 * 86_400)
      .default(86_400),
  }),
  response: z.object({ batch: commandBatch.nullable(), unknown: z.array(z.string()) }),
});

export const listCommands = defineRoute({
  name: 'listCommands',
  method: 'GET',
  path: '/device/command',
  access: 'device-commands:view',
  summary: 'Commands of the devices of own and subordinate organisations, newest first',
  query: z.object({
    ...paging,
    /** Search text for number or name of a device. */
    search: z.string().max(100).default(''),
    state: z.enum(REQUEST_STATES).optional(),
    kind: z.enum(COMMAND_KINDS).optional(),
    batchId: id.optional(),
  }),
  response: pageOf(deviceCommand),
});

/** Reads a batch of commands with its devices. Throws `command.not_found`. */
export const getCommandBatch = defineRoute({
  name: 'getCommandBatch',
  method: 'GET',
  path: '/device/command/batch/:id',
  access: 'device-commands:view',
  summary: 'How far the commands of one batch are',
  params: z.object({ id }),
  response: commandBatch,
});

const commandIds = z.strictObject({ ids: z.array(id).min(1).max(MOST_DEVICES_AT_ONCE) });

/** Sends failed and timed-out commands again, as a new batch for each kind. */
export const retryCommands = defineRoute({
  name: 'retryCommands',
  method: 'POST',
  path: '/device/command/retry',
  access: 'device-commands:send',
  summary: 'Tell devices again what failed or timed out',
  body: commandIds,
  response: z.object({ again: z.number().int() }),
});

export const cancelCommands = defineRoute({
  name: 'cancelCommands',
  method: 'POST',
  path: '/device/command/cancel',
  access: 'device-commands:send',
  summary: 'Take back commands that have not gone out',
  body: commandIds,
  response: z.object({ cancelled: z.number().int() }),
});

/** Finds devices by number or name, for selection fields. */
export const findDevices = defineRoute({
  name: 'findDevices',
  method: 'GET',
  path: '/device/search',
  access: 'device-commands:view',
  summary: 'Devices of own and subordinate organisations by number or name',
  query: z.object({ search: z.string().max(100).default('') }),
  response: z.array(z.object({ number: z.string(), name: z.string(), organizationName: z.string() })),
});
