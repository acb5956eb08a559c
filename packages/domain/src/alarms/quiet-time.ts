import { type AlarmState, NORMAL } from './alarm-machine.ts';

/** A span in which limits are not evaluated, such as a defrost; epoch ms, the end exclusive. */
export interface QuietSpan {
  from: number;
  /** Infinity while it is open. */
  until: number;
}

export function isQuiet(spans: readonly QuietSpan[], at: number): boolean {
  return spans.some(({ from, until }) => from <= at && at < until);
}

/**
 * The machine after a reading in quiet time, whatever its value: nothing begins, a pending alarm is dropped,
 * an open alarm stays as it is, and the time until the reading does not count.
 */
export function hush(state: AlarmState, at: number): AlarmState {
  if (state.phase === 'normal') return state;
  if (state.phase === 'pending') return NORMAL;
  return at > state.lastAt ? { ...state, lastAt: at } : state;
}
