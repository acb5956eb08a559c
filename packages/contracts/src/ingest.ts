import type { Indicator } from '@isotherm/domain/readings/indicator';
import { z } from 'zod';

/**
 * Messages of a device: the body of `POST /ingest/v1/readings` (HTTP Basic: device number and key) and of
 * MQTT publishes to `isotherm/v1/<device number>/readings` (same credentials; QoS 1). The server parses them
 * item by item without a schema, because good readings are kept when others are refused, and because it is
 * the hot path; `readingItem` documents the shape and types the senders.
 */
export const INGEST_PATH = '/ingest/v1/readings';
export const readingsTopic = (deviceNumber: string) => `isotherm/v1/${deviceNumber}/readings`;
/** Gateway packets (docs/gateway-packet.md) by MQTT: each payload contains complete messages. */
export const packetsTopic = (deviceNumber: string) => `isotherm/v1/${deviceNumber}/packets`;
/**
 * Topic of the server's results for MQTT messages that were not accepted completely, as an `IngestResult`.
 */
export const resultsTopic = (deviceNumber: string) => `isotherm/v1/${deviceNumber}/results`;

/** Prefix of `/<token>/telemetry`, `/<token>/attributes` and `/<token>/rpc` of the ThingsBoard device API. */
export const THINGSBOARD_PATH = '/api/v1';
/** Topics of the same API over MQTT; those of a gateway name the devices behind it. */
export const THINGSBOARD_TOPIC = 'v1/devices/me/telemetry';
export const THINGSBOARD_GATEWAY_TOPIC = 'v1/gateway/telemetry';
/** Webhooks of LoRaWAN network servers, with an API key as bearer token. */
export const CHIRPSTACK_PATH = '/ingest/v1/chirpstack';
/** Events of ChirpStack 4 at an operator's broker: of every application and device. */
export const CHIRPSTACK_TOPIC = 'application/+/device/+/event/+';
export const THINGS_STACK_PATH = '/ingest/v1/things-stack';
/** Measurements of an Efento gateway or of Efento's CoAP loader, with an API key. */
export const EFENTO_PATH = '/ingest/v1/efento';

/** An access token that a device kept from ThingsBoard: such tokens have 20 random letters and digits by default. */
export const DEVICE_TOKEN = /^(?!\d{8}\.)[A-Za-z0-9._~-]{20,64}$/;

/**
 * Our own access tokens of the ThingsBoard device API consist of number and key: `31020201.<key>`. The number is
 * empty for any other token.
 */
export function splitToken(token: string): { number: string; key: string } {
  const [, number = '', key = ''] = /^(\d{8})\.(.*)$/s.exec(token) ?? [];
  return { number, key };
}

/** Key of a channel within its device: indicator and sensor index, such as `temperature-1`. */
export const channelKey = (indicator: Indicator, sensorIndex: number) => `${indicator}-${sensorIndex}`;

export const readingItem = z.object({
  channel: z.string(),
  /** Device time: epoch milliseconds, or ISO 8601 with an offset. */
  at: z.union([z.number(), z.string()]),
  value: z.number(),
});
export type ReadingItem = z.input<typeof readingItem>;

export const positionItem = z.object({
  at: z.union([z.number(), z.string()]),
  latitude: z.number(),
  longitude: z.number(),
  speedKmh: z.number().optional(),
});

export const ingestMessage = z.object({
  /**
   * Send time by the device's clock, updated for each attempt: it shows at once whether the clock is right.
   */
  sentAt: z.union([z.number(), z.string()]).optional(),
  /** Optional in a message with positions. */
  readings: z.array(readingItem).optional(),
  positions: z.array(positionItem).optional(),
});
export type IngestMessage = z.input<typeof ingestMessage>;

/** A message with more readings and positions is refused as a whole (`ingest.too_many_readings`). */
export const MAX_READINGS_PER_MESSAGE = 10_000;
/** A larger body is refused without being read (`request.too_large`). */
export const MAX_INGEST_BODY_BYTES = 8 * 1024 * 1024;

/** Why one reading of a message was refused. */
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
  /** Readings stored now or before: a resend counts as accepted. */
  accepted: number;
  rejected: { index: number; fault: ReadingFault }[];
  /** Positions that were invalid, or had an impossible time. */
  rejectedPositions: number;
}
