import { type AlarmEffect, type AlarmState, type LimitRule, NORMAL, step } from './alarm-machine.ts';
import { hush, isQuiet, type QuietSpan } from './quiet-time.ts';

/**
 * Readings that arrive after newer ones (a device that was out of reach, sending its backlog newest first)
 * are judged as if they had come in time (decision 7): the stretch of history that they touch is played
 * again, and the alarms that it implies are compared with those that stand. An alarm that somebody may have
 * been called for is never removed: it is amended, or ended as refuted.
 */

export interface TimedValue {
  at: number;
  value: number;
}

/** An alarm that the readings imply. */
export interface Episode {
  since: number;
  raisedAt: number;
  value: number;
  peak: number;
  peakAt: number;
  endedAt: number | null;
  recovering: boolean;
}

export interface ReplayProgress {
  state: AlarmState;
  episodes: readonly Episode[];
}

export const REPLAY_START: ReplayProgress = { state: NORMAL, episodes: [] };

/** Plays readings (in order of time) through one rule, going on from `progress`. */
export function replay(
  rule: LimitRule,
  readings: readonly TimedValue[],
  progress: ReplayProgress = REPLAY_START,
  quiet: readonly QuietSpan[] = [],
): ReplayProgress {
  let { state } = progress;
  const episodes = [...progress.episodes];
  for (const { at, value } of readings) {
    if (isQuiet(quiet, at)) {
      state = hush(state, at);
      continue;
    }
    const result = step(rule, state, { type: 'reading', at, value });
    state = result.state;
    for (const effect of result.effects) applyEffect(episodes, effect);
  }
  return { state, episodes };
}

function applyEffect(episodes: Episode[], effect: AlarmEffect): void {
  if (effect.type === 'raise') {
    episodes.push({
      since: effect.since,
      raisedAt: effect.raisedAt,
      value: effect.value as number,
      peak: effect.peak as number,
      peakAt: effect.peakAt as number,
      endedAt: null,
      recovering: false,
    });
    return;
  }
  const last = episodes.length - 1;
  const open = episodes[last] as Episode;
  if (effect.type === 'peak') episodes[last] = { ...open, peak: effect.peak, peakAt: effect.peakAt };
  else if (effect.type === 'end') episodes[last] = { ...open, endedAt: effect.endedAt, recovering: false };
  else episodes[last] = { ...open, recovering: effect.type === 'recovering' };
}

/** True when the reading leaves every machine that is normal or pending at rest, whatever came before. */
export function isClear(rules: readonly LimitRule[], value: number): boolean {
  return rules.every((rule) =>
    rule.kind === 'high'
      ? value < rule.limit && value <= rule.limit - rule.recoveryMargin
      : value > rule.limit && value >= rule.limit + rule.recoveryMargin,
  );
}

/** An alarm that stands, as far as comparing needs it. */
export interface StandingAlarm extends Episode {
  id: number;
  /** Late readings have shown before that it was none; still later ones may show that it was one after all. */
  refuted: boolean;
}

export type Amendment =
  | { type: 'insert'; episode: Episode }
  | { type: 'amend'; alarmId: number; episode: Episode }
  | { type: 'refute'; alarmId: number; endedAt: number };

function overlaps(a: Episode, b: Episode): boolean {
  return a.since <= (b.endedAt ?? Infinity) && b.since <= (a.endedAt ?? Infinity);
}

function same(a: Episode, b: Episode): boolean {
  return (
    a.since === b.since &&
    a.raisedAt === b.raisedAt &&
    a.endedAt === b.endedAt &&
    a.peak === b.peak &&
    a.recovering === b.recovering
  );
}

/**
 * What must change so that the standing alarms of one rule say what the readings imply. Both lists cover
 * the same stretch and are in order of time. Each episode takes the first free alarm that it overlaps; an
 * episode without one is new; an alarm without one is refuted as of `now` (event time of the stretch's end).
 */
export function reconcile(
  standing: readonly StandingAlarm[],
  episodes: readonly Episode[],
  now: number,
): Amendment[] {
  const free = [...standing.filter((alarm) => !alarm.refuted), ...standing.filter((alarm) => alarm.refuted)];
  const amendments: Amendment[] = [];
  for (const episode of episodes) {
    const index = free.findIndex((alarm) => overlaps(alarm, episode));
    if (index === -1) {
      amendments.push({ type: 'insert', episode });
      continue;
    }
    const alarm = free.splice(index, 1)[0] as StandingAlarm;
    if (alarm.refuted || !same(alarm, episode))
      amendments.push({ type: 'amend', alarmId: alarm.id, episode });
  }
  for (const alarm of free) {
    if (!alarm.refuted) amendments.push({ type: 'refute', alarmId: alarm.id, endedAt: alarm.endedAt ?? now });
  }
  return amendments;
}
