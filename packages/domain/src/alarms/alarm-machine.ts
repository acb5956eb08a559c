import type { AlarmLevel } from './alarm-level.ts';
import { type AlarmEndReason, isUpper, type LimitKind, type SilenceKind } from './catalogue.ts';
import type { DefrostDelay } from './defrost.ts';
import { isScheduled, type RuleSchedule } from './schedule.ts';
import type { Signal } from './signal.ts';

/**
 * The alarm state machine of a rule: normal → pending → active → recovering → normal.
 *
 * It consists of pure functions. Its time is the time of the readings (decision 7), not of their arrival.
 * Durations do not count across gaps. There is one state per rule and channel. The readings of the channel
 * must be passed in order of time, each once; their division into batches makes no difference.
 */

interface RuleBase {
  id: number;
  level: AlarmLevel;
  /** Trigger delay in ms, measured by the times of the readings. */
  triggerAfterMs: number;
  /** When alarms may be raised; null or absent: always. */
  schedule?: RuleSchedule | null;
}

export interface LimitRule extends RuleBase {
  kind: LimitKind;
  /** The derived value (signal) that is compared with the limit; null to compare the measured value. */
  signal: Signal | null;
  limit: number;
  /** Hysteresis: distance inside the limit at which a reading counts as recovered. */
  recoveryMargin: number;
  /** How long readings must stay recovered before the alarm ends. */
  recoverAfterMs: number;
  /** A longer time between two readings is a gap, which is not counted in any duration. */
  gapAllowanceMs: number;
  /**
   * True for the rules of the WHO, where a value equal to the limit is outside. Otherwise such a value is
   * inside (decision 6).
   */
  limitIsOutside: boolean;
  /** Delay of alarms that begin during a detected defrost; null or absent: none. */
  defrost?: DefrostDelay | null;
}

export interface NoDataRule extends RuleBase {
  kind: SilenceKind;
  /** True for a rule about the device as a whole, which is stored with one of its channels. */
  ofDevice: boolean;
}

/** State of a rule between two readings. Times are epoch ms. */
export type AlarmState =
  | { phase: 'normal' }
  | {
      phase: 'pending';
      since: number;
      accruedMs: number;
      lastAt: number;
      peak: number;
      peakAt: number;
      /** Present if a defrost was detected at the first reading outside the limit. */
      defrost?: DelayedRaise;
    }
  | {
      phase: 'active' | 'recovering';
      since: number;
      raisedAt: number;
      lastAt: number;
      /** Null if it is not known, because late readings changed the alarm. */
      peak: number | null;
      peakAt: number | null;
      /** Time since the first recovered reading, without gaps; 0 while active. */
      recoveredMs: number;
      /**
       * Limit at the time when the alarm was raised (decision 8). Later edits of the rule do not change it.
       */
      limit: number | null;
      recoveryMargin: number;
    };

/** The delay of a pending alarm by a defrost. Times are epoch ms. */
export interface DelayedRaise {
  /** The alarm is not raised before this time. */
  until: number;
  /** When the alarm would have been raised without the defrost; null before that time. */
  dueAt: number | null;
}

export interface AlarmInput {
  at: number;
  value: number;
  /** True if a defrost of the device is detected at this reading (defrost-detection.ts). */
  defrosting?: boolean;
}

export type AlarmEffect =
  | {
      type: 'raise';
      since: number;
      raisedAt: number;
      value: number | null;
      peak: number | null;
      peakAt: number | null;
      /** By how much a defrost delayed the alarm, ms; absent if it did not. */
      defrostDelayMs?: number;
    }
  | { type: 'peak'; peak: number; peakAt: number }
  | { type: 'recovering' }
  | { type: 'relapse' }
  | { type: 'end'; endedAt: number; reason: AlarmEndReason };

export interface AlarmStep {
  state: AlarmState;
  effects: readonly AlarmEffect[];
}

export const NORMAL: AlarmState = Object.freeze({ phase: 'normal' });
const NOTHING: readonly AlarmEffect[] = Object.freeze([]);

/** The default gap allowance: the larger of twice the acquisition interval and 5 minutes (decision 7). */
export function defaultGapAllowanceMs(acquisitionIntervalMs: number): number {
  return Math.max(2 * acquisitionIntervalMs, 5 * 60_000);
}

/** True when `value` is on the wrong side of the limit. */
export function isOutside(
  rule: Pick<LimitRule, 'kind' | 'limit' | 'limitIsOutside'>,
  value: number,
): boolean {
  if (value === rule.limit) return rule.limitIsOutside;
  return isUpper(rule.kind) ? value > rule.limit : value < rule.limit;
}

/** True if a reading is outside the limit at a time at which the rule may raise an alarm. */
export function mayRaise(rule: LimitRule, at: number, value: number): boolean {
  return isOutside(rule, value) && isScheduled(rule.schedule, at);
}

