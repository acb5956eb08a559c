/**
 * The kinds of alarms. The watched quantity (an indicator, or contact with a device) is separate from the
 * predicate that raises an alarm. Contracts, SQL and the console derive their lists from here.
 */
export const ALARM_PREDICATES = ['above', 'below', 'silence', 'offset'] as const;
export type AlarmPredicate = (typeof ALARM_PREDICATES)[number];

/** Subjects of alarms. */
export const ALARM_SUBJECTS = ['channel', 'device', 'asset'] as const;
export type AlarmSubject = (typeof ALARM_SUBJECTS)[number];

interface CatalogueEntry {
  predicate: AlarmPredicate;
  subject: AlarmSubject;
  /** True when the rule compares values with a limit. */
  hasLimit: boolean;
}

export const ALARM_CATALOGUE = {
  high: { predicate: 'above', subject: 'channel', hasLimit: true },
  low: { predicate: 'below', subject: 'channel', hasLimit: true },
  'no-data': { predicate: 'silence', subject: 'channel', hasLimit: false },
  /** A device whose clock is wrong (decision 34); it has no rule. */
  clock: { predicate: 'offset', subject: 'device', hasLimit: false },
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
/** The kind with each predicate. */
export const KIND_OF = Object.fromEntries(
  ALARM_KINDS.map((kind) => [ALARM_CATALOGUE[kind].predicate, kind]),
) as { [P in AlarmPredicate]: KindWith<P> };
type KindWith<P extends AlarmPredicate> = {
  [K in AlarmKind]: Catalogue[K]['predicate'] extends P ? K : never;
}[AlarmKind];

/** Kinds whose rules limit the duration of silence. */
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

/** True for kinds of alarms above a limit. */
export function isUpper(kind: AlarmKind): boolean {
  return ALARM_CATALOGUE[kind].predicate === 'above';
}

/** Why an alarm ended. */
export const ALARM_END_REASONS = [
  'recovered',
  'data-returned',
  'clock-corrected',
  'late-readings',
  'rule-changed',
  'rule-edited',
  'rule-deleted',
  'policy-disabled',
  'device-removed',
  'data-timeout',
  'manual',
] as const;
export type AlarmEndReason = (typeof ALARM_END_REASONS)[number];
