import { z } from 'zod';
import { deviceNumber } from './fields.ts';
import { READING_FAULTS } from './ingest.ts';
import { defineRoute, moment } from './route.ts';

/** Ways by which a device reaches the server itself. */
export const DEVICE_GATEWAYS = ['http', 'mqtt', 'tcp'] as const;
export type DeviceGateway = (typeof DEVICE_GATEWAYS)[number];

const contact = z.object({ at: moment, from: z.string(), by: z.enum(DEVICE_GATEWAYS) });

/** A message that was not stored, or only in part. */
export const refusedMessage = z.object({
  id: z.number().int(),
  at: moment,
  by: z.enum(DEVICE_GATEWAYS),
  from: z.string(),
  /** A code of the errors, `packet.<fault>`, or `readings-refused`. */
  code: z.string(),
  /** With `readings-refused`: how many readings were refused for what. */
  faults: z.array(z.object({ fault: z.enum(READING_FAULTS), readings: z.number().int() })),
  bytes: z.number().int(),
});
export type RefusedDeviceMessage = z.output<typeof refusedMessage>;

export const deviceConnection = z.object({
  /** The last time it authenticated at this server; not by a broker or a network of its own. */
  connected: contact.nullable(),
  /** Wrong keys with its number since then. */
  refused: contact.extend({ attempts: z.number().int() }).nullable(),
  /** The newest ten, the latest first. */
  messages: z.array(refusedMessage),
  /** Where devices connect. */
  address: z.object({
    /** Null: the host of the console's own address. */
    host: z.string().nullable(),
    mqtt: z.number().int().nullable(),
    /** MQTT over TLS. */
    mqtts: z.number().int().nullable(),
    tcp: z.number().int().nullable(),
  }),
});
export type DeviceConnection = z.output<typeof deviceConnection>;

/** Throws `device.not_found`. */
export const getDeviceConnection = defineRoute({
  name: 'getDeviceConnection',
  method: 'GET',
  path: '/device/list/:number/connection',
  access: 'device-list:view',
  summary: 'Whether a device reaches the server, what was refused and why, and where it connects',
  params: z.object({ number: deviceNumber }),
  response: deviceConnection,
});
