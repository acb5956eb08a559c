import { useCallback, useRef } from 'react';
import { useSearchParams } from 'react-router';

type Changes = Record<string, string | number | null>;

/**
 * The page's state in its address (ui.md 6): null and '' take a parameter out. Several changes in one turn
 * add up; the router alone would let the last one win.
 */
export function useUrlState(): [URLSearchParams, (changes: Changes, mode?: 'push' | 'replace') => void] {
  const [params, setParams] = useSearchParams();
  const latest = useRef(params);
  latest.current = params;
  const change = useCallback(
    (changes: Changes, mode: 'push' | 'replace' = 'replace') => {
      const next = new URLSearchParams(latest.current);
      for (const [key, value] of Object.entries(changes)) {
        if (value === null || value === '') next.delete(key);
        else next.set(key, String(value));
      }
      latest.current = next;
      setParams(next, { replace: mode === 'replace' });
    },
    [setParams],
  );
  return [params, change];
}

/** One of the allowed words, or nothing. */
export function oneOf<T extends string>(allowed: readonly T[], value: string | null): T | null {
  return allowed.find((each) => each === value) ?? null;
}
