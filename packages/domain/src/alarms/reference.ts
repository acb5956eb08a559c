import type { Series } from '../readings/series.ts';
import { type AlarmState, isFarther, type LimitRule, NORMAL, step } from './alarm-machine.ts';
import { type AlarmEndReason, isUpper, LIMIT_KINDS, type LimitKind } from './catalogue.ts';
import { timeoutBetween } from './data-timeout.ts';
import { defrostsOf } from './defrost-detection.ts';
import { compareEpisodes } from './episode.ts';
import { hush, isQuiet } from './quiet-time.ts';
import { type ChannelRules, ruleAt } from './rule-version.ts';
import type { RuleSchedule } from './schedule.ts';
import type { OtherChannel } from './signal.ts';
import { FORECAST_READINGS, trendAt } from './signal-values.ts';

/**
 * Reference implementation for tests. It evaluates all readings of a channel, sorted, with each version of
 * each rule separately, and then merges the spans in which rules held. It is slow and simple, and not used
 * in production.
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
  /** Readings for which the version of the rule is in force, with the values that the rule compares. */
  readings: readonly ReferenceReading[];
  since: number;
  raisedAt: number;
  endedAt: number;
  endReason: AlarmEndReason | null;
}

/**
 * Evaluates readings of a channel and of the other channels that its rules use. The order does not matter;
 * each time must occur once.
 */
export function referenceEpisodes(
  rules: ChannelRules,
  readings: readonly ReferenceReading[],
  others: ReadonlyMap<number, readonly ReferenceReading[]> = new Map(),
): ReferenceEpisode[] {
  const sorted = [...readings].sort((a, b) => a.at - b.at);
  const spans = withTimeouts(rules, spansOf(rules, sorted, others));
  return LIMIT_KINDS.flatMap((kind) => unite(spans.filter((span) => span.rule.kind === kind)))
    .map((united) => toEpisode(united, rules))
    .sort(compareEpisodes);
}

/**
 * The value that a rule compares with its limit at one reading, computed from all readings of the channel.
 */
function comparedValue(
  { signal, gapAllowanceMs, kind }: LimitRule,
  sorted: readonly ReferenceReading[],
  index: number,
  others: ReadonlyMap<number, readonly ReferenceReading[]>,
): number {
  const { at, value } = sorted[index] as ReferenceReading;
  if (!signal) return value;
  const latest = ({ otherChannelId, maxAgeMs }: OtherChannel) =>
    (others.get(otherChannelId) ?? [])
      .filter((other) => other.at <= at && other.at >= at - maxAgeMs)
      .sort((a, b) => b.at - a.at)[0]?.value;
  const isRefused = signal.and?.some((condition) => {
    const other = latest(condition);
    return other !== undefined && isBeyond(condition, other);
  });
  if (isRefused) return isUpper(kind) ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  if ('otherChannelId' in signal) {
    const other = latest(signal);
    if (signal.type === 'difference')
      return other === undefined ? Number.NaN : Math.round(Math.abs(value - other) * 1000) / 1000;
    if (other === undefined || !isBeyond(signal, other)) return value;
    return kind === 'high' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  }
  const inWindow = sorted.filter((each) => each.at <= at && each.at >= at - signal.windowMs);
  const oldest = inWindow[0] as ReferenceReading;
  const isShort = (at - oldest.at) * 2 < signal.windowMs;
  switch (signal.type) {
    case 'rate':
      return isShort
        ? Number.NaN
        : Math.round(((value - oldest.value) / (at - oldest.at)) * 3_600_000 * 1000) / 1000;
    case 'outside-time': {
      let total = 0;
      for (const [i, each] of sorted.entries()) {
        const previous = sorted[i - 1];
        if (!previous || each.at > at || each.at - previous.at > gapAllowanceMs) continue;
        if (!isBeyond(signal, each.value) || !isBeyond(signal, previous.value)) continue;
        total += Math.max(0, each.at - Math.max(previous.at, at - signal.windowMs));
      }
      return total / 60_000;
    }
    case 'outside-count':
      return sorted.filter(({ at: moment, value: own }, i) => {
        if (moment > at || moment <= at - signal.windowMs || !isBeyond(signal, own)) return false;
        const previous = sorted[i - 1];
        return !previous || moment - previous.at > gapAllowanceMs || !isBeyond(signal, previous.value);
      }).length;
    case 'forecast':
      return isShort || inWindow.length < FORECAST_READINGS
        ? Number.NaN
        : trendAt(columnsOf(inWindow), 0, inWindow.length - 1, signal.horizonMs);
  }
}

