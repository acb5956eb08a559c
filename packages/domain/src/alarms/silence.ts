import type { AlarmSubject } from './catalogue.ts';

/**
 * Facts about a no-data rule that is due. All times in ms of the receiving clock (`receiving-clock.ts`);
 * minus infinity for never.
 */
export interface SilenceFacts {
  now: number;
  /** How long silence is allowed. */
  afterMs: number;
  /** True for a rule about the device as a whole. */
  ofDevice: boolean;
  /** When the newest reading of the channel was received. */
  heardAt: number;
  /** When the newest reading of any channel of the device was received. */
  deviceHeardAt: number;
  /** The device's acquisition interval. */
  intervalMs: number;
  /** Silence counts from here at the earliest: the device has returned, or its asset is in service again. */
  countedFrom: number;
  /** False while the asset is out of service, or the sensor is disabled: silence is not evaluated. */
  isWatched: boolean;
}

export type SilenceVerdict =
  /** Nothing to do before `until`. */
  | { type: 'wait'; until: number }
  /** Silent, and an alarm since `raisedAt`. */
  | { type: 'silent'; subject: Extract<AlarmSubject, 'channel' | 'device'>; raisedAt: number };

/**
 * Evaluates a rule that is due. A device that is silent as a whole is one alarm of the device; a channel has
 * an alarm of its own if its device reports without it.
 */
export function judgeSilence(facts: SilenceFacts): SilenceVerdict {
  const { now, afterMs, ofDevice, heardAt, deviceHeardAt, countedFrom } = facts;
  const own = ofDevice ? deviceHeardAt : heardAt;
  // A channel without any reading is being installed, not silent.
  if (!facts.isWatched || own === Number.NEGATIVE_INFINITY) return { type: 'wait', until: now + afterMs };
  const raisedAt = Math.max(own, countedFrom) + afterMs;
  if (raisedAt > now) return { type: 'wait', until: raisedAt };
  const deviceRaisedAt = Math.max(deviceHeardAt, countedFrom) + afterMs;
  if (deviceRaisedAt <= now) return { type: 'silent', subject: 'device', raisedAt: deviceRaisedAt };
  // The other channels sent their last readings in the same interval: wait until it is clear whether the
  // whole device is silent.
  if (deviceHeardAt - heardAt <= facts.intervalMs) return { type: 'wait', until: deviceRaisedAt };
  return { type: 'silent', subject: 'channel', raisedAt };
}
