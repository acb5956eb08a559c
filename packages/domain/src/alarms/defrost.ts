/**
 * Delay of the alarms of an upper limit during a detected defrost. It never hides an alarm: a value that
 * stays outside raises it at most `delayMs` later than without the delay (alarm-machine.ts).
 */
export interface DefrostDelay {
  delayMs: number;
  /** The switch that says when the device defrosts; null if the device has none. */
  channelId: number | null;
}

/** For each rule id: 1 for a reading at which a defrost is detected, otherwise 0; one for each reading. */
export type DefrostColumns = ReadonlyMap<number, Uint8Array>;

/** Longest delay that a policy may set. */
export const DEFROST_DELAY_MAX_MS = 60 * 60_000;
