import { MIN_PACE_MS } from '@isotherm/domain/devices/device-clock';
import { LRUCache } from 'lru-cache';

/** Of a device that is believed to have a right clock, so many messages with old readings are judged in a pace. */
const MOST_IN_A_PACE = 4;
const MOST_DEVICES = 50_000;

/**
 * Limits how often it is asked whether old readings are those of a wrong clock: a device that sends a backlog, hundreds of
 * messages a second, shows by a few of them that its clock is right.
 */
export function createClockBudget(): (deviceId: number, receivedAt: number) => boolean {
  const judged = new LRUCache<number, { since: number; count: number }>({ max: MOST_DEVICES });
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
