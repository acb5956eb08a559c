import { useEffect, useState } from 'react';

const SETTLES_MS = 250;

/** Returns the text after a debounce delay, for queries. */
export function useSettled(typed: string): string {
  const [settled, setSettled] = useState(typed);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(typed), SETTLES_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  return settled;
}
