import { useSyncExternalStore } from 'react';
import { BREAKPOINTS } from './tokens.gen.ts';

/** Requirements §9: below 992 px the mobile layout is used. */
const QUERY = `(max-width: ${BREAKPOINTS.narrow}px)`;

function subscribe(changed: () => void): () => void {
  const query = matchMedia(QUERY);
  query.addEventListener('change', changed);
  return () => query.removeEventListener('change', changed);
}

export function useNarrow(): boolean {
  return useSyncExternalStore(subscribe, () => matchMedia(QUERY).matches);
}
