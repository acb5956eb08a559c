import type { IngestResult, ReadingFault } from '@isotherm/contracts/ingest';
import type { Indicator } from '@isotherm/domain/readings/indicator';

/** Device clocks may be ahead by this much; beyond it a reading is refused as `in-the-future`. */
export const FUTURE_ALLOWANCE_MS = 5 * 60_000;
const YEAR_2000_MS = 946_684_800_000;

/** Readings of one message that may be stored: parallel columns, canonical units, epoch ms. */
export interface AcceptedReadings {
  channelId: ArrayLike<number>;
  at: ArrayLike<number>;
  value: ArrayLike<number>;
  positions: AcceptedPosition[];
  rejected: IngestResult['rejected'];
  rejectedPositions: number;
}

export interface AcceptedPosition {
  at: number;
  latitude: number;
  longitude: number;
  speedKmh: number | null;
}

/** A device's channels, by channel key. */
export type Channels = ReadonlyMap<string, { id: number; indicator: Indicator }>;

/**
 * The value as the database will give it back. Storage is 4-byte float, seven significant digits; judging
 * another number than the stored one would make a replay disagree. Ordinary readings (three decimals,
 * below 10,000) come back as they are.
 */
export function storable(value: number): number {
  if (Math.round(value * 1000) / 1000 === value && value < 10_000 && value > -10_000) return value;
  return Number(Math.fround(value).toPrecision(7));
}

export function timeFault(at: number, now: number): ReadingFault | null {
  if (at < YEAR_2000_MS) return 'before-2000';
  if (at > now + FUTURE_ALLOWANCE_MS) return 'in-the-future';
  return null;
}

/** The position as it may be stored; null when it is none, or has no right time. */
export function normalPosition(
  at: number,
  latitude: unknown,
  longitude: unknown,
  speedKmh: unknown,
  now: number,
): AcceptedPosition | null {
  if (timeFault(at, now)) return null;
  if (typeof latitude !== 'number' || !(Math.abs(latitude) <= 90)) return null;
  if (typeof longitude !== 'number' || !(Math.abs(longitude) <= 180)) return null;
  const moves = typeof speedKmh === 'number' && speedKmh >= 0 && speedKmh < 2000;
  // What is too small for the database's 4-byte float is standing still.
  return { at, latitude, longitude, speedKmh: moves ? Math.round(speedKmh * 10) / 10 : null };
}
