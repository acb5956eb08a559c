import type { Indicator } from '@isotherm/domain/readings/indicator';
import { z } from 'zod';

/**
 * Path for messages of a device, with HTTP Basic authentication by device number and key. MQTT messages to
 * `isotherm/v1/<device number>/readings` have the same body and credentials, with QoS 1. The server parses
 * them item by item without a schema, because valid readings are kept when others are refused, and because
 * speed matters here. `readingItem` documents the format and types the senders.
 */
export const INGEST_PATH = '/ingest/v1/readings';
export const readingsTopic = (deviceNumber: string) => `isotherm/v1/${deviceNumber}/readings`;
/** MQTT topic for gateway packets (docs/gateway-packet.md). Each payload contains complete packets. */
export const packetsTopic = (deviceNumber: string) => `isotherm/v1/${deviceNumber}/packets`;
/**
 * MQTT topic on which the server reports, as an `IngestResult`, messages that were not accepted completely.
 */
export const resultsTopic = (deviceNumber: string) => `isotherm/v1/${deviceNumber}/results`;

/**
 * Path prefix of `/<token>/telemetry`, `/<token>/attributes` and `/<token>/rpc` of the ThingsBoard device
 * API.
 */
export const THINGSBOARD_PATH = '/api/v1';
/** Topics of the same API over MQTT. In those of a gateway, the payload names the devices behind it. */
export const THINGSBOARD_TOPIC = 'v1/devices/me/telemetry';
export const THINGSBOARD_GATEWAY_TOPIC = 'v1/gateway/telemetry';
/** Paths for webhooks of LoRaWAN network servers, which send an API key as bearer token. */
export const CHIRPSTACK_PATH = '/ingest/v1/chirpstack';
/**
 * MQTT topic filter for the events of all applications and devices of ChirpStack 4, at a broker of the
 * operator.
 */
export const CHIRPSTACK_TOPIC = 'application/+/device/+/event/+';
export const THINGS_STACK_PATH = '/ingest/v1/things-stack';
/** Measurements of an Efento gateway or of Efento's CoAP loader, with an API key. */
export const EFENTO_PATH = '/ingest/v1/efento';

/**
 * Format of an access token that a device has kept from ThingsBoard. By default such tokens have 20 random
 * letters and digits.
 */
export const DEVICE_TOKEN = /^(?!\d{8}\.)[A-Za-z0-9._~-]{20,64}$/;

/**
 * Splits our own access tokens of the ThingsBoard device API into number and key: `31020201.<key>`. For any
 * other token, the number is empty.
 */
export function splitToken(token: string): { number: string; key: string } {
  const [, number = '', key = ''] = /^(\d{8})\.(.*)$/s.exec(token) ?? [];
  return { number, key };
}

/**
 * Returns the key of a channel within its device. It consists of indicator and sensor index, such as
 * `temperature-1`.
 */
export const channelKey = (indicator: Indicator, sensorIndex: number) => `${indicator}-${sensorIndex}`;

export const readingItem = z.object({
  channel: z.string(),
  /** Time of the reading by the device's clock: epoch milliseconds, or ISO 8601 with an offset. */
  at: z.union([z.number(), z.string()]),
  value: z.number(),
});
export type ReadingItem = z.input<typeof readingItem>;

export const positionItem = z.object({
  at: z.union([z.number(), z.string()]),
  latitude: z.number(),
  longitude: z.number(),
  speedKmh: z.number().optional(),
  /** Direction of travel in degrees, clockwise from north. */
  headingDeg: z.number().optional(),
});

export const ingestMessage = z.object({
  /**
   * Send time by the device's clock, updated for each attempt. It shows at once whether the clock is right.
   */
  sentAt: z.union([z.number(), z.string()]).optional(),
  /** Readings; optional in a message with positions. */
  readings: z.array(readingItem).optional(),
  positions: z.array(positionItem).optional(),
});
export type IngestMessage = z.input<typeof ingestMessage>;

/**
 * Largest number of readings and positions. A message with more is refused as a whole
 * (`ingest.too_many_readings`).
 */
export const MAX_READINGS_PER_MESSAGE = 10_000;
/** Largest body. A larger one is refused without being read (`request.too_large`). */
export const MAX_INGEST_BODY_BYTES = 8 * 1024 * 1024;

/** Reasons why one reading of a message was refused. */
export const READING_FAULTS = [
  'not-an-object',
  'unknown-channel',
  'not-a-number',
  'not-finite',
  'outside-physical-range',
  'bad-time',
  'before-2000',
  'clock-reset',
  'in-the-future',
] as const;
export type ReadingFault = (typeof READING_FAULTS)[number];

export interface IngestResult {
  /** Number of readings that are stored now or were stored before; a repeated reading counts as accepted. */
  accepted: number;
  rejected: { index: number; fault: ReadingFault }[];
  /** Number of positions that were invalid or had an impossible time. */
  rejectedPositions: number;
}
