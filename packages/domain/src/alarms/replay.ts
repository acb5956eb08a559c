import { DAY_MS } from '../readings/sealed-day.ts';
import type { Series } from '../readings/series.ts';
import { type AlarmState, isOutside, type LimitRule, mayRaise, NORMAL, step } from './alarm-machine.ts';
import { timeoutBetween } from './data-timeout.ts';
import type { DefrostColumns } from './defrost.ts';
import type { RuleEffect } from './episode.ts';
import { hush, isQuiet } from './quiet-time.ts';
import { type ChannelRules, ruleAt } from './rule-version.ts';

/**
 * Readings that arrive after newer ones are evaluated as if they had arrived in time (decision 7): the
 * affected part of the history is replayed. The replay starts where the states of the rules are known, and
 * stops where they equal the states without the late readings.
 */

/** States of the rules of a channel, by rule id. A rule without a state is normal. */
export type MachineStates = ReadonlyMap<number, AlarmState>;

/**
 * States of the rules at the midnights that begin the UTC days `day` to `untilDay`. There are no readings
 * between these midnights.
 */
export interface Checkpoint {
  /** Day number, counted since 1970. */
  day: number;
  untilDay: number;
  states: MachineStates;
}

/** For each rule id, the values that the rule compares, one for each reading. */
export type SignalColumns = ReadonlyMap<number, Float64Array>;
const NO_SIGNALS: SignalColumns = new Map();

export interface ReplayInput {
  rules: ChannelRules;
  /** States of the rules before the first reading. */
  states: MachineStates;
  /** Readings ordered by time, starting where the states are known. */
  readings: Series;
  /** For rules that compare a signal: their values, one for each reading. */
  signals?: SignalColumns;
  /** For rules with a defrost delay: at which readings a defrost is detected. */
  defrosts?: DefrostColumns;
  /** Time of the first reading after these; infinite if there is none. */
  nextAt?: number;
  /** Latest time at which a value depends on the late readings. */
  latest: number;
  /** Versions that end after this time have not ended yet, such as those of a device that expires later. */
  endsUntil?: number;
  /** Checkpoints as stored before the late readings arrived; null if they were not loaded. */
  checkpoints: readonly Checkpoint[] | null;
  /** True if an alarm was open at this time, before the late readings arrived. */
  wasHolding(at: number): boolean;
}

export interface Replay {
  /**
   * From this time on the result equals the stored one: no rule is active (`rest`), or all states are the
   * same (`same`). Null if the readings ended before.
   */
  settled: { at: number; as: 'rest' | 'same' } | null;
  states: Map<number, AlarmState>;
  effects: RuleEffect[];
  /** States at the midnights of the replay at which a rule was not normal. */
  checkpoints: Checkpoint[];
}

export const dayOf = (at: number) => Math.floor(at / DAY_MS);

export function replayChannel(input: ReplayInput): Replay {
  const { rules, readings, latest, signals = NO_SIGNALS, nextAt = Number.POSITIVE_INFINITY } = input;
  const states = new Map(input.states);
  const effects: RuleEffect[] = [];
  const checkpoints: Checkpoint[] = [];
  let before = Number.NaN;
  for (let i = 0; i < readings.at.length; i++) {
    const at = readings.at[i] as number;
    const comparedBy = (rule: LimitRule) => (signals.get(rule.id) ?? readings.value)[i] as number;
    endTimedOut(rules, states, effects, before, at);
    if (dayOf(at) > dayOf(before)) {
      closeVersions(rules, states, effects, dayOf(at) * DAY_MS);
      if (states.size > 0)
        checkpoints.push({ day: dayOf(before) + 1, untilDay: dayOf(at), states: new Map(states) });
      const midnight = dayOf(at) * DAY_MS;
      if (before >= latest && input.checkpoints) {
        const stored = checkpointAt(input.checkpoints, dayOf(at));
        if (stored && isSameCourse(states, stored.states))
          return { settled: { at: midnight, as: 'same' }, states, effects, checkpoints };
        if (!stored && states.size === 0 && !input.wasHolding(midnight))
          return { settled: { at: midnight, as: 'rest' }, states, effects, checkpoints };
      }
    }
    closeVersions(rules, states, effects, at);
    playReading(rules, states, effects, at, comparedBy, (rule) => input.defrosts?.get(rule.id)?.[i] === 1);
    before = at;
    if (at > latest && states.size === 0 && !input.wasHolding(at) && isCalm(rules, at, comparedBy))
      return { settled: { at, as: 'rest' }, states, effects, checkpoints };
  }
  endTimedOut(rules, states, effects, before, nextAt);
  closeVersions(rules, states, effects, input.endsUntil ?? Number.POSITIVE_INFINITY);
  return { settled: null, states, effects, checkpoints };
}

/** The checkpoint of the midnight at which a day begins. */
export function checkpointAt(checkpoints: readonly Checkpoint[], day: number): Checkpoint | undefined {
  return checkpoints.find((checkpoint) => checkpoint.day <= day && day <= checkpoint.untilDay);
}

