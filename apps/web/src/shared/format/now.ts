import { useSyncExternalStore } from 'react';
import { serverNow } from '../api/clock.ts';

const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    for (const each of listeners) each();
  }, 1000);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) {
      clearInterval(timer);
      timer = undefined;
    }
  };
}

/**
 * Returns a value computed from the time of the server's clock, and recomputes it as time passes. The
 * component is rendered again only when the value differs.
 */
export function useTicking<T extends string | number>(read: (now: number) => T): T {
  return useSyncExternalStore(subscribe, () => read(serverNow()));
}
