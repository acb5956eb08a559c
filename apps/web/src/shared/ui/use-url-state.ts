import { useCallback, useRef } from 'react';
import { useSearchParams } from 'react-router';
import { useKeptPage } from '../tabs/kept-page.ts';

type Changes = Record<string, string | number | null>;

/**
 * Hook for the state of a page in its address (ui.md 6); null and '' remove a parameter. Several changes in
 * one event are combined; with the router alone, only the last one would apply. A hidden page changes its
 * own address, at which it is shown again, and never that of the open page.
 */
export function useUrlState(): [URLSearchParams, (changes: Changes, mode?: 'push' | 'replace') => void] {
  const [params, setParams] = useSearchParams();
  const page = useKeptPage();
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
      if (page && !page.isOpen()) page.readdress(next.toString());
      else setParams(next, { replace: mode === 'replace' });
    },
    [setParams, page],
  );
  return [params, change];
}

/** Returns the value if it is one of the allowed ones, otherwise null. */
export function oneOf<T extends string>(allowed: readonly T[], value: string | null): T | null {
  return allowed.find((each) => each === value) ?? null;
}
