import { INDICATOR_NAMES } from '@isotherm/domain/readings/indicator';
import { MAX_PATH_LENGTH, PAYLOAD_PATH, TIME_FORMATS } from '@isotherm/domain/readings/payload-mapping';
import { z } from 'zod';
import { deviceNumber, reason } from './fields.ts';
import type { ReadingFault } from './ingest.ts';
import { defineRoute, id, moment, pageOf, paging } from './route.ts';

/**
 * Name of a channel, which consists of an indicator and the sensor's index in its device: `temperature-1`.
 */
export const channelName = z
  .string()
  .regex(new RegExp(`^(${INDICATOR_NAMES.join('|')})-([1-9]|[1-5]\\d|6[0-4])$`), { error: 'choice' });

/** Path of a value: names joined by dots, as in the payload. */
export const payloadPath = z
  .string()
  .trim()
  .min(1)
  .max(MAX_PATH_LENGTH)
  .regex(PAYLOAD_PATH, { error: 'format' });

export const mappingEntry = z.strictObject({
  path: payloadPath,
  channel: channelName,
  factor: z
    .number()
    .min(-1e6)
    .max(1e6)
    .refine((factor) => factor !== 0, { error: 'format' })
    .default(1),
  offset: z.number().min(-1e6).max(1e6).default(0),
});

/**
 * A list of measurements in a payload that have their own times. Its elements are read with the same
 * entries.
 */
export const mappingList = z.strictObject({
  path: payloadPath,
  /** Path of the time inside an element. */
  timePath: payloadPath,
  timeFormat: z.enum(TIME_FORMATS),
});

/** Supported payload formats. */
export const PAYLOAD_FORMATS = [
  'thingsboard',
  'thingsboard-gateway',
  'chirpstack',
  'things-stack',
  'efento',
] as const;
export type PayloadFormat = (typeof PAYLOAD_FORMATS)[number];

const entries = z
  .array(mappingEntry)
  .min(1)
  .max(100)
  .superRefine((list, context) => {
    const seen = new Set<string>();
    for (const [at, { channel }] of list.entries()) {
      if (seen.has(channel)) context.addIssue({ code: 'custom', message: 'twice', path: [at, 'channel'] });
      seen.add(channel);
    }
  });
const deviceModel = z.string().trim().max(120);
const list = mappingList.nullable().default(null);

/** Payload mapping of a device model, for an organisation and those below it. */
export const payloadMapping = z.object({
  id: z.number().int(),
  organizationId: z.number().int(),
  organizationName: z.string(),
  /** Device model; '' applies to every model without a mapping of its own. */
  deviceModel: z.string(),
  entries: z.array(mappingEntry),
  list: mappingList.nullable(),
  /** Number of devices of the model in the organisation and those below it. */
  devices: z.number().int(),
  changedBy: z.string(),
  changedAt: moment,
});
export type PayloadMapping = z.output<typeof payloadMapping>;

export const listPayloadMappings = defineRoute({
  name: 'listPayloadMappings',
  method: 'GET',
  path: '/device/mapping',
  access: 'device-mappings:view',
  summary: 'Payload mappings of own and subordinate organisations',
  query: z.object({
    ...paging,
    search: z.string().max(100).default(''),
    sort: z.enum(['deviceModel', 'organizationName', 'changedAt']).default('deviceModel'),
    order: z.enum(['asc', 'desc']).default('asc'),
  }),
  response: pageOf(payloadMapping),
});

/** Reads a payload mapping. Throws `mapping.not_found`. */
export const getPayloadMapping = defineRoute({
  name: 'getPayloadMapping',
  method: 'GET',
  path: '/device/mapping/:id',
  access: 'device-mappings:view',
  summary: 'One payload mapping',
  params: z.object({ id }),
  response: payloadMapping,
});

export const listDeviceModels = defineRoute({
  name: 'listDeviceModels',
  method: 'GET',
  path: '/device/model',
  access: 'device-mappings:view',
  summary: 'Models of the devices of own and subordinate organisations, most frequent first',
  response: z.array(z.object({ model: z.string(), devices: z.number().int() })),
});

/** Creates a payload mapping. Throws `mapping.taken`. */
export const createPayloadMapping = defineRoute({
  name: 'createPayloadMapping',
  method: 'POST',
  path: '/device/mapping',
  access: 'device-mappings:edit',
  summary: 'Say what the payloads of a model mean',
  body: z.strictObject({ organizationId: id, deviceModel, entries, list }),
  response: payloadMapping,
});

/** Edits a payload mapping. Throws `mapping.not_found|taken`. */
export const editPayloadMapping = defineRoute({
  name: 'editPayloadMapping',
  method: 'PUT',
  path: '/device/mapping/:id',
  access: 'device-mappings:edit',
  summary: 'Change what the payloads of a model mean, from now on',
  params: z.object({ id }),
  body: z.strictObject({ deviceModel, entries, list }),
  response: payloadMapping,
});

/** Deletes a payload mapping. Throws `mapping.not_found`. */
export const deletePayloadMapping = defineRoute({
  name: 'deletePayloadMapping',
  method: 'DELETE',
  path: '/device/mapping/:id',
  access: 'device-mappings:edit',
  summary: 'Delete a payload mapping',
  params: z.object({ id }),
  body: z.strictObject({ reason }),
  response: z.null(),
});

export const triedReading = z.object({
  channel: z.string(),
  value: z.number(),
  /** Reason why the value would be refused, independent of the device; null if it would be accepted. */
  fault: z.literal('outside-physical-range' satisfies ReadingFault).nullable(),
});

/** Converts a payload to readings without storing anything. Throws `mapping.payload`. */
export const tryPayloadMapping = defineRoute({
  name: 'tryPayloadMapping',
  method: 'POST',
  path: '/device/mapping/try',
  access: 'device-mappings:view',
  summary: 'What a payload would be read as',
  body: z.strictObject({
    format: z.enum(PAYLOAD_FORMATS),
    payload: z.string().max(100_000),
    entries: z.array(mappingEntry).max(100).default([]),
    list,
  }),
  response: z.object({
    messages: z.array(
      z.object({
        device: z.string().nullable(),
        at: moment.nullable(),
        readings: z.array(triedReading),
        /** Paths of numbers in the payload that no entry of the mapping reads. */
        unread: z.array(z.string()),
      }),
    ),
    faults: z.array(z.enum(['shape', 'time', 'event', 'undecoded', 'simulated'])),
  }),
});

/**
 * Returns what a device sent that was not converted to readings: the latest value of each name without a
 * channel, and the latest uplink that the network did not decode.
 */
export const getUnmappedValues = defineRoute({
  name: 'getUnmappedValues',
  method: 'GET',
  path: '/device/list/:number/unmapped',
  access: 'device-list:view',
  summary: 'Values of a device without a channel, and its latest undecoded uplink',
  params: z.object({ number: deviceNumber }),
  response: z.object({
    organizationId: z.number().int(),
    model: z.string(),
    /** The mapping that applies. It has an `id` if it is the model's own mapping and the user may see it. */
    mapping: z.object({
      id: z.number().int().nullable(),
      entries: z.array(mappingEntry),
      list: mappingList.nullable(),
    }),
    values: z.array(z.object({ path: z.string(), value: z.number(), receivedAt: moment })),
    undecoded: z
      .object({
        port: z.number().int().nullable(),
        /** Payload in hexadecimal. */
        payload: z.string(),
        receivedAt: moment,
      })
      .nullable(),
  }),
});
export type UnmappedValues = z.output<(typeof getUnmappedValues)['response']>;
