import { type AlarmState, NORMAL } from './alarm-machine.ts';

/** Time in which limits are not judged, such as a defrost; epoch ms, the end exclusive. */
export interface QuietSpan {
  from: number;
  /** Infinity while it lasts. */
  until: number;
}

export function isQuiet(spans: readonly QuietSpan[], at: number): boolean {
  return spans.some(({ from, until }) => from <= at && at < until);
}

/**
 * The machine after a reading in quiet time, whatever its value: nothing begins, what was about to become an alarm
 * does not, and an alarm that stands stays as it is; the time until the reading vouches for nothing.
 */
export function hush(state: AlarmState, at: number): AlarmState {
  if (state.phase === 'normal') return state;
  if (state.phase === 'pending') return NORMAL;
  return at > state.lastAt ? { ...state, lastAt: at } : state;
}
