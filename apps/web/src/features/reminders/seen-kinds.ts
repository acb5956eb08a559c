import { can } from '@isotherm/domain/access/can';
import { DUE_KINDS, DUE_VIEWED_BY, type DueKind } from '@isotherm/domain/reminders/reminder';
import { useHeld } from '../../shared/access/permissions.ts';

const VIEWS = Object.values(DUE_VIEWED_BY);

/** Returns the kinds of due items that the user may see; null while they are loading. */
export function useSeenKinds(): readonly DueKind[] | null {
  const { held, known } = useHeld(VIEWS);
  return known ? DUE_KINDS.filter((kind) => can(held, DUE_VIEWED_BY[kind])) : null;
}
