import { INDICATORS, type Indicator } from '../readings/indicator.ts';
import type { SignalType } from './signal.ts';

/**
 * Predicates of alarms. The kinds of alarms below combine a predicate with what is compared; the measured
 * quantity (an indicator, or contact with the device) is separate. Contracts, SQL and the console derive
 * their lists from this file.
 */
export const ALARM_PREDICATES = ['above', 'below', 'silence', 'offset', 'failure'] as const;
export type AlarmPredicate = (typeof ALARM_PREDICATES)[number];

/** What an alarm is about. */
export const ALARM_SUBJECTS = ['channel', 'device', 'asset'] as const;
export type AlarmSubject = (typeof ALARM_SUBJECTS)[number];

interface CatalogueEntry {
  predicate: AlarmPredicate;
  /** What is compared with the limit: the measured value, or a signal derived from it (signal.ts). */
  signal: 'value' | SignalType;
  subject: AlarmSubject;
  /** True when the rule compares values with a limit. */
  hasLimit: boolean;
}

export const ALARM_CATALOGUE = {
  high: { predicate: 'above', signal: 'value', subject: 'channel', hasLimit: true },
  low: { predicate: 'below', signal: 'value', subject: 'channel', hasLimit: true },
  'fast-rise': { predicate: 'above', signal: 'rate', subject: 'channel', hasLimit: true },
  'fast-fall': { predicate: 'below', signal: 'rate', subject: 'channel', hasLimit: true },
  'total-time': { predicate: 'above', signal: 'outside-time', subject: 'channel', hasLimit: true },
  repeated: { predicate: 'above', signal: 'outside-count', subject: 'channel', hasLimit: true },
  difference: { predicate: 'above', signal: 'difference', subject: 'channel', hasLimit: true },
  'expected-high': { predicate: 'above', signal: 'forecast', subject: 'channel', hasLimit: true },
  'expected-low': { predicate: 'below', signal: 'forecast', subject: 'channel', hasLimit: true },
  'no-data': { predicate: 'silence', signal: 'value', subject: 'channel', hasLimit: false },
  /** The clock of a device is wrong (decision 34). No rule raises this alarm. */
  clock: { predicate: 'offset', signal: 'value', subject: 'device', hasLimit: false },
  /** A backup of the data of a device has failed. No rule raises this alarm. */
  backup: { predicate: 'failure', signal: 'value', subject: 'device', hasLimit: false },
} as const satisfies Record<string, CatalogueEntry>;

type Catalogue = typeof ALARM_CATALOGUE;
export type AlarmKind = keyof Catalogue;
/** Kinds whose rules compare values with a limit. */
export type LimitKind = { [K in AlarmKind]: Catalogue[K]['hasLimit'] extends true ? K : never }[AlarmKind];

export const ALARM_KINDS = Object.keys(ALARM_CATALOGUE) as [AlarmKind, ...AlarmKind[]];
/** Kinds of rules that a channel can have. */
export const CHANNEL_ALARM_KINDS = ALARM_KINDS.filter(
  (kind) => ALARM_CATALOGUE[kind].subject === 'channel',
) as [AlarmKind, ...AlarmKind[]];
/** The kind of alarm for each predicate about the measured value. */
export const KIND_OF = Object.fromEntries(
  ALARM_KINDS.filter((kind) => ALARM_CATALOGUE[kind].signal === 'value').map((kind) => [
    ALARM_CATALOGUE[kind].predicate,
    kind,
  ]),
) as { [P in AlarmPredicate]: KindWith<P> };
type KindWith<P extends AlarmPredicate> = {
  [K in AlarmKind]: Catalogue[K]['predicate'] extends P
    ? Catalogue[K]['signal'] extends 'value'
      ? K
      : never
    : never;
}[AlarmKind];

/** Kinds of alarms about a value outside its limits: excursions. */
export const EXCURSION_KINDS: readonly AlarmKind[] = [KIND_OF.above, KIND_OF.below];

/** The kind of alarms that a rule raises, by `<predicate>` or `<predicate>:<signal>`, for SQL queries. */
export const KINDS_BY_RULE: Readonly<Record<string, AlarmKind>> = Object.fromEntries(
  ALARM_KINDS.flatMap((kind) => {
    const { predicate, signal } = ALARM_CATALOGUE[kind];
    // The signal `while` only limits when the value is evaluated, so the kind is that of the value itself.
    return signal === 'value'
      ? [predicate, `${predicate}:while`].map((rule) => [rule, kind])
      : [[`${predicate}:${signal}`, kind]];
  }),
);

/**
 * The kind of alarms that a rule with this predicate raises for a signal, or for the measured value if the
 * signal is null.
 */
export function kindOf(predicate: AlarmPredicate, signal: SignalType | null): AlarmKind {
  const found = KINDS_BY_RULE[signal === null ? predicate : `${predicate}:${signal}`];
  if (!found) throw new Error(`no alarm kind for ${predicate} ${signal}`);
  return found;
}

/** Kinds of alarms whose rules limit the time without data. */
export type SilenceKind = KindWith<'silence'>;
export const LIMIT_KINDS = ALARM_KINDS.filter((kind): kind is LimitKind => ALARM_CATALOGUE[kind].hasLimit);
export const SILENCE_KINDS = ALARM_KINDS.filter(
  (kind): kind is SilenceKind => ALARM_CATALOGUE[kind].predicate === 'silence',
);

/** True for kinds of alarms about missing readings. */
export function isSilence(kind: AlarmKind): kind is SilenceKind {
  return ALARM_CATALOGUE[kind].predicate === 'silence';
}

/** True for kinds of alarms about a wrong clock. */
export function isOffset(kind: AlarmKind): kind is KindWith<'offset'> {
  return ALARM_CATALOGUE[kind].predicate === 'offset';
}

/** True for kinds of alarms about work of the server that failed. */
export function isFailure(kind: AlarmKind): kind is KindWith<'failure'> {
  return ALARM_CATALOGUE[kind].predicate === 'failure';
}

/** True for kinds of alarms that rules raise; the others have neither a limit nor a policy. */
export function isOfRule(kind: AlarmKind): boolean {
  return !isOffset(kind) && !isFailure(kind);
}

/** True for kinds of alarms above a limit. */
export function isUpper(kind: AlarmKind): boolean {
  return ALARM_CATALOGUE[kind].predicate === 'above';
}

/**
 * Unit of the limits and values of a kind of alarms: that of the channel, its change per hour, minutes, or a
 * count.
 */
export type ComparedUnit = 'value' | 'per-hour' | 'minutes' | 'times';
export function comparedUnit(kind: AlarmKind): ComparedUnit {
  switch (ALARM_CATALOGUE[kind].signal) {
    case 'rate':
      return 'per-hour';
    case 'outside-time':
      return 'minutes';
    case 'outside-count':
      return 'times';
    default:
      return 'value';
  }
}

/** True if an alarm is about the state of a switch, such as an open door, whose limit and peak are no measured values. */
export function isAboutSwitch({ indicator, kind }: { indicator: Indicator; kind: AlarmKind }): boolean {
  return INDICATORS[indicator].kind === 'switch' && comparedUnit(kind) === 'value';
}

/** Reasons for the end of an alarm. */
export const ALARM_END_REASONS = [
  'recovered',
  'data-returned',
  'clock-corrected',
  'backup-made',
  'late-readings',
  'rule-changed',
  'rule-edited',
  'rule-deleted',
  'policy-disabled',
  'device-removed',
  'data-timeout',
  'subscription-expired',
  'manual',
] as const;
export type AlarmEndReason = (typeof ALARM_END_REASONS)[number];
