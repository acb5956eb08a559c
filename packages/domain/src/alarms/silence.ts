import type { AlarmSubject } from './catalogue.ts';

/**
 * Input to check a no-data rule that is due. All times in ms of the receiving clock (`receiving-clock.ts`);
 * minus infinity stands for never.
 */
export interface SilenceFacts {
  now: number;
  /** Allowed time without data. */
  afterMs: number;
  /** True for a rule about the device as a whole. */
  ofDevice: boolean;
  /** When the newest reading of the channel was received. */
  heardAt: number;
  /** When the newest reading of any channel of the device was received. */
  deviceHeardAt: number;
  /** The device's acquisition interval. */
  intervalMs: number;
  /**
   * The time without data is counted from here at the earliest, for example from the return of the device or
   * the end of a status in which its asset was out of service.
   */
  countedFrom: number;
  /** False while the asset is out of service or the sensor is disabled. The rule is then not evaluated. */
  isWatched: boolean;
}

export type SilenceVerdict =
  /** No check is needed before `until`. */
  | { type: 'wait'; until: number }
  /** There is no data, and the alarm is raised as of `raisedAt`. */
  | { type: 'silent'; subject: Extract<AlarmSubject, 'channel' | 'device'>; raisedAt: number };

/**
 * Checks a rule that is due. If no channel of the device has data, one alarm about the device is raised; a
 * single channel gets its own alarm if other channels of the device report.
 */
export function judgeSilence(facts: SilenceFacts): SilenceVerdict {
  const { now, afterMs, ofDevice, heardAt, deviceHeardAt, countedFrom } = facts;
  const own = ofDevice ? deviceHeardAt : heardAt;
  // A channel without any reading is still being installed, so no data is missing.
  if (!facts.isWatched || own === Number.NEGATIVE_INFINITY) return { type: 'wait', until: now + afterMs };
  const raisedAt = Math.max(own, countedFrom) + afterMs;
  if (raisedAt > now) return { type: 'wait', until: raisedAt };
  const deviceRaisedAt = Math.max(deviceHeardAt, countedFrom) + afterMs;
  if (deviceRaisedAt <= now) return { type: 'silent', subject: 'device', raisedAt: deviceRaisedAt };
  // The other channels sent their last readings in the same interval. Wait until it is clear whether the
  // whole device has stopped.
  if (deviceHeardAt - heardAt <= facts.intervalMs) return { type: 'wait', until: deviceRaisedAt };
  return { type: 'silent', subject: 'channel', raisedAt };
}
