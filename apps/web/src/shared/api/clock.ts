/** What the server's clock shows beyond ours, in milliseconds: signatures and ages are told by its clock. */
let offsetMs = 0;

/** Differences below this are the network's, not the clock's. */
const TOLERANCE_MS = 1500;

export function serverNow(): number {
  return Date.now() + offsetMs;
}

/** Takes the server's clock from a moment that it has just sent. */
export function learnServerTime(serverMs: number): void {
  if (Number.isNaN(serverMs)) return;
  const difference = serverMs - Date.now();
  if (Math.abs(difference - offsetMs) > TOLERANCE_MS) {
    offsetMs = Math.abs(difference) > TOLERANCE_MS ? difference : 0;
  }
}
