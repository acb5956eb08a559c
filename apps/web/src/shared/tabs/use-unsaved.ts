import { useEffect, useId, useLayoutEffect, useMemo, useRef } from 'react';
import { useKeptPage } from './kept-page.ts';
import { askBeforeLosing, forgetUnsaved, keepUnsaved } from './unsaved-store.ts';

export interface Unsaved {
  /** Runs the action at once if nothing is unsaved, otherwise asks first. */
  ask: (proceed: () => void) => void;
  /** Marks everything as saved, so that a navigation in the same event does not ask. */
  settle: () => void;
}

/**
 * Guards unsaved input. Closing the form, leaving the address, closing or refreshing the tab of the page
 * (hidden or not), logging out and closing the browser tab all ask first. Switching to another tab does not
 * ask, since the page stays alive behind it.
 *
 * @param dirty whether there is unsaved input
 * @param discard resets the input to the saved state
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
