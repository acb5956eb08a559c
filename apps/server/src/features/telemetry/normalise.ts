import type { IngestResult, ReadingFault } from '@isotherm/contracts/ingest';
import { estimatedTime, FUTURE_ALLOWANCE_MS, isResetTime } from '@isotherm/domain/devices/device-clock';
import { storableDegrees } from '@isotherm/domain/geo/sealed-track';
import type { Indicator } from '@isotherm/domain/readings/indicator';
import type { KnownDevice } from '../devices/index.ts';

const YEAR_2000_MS = 946_684_800_000;

/** Readings of one message that may be stored: parallel columns, canonical units, times in epoch ms. */
export interface AcceptedReadings {
  channelId: ArrayLike<number>;
  /** Devices in whose lanes (group locks that serialise writes) these channels are written. */
  laneDeviceIds: ReadonlySet<number>;
  /** Times of measurement; estimated where the device's clock is wrong (decision 34). */
  at: ArrayLike<number>;
  /** Times as sent by the device; the same column as `at` while its clock is right. */
  measuredAt: ArrayLike<number>;
  value: ArrayLike<number>;
  positions: AcceptedPosition[];
  /** Presses of the button of the device. Times are those of the device, estimated as `at`. */
  presses: ButtonPress[];
  rejected: IngestResult['rejected'];
  rejectedPositions: number;
  /** Readings with impossible times, for inspection. */
  untimed: UntimedReading[];
  /** Newest time of measurement in the message, plausible or not; -Infinity if there is none. */
  newestAt: number;
  /** Send time according to the device; null if the message contains none. */
  sentAt: number | null;
}

/** A press of the button of a device. */
export interface ButtonPress {
  channelId: number;
  at: number;
}

/** A reading that was refused because of its time. */
export interface UntimedReading {
  channelKey: string;
  measuredAt: number;
  value: number;
  fault: ReadingFault;
}

/** How times of a message are interpreted. Times are in epoch ms. */
export interface TimeFrame {
  /** Current time of the clock that never runs backwards. */
  now: number;
  /** Offset of the device's clock. */
  offsetMs: number;
}

export interface AcceptedPosition {
  /** Time as sent by the device: the identity of the position, so that the same message stores nothing twice. */
  at: number;
  /** The same; estimated where the device's clock is wrong (decision 34). */
  estimatedAt: number;
  latitude: number;
  longitude: number;
  speedKmh: number | null;
  /** Direction of travel as reported by the receiver, 0 to 359, clockwise from north. */
  headingDeg: number | null;
}

/** The quantities of a device, by channel key. */
export type Channels = KnownDevice['channels'];

/**
 * Returns the value as the database will return it: a 4-byte float with seven significant digits. Evaluating
 * any other number would give a different result when readings are evaluated again. Ordinary readings (three
 * decimals, below 10,000) are unchanged.
 */
export function storable(value: number): number {
  if (Math.round(value * 1000) / 1000 === value && value < 10_000 && value > -10_000) return value;
  return Number(Math.fround(value).toPrecision(7));
}

/** Returns why a time sent by a device is impossible, given its clock offset; null if it is possible. */
export function timeFault(sent: number, { now, offsetMs }: TimeFrame): ReadingFault | null {
  if (sent < YEAR_2000_MS) return 'before-2000';
  if (isResetTime(sent)) return 'clock-reset';
  return estimatedTime(sent, offsetMs, now) > now + FUTURE_ALLOWANCE_MS ? 'in-the-future' : null;
}

/** Returns the position as stored; null if it is invalid or has an impossible time. */
export function normalPosition(
  at: number,
  latitude: unknown,
  longitude: unknown,
  speedKmh: unknown,
  headingDeg: unknown,
  time: TimeFrame,
): AcceptedPosition | null {
  if (timeFault(at, time)) return null;
  if (typeof latitude !== 'number' || !(Math.abs(latitude) <= 90)) return null;
  if (typeof longitude !== 'number' || !(Math.abs(longitude) <= 180)) return null;
  const moves = typeof speedKmh === 'number' && speedKmh >= 0 && speedKmh < 2000;
  const isTurned = typeof headingDeg === 'number' && headingDeg >= 0 && headingDeg <= 360;
  return {
    at: Math.floor(at),
    estimatedAt: Math.floor(estimatedTime(at, time.offsetMs, time.now)),
    latitude: storableDegrees(latitude),
    longitude: storableDegrees(longitude),
    // A speed too small for the database's 4-byte float is stored as zero.
    speedKmh: moves ? Math.round(speedKmh * 10) / 10 : null,
    headingDeg: isTurned ? Math.floor(headingDeg) % 360 : null,
  };
}

/** Whether a reading says that the button of its device was pressed. */
export const isPress = (indicator: Indicator | undefined, value: number): boolean =>
  indicator === 'button' && value >= 0.5;
