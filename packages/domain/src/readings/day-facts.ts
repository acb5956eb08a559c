import { decimalOf } from './decimal.ts';
import { kineticRate } from './mean-kinetic.ts';
import type { Series } from './series.ts';

/**
 * What reports need to know about a day of a channel without its readings; it is stored when the day is sealed. Each
 * reading counts until the next one of the day, and never across a gap.
 */
export interface DayFacts {
  /** Time that readings cover. */
  coveredMs: number;
  /** Longest time between two readings of the day; 0 with a single one. */
  longestMs: number;
  /** Sum over the covered time of rate × ms (mean-kinetic.ts), for the mean kinetic temperature. */
  kinetic: number;
}

/** Returns the facts of a day. `allowanceMs` is the gap allowance. */
export function factsOf({ at, value }: Series, allowanceMs: number): DayFacts {
  const facts: DayFacts = { coveredMs: 0, longestMs: 0, kinetic: 0 };
  for (let i = 1; i < at.length; i++) {
    const ms = (at[i] as number) - (at[i - 1] as number);
    if (ms > facts.longestMs) facts.longestMs = ms;
    if (ms > allowanceMs) continue;
    facts.coveredMs += ms;
    facts.kinetic += kineticRate(value[i - 1] as number) * ms;
  }
  return facts;
}

/** A sealed day of a channel, without its readings. Times are in epoch ms. */
export interface FactDay extends DayFacts {
  /** Days since 1970, UTC. */
  day: number;
  count: number;
  firstAt: number;
  lastAt: number;
  lastValue: number;
  min: number;
  max: number;
}

const DAY_MS = 86_400_000;
/** Bytes of a packed day: all have the same length, so that a year of them is read as one piece. */
export const FACT_BYTES = 48;

/** Packs a day that has readings, with its facts. */
export function packFacts(series: Series, allowanceMs: number): Uint8Array {
  const { at, value } = series;
  const last = at.length - 1;
  const firstAt = at[0] as number;
  const day = Math.floor(firstAt / DAY_MS);
  const { coveredMs, longestMs, kinetic } = factsOf(series, allowanceMs);
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  for (const reading of value) {
    if (reading < min) min = reading;
    if (reading > max) max = reading;
  }
  const view = new DataView(new ArrayBuffer(FACT_BYTES));
  view.setFloat64(0, kinetic);
  view.setInt32(8, day);
  view.setInt32(12, at.length);
  view.setInt32(16, firstAt - day * DAY_MS);
  view.setInt32(20, (at[last] as number) - day * DAY_MS);
  view.setInt32(24, coveredMs);
  view.setInt32(28, longestMs);
  view.setFloat32(32, value[last] as number);
  view.setFloat32(36, min);
  view.setFloat32(40, max);
  return new Uint8Array(view.buffer);
}

/** Packed days of a channel in order of time. */
export interface FactDays {
  length: number;
  /** Returns the day at a position. The object is used again for the next one. */
  at(index: number): FactDay;
}

/** Reads packed days that follow each other. */
export function unpackFacts(bytes: Uint8Array): FactDays {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const own: FactDay = {
    day: 0,
    count: 0,
    firstAt: 0,
    lastAt: 0,
    lastValue: 0,
    min: 0,
    max: 0,
    coveredMs: 0,
    longestMs: 0,
    kinetic: 0,
  };
  return {
    length: bytes.byteLength / FACT_BYTES,
    at(index) {
      const from = index * FACT_BYTES;
      own.kinetic = view.getFloat64(from);
      own.day = view.getInt32(from + 8);
      own.count = view.getInt32(from + 12);
      own.firstAt = own.day * DAY_MS + view.getInt32(from + 16);
      own.lastAt = own.day * DAY_MS + view.getInt32(from + 20);
      own.coveredMs = view.getInt32(from + 24);
      own.longestMs = view.getInt32(from + 28);
      own.lastValue = decimalOf(view.getFloat32(from + 32));
      own.min = decimalOf(view.getFloat32(from + 36));
      own.max = decimalOf(view.getFloat32(from + 40));
      return own;
    },
  };
}
