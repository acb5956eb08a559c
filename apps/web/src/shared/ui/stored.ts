import { useSyncExternalStore } from 'react';

const listeners = new Set<() => void>();
const cache = new Map<string, { raw: string | null; value: unknown }>();

function read<T>(key: string, fallback: T, check: (value: unknown) => value is T): T {
  const raw = localStorage.getItem(key);
  const known = cache.get(key);
  if (known && known.raw === raw) return known.value as T;
  let value = fallback;
  try {
    const parsed: unknown = raw === null ? null : JSON.parse(raw);
    if (check(parsed)) value = parsed;
  } catch {
    // If the stored value cannot be read, it is treated as empty.
  }
  cache.set(key, { raw, value });
  return value;
}

function subscribe(changed: () => void): () => void {
  listeners.add(changed);
  window.addEventListener('storage', changed);
  return () => {
    listeners.delete(changed);
    window.removeEventListener('storage', changed);
  };
}

/** Hook for a value that the browser stores; all tabs share it. */
export function useStored<T>(
  key: string,
  fallback: T,
  check: (value: unknown) => value is T,
): [T, (value: T | null) => void] {
  const value = useSyncExternalStore(subscribe, () => read(key, fallback, check));
  const write = (next: T | null) => {
    if (next === null) localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify(next));
    for (const listener of listeners) listener();
  };
  return [value, write];
}
