import { type AlarmState, isFarther, type LimitRule, NORMAL, step } from './alarm-machine.ts';
import { type AlarmEndReason, LIMIT_KINDS, type LimitKind } from './catalogue.ts';
import { hush, isQuiet } from './quiet-time.ts';
import { type ChannelRules, ruleAt } from './rule-version.ts';

/**
 * The reference for tests: all readings of a channel, sorted, through each version of each rule separately;
 * then the spans in which rules held are merged. Slow and simple; not used by the product.
 */
export interface ReferenceEpisode {
  kind: LimitKind;
  since: number;
  raisedAt: number;
  endedAt: number | null;
  endReason: AlarmEndReason | null;
  peakLevel: number;
  peak: number;
  peakAt: number;
}

export interface ReferenceReading {
  at: number;
  value: number;
}

interface Span {
  rule: LimitRule;
  since: number;
  raisedAt: number;
  endedAt: number;
  endReason: AlarmEndReason | null;
}

/** Readings in any order, each moment once. */
export function referenceEpisodes(
  rules: ChannelRules,
  readings: readonly ReferenceReading[],
): ReferenceEpisode[] {
  const sorted = [...readings].sort((a, b) => a.at - b.at);
  const spans = spansOf(rules, sorted);
  return LIMIT_KINDS.flatMap((kind) => unite(spans.filter((span) => span.rule.kind === kind)))
    .map((united) => toEpisode(united, rules, sorted))
    .sort((a, b) => a.since - b.since || a.raisedAt - b.raisedAt);
}

/** Spans in which a version of a rule held. */
function spansOf({ versions, gaps, quiet }: ChannelRules, readings: readonly ReferenceReading[]): Span[] {
  return versions.flatMap(({ rule, from, until, endReason }) => {
    const spans: Span[] = [];
    let state: AlarmState = NORMAL;
    for (const { at, value } of readings.filter((reading) => from <= reading.at && reading.at < until)) {
      if (isQuiet(quiet, at)) {
        state = hush(state, at);
        continue;
      }
      const result = step(ruleAt(rule, gaps, at), state, { at, value });
      state = result.state;
      for (const effect of result.effects) {
        if (effect.type === 'raise')
          spans.push({
            rule,
            since: effect.since,
            raisedAt: effect.raisedAt,
            endedAt: Number.POSITIVE_INFINITY,
            endReason: null,
          });
        const last = spans.at(-1);
        if (effect.type === 'end' && last) {
          last.endedAt = effect.endedAt;
          last.endReason = effect.reason;
        }
      }
    }
    const open = spans.at(-1);
    if (open?.endReason === null && until < Number.POSITIVE_INFINITY) {
      open.endedAt = until;
      open.endReason = endReason;
    }
    return spans;
  });
}

const byRaise = (a: Span, b: Span) => a.raisedAt - b.raisedAt || a.since - b.since || a.rule.id - b.rule.id;

/** Groups of overlapping spans; recovered only if no other rule holds at that moment. */
function unite(spans: readonly Span[]): Span[][] {
  const groups: Span[][] = [];
  let reach = Number.NEGATIVE_INFINITY;
  let touches = false;
  for (const span of [...spans].sort(byRaise)) {
    const group = groups.at(-1);
    if (group && (span.raisedAt < reach || (span.raisedAt === reach && touches))) group.push(span);
    else groups.push([span]);
    if (span.endedAt < reach) continue;
    const isRecovery = span.endReason === 'recovered';
    touches = span.endedAt === reach ? touches || isRecovery : isRecovery;
    reach = span.endedAt;
  }
  return groups;
}

function toEpisode(
  group: readonly Span[],
  { quiet }: ChannelRules,
  readings: readonly ReferenceReading[],
): ReferenceEpisode {
  const first = group[0] as Span;
  const last = group.reduce(
    (latest, span) =>
      span.endedAt > latest.endedAt || (span.endedAt === latest.endedAt && span.endReason === 'recovered')
        ? span
        : latest,
    first,
  );
  const { kind } = first.rule;
  const inside = readings.filter(({ at }) => first.since <= at && at < last.endedAt && !isQuiet(quiet, at));
  const peak = inside.reduce((farthest, reading) =>
    isFarther(kind, reading.value, farthest.value) ? reading : farthest,
  );
  return {
    kind,
    since: first.since,
    raisedAt: first.raisedAt,
    endedAt: last.endReason === null ? null : last.endedAt,
    endReason: last.endReason,
    peakLevel: Math.max(...group.map(({ rule }) => rule.level)),
    peak: peak.value,
    peakAt: peak.at,
  };
}
