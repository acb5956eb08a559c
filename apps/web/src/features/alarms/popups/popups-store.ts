import type { AlarmPopup } from '@isotherm/contracts/alarm-popups';
import { create } from 'zustand';

interface PopupsState {
  /** Popups that are shown, the newest first. */
  shown: readonly AlarmPopup[];
  /** Keys of popups that were closed. */
  closed: ReadonlySet<string>;
  /** Shows popups; a newer one about an alarm replaces the earlier ones. */
  show: (popups: readonly AlarmPopup[]) => void;
  close: (popup: AlarmPopup) => void;
  closeAll: () => void;
  /** Closes the popups of an alarm that somebody has acknowledged. */
  settle: (alarmId: number) => void;
}

/** Identifies what a popup is about. */
export const subjectOf = ({ alarmId, testId }: AlarmPopup): string => `${alarmId} ${testId}`;

export function withPopups(
  shown: readonly AlarmPopup[],
  arrived: readonly AlarmPopup[],
): readonly AlarmPopup[] {
  const newest = new Map<string, AlarmPopup>();
  // What is shown already keeps its place.
  const known = new Map(shown.map((popup) => [subjectOf(popup), popup.id]));
  const fresh = arrived.filter((popup) => popup.id > (known.get(subjectOf(popup)) ?? -1));
  for (const popup of [...fresh, ...shown])
    if (!newest.has(subjectOf(popup))) newest.set(subjectOf(popup), popup);
  return [...newest.values()];
}

const keyOf = (popup: AlarmPopup): string => `${popup.id} ${subjectOf(popup)}`;

/**
 * Waiting popups that have been shown: `seen` has the newest popup that was on the screen by its subject, which also says
 * what earlier ones about it said.
 */
export const seenOf = (
  waiting: readonly AlarmPopup[],
  seen: ReadonlyMap<string, number>,
): readonly AlarmPopup[] => waiting.filter((popup) => popup.id <= (seen.get(subjectOf(popup)) ?? -1));

export const usePopups = create<PopupsState>((set) => {
  /** Removes popups; those that were never on the screen still wait at the server, and must not come back. */
  const without = (isRemoved: (popup: AlarmPopup) => boolean) =>
    set(({ shown, closed }) => ({
      shown: shown.filter((popup) => !isRemoved(popup)),
      closed: new Set([...closed, ...shown.filter(isRemoved).map(keyOf)]),
    }));
  return {
    shown: [],
    closed: new Set(),
    show: (popups) =>
      set(({ shown, closed }) => ({
        shown: withPopups(
          shown,
          popups.filter((popup) => !closed.has(keyOf(popup))),
        ),
      })),
    close: (closing) => without((popup) => popup === closing),
    closeAll: () => without(() => true),
    settle: (alarmId) => without((popup) => popup.alarmId === alarmId && !popup.isEnd),
  };
});
