import type { IngestResult, ReadingFault } from '@isotherm/contracts/ingest';
import { estimatedTime, FUTURE_ALLOWANCE_MS, isResetTime } from '@isotherm/domain/devices/device-clock';
import type { KnownDevice } from '../devices/index.ts';

const YEAR_2000_MS = 946_684_800_000;

/** Readings of one message that may be stored: parallel columns, canonical units, epoch ms. */
export interface AcceptedReadings {
  channelId: ArrayLike<number>;
  /** Devices in whose lanes these channels are written. */
  laneDeviceIds: ReadonlySet<number>;
  /** When they were measured: estimated where the device's clock is wrong (decision 34). */
  at: ArrayLike<number>;
  /** As the device sent it; the same columns as `at` while its clock is right. */
  measuredAt: ArrayLike<number>;
  value: ArrayLike<number>;
  positions: AcceptedPosition[];
  rejected: IngestResult['rejected'];
  rejectedPositions: number;
  /** Readings whose time cannot be right, for inspection. */
  untimed: UntimedReading[];
  /** Newest time of measurement that the message says, right or not; -Infinity when it says none. */
  newestAt: number;
  /** When the device sent it, as it says; null when it does not. */
  sentAt: number | null;
}

/** A reading that was refused for its time. */
export interface UntimedReading {
  channelKey: string;
  measuredAt: number;
  value: number;
  fault: ReadingFault;
}

/** How times of a message are read. Epoch ms. */
export interface TimeFrame {
  /** By the clock that is never put back. */
  now: number;
  /** Of the device's clock. */
  offsetMs: number;
}

export interface AcceptedPosition {
  at: number;
  latitude: number;
  longitude: number;
  speedKmh: number | null;
}

/** What a device measures, by channel key. */
export type Channels = KnownDevice['channels'];

/**
 * The value as the database will give it back. Storage is 4-byte float, seven significant digits; judging
 * another number than the stored one would make a replay disagree. Ordinary readings (three decimals,
 * below 10,000) come back as they are.
 */
export function storable(value: number): number {
  if (Math.round(value * 1000) / 1000 === value && value < 10_000 && value > -10_000) return value;
  return Number(Math.fround(value).toPrecision(7));
}

/** Why the time that a device sent cannot be right, with what is known of its clock; null when it can. */
export function timeFault(sent: number, { now, offsetMs }: TimeFrame): ReadingFault | null {
  if (sent < YEAR_2000_MS) return 'before-2000';
  if (isResetTime(sent)) return 'clock-reset';
  return estimatedTime(sent, offsetMs, now) > now + FUTURE_ALLOWANCE_MS ? 'in-the-future' : null;
}

/** The position as it may be stored; null when it is none, or has no right time. */
export function normalPosition(
  at: number,
  latitude: unknown,
  longitude: unknown,
  speedKmh: unknown,
  time: TimeFrame,
): AcceptedPosition | null {
  if (timeFault(at, time)) return null;
  if (typeof latitude !== 'number' || !(Math.abs(latitude) <= 90)) return null;
  if (typeof longitude !== 'number' || !(Math.abs(longitude) <= 180)) return null;
  const moves = typeof speedKmh === 'number' && speedKmh >= 0 && speedKmh < 2000;
  // What is too small for the database's 4-byte float is standing still.
  return { at, latitude, longitude, speedKmh: moves ? Math.round(speedKmh * 10) / 10 : null };
}
