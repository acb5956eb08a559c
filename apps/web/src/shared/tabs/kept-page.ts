import { createContext, useContext, useEffect, useLayoutEffect, useRef } from 'react';

/**
 * The page that a component belongs to. The page of another tab stays mounted but hidden: React cleans up its
 * effects, and runs them again when it is shown. *Hidden* is therefore not *gone*: whatever must happen only
 * once, or only at the end, uses `useWhenGone` and `useWhenChanged` instead of the cleanup of an effect.
 */
export interface KeptPage {
  /** Path and generation; unique among mounted pages. */
  key: string;
  path: string;
  /** Whether the page is visible now. Not a state: for callbacks, timers and cleanups. */
  isOpen(): boolean;
  /** Changes the address with which a hidden page is shown again. */
  readdress(search: string): void;
  /** Registers a callback for the end of the page while it is hidden. Returns how to unregister. */
  onGone(callback: () => void): () => void;
}

/** Null outside the tab frame, such as on the login page. */
export const KeptPageContext = createContext<KeptPage | null>(null);

export const useKeptPage = (): KeptPage | null => useContext(KeptPageContext);

/** Calls back when the component is removed for good, not when its page is hidden behind another tab. */
export function useWhenGone(callback: () => void): void {
  const page = useKeptPage();
  const latest = useRef(callback);
  const pending = useRef<(() => void) | null>(null);
  useLayoutEffect(() => {
    latest.current = callback;
  });
  useEffect(() => {
    const gone = () => latest.current();
    // Shown again: cancels the callback of the cleanup below.
    pending.current?.();
    pending.current = null;
    return () => {
      if (page === null || page.isOpen()) gone();
      else pending.current = page.onGone(gone);
    };
  }, [page]);
}

/**
 * Calls back after the first render, and after each one with a changed value. Unlike an effect with these
 * dependencies it does nothing when the page is shown again.
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
