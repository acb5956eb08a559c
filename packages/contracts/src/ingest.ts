import type { Indicator } from '@isotherm/domain/readings/indicator';
import { z } from 'zod';

/**
 * What a device sends: the body of `POST /ingest/v1/readings` (HTTP Basic: device number and key) and of
 * MQTT publishes to `isotherm/v1/<device number>/readings` (MQTT user name and password likewise; QoS 1).
 * The server parses it item by item, by hand, because the good readings of a message are kept when others
 * are refused, and because it is the hot path; `readingItem` documents the shape and types the senders.
 */
export const INGEST_PATH = '/ingest/v1/readings';
export const readingsTopic = (deviceNumber: string) => `isotherm/v1/${deviceNumber}/readings`;
/** Gateway packets (docs/gateway-packet.md) by MQTT: each payload holds whole messages. */
export const packetsTopic = (deviceNumber: string) => `isotherm/v1/${deviceNumber}/packets`;
/** The server answers each MQTT message that it could not take whole here, as an `IngestResult`. */
export const resultsTopic = (deviceNumber: string) => `isotherm/v1/${deviceNumber}/results`;

/** Below it stand `/<token>/telemetry`, `/<token>/attributes` and `/<token>/rpc`, as in the ThingsBoard device API. */
export const THINGSBOARD_PATH = '/api/v1';
/** Topics of the same API over MQTT; a gateway's names the devices behind it. */
export const THINGSBOARD_TOPIC = 'v1/devices/me/telemetry';
export const THINGSBOARD_GATEWAY_TOPIC = 'v1/gateway/telemetry';
/** Webhooks of LoRaWAN network servers, with an API key as a bearer token. */
export const CHIRPSTACK_PATH = '/ingest/v1/chirpstack';
export const THINGS_STACK_PATH = '/ingest/v1/things-stack';

/**
 * An access token, as hardware that speaks the ThingsBoard API is given one, is number and key in one word:
 * `31020201.<key>`.
 */
export function splitToken(token: string): { number: string; key: string } {
  const dot = token.indexOf('.');
  return { number: token.slice(0, Math.max(0, dot)), key: token.slice(dot + 1) };
}

/** Name of a channel within its device: indicator and sensor index, as `temperature-1`. */
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
  /** Device time of sending, set anew whenever the message is sent: it shows at once whether the clock is right. */
  sentAt: z.union([z.number(), z.string()]).optional(),
  /** May be absent from a message that brings positions. */
  readings: z.array(readingItem).optional(),
  positions: z.array(positionItem).optional(),
});
export type IngestMessage = z.input<typeof ingestMessage>;

/** More readings and positions than this in one message are refused whole (`ingest.too_many_readings`). */
export const MAX_READINGS_PER_MESSAGE = 10_000;
/** A larger body is refused unread (`request.too_large`). */
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
  /** Readings stored now or already there: a resend counts as accepted. */
  accepted: number;
  rejected: { index: number; fault: ReadingFault }[];
  /** Positions that were none, or had no right time. */
  rejectedPositions: number;
}
