import { type AlarmLevel, highestLevel } from './alarm-level.ts';
import { type AlarmEffect, isFarther, type LimitRule, mayRaise } from './alarm-machine.ts';
import type { AlarmEndReason, LimitKind } from './catalogue.ts';

/**
 * One excursion of a channel beyond its upper or its lower limits (decision 21). It opens with the first
 * rule that raises, and ends when no rule holds it open any more. Its level is the highest level of the
 * rules that hold it open. Times are epoch ms.
 */
export interface Episode {
  /** Identifier of the stored alarm that this episode continues; null for a new one. */
  alarmId: number | null;
  kind: LimitKind;
  /** The rule that raised first. */
  ruleId: number;
  /** Time of the first reading outside the limit of any of the rules. */
  since: number;
  raisedAt: number;
  endedAt: number | null;
  endReason: AlarmEndReason | null;
  recovering: boolean;
  /** Current level; for an ended episode the highest level that it reached. */
  level: AlarmLevel;
  peakLevel: AlarmLevel;
  /** The innermost limit that was exceeded when the alarm was raised (decision 8). */
  limit: number;
  recoveryMargin: number;
  triggerAfterMs: number;
  /** By how much a defrost delayed the alarm, ms; absent if it did not. */
  defrostDelayMs?: number | undefined;
  /** Value of the reading that raised the alarm. */
  value: number;
  peak: number;
  peakAt: number;
  /** Events that were added since this evaluation began. */
  events: EpisodeEvent[];
}

export const EPISODE_EVENTS = ['raised', 'level-changed', 'recovering', 'relapsed', 'ended'] as const;

/** Types of events of a stored alarm: those of its episode, and those about changes by late readings. */
export const ALARM_EVENTS = [...EPISODE_EVENTS, 'reopened', 'late-readings'] as const;

export interface EpisodeEvent {
  type: (typeof EPISODE_EVENTS)[number];
  at: number;
  level: AlarmLevel;
  limit: number | null;
  value: number | null;
}

/**
 * Order of the episodes of a channel: by their start. Rules of several kinds can begin at the same reading;
 * their episodes are in the order of the names of their kinds.
 */
export function compareEpisodes(
  a: Pick<Episode, 'since' | 'raisedAt' | 'kind'>,
  b: Pick<Episode, 'since' | 'raisedAt' | 'kind'>,
): number {
  return a.since - b.since || a.raisedAt - b.raisedAt || Number(a.kind > b.kind) - Number(a.kind < b.kind);
}

/** An effect of one rule at a given time of its readings. */
export interface RuleEffect {
  at: number;
  rule: LimitRule;
  effect: AlarmEffect;
}

/** Rules of one kind that hold an alarm open, each with its level and whether it is recovering. */
export type HoldingRules = Map<number, { level: AlarmLevel; recovering: boolean }>;

/**
 * Order of effects at the same moment. Ends of rule versions come first, because the next version starts from
 * the normal state. Then rules raise before other rules recover, so that one excursion remains one episode.
 */
const ORDER = { raise: 1, peak: 2, relapse: 2, recovering: 3, end: 4 } as const;

function orderOf({ effect }: RuleEffect): number {
  if (effect.type !== 'end' || effect.reason === 'recovered') return ORDER[effect.type];
  // An alarm that times out ends after everything that its last reading did.
  return effect.reason === 'data-timeout' ? LAST : 0;
}
const LAST = 5;

/** Effects at one moment change an episode together if they are of the same stage. */
const stageOf = (effect: RuleEffect) => Math.min(1, orderOf(effect)) + (orderOf(effect) === LAST ? 1 : 0);

/**
 * Start of the effect. If several rules raise at the same moment, the one with the earliest start opens the
 * episode.
 */
const sinceOf = ({ at, effect }: RuleEffect) => (effect.type === 'raise' ? effect.since : at);

/**
 * Combines the effects of all rules of one kind on a channel into episodes, in order of time: `open`,
 * continued, and new ones. `holding` contains the rules that hold the alarm open at the beginning; it is
 * updated. `rulesAt` returns the rules in force at a given time.
 */