function columnsOf(readings: readonly ReferenceReading[]): Series {
  return {
    at: Float64Array.from(readings, ({ at }) => at),
    value: Float64Array.from(readings, ({ value }) => value),
  };
}

function isBeyond({ low, high }: { low: number | null; high: number | null }, value: number): boolean {
  return (low !== null && value < low) || (high !== null && value > high);
}

const wallClocks = new Map<string, Intl.DateTimeFormat>();

/** The date and time that a wall clock in the time zone shows, read as if they were in UTC; in whole seconds. */
function wallClock(timeZone: string, at: number): Date {
  const known = wallClocks.get(timeZone);
  const format =
    known ?? new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  if (!known) wallClocks.set(timeZone, format);
  return new Date(`${format.format(at).replace(' ', 'T')}Z`);
}

/** True if a wall clock shows a time of the schedule. */
export function isInSchedule({ spans, timeZone, holidays, holidayDays }: RuleSchedule, at: number): boolean {
  const now = wallClock(timeZone, at);
  const time = now.toISOString().slice(11, 16);
  const hasSpanOn = (days: readonly number[], daysAgo: number) => {
    const date = new Date(now.getTime() - daysAgo * 86_400_000);
    const isHoliday = holidays !== 'ignore' && holidayDays.has(Math.floor(date.getTime() / 86_400_000));
    if (isHoliday) return holidays === 'as-sunday' && days.includes(7);
    return days.includes(date.getUTCDay() === 0 ? 7 : date.getUTCDay());
  };
  return spans.some(({ days, from, until }) => {
    if (from < until) return from <= time && time < until && hasSpanOn(days, 0);
    return (time >= from && hasSpanOn(days, 0)) || (time < until && hasSpanOn(days, 1));
  });
}

/** True if a defrost is detected at a reading: the switch was on, or the readings up to it are a ramp. */
function isDefrosting(
  { defrost, ...rule }: LimitRule,
  sorted: readonly ReferenceReading[],
  now: number,
  others: ReadonlyMap<number, readonly ReferenceReading[]>,
): boolean {
  if (!defrost) return false;
  const isNear = ({ at }: ReferenceReading) => at <= now && at >= now - defrost.delayMs;
  if (defrost.channelId !== null)
    return (others.get(defrost.channelId) ?? []).some((each) => isNear(each) && each.value > 0.5);
  const window = columnsOf(sorted.filter(isNear));
  return defrostsOf({ ...rule, defrost }, window, window.at.length - 1, new Map())[0] === 1;
}

