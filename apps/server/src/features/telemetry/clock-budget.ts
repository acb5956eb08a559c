import { MIN_PACE_MS } from '@isotherm/domain/devices/device-clock';
import { createRecent } from '../../platform/cache/recent.ts';

/**
 * Number of messages with old readings that are checked per interval, for a device whose clock is assumed to
 * be right.
 */
const MOST_IN_A_PACE = 4;
const MOST_DEVICES = 50_000;

/**
 * Limits how often old readings are checked for a wrong clock: of buffered readings that arrive in hundreds
 * of messages a second, a few messages show that the clock is right.
 */
export function createClockBudget(): (deviceId: number, receivedAt: number) => boolean {
  const judged = createRecent<number, { since: number; count: number }>(MOST_DEVICES);
  return (deviceId, receivedAt) => {
    const known = judged.get(deviceId);
    if (!known || Math.abs(receivedAt - known.since) >= MIN_PACE_MS) {
      judged.set(deviceId, { since: receivedAt, count: 1 });
      return true;
    }
    known.count++;
    return known.count <= MOST_IN_A_PACE;
  };
}
