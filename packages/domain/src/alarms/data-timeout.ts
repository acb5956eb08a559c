/**
 * Data timeout (requirements §4): after this time without readings it is unknown whether the values are still
 * outside the limits. The limit alarms of the channel then end at its last reading, if its asset has an open
 * no-data alarm.
 */
export const DATA_TIMEOUT_MS = 24 * 3_600_000;

/**
 * The moment at which the alarms of a channel timed out between two of its readings, or null. `timeouts` are the
 * moments at which this was decided. If late readings show that less than a day had passed then, it does not count.
 */
export function timeoutBetween(timeouts: readonly number[], from: number, to: number): number | null {
  return timeouts.find((at) => from + DATA_TIMEOUT_MS <= at && at <= to) ?? null;
}
