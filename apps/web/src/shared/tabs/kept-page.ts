import { createContext, useContext, useEffect, useLayoutEffect, useRef } from 'react';

/**
 * The page that a component belongs to. The page of another tab stays mounted but hidden: React cleans up
 * its effects, and runs them again when the page is shown. A hidden page is therefore not a closed page:
 * code that must run only once, or only at the end, uses `useWhenGone` and `useWhenChanged` instead of the
 * cleanup of an effect.
 */
export interface KeptPage {
  /** Key from path and generation; unique among mounted pages. */
  key: string;
  path: string;
  /**
   * Returns whether the page is visible now. It is not React state; it is meant for callbacks, timers and
   * cleanups.
   */
  isOpen(): boolean;
  /** Changes the address at which a hidden page is shown again. */
  readdress(search: string): void;
  /**
   * Registers a callback that runs when the page is closed while it is hidden. Returns a function that
   * removes the callback.
   */
  onGone(callback: () => void): () => void;
}

/** Null outside the frame with the tabs, such as on the login page. */
export const KeptPageContext = createContext<KeptPage | null>(null);

export const useKeptPage = (): KeptPage | null => useContext(KeptPageContext);

/**
 * Calls the callback when the component is removed for good, not when its page is hidden behind another tab.
 */
export function useWhenGone(callback: () => void): void {
  const page = useKeptPage();
  const latest = useRef(callback);
  const pending = useRef<(() => void) | null>(null);
  useLayoutEffect(() => {
    latest.current = callback;
  });
  useEffect(() => {
    const gone = () => latest.current();
    // The page is shown again, so the callback that the cleanup below scheduled is cancelled.
    pending.current?.();
    pending.current = null;
    return () => {
      if (page === null || page.isOpen()) gone();
      else pending.current = page.onGone(gone);
    };
  }, [page]);
}

/**
 * Calls the callback after the first render, and after each render with a changed value. Unlike an effect
 * with these dependencies, it does nothing when the page is shown again.
 */
export function useWhenChanged(values: readonly unknown[], callback: () => void): void {
  const last = useRef<readonly unknown[] | null>(null);
  useEffect(() => {
    const before = last.current;
    last.current = values;
    const isSame =
      before !== null &&
      before.length === values.length &&
      values.every((value, index) => Object.is(value, before[index]));
    if (!isSame) callback();
  });
}
