import { z } from 'zod';
import { deviceNumber } from './fields.ts';
import { READING_FAULTS } from './ingest.ts';
import { defineRoute, moment } from './route.ts';

/** Protocols by which a device can connect directly to the server. */
export const DEVICE_GATEWAYS = ['http', 'mqtt', 'tcp'] as const;
export type DeviceGateway = (typeof DEVICE_GATEWAYS)[number];

const contact = z.object({ at: moment, from: z.string(), by: z.enum(DEVICE_GATEWAYS) });

/** A message of which nothing or only a part was stored. */
export const refusedMessage = z.object({
  id: z.number().int(),
  at: moment,
  by: z.enum(DEVICE_GATEWAYS),
  from: z.string(),
  /** An error code, `packet.<fault>`, or `readings-refused`. */
  code: z.string(),
  /** With `readings-refused`: the number of refused readings by reason. */
  faults: z.array(z.object({ fault: z.enum(READING_FAULTS), readings: z.number().int() })),
  bytes: z.number().int(),
});
export type RefusedDeviceMessage = z.output<typeof refusedMessage>;

export const deviceConnection = z.object({
  /**
   * The last time the device authenticated at this server; null if it only uses another broker or a network
   * server.
   */
  connected: contact.nullable(),
  /**
   * Attempts with a wrong key for the device number since the last successful one; null if there were none.
   */
  refused: contact.extend({ attempts: z.number().int() }).nullable(),
  /** The ten newest messages, the latest first. */
  messages: z.array(refusedMessage),
  /** Addresses to which devices connect. */
  address: z.object({
    /** Host name; null for the host of the console's own address. */
    host: z.string().nullable(),
    mqtt: z.number().int().nullable(),
    /** Port of MQTT over TLS; null if it is not available. */
    mqtts: z.number().int().nullable(),
    tcp: z.number().int().nullable(),
  }),
});
export type DeviceConnection = z.output<typeof deviceConnection>;

/** Reads how a device has connected and which messages were refused. Throws `device.not_found`. */
export const getDeviceConnection = defineRoute({
  name: 'getDeviceConnection',
  method: 'GET',
  path: '/device/list/:number/connection',
  access: 'device-list:view',
  summary: 'Whether a device reaches the server, what was refused and why, and where it connects',
  params: z.object({ number: deviceNumber }),
  response: deviceConnection,
});
