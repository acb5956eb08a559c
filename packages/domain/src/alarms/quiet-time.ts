import { type AlarmState, NORMAL } from './alarm-machine.ts';

/** A span of time in which limits are not evaluated, such as a defrost; epoch ms, the end is excluded. */
export interface QuietSpan {
  from: number;
  /** Infinity if the span has no end yet. */
  until: number;
}

export function isQuiet(spans: readonly QuietSpan[], at: number): boolean {
  return spans.some(({ from, until }) => from <= at && at < until);
}

/**
 * The state of a rule after a reading in quiet time, whatever its value: a normal state stays normal, a
 * pending alarm is discarded, an open alarm stays unchanged, and the time until the reading is not counted.
 */
export function hush(state: AlarmState, at: number): AlarmState {
  if (state.phase === 'normal') return state;
  if (state.phase === 'pending') return NORMAL;
  return at > state.lastAt ? { ...state, lastAt: at } : state;
}