/** Spans in which a version of a rule held. */
function spansOf(
  { versions, gaps, quiet, timeouts = [] }: ChannelRules,
  sorted: readonly ReferenceReading[],
  others: ReadonlyMap<number, readonly ReferenceReading[]>,
): Span[] {
  return versions.flatMap(({ rule, from, until, endReason }) => {
    const spans: Span[] = [];
    let state: AlarmState = NORMAL;
    const readings = sorted
      .map(({ at }, index) => ({ at, value: comparedValue(rule, sorted, index, others) }))
      .filter(({ at }) => from <= at && at < until);
    /** Ends the open span if the alarms timed out after a reading, before the next one. */
    const timeOut = (at: number) => {
      const next = sorted.find((reading) => reading.at > at)?.at ?? Number.POSITIVE_INFINITY;
      const timeout = timeoutBetween(timeouts, at, next);
      if (timeout === null || timeout >= until) return;
      const last = spans.at(-1);
      if (last?.endReason === null) {
        last.endedAt = at;
        last.endReason = 'data-timeout';
      }
      state = NORMAL;
    };
    for (const [index, { at, value }] of readings.entries()) {
      const previous = readings[index - 1];
      if (previous) timeOut(previous.at);
      if (Number.isNaN(value) || isQuiet(quiet, at)) {
        state = hush(state, at);
        continue;
      }
      const isOpen = state.phase === 'active' || state.phase === 'recovering';
      if (!isOpen && rule.schedule && !isInSchedule(rule.schedule, at)) {
        state = NORMAL;
        continue;
      }
      const result = step({ ...ruleAt(rule, gaps, at), schedule: null }, state, {
        at,
        value,
        defrosting: isDefrosting(rule, sorted, at, others),
      });
      state = result.state;
      for (const effect of result.effects) {
        if (effect.type === 'raise')
          spans.push({
            rule,
            readings,
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
    const final = readings.at(-1);
    if (final) timeOut(final.at);
    const open = spans.at(-1);
    if (open?.endReason === null && until < Number.POSITIVE_INFINITY) {
      open.endedAt = until;
      open.endReason = endReason;
    }
    return spans;
  });
}

const byRaise = (a: Span, b: Span) => a.raisedAt - b.raisedAt || a.since - b.since || a.rule.id - b.rule.id;

/**
 * A rule that ended between the last reading and the timeout of the alarms is treated like the rules of its kind
 * that timed out.
 */
function withTimeouts({ timeouts = [] }: ChannelRules, spans: readonly Span[]): Span[] {
  return spans.map((span) => {
    const isShared = (other: Span) =>
      other.rule.kind === span.rule.kind &&
      other.endReason === 'data-timeout' &&
      span.raisedAt <= other.endedAt &&
      other.endedAt < span.endedAt &&
      timeouts.some((timeout) => other.endedAt < timeout && span.endedAt <= timeout);
    const timedOut = span.endReason === 'recovered' ? undefined : spans.find(isShared);
    return timedOut ? { ...span, endedAt: timedOut.endedAt, endReason: 'data-timeout' } : span;
  });
}

/** Groups overlapping spans. Spans that only touch belong together if the earlier one ended by recovery. */
function unite(spans: readonly Span[]): Span[][] {
  const groups: Span[][] = [];
  let reach = Number.NEGATIVE_INFINITY;
  let touches = false;
  for (const span of [...spans].sort(byRaise)) {
    const group = groups.at(-1);
    if (group && (span.raisedAt < reach || (span.raisedAt === reach && touches))) group.push(span);
    else groups.push([span]);
    if (span.endedAt < reach) continue;
    const isRecovery = span.endReason === 'recovered' || span.endReason === 'data-timeout';
    touches = span.endedAt === reach ? touches || isRecovery : isRecovery;
    reach = span.endedAt;
  }
  return groups;
}

/** Of reasons at the same moment, a timeout comes last, and an end of the rule first. */
const rankOf = ({ endReason }: Span) =>
  endReason === 'data-timeout' ? 2 : endReason === 'recovered' ? 1 : 0;

function toEpisode(group: readonly Span[], { quiet }: ChannelRules): ReferenceEpisode {
  const first = group[0] as Span;
  const last = group.reduce(
    (latest, span) =>
      span.endedAt > latest.endedAt || (span.endedAt === latest.endedAt && rankOf(span) > rankOf(latest))
        ? span
        : latest,
    first,
  );
  const { kind } = first.rule;
  // A rule may have been pending since before the episode began. Only a peak inside the episode counts.
  const inside = group
    .flatMap(({ readings, since, endedAt, endReason }) =>
      readings.filter(
        ({ at, value }) =>
          Math.max(since, first.since) <= at &&
          (at < endedAt || (at === endedAt && endReason === 'data-timeout')) &&
          !Number.isNaN(value),
      ),
    )
    .filter(({ at }) => !isQuiet(quiet, at))
    .sort((a, b) => a.at - b.at);
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
