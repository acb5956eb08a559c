import { type Disturbance, disturbance } from './disturbance.ts';

/** The refrigerator whose door somebody has left open just before the first visitor comes. */
export const OPENING_ASSET = 'FR-03';
const OPENED_BEFORE_MS = 60_000;
/** Long enough to ring, short enough that the visitor also sees the alarm end. */
const STANDS_OPEN_MS = 210_000;

/** What goes wrong first, for a demonstration that begins at `startMs`. */
export function openingStory(startMs: number): Disturbance {
  return disturbance('door-left-open', startMs - OPENED_BEFORE_MS, 1, STANDS_OPEN_MS);
}