function isRecovered(rule: LimitRule, limit: number, margin: number, value: number): boolean {
  const target = isUpper(rule.kind) ? limit - margin : limit + margin;
  if (margin === 0 && rule.limitIsOutside && value === target) return false;
  return isUpper(rule.kind) ? value <= target : value >= target;
}

/** True when `value` is farther outside than `peak`. */
export function isFarther(kind: LimitKind, value: number, peak: number): boolean {
  return isUpper(kind) ? value > peak : value < peak;
}

/** Returns the time between two readings that counts for durations; zero across a gap. */
function vouchedMs(rule: LimitRule, fromAt: number, toAt: number): number {
  const elapsed = toAt - fromAt;
  return elapsed > rule.gapAllowanceMs ? 0 : elapsed;
}

/**
 * Evaluates the next reading. Readings that are not newer than the last one change nothing. Outside the
 * schedule of the rule no alarm is raised and a pending one is discarded, but an open one goes on until it
 * has recovered. An alarm that begins during a defrost is raised later, but at most by the delay of the rule.
 */
export function step(rule: LimitRule, state: AlarmState, { at, value, defrosting }: AlarmInput): AlarmStep {
  if (state.phase === 'normal') {
    if (!mayRaise(rule, at, value)) return { state, effects: NOTHING };
    if (defrosting && rule.defrost) {
      const until = at + rule.triggerAfterMs + rule.defrost.delayMs;
      const dueAt = rule.triggerAfterMs === 0 ? at : null;
      return {
        state: {
          phase: 'pending',
          since: at,
          accruedMs: 0,
          lastAt: at,
          peak: value,
          peakAt: at,
          defrost: { until, dueAt },
        },
        effects: NOTHING,
      };
    }
    if (rule.triggerAfterMs === 0) return raise(rule, at, at, value, value, at);
    return {
      state: { phase: 'pending', since: at, accruedMs: 0, lastAt: at, peak: value, peakAt: at },
      effects: NOTHING,
    };
  }

  if (at <= state.lastAt) return { state, effects: NOTHING };

  if (state.phase === 'pending') {
    if (!mayRaise(rule, at, value)) return { state: NORMAL, effects: NOTHING };
    const accruedMs = state.accruedMs + vouchedMs(rule, state.lastAt, at);
    const farther = isFarther(rule.kind, value, state.peak);
    const peak = farther ? value : state.peak;
    const peakAt = farther ? at : state.peakAt;
    const next: AlarmState = { ...state, accruedMs, lastAt: at, peak, peakAt };
    if (accruedMs < rule.triggerAfterMs) return { state: next, effects: NOTHING };
    if (!state.defrost) return raise(rule, state.since, at, value, peak, peakAt);
    const dueAt = state.defrost.dueAt ?? at;
    if (at >= state.defrost.until) return raise(rule, state.since, at, value, peak, peakAt, at - dueAt);
    return { state: { ...next, defrost: { ...state.defrost, dueAt } }, effects: NOTHING };
  }

  const limit = state.limit ?? rule.limit;
  if (isRecovered(rule, limit, state.recoveryMargin, value)) {
    const recoveredMs =
      state.phase === 'recovering' ? state.recoveredMs + vouchedMs(rule, state.lastAt, at) : 0;
    if (recoveredMs >= rule.recoverAfterMs)
      return { state: NORMAL, effects: [{ type: 'end', endedAt: at, reason: 'recovered' }] };
    return {
      state: { ...state, phase: 'recovering', recoveredMs, lastAt: at },
      effects: state.phase === 'recovering' ? NOTHING : [{ type: 'recovering' }],
    };
  }
  const effects: AlarmEffect[] = state.phase === 'recovering' ? [{ type: 'relapse' }] : [];
  const farther = state.peak === null || isFarther(rule.kind, value, state.peak);
  if (farther) effects.push({ type: 'peak', peak: value, peakAt: at });
  return {
    state: {
      ...state,
      phase: 'active',
      recoveredMs: 0,
      lastAt: at,
      peak: farther ? value : state.peak,
      peakAt: farther ? at : state.peakAt,
    },
    effects: effects.length === 0 ? NOTHING : effects,
  };
}

function raise(
  rule: LimitRule,
  since: number,
  at: number,
  value: number,
  peak: number,
  peakAt: number,
  defrostDelayMs = 0,
): AlarmStep {
  const effect: AlarmEffect = { type: 'raise', since, raisedAt: at, value, peak, peakAt };
  return {
    state: {
      phase: 'active',
      since,
      raisedAt: at,
      lastAt: at,
      peak,
      peakAt,
      recoveredMs: 0,
      limit: rule.limit,
      recoveryMargin: rule.recoveryMargin,
    },
    effects: [defrostDelayMs > 0 ? { ...effect, defrostDelayMs } : effect],
  };
}
