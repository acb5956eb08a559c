import type { AlarmLevel } from '../alarms/alarm-level.ts';

/** The data that determines the rank of an asset. `since` is the start of the state, or null if unknown. */
export type RankedState =
  | { kind: 'alarm'; level: AlarmLevel; recovering: boolean; since: string }
  | { kind: 'ended'; level: AlarmLevel; since: string }
  | { kind: 'pending'; level: AlarmLevel; since: string }
  | { kind: 'unknown'; since: string | null; alarm: { level: AlarmLevel } | null }
  /** The subscriptions of all devices of the asset have expired (decision 33). */
  | { kind: 'expired'; since: string }
  | { kind: 'unset' }
  | { kind: 'normal' };

/**
 * Weights of a rank. The level has more weight than everything else. The SQL query that sorts lists of assets
 * uses the same numbers.
 */
export const ATTENTION_RANK = {
  level: 10,
  active: 5,
  recovering: 4,
  ended: 3,
  pending: 2,
  silent: 1,
} as const;
/** Rank of missing data without an alarm: between level 1 and level 2. */
const UNKNOWN = 2 * ATTENTION_RANK.level - 1;
/** Rank of an expired subscription: between level 0 and level 1, so that it hides no alarm. */
const EXPIRED = 2;
const UNSET = 1;

/**
 * Returns the rank of a state for sorting. It depends first on the level, then on the state: open alarms
 * (active, recovering), alarms that ended without acknowledgement, pending ones, and unknown. Zero means
 * within limits.
 */
export function severity(state: RankedState): number {
  switch (state.kind) {
    case 'alarm':
      return rankOf(state.level, state.recovering ? 'recovering' : 'active');
    case 'ended':
      return rankOf(state.level, 'ended');
    case 'pending':
      return rankOf(state.level, 'pending');
    case 'unknown':
      return state.alarm ? rankOf(state.alarm.level, 'silent') : UNKNOWN;
    case 'expired':
      return EXPIRED;
    case 'unset':
      return UNSET;
    case 'normal':
      return 0;
  }
}

const rankOf = (level: AlarmLevel, state: Exclude<keyof typeof ATTENTION_RANK, 'level'>) =>
  level * ATTENTION_RANK.level + ATTENTION_RANK[state];

/**
 * Returns true for an open alarm, an alarm that ended without acknowledgement (decision 22), a pending one, and
 * missing data. An expired subscription is a state of its own: nothing is evaluated until it is renewed.
 */
export function needsAttention(state: RankedState): boolean {
  return state.kind !== 'normal' && state.kind !== 'unset' && state.kind !== 'expired';
}

interface Ranked {
  id: number;
  name: string;
  state: RankedState;
}

/**
 * Compares two assets: the worst state first, then the longest, then by name in natural order (2 before 10).
 */
export function compareByAttention(a: Ranked, b: Ranked): number {
  return (
    severity(b.state) - severity(a.state) ||
    beginning(a.state).localeCompare(beginning(b.state)) ||
    a.name.localeCompare(b.name, 'en', { numeric: true }) ||
    a.id - b.id
  );
}

/** A text that sorts after every time. */
const NO_BEGINNING = '9999';

/** Returns the start of a state as text. ISO 8601 times sort as text; an unknown start comes last. */
function beginning(state: RankedState): string {
  return (state.kind === 'normal' || state.kind === 'unset' ? null : state.since) ?? NO_BEGINNING;
}
