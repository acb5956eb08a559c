/**
 * The clocks of devices (decision 34). The offset of a clock is device time minus real time. It is estimated
 * by comparing the send time of a message (or, if absent, the time of its newest reading) with the time of
 * receipt. The functions are pure: all times are parameters, in epoch ms.
 *
 * A message cannot be received before it was sent, so a clock that is ahead is detected at once. A time in
 * the past may also come from a late message. Therefore a clock counts as behind only when several
 * consecutive messages are old by the same amount, arrive at the pace of real time and have no message with
 * the right time between them. Backlogs arrive faster than they were measured.
 */

/** Largest deviation at which a clock counts as right. */
export const CLOCK_TOLERANCE_MS = 2 * 60_000;
/**
 * Up to this lead, one message is enough as evidence. A larger lead may be an error, and needs as many
 * messages as a clock that is behind.
 */
export const FUTURE_ALLOWANCE_MS = 5 * 60_000;
/** Largest change of a live device's lead between two messages, caused by network jitter and clock drift. */
const PACE_JITTER_MS = 5_000;
const PACE_DRIFT = 0.1;
/** Shortest interval between two messages from which the pace is derived. */
export const MIN_PACE_MS = 10_000;
const MESSAGES_TO_CONFIRM = 3;
/** A known offset is corrected if a message proves that it is too small by more than this. */
const REFINED_BY_MS = 10_000;

/** Clocks that were reset start at 1970, 1980 or 2000. No reading is older than this time. */
const RESET_BEFORE_MS = Date.UTC(2000, 0, 8);

/** Returns true for a time that only a reset clock shows. */
export function isResetTime(at: number): boolean {
  return at < RESET_BEFORE_MS;
}

/** Evidence about a device's clock that a message contains. */
export interface ClockEvidence {
  receivedAt: number;
  /** Send time, or time of the newest reading, minus server time, in ms. */
  leadMs: number;
  /** True if the device sent the message directly at this time and no queue delayed it. */
  isSendTime: boolean;
  /** Acquisition interval in ms. The newest reading may be older than its message by this much. */
  intervalMs: number;
}

/** Messages that suggest a wrong clock. They prove it if more follow at the same pace. */
export interface ClockSuspicion {
  /** Lead of the last message that was counted. */
  leadMs: number;
  firstReceivedAt: number;
  lastReceivedAt: number;
  messages: number;
}

export interface ClockState {
  /** Device time minus real time in ms; 0 while the clock is right. */
  offsetMs: number;
  suspicion: ClockSuspicion | null;
}

export const RIGHT_CLOCK: ClockState = Object.freeze({ offsetMs: 0, suspicion: null });

export interface ClockJudgement {
  state: ClockState;
  /** True if the messages that suggested a wrong clock were also sent with the new offset. */
  isConfirmed: boolean;
}

/**
 * Returns the lead of a device time over two clocks of the server (one of them never runs backwards). It is 0 between
 * them, so that no device looks wrong after the clock of the server was set.
 */
export function leadOf(deviceTime: number, clocks: readonly [number, number]): number {
  const latest = Math.max(...clocks);
  const earliest = Math.min(...clocks);
  if (deviceTime > latest) return deviceTime - latest;
  return Math.min(0, deviceTime - earliest);
}

/**
 * Returns true if a message with this lead may come from a right clock: it is neither early nor older than
 * live data.
 */
export function isRightLead(leadMs: number, intervalMs: number): boolean {
  return leadMs <= CLOCK_TOLERANCE_MS && leadMs >= -CLOCK_TOLERANCE_MS - intervalMs;
}

/**
 * Evaluates a message. A clock that is ahead is corrected at once; a clock that is behind needs the
 * following messages as confirmation.
 */
export function judgeClock(before: ClockState, evidence: ClockEvidence): ClockJudgement {
  const { leadMs, isSendTime, intervalMs } = evidence;
  const { offsetMs } = before;
  if (isRightLead(leadMs, intervalMs)) return { state: RIGHT_CLOCK, isConfirmed: false };
  const isBelievable = leadMs <= FUTURE_ALLOWANCE_MS;
  if (isSendTime && isBelievable) return { state: clockAt(offsetMs, leadMs), isConfirmed: false };
  if (leadMs < offsetMs - CLOCK_TOLERANCE_MS - intervalMs) return suspect(before, evidence);
  if (offsetMs !== 0 && leadMs <= offsetMs + CLOCK_TOLERANCE_MS)
    return { state: clockAt(offsetMs, Math.max(leadMs, offsetMs)), isConfirmed: false };
  // A clock that was set forward counts as right, and its message as late, until more messages arrive.
  if (leadMs < 0) return suspect({ ...before, offsetMs: 0 }, evidence);
  return isBelievable ? { state: clockAt(offsetMs, leadMs), isConfirmed: false } : suspect(before, evidence);
}

/**
 * Returns the clock with the known offset as long as it is precise enough, so that estimated times keep the
 * intervals of the device's times.
 */
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
 * Returns the real time of a reading for a clock with this offset. If the result were in the future, the
 * reading was made before the clock was set back, and its time is right.
 */
export function estimatedTime(at: number, offsetMs: number, receivedAt: number): number {
  if (offsetMs === 0) return at;
  const estimate = at - offsetMs;
  return estimate > receivedAt + CLOCK_TOLERANCE_MS ? at : estimate;
}
