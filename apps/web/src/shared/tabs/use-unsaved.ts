import { useEffect, useId, useLayoutEffect, useMemo, useRef } from 'react';
import { useKeptPage } from './kept-page.ts';
import { askBeforeLosing, forgetUnsaved, keepUnsaved } from './unsaved-store.ts';

export interface Unsaved {
  /** Does it at once where nothing is unsaved, and asks first where something is. */
  ask: (proceed: () => void) => void;
  /** Everything is saved: what follows in the same turn, such as a navigation, asks nothing. */
  settle: () => void;
}

/**
 * Guards input against being lost, in the same way everywhere: closing the form, leaving the address, closing or
 * refreshing the tab of the page (hidden or not), logging out and closing the browser's tab all ask first.
 * Switching to another tab asks nothing, since the page stays alive behind it.
 *
 * @param dirty whether there is input that is not saved
 * @param discard puts the input back to what is saved
 */
export function useUnsaved(dirty: boolean, discard: () => void): Unsaved {
  const id = useId();
  const page = useKeptPage();
  const latest = useRef(discard);
  useLayoutEffect(() => {
    latest.current = discard;
  });
  useEffect(() => {
    if (!dirty) {
      forgetUnsaved(id);
      return;
    }
    keepUnsaved(id, page?.key ?? null, () => latest.current());
    return () => {
      if (page === null || page.isOpen()) forgetUnsaved(id);
    };
  }, [id, page, dirty]);
  return useMemo(
    () => ({
      ask: (proceed) => askBeforeLosing([id], proceed),
      settle: () => forgetUnsaved(id),
    }),
    [id],
  );
}
