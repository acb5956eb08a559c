import type { AlarmLevel } from '../alarms/alarm-level.ts';

/** What determines the rank of an asset; `since` is the beginning of the state, null if unknown. */
export type RankedState =
  | { kind: 'alarm'; level: AlarmLevel; recovering: boolean; since: string }
  | { kind: 'ended'; level: AlarmLevel; since: string }
  | { kind: 'pending'; level: AlarmLevel; since: string }
  | { kind: 'unknown'; since: string | null; alarm: { level: AlarmLevel } | null }
  | { kind: 'unset' }
  | { kind: 'normal' };

const PER_LEVEL = 10;
/** No data without an alarm: between level 1 and level 2. */
const UNKNOWN = 2 * PER_LEVEL - 1;
const UNSET = 1;

/**
 * Rank of a state for sorting: first by level, then open alarms (active, recovering), ended and
 * unacknowledged ones, pending ones, and unknown. Zero is within limits.
 */
export function severity(state: RankedState): number {
  switch (state.kind) {
    case 'alarm':
      return state.level * PER_LEVEL + (state.recovering ? 4 : 5);
    case 'ended':
      return state.level * PER_LEVEL + 3;
    case 'pending':
      return state.level * PER_LEVEL + 2;
    case 'unknown':
      return state.alarm ? state.alarm.level * PER_LEVEL + 1 : UNKNOWN;
    case 'unset':
      return UNSET;
    case 'normal':
      return 0;
  }
}

/** True for an open alarm, an ended and unacknowledged one (decision 22), and a pending one. */
export function needsAttention(state: RankedState): boolean {
  return state.kind !== 'normal' && state.kind !== 'unset';
}

interface Ranked {
  id: number;
  name: string;
  state: RankedState;
}

/** Worst first, then longest, then by name in natural order (2 before 10). */
export function compareByAttention(a: Ranked, b: Ranked): number {
  return (
    severity(b.state) - severity(a.state) ||
    beginning(a.state).localeCompare(beginning(b.state)) ||
    a.name.localeCompare(b.name, 'en', { numeric: true }) ||
    a.id - b.id
  );
}

/** Sorts after every moment. */
const NO_BEGINNING = '9999';

/** ISO 8601 moments sort as text; an unknown beginning comes last. */
function beginning(state: RankedState): string {
  return (state.kind === 'normal' || state.kind === 'unset' ? null : state.since) ?? NO_BEGINNING;
}
