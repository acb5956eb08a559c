/** Server time minus local time in milliseconds: signatures and ages use the server's clock. */
let offsetMs = 0;

/** Smaller differences are caused by the network. */
const TOLERANCE_MS = 1500;

export function serverNow(): number {
  return Date.now() + offsetMs;
}

/** Adjusts to a server time that was just sent. */
export function learnServerTime(serverMs: number): void {
  if (Number.isNaN(serverMs)) return;
  const difference = serverMs - Date.now();
  if (Math.abs(difference - offsetMs) > TOLERANCE_MS) {
    offsetMs = Math.abs(difference) > TOLERANCE_MS ? difference : 0;
  }
}