export function foldEpisodes(
  open: Episode | null,
  holding: HoldingRules,
  effects: readonly RuleEffect[],
  rulesAt: (at: number) => readonly LimitRule[],
): Episode[] {
  const sorted = [...effects].sort(
    (a, b) => a.at - b.at || orderOf(a) - orderOf(b) || sinceOf(a) - sinceOf(b) || a.rule.id - b.rule.id,
  );
  let current: Episode | null = open && { ...open, events: [...open.events] };
  const episodes: Episode[] = current ? [current] : [];
  for (let i = 0; i < sorted.length; ) {
    const { at } = sorted[i] as RuleEffect;
    const stage = stageOf(sorted[i] as RuleEffect);
    let reason: AlarmEndReason = 'recovered';
    let opened = false;
    let value: number | null = null;
    for (; i < sorted.length; i++) {
      const own = sorted[i] as RuleEffect;
      if (own.at !== at || stageOf(own) !== stage) break;
      const { rule, effect } = own;
      if (effect.type === 'raise') {
        holding.set(rule.id, { level: rule.level, recovering: false });
        value = effect.value;
        if (current) widen(current, effect.peak as number, effect.peakAt as number);
        else {
          current = begin(rule, effect, rulesAt(at));
          episodes.push(current);
          opened = true;
        }
      } else if (effect.type === 'end') {
        holding.delete(rule.id);
        reason = effect.reason;
      } else if (effect.type === 'peak') widen(current, effect.peak, effect.peakAt);
      else holding.set(rule.id, { level: rule.level, recovering: effect.type === 'recovering' });
    }
    // If a person has ended the episode, rules may still hold. Only a new raise opens another episode.
    if (!current) continue;
    if (holding.size === 0) {
      current.level = current.peakLevel;
      current.endedAt = at;
      current.endReason = reason;
      current.recovering = false;
      current.events.push(eventOf(current, 'ended', at, null));
      current = null;
    } else settleLevel(current, holding, at, opened, value);
  }
  return episodes;
}

function settleLevel(
  episode: Episode,
  holding: HoldingRules,
  at: number,
  opened: boolean,
  value: number | null,
): void {
  const rules = [...holding.values()];
  const level = highestLevel(rules.map((rule) => rule.level));
  const recovering = rules.every((rule) => rule.recovering);
  const changed = level !== episode.level;
  episode.level = level;
  if (level > episode.peakLevel) episode.peakLevel = level;
  if (opened) episode.events.push(eventOf(episode, 'raised', at, value));
  else if (changed) episode.events.push(eventOf(episode, 'level-changed', at, value));
  if (recovering !== episode.recovering) {
    episode.recovering = recovering;
    episode.events.push(eventOf(episode, recovering ? 'recovering' : 'relapsed', at, null));
  }
}

function eventOf(
  episode: Episode,
  type: EpisodeEvent['type'],
  at: number,
  value: number | null,
): EpisodeEvent {
  return { type, at, level: episode.level, limit: episode.limit, value };
}

type Raise = AlarmEffect & { type: 'raise' };

function begin(rule: LimitRule, effect: Raise, rules: readonly LimitRule[]): Episode {
  const value = effect.value as number;
  const innermost = rules.reduce(
    (inner, other) =>
      other.kind === rule.kind &&
      mayRaise(other, effect.raisedAt, value) &&
      isFarther(rule.kind, inner.limit, other.limit)
        ? other
        : inner,
    rule,
  );
  return {
    alarmId: null,
    kind: rule.kind,
    ruleId: rule.id,
    since: effect.since,
    raisedAt: effect.raisedAt,
    endedAt: null,
    endReason: null,
    recovering: false,
    level: rule.level,
    peakLevel: rule.level,
    limit: innermost.limit,
    recoveryMargin: innermost.recoveryMargin,
    triggerAfterMs: rule.triggerAfterMs,
    defrostDelayMs: effect.defrostDelayMs,
    value,
    peak: effect.peak as number,
    peakAt: effect.peakAt as number,
    events: [],
  };
}

/**
 * Updates the peak of an episode with a value. The peak is the farthest value, and the earliest of equal
 * ones.
 */
export function widen(episode: Episode | null, peak: number, peakAt: number): void {
  if (!episode || peakAt < episode.since) return;
  if (isFarther(episode.kind, peak, episode.peak) || (peak === episode.peak && peakAt < episode.peakAt)) {
    episode.peak = peak;
    episode.peakAt = peakAt;
  }
}
