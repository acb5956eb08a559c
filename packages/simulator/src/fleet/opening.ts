import { type Disturbance, disturbance } from './disturbance.ts';

/** Code of the refrigerator whose door is left open at the start of the demo. */
export const OPENING_ASSET = 'FR-03';
const OPENED_BEFORE_MS = 60_000;
/**
 * How long the door stays open: long enough for an alarm, short enough for a visitor to see the alarm end.
 */
const STANDS_OPEN_MS = 210_000;

/** Returns the first scenario of a demo that starts at `startMs`. */
export function openingStory(startMs: number): Disturbance {
  return disturbance('door-left-open', startMs - OPENED_BEFORE_MS, 1, STANDS_OPEN_MS);
}
