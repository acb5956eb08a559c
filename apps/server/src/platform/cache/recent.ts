import { LRUCache } from 'lru-cache';

/** The most recently used entries. */
export interface Recent<K, V> {
  get(key: K): V | undefined;
  set(key: K, value: V): void;
  delete(key: K): void;
  clear(): void;
}

/**
 * Keeps up to `max` entries. The memory for all of them is reserved with the first one: for 100,000 it takes as long as much of
 * the rest of a start, and a process without devices needs none.
 */
export function createRecent<K extends string | number, V extends object | true>(max: number): Recent<K, V> {
  let entries: LRUCache<K, V> | null = null;
  return {
    get: (key) => entries?.get(key),
    set(key, value) {
      entries ??= new LRUCache({ max });
      entries.set(key, value);
    },
    delete(key) {
      entries?.delete(key);
    },
    clear() {
      entries?.clear();
    },
  };
}
