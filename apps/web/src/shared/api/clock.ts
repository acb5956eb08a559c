/** Server time minus local time in milliseconds. Signatures and ages use the time of the server. */
let offsetMs = 0;

/** Smaller differences are ignored, because they are caused by the network delay. */
const TOLERANCE_MS = 1500;

export function serverNow(): number {
  return Date.now() + offsetMs;
}

/** Adjusts the clock offset to a time that the server has just sent. */
export function learnServerTime(serverMs: number): void {
  if (Number.isNaN(serverMs)) return;
  const difference = serverMs - Date.now();
  if (Math.abs(difference - offsetMs) > TOLERANCE_MS) {
    offsetMs = Math.abs(difference) > TOLERANCE_MS ? difference : 0;
  }
}