/** True if the stored checkpoints of the days after `fromDay` to `lastDay` equal those of a replay. */
export function hasCheckpoints(
  stored: readonly Checkpoint[],
  replayed: readonly Checkpoint[],
  fromDay: number,
  lastDay: number,
): boolean {
  const own = stored.filter(({ day, untilDay }) => untilDay > fromDay && day <= lastDay);
  return (
    own.length === replayed.length &&
    replayed.every(({ day, untilDay, states }) =>
      own.some((one) => one.day === day && one.untilDay === untilDay && isSameCourse(one.states, states)),
    )
  );
}

function playReading(
  { versions, gaps, quiet }: ChannelRules,
  states: Map<number, AlarmState>,
  effects: RuleEffect[],
  at: number,
  comparedBy: (rule: LimitRule) => number,
  isDefrosting: (rule: LimitRule) => boolean,
): void {
  for (const { rule, from, until } of versions) {
    if (at < from || at >= until) continue;
    const state = states.get(rule.id) ?? NORMAL;
    const value = comparedBy(rule);
    if (state.phase === 'normal' && !isOutside(rule, value)) continue;
    let next: AlarmState;
    if (Number.isNaN(value) || isQuiet(quiet, at)) next = hush(state, at);
    else {
      const result = step(ruleAt(rule, gaps, at), state, { at, value, defrosting: isDefrosting(rule) });
      next = result.state;
      for (const effect of result.effects) effects.push({ at, rule, effect });
    }
    if (next.phase === 'normal') states.delete(rule.id);
    else states.set(rule.id, next);
  }
}

/** Ends open alarms of rule versions that ended at or before a moment. */
function closeVersions(
  { versions }: ChannelRules,
  states: Map<number, AlarmState>,
  effects: RuleEffect[],
  moment: number,
): void {
  if (states.size === 0) return;
  for (const { rule, until, endReason } of versions) {
    if (until === Number.POSITIVE_INFINITY || until > moment) continue;
    const state = states.get(rule.id);
    if (!state) continue;
    states.delete(rule.id);
    if (state.phase !== 'pending')
      effects.push({ at: until, rule, effect: { type: 'end', endedAt: until, reason: endReason } });
  }
}

/**
 * Ends the alarms that timed out between two readings, at the first of them. Where a rule of a kind ended in the
 * meantime and another one held the alarm, the alarm ends with the timeout.
 */
function endTimedOut(
  rules: ChannelRules,
  states: Map<number, AlarmState>,
  effects: RuleEffect[],
  before: number,
  at: number,
): void {
  if (states.size === 0 || !rules.timeouts) return;
  const timeout = timeoutBetween(rules.timeouts, before, at);
  if (timeout === null) return;
  const held = rules.versions.filter(({ rule }) => {
    const phase = states.get(rule.id)?.phase;
    return phase === 'active' || phase === 'recovering';
  });
  const kinds = new Set(held.filter(({ until }) => until > timeout).map(({ rule }) => rule.kind));
  for (const { rule } of held) {
    if (!kinds.has(rule.kind)) continue;
    states.delete(rule.id);
    effects.push({ at: before, rule, effect: { type: 'end', endedAt: before, reason: 'data-timeout' } });
  }
  closeVersions(rules, states, effects, timeout);
  states.clear();
}

/**
 * True if after this reading every rule that is not active is normal: it is inside all limits, not evaluated, or
 * outside the schedules.
 */
export function isCalm(rules: ChannelRules, at: number, comparedBy: (rule: LimitRule) => number): boolean {
  return (
    isQuiet(rules.quiet, at) ||
    rules.versions.every(
      ({ rule, from, until }) => at < from || at >= until || !mayRaise(rule, at, comparedBy(rule)),
    )
  );
}

/**
 * True if two sets of states lead to the same later alarms. The start and the peak of an alarm are ignored:
 * they belong to the episode, and they would stay different for a channel that never recovers.
 */
export function isSameCourse(a: MachineStates, b: MachineStates): boolean {
  if (a.size !== b.size) return false;
  for (const [id, one] of a) {
    const other = b.get(id);
    if (!other || one.phase === 'normal' || other.phase === 'normal') return false;
    if (one.phase !== other.phase || one.lastAt !== other.lastAt) return false;
    if (one.phase === 'pending') {
      const pending = other as typeof one;
      if (one.since !== pending.since || one.accruedMs !== pending.accruedMs || one.peak !== pending.peak)
        return false;
      if (one.defrost?.until !== pending.defrost?.until || one.defrost?.dueAt !== pending.defrost?.dueAt)
        return false;
    } else {
      const active = other as typeof one;
      if (one.recoveredMs !== active.recoveredMs || one.limit !== active.limit) return false;
      if (one.recoveryMargin !== active.recoveryMargin) return false;
    }
  }
  return true;
}

/** States as they are stored in a checkpoint: without the peaks of open alarms. */
export function withoutPeaks(states: MachineStates): Map<number, AlarmState> {
  return new Map(
    [...states].map(([id, state]) => [
      id,
      state.phase === 'active' || state.phase === 'recovering'
        ? { ...state, peak: null, peakAt: null }
        : state,
    ]),
  );
}
