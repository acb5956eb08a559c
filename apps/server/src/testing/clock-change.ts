import { offsetIn } from '../platform/local-time.ts';

const HOUR_MS = 3_600_000;
/** Zones change their clocks at full quarters of an hour. */
const STEP_MS = HOUR_MS / 4;
const LOOK_BACK_MS = 400 * 24 * HOUR_MS;

/** The last time before `before` (epoch ms) at which the clock of a zone went back or forward, and by how much. */
export function lastClockChange(
  zone: string,
  direction: 'back' | 'forward',
  before: number,
): { at: number; shiftMs: number } {
  const offsetAt = offsetIn(zone);
  const first = Math.floor(before / STEP_MS) * STEP_MS;
  for (let at = first; at > first - LOOK_BACK_MS; at -= STEP_MS) {
    const shiftMs = offsetAt(at).ms - offsetAt(at - 1).ms;
    if (direction === 'back' ? shiftMs < 0 : shiftMs > 0) return { at, shiftMs: Math.abs(shiftMs) };
  }
  throw new Error(`the clock of ${zone} did not go ${direction}`);
}
