import { createContext, useContext, useEffect, useLayoutEffect, useRef } from 'react';

/**
 * The page that a component belongs to. A page of another tab stays mounted but hidden: React undoes its effects, and
 * does them again when it is shown. *Hidden* is therefore not *gone*: whatever must happen only once, or only at the
 * end, uses `useWhenGone` and `useWhenChanged` instead of the cleanup of an effect.
 */
export interface KeptPage {
  /** Path and generation; unique among the pages that are alive. */
  key: string;
  path: string;
  /** Whether it is the page on the screen now. Not a state: for callbacks, timers and cleanups. */
  isOpen(): boolean;
  /** Changes the address that a hidden page is shown with next time. */
  readdress(search: string): void;
  /** Calls back when the page ends while it is hidden. Answers how to take that back. */
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
    // Shown again: what the page would have called at its end is called by the cleanup below.
    pending.current?.();
    pending.current = null;
    return () => {
      if (page === null || page.isOpen()) gone();
      else pending.current = page.onGone(gone);
    };
  }, [page]);
}

/**
 * Calls back after a render in which one of the values differs from the last time, and after the first one.
 * Unlike an effect with these dependencies it does nothing when the page is merely shown again.
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
