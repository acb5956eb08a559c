/**
 * Clocks of devices (decision 34). The offset of a clock is device time minus real time; it is estimated by comparing when a
 * message was sent, or else its newest time of measurement, with when it was received. Pure: all times are given, epoch ms.
 *
 * A message cannot be received before it was sent, so a clock that is ahead shows at once. A time in the past may be a late
 * message as well: a clock counts as behind when several messages in a row, at the pace of real time and with no right
 * one between them, are old by the same amount. Backlogs arrive faster than they were measured.
 */

/** A clock counts as right while it is off by no more. */
export const CLOCK_TOLERANCE_MS = 2 * 60_000;
/** So far ahead, one message is enough; farther, it may be nonsense, and takes as many as a clock that is behind. */
export const FUTURE_ALLOWANCE_MS = 5 * 60_000;
/** From one message to the next, a live device's lead changes by no more: by the jitter of its connection, and its clock's drift. */
const PACE_JITTER_MS = 5_000;
const PACE_DRIFT = 0.1;
/** Messages that follow each other faster say nothing about the pace. */
export const MIN_PACE_MS = 10_000;
const MESSAGES_TO_CONFIRM = 3;
/** A known offset is corrected where a message proves it too small by more than this. */
const REFINED_BY_MS = 10_000;

/** Clocks that lost their time start at 1970, 1980 or 2000; no device of this century measured before this moment. */
const RESET_BEFORE_MS = Date.UTC(2000, 0, 8);

/** True for a time that only a clock without its time says. */
export function isResetTime(at: number): boolean {
  return at < RESET_BEFORE_MS;
}

/** What a message says of the clock of its device. */
export interface ClockEvidence {
  receivedAt: number;
  /** Device time of sending, or of the newest reading, compared with the server's clock: how far it is ahead, ms. */
  leadMs: number;
  /** The device sent it at this moment, directly: nothing queued it on its way. */
  isSendTime: boolean;
  /** From one reading of the device to the next: so much older than its message the newest one may be. */
  intervalMs: number;
}

/** Messages that would show a wrong clock if more followed at the same pace. */
export interface ClockSuspicion {
  /** Of the last message that counts. */
  leadMs: number;
  firstReceivedAt: number;
  lastReceivedAt: number;
  messages: number;
}

export interface ClockState {
  /** Device time minus real time; 0 while the clock is right. */
  offsetMs: number;
  suspicion: ClockSuspicion | null;
}

export const RIGHT_CLOCK: ClockState = Object.freeze({ offsetMs: 0, suspicion: null });

export interface ClockJudgement {
  state: ClockState;
  /** The messages under suspicion, too, were sent with the new offset. */
  isConfirmed: boolean;
}

/** How far a device time is ahead of the server's clocks; 0 between them, so that a server clock that was set accuses no device. */
export function leadOf(deviceTime: number, clocks: readonly [number, number]): number {
  const latest = Math.max(...clocks);
  const earliest = Math.min(...clocks);
  if (deviceTime > latest) return deviceTime - latest;
  return Math.min(0, deviceTime - earliest);
}

/** True when a message with this lead may come from a right clock: it is neither early nor older than live data is. */
export function isRightLead(leadMs: number, intervalMs: number): boolean {
  return leadMs <= CLOCK_TOLERANCE_MS && leadMs >= -CLOCK_TOLERANCE_MS - intervalMs;
}

/** Judges a message. The clock is corrected at once, a jump back is confirmed by what follows. */
export function judgeClock(before: ClockState, evidence: ClockEvidence): ClockJudgement {
  const { leadMs, isSendTime, intervalMs } = evidence;
  const { offsetMs } = before;
  if (isRightLead(leadMs, intervalMs)) return { state: RIGHT_CLOCK, isConfirmed: false };
  const isBelievable = leadMs <= FUTURE_ALLOWANCE_MS;
  if (isSendTime && isBelievable) return { state: clockAt(offsetMs, leadMs), isConfirmed: false };
  if (leadMs < offsetMs - CLOCK_TOLERANCE_MS - intervalMs) return suspect(before, evidence);
  if (offsetMs !== 0 && leadMs <= offsetMs + CLOCK_TOLERANCE_MS)
    return { state: clockAt(offsetMs, Math.max(leadMs, offsetMs)), isConfirmed: false };
  // A clock that was set forward is right, and its message late, until more is known.
  if (leadMs < 0) return suspect({ ...before, offsetMs: 0 }, evidence);
  return isBelievable ? { state: clockAt(offsetMs, leadMs), isConfirmed: false } : suspect(before, evidence);
}

/** The known offset is kept while it is precise enough: estimated times follow each other as the device's times do. */
function clockAt(offsetMs: number, leadMs: number): ClockState {
  const isKnown = offsetMs !== 0 && Math.abs(leadMs - offsetMs) <= REFINED_BY_MS;
  return { offsetMs: isKnown ? offsetMs : leadMs, suspicion: null };
}

function suspect(before: ClockState, { leadMs, receivedAt }: ClockEvidence): ClockJudgement {
  const { offsetMs, suspicion } = before;
  const elapsed = suspicion ? receivedAt - suspicion.lastReceivedAt : 0;
  if (!suspicion || Math.abs(leadMs - suspicion.leadMs) > PACE_JITTER_MS + PACE_DRIFT * elapsed)
    return {
      state: {
        offsetMs,
        suspicion: { leadMs, firstReceivedAt: receivedAt, lastReceivedAt: receivedAt, messages: 1 },
      },
      isConfirmed: false,
    };
  if (elapsed < MIN_PACE_MS) return { state: before, isConfirmed: false };
  const messages = suspicion.messages + 1;
  if (messages >= MESSAGES_TO_CONFIRM)
    return { state: { offsetMs: leadMs, suspicion: null }, isConfirmed: true };
  return {
    state: { offsetMs, suspicion: { ...suspicion, leadMs, lastReceivedAt: receivedAt, messages } },
    isConfirmed: false,
  };
}

/**
 * When a reading was measured in real time, for a clock with this offset. A time that would then be in the future is one from
 * before the clock went back: it is right.
 */
export function estimatedTime(at: number, offsetMs: number, receivedAt: number): number {
  if (offsetMs === 0) return at;
  const estimate = at - offsetMs;
  return estimate > receivedAt + CLOCK_TOLERANCE_MS ? at : estimate;
}
