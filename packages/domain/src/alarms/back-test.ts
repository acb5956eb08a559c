import type { Series } from '../readings/series.ts';
import { type AlarmState, isFarther, isOutside, type LimitRule } from './alarm-machine.ts';
import { isUpper, LIMIT_KINDS } from './catalogue.ts';
import { compareEpisodes, type Episode, foldEpisodes, type RuleEffect } from './episode.ts';
import { replayChannel, type SignalColumns } from './replay.ts';
import type { ChannelRules } from './rule-version.ts';

/**
 * A back-test: which alarms some rules would have raised in a past period, by the same machine that evaluates
 * readings when they arrive. The history of the channel is given in order of time, in stretches (days). A stretch
 * whose readings cannot raise, prolong or end anything is skipped, so that its readings need not be loaded.
 */
export interface BackTest {
  /** True if readings between these extremes can raise an alarm. */
  canRaise(stretch: Extremes): boolean;
  /** False if the readings of the next stretch change nothing, to judge by its lowest and highest one. */
  needs(stretch: Extremes): boolean;
  /** Passes over the next stretch, which is not needed and has at least one reading. */
  skip(): void;
  /** `signals` are the values of the rules that have a signal, by rule. */
  play(readings: Series, signals?: SignalColumns): void;
  /** The alarms so far, in order of time. Those that have not ended have no end. */
  episodes(): Episode[];
}

/** The lowest and highest reading of a stretch of history. */
export interface Extremes {
  min: number;
  max: number;
}

/** Rules that are evaluated as if they had always been in force, and what else the evaluation depends on. */
export interface BackTestRules extends Pick<ChannelRules, 'gaps' | 'quiet'> {
  rules: readonly LimitRule[];
}

/** Starts from the state without alarms. */
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
  const hasSignals = rules.some(({ signal }) => signal !== null);
  const effects: RuleEffect[] = [];
  let states = new Map<number, AlarmState>();

  return {
    canRaise,
    needs: (stretch) => canRaise(stretch) || [...states.values()].some(({ phase }) => phase !== 'pending'),
    skip() {
      // All that the states may be is pending, and a reading inside the limits makes that normal.
      states = new Map();
    },
    play(readings, signals) {
      const { at, value } = readings;
      for (let i = 0; i < at.length; ) {
        // Until the next reading outside, all machines stay normal.
        if (states.size === 0) while (i < at.length && !isRaising(value[i] as number)) i++;
        if (i === at.length) break;
        const replay = replayChannel({
          rules: inForce,
          states,
          readings: { at: at.subarray(i), value: value.subarray(i) },
          ...(signals ? { signals } : {}),
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

/** Whether readings between two extremes can raise an alarm while none of the rules holds. */
function extremesCheck(rules: readonly LimitRule[]): (extremes: Extremes) => boolean {
  // A signal depends on more than the value: on its change, on the readings before, on another channel.
  if (rules.some(({ signal }) => signal !== null)) return () => true;
  const upper = innermostOf(rules.filter(({ kind }) => isUpper(kind)));
  const lower = innermostOf(rules.filter(({ kind }) => !isUpper(kind)));
  return ({ min, max }) =>
    (upper !== undefined && isOutside(upper, max)) || (lower !== undefined && isOutside(lower, min));
}

/** Of the rules of one side, the one that has every value outside that any of them has. */
function innermostOf(rules: readonly LimitRule[]): LimitRule | undefined {
  return rules.reduce<LimitRule | undefined>((inner, other) => {
    if (!inner || isFarther(other.kind, inner.limit, other.limit)) return other;
    return other.limit === inner.limit && other.limitIsOutside ? other : inner;
  }, undefined);
}

/** Alarms of two sets of rules on one channel, by whether the other set raised one about the same excursion. */
export interface Comparison {
  /** Of the first, those without a counterpart in the second. */
  added: Set<Episode>;
  /** Of the second, those without a counterpart in the first. */
  removed: Set<Episode>;
}

/** Two alarms are about the same excursion if they are of one kind and overlap, from the first reading outside. */
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
