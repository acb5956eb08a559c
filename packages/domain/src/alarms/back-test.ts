import type { Series } from '../readings/series.ts';
import { type AlarmState, isFarther, isOutside, type LimitRule } from './alarm-machine.ts';
import { isUpper, LIMIT_KINDS } from './catalogue.ts';
import type { DefrostColumns } from './defrost.ts';
import { compareEpisodes, type Episode, foldEpisodes, type RuleEffect } from './episode.ts';
import { replayChannel, type SignalColumns } from './replay.ts';
import type { ChannelRules } from './rule-version.ts';

/**
 * A back-test finds the alarms that some rules would have raised in a past period, with the same state
 * machine that evaluates readings on arrival. The history of the channel is passed in order of time, in
 * stretches (days). A stretch is skipped if its readings cannot raise, continue or end an alarm, so that its
 * readings need not be loaded.
 */
export interface BackTest {
  /** True if readings between these extremes can raise an alarm. */
  canRaise(stretch: Extremes): boolean;
  /**
   * Returns false if the readings of the next stretch change nothing, according to its lowest and highest
   * reading.
   */
  needs(stretch: Extremes): boolean;
  /**
   * Skips the next stretch, for which `needs` has returned false. The stretch must have at least one reading.
   */
  skip(): void;
  /**
   * Evaluates readings. `signals` contains, for each rule with a signal, the values of the signal, `defrosts` the
   * readings at which a defrost is detected.
   */
  play(readings: Series, signals?: SignalColumns, defrosts?: DefrostColumns): void;
  /** Returns the alarms so far, in order of time. An alarm that is still open has no end. */
  episodes(): Episode[];
}

/** The lowest and highest reading of a stretch of history. */
export interface Extremes {
  min: number;
  max: number;
}

/**
 * Rules that are evaluated as if they had always been in force, with the other data on which the evaluation
 * depends.
 */
export interface BackTestRules extends Pick<ChannelRules, 'gaps' | 'quiet'> {
  rules: readonly LimitRule[];
}

/** Creates a back-test that begins without alarms. */
export function createBackTest({ rules, gaps, quiet }: BackTestRules): BackTest {
  const inForce: ChannelRules = {
    versions: rules.map((rule) => ({
      rule,
      from: Number.NEGATIVE_INFINITY,
      until: Number.POSITIVE_INFINITY,
      endReason: 'rule-edited',
    })),
    gaps,
    quiet,
  };
  const canRaise = extremesCheck(rules);
  const hasSignals = rules.some(needsHistory);
  const effects: RuleEffect[] = [];
  let states = new Map<number, AlarmState>();

  return {
    canRaise,
    needs: (stretch) => canRaise(stretch) || [...states.values()].some(({ phase }) => phase !== 'pending'),
    skip() {
      // Here a rule can only be normal or pending, and a reading inside the limits makes a pending rule
      // normal.
      states = new Map();
    },
    play(readings, signals, defrosts) {
      const { at, value } = readings;
      for (let i = 0; i < at.length; ) {
        // All rules stay normal until the next reading outside a limit.
        if (states.size === 0) while (i < at.length && !isRaising(value[i] as number)) i++;
        if (i === at.length) break;
        const replay = replayChannel({
          rules: inForce,
          states,
          readings: { at: at.subarray(i), value: value.subarray(i) },
          ...(signals ? { signals } : {}),
          ...(defrosts ? { defrosts } : {}),
          latest: hasSignals ? Number.POSITIVE_INFINITY : (at[i] as number),
          checkpoints: null,
          wasHolding: () => false,
        });
        states = replay.states;
        for (const effect of replay.effects) effects.push(effect);
        if (!replay.settled) break;
        const { at: settledAt } = replay.settled;
        while ((at[i] as number) <= settledAt) i++;
      }
    },
    episodes: () =>
      LIMIT_KINDS.flatMap((kind) =>
        foldEpisodes(
          null,
          new Map(),
          effects.filter(({ rule }) => rule.kind === kind),
          () => rules,
        ),
      ).sort(compareEpisodes),
  };

  function isRaising(value: number): boolean {
    return canRaise({ min: value, max: value });
  }
}

/** True if a rule depends on more than the values of its readings: on earlier readings or on another channel. */
export function needsHistory({ signal, defrost }: LimitRule): boolean {
  return signal !== null || defrost != null;
}

/**
 * Returns a function that checks whether readings between two extremes can raise an alarm while no alarm is
 * open.
 */
function extremesCheck(rules: readonly LimitRule[]): (extremes: Extremes) => boolean {
  if (rules.some(needsHistory)) return () => true;
  const upper = innermostOf(rules.filter(({ kind }) => isUpper(kind)));
  const lower = innermostOf(rules.filter(({ kind }) => !isUpper(kind)));
  return ({ min, max }) =>
    (upper !== undefined && isOutside(upper, max)) || (lower !== undefined && isOutside(lower, min));
}

/**
 * Returns the rule with the tightest limit of several rules for the same side. A value that is outside for
 * any of them is outside for this rule.
 */
function innermostOf(rules: readonly LimitRule[]): LimitRule | undefined {
  return rules.reduce<LimitRule | undefined>((inner, other) => {
    if (!inner || isFarther(other.kind, inner.limit, other.limit)) return other;
    return other.limit === inner.limit && other.limitIsOutside ? other : inner;
  }, undefined);
}

/**
 * Alarms of two sets of rules on one channel for which the other set has no alarm about the same excursion.
 */
export interface Comparison {
  /** Alarms of the first set without a counterpart in the second set. */
  added: Set<Episode>;
  /** Alarms of the second set without a counterpart in the first set. */
  removed: Set<Episode>;
}

/**
 * Compares two sets of alarms. Two alarms are about the same excursion if they are of the same kind and
 * overlap in time, counted from the first reading outside the limit.
 */
export function compareAlarms(first: readonly Episode[], second: readonly Episode[]): Comparison {
  const without = (own: readonly Episode[], others: readonly Episode[]) =>
    new Set(own.filter((one) => !others.some((other) => one.kind === other.kind && overlap(one, other))));
  return { added: without(first, second), removed: without(second, first) };
}

function overlap(a: Episode, b: Episode): boolean {
  return (
    a.since <= (b.endedAt ?? Number.POSITIVE_INFINITY) && b.since <= (a.endedAt ?? Number.POSITIVE_INFINITY)
  );
}
