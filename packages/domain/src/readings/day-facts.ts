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
