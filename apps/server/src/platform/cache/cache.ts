import type { CacheTopic, Invalidations } from './invalidations.ts';
import { createRecent } from './recent.ts';

export interface CacheOptions<K, V, C> {
  invalidations: Invalidations;
  topic: CacheTopic;
  /** Parses the keys of a notification; without it, any notification of the topic empties the cache. */
  keyOf?: (text: string) => K;
  /**
   * Maximum number of entries; the least recently used one is evicted. Keys without a value have a separate
   * list of a tenth of this size.
   */
  max: number;
  /** Reads the values of these keys in one call; keys without a value are omitted from the result. */
  load(keys: readonly K[], context: C): Promise<Map<K, V>>;
}

/** `C` is what `load` needs from the caller, such as its transaction. */
export interface Cache<K, V, C> {
  /** Returns the value, or null if there is none; synchronously if it is cached. */
  get(key: K, context: C): V | null | Promise<V | null>;
  /** Returns the values of these keys; keys without a value are omitted. */
  many(keys: Iterable<K>, context: C): Promise<Map<K, V>>;
  /** Reads the values of these keys again, because the caller knows that the cached ones are out of date. */
  reload(keys: readonly K[], context: C): Promise<Map<K, V>>;
}

const MISSES_SHARE = 10;
/** Maximum number of parallel loads of combined keys; keys requested meanwhile share the next load. */
const MAX_GATHERED_LOADS = 2;
const MAX_GATHERED_KEYS = 1_000;

interface Gathered<V> {
  promise: Promise<V | null>;
  resolve(value: Promise<V | null>): void;
}

/**
 * Creates a bounded cache without expiry: entries stay until they are invalidated or evicted. Callers that
 * miss the same key at the same time share one load, and single keys are combined into sets. A value whose
 * load began before an invalidation of its key is returned to its callers, but not kept.
 */
export function createCache<K extends string | number, V extends object, C>(
  options: CacheOptions<K, V, C>,
): Cache<K, V, C> {
  const { invalidations, keyOf } = options;
  const hits = createRecent<K, V>(options.max);
  // Keys without a value are separate from the values, so that many unknown keys evict no values.
  const misses = createRecent<K, true>(Math.ceil(options.max / MISSES_SHARE));
  const loading = new Map<K, Promise<V | null>>();

  invalidations.onInvalidated(options.topic, (keys) => {
    if (keys === null || !keyOf) {
      hits.clear();
      misses.clear();
      loading.clear();
      return;
    }
    for (const text of keys) forget(keyOf(text));
  });

  function forget(key: K): void {
    hits.delete(key);
    misses.delete(key);
    loading.delete(key);
  }

  /** Single keys that wait for the next combined load, by the context of their callers. */
  const gathered = new Map<C, Map<K, Gathered<V>>>();
  let gatheredLoads = 0;

  /** Returns the cached value, null for a key known to have none, and undefined if the key is not cached. */
  function cached(key: K): V | null | undefined {
    return hits.get(key) ?? (misses.get(key) ? null : undefined);
  }

  function load(keys: readonly K[], context: C): Map<K, Promise<V | null>> {
    const all = options.load(keys, context);
    const promises = new Map<K, Promise<V | null>>();
    for (const key of keys) {
      const promise: Promise<V | null> = all.then(
        (values) => {
          const value = values.get(key) ?? null;
          if (loading.get(key) !== promise) return value;
          loading.delete(key);
          if (!invalidations.connected()) return value;
          if (value === null) misses.set(key, true);
          else hits.set(key, value);
          return value;
        },
        (error: unknown) => {
          if (loading.get(key) === promise) loading.delete(key);
          throw error;
        },
      );
      loading.set(key, promise);
      promises.set(key, promise);
    }
    return promises;
  }

  function gather(key: K, context: C): Promise<V | null> {
    let waiting = gathered.get(context);
    if (!waiting) {
      waiting = new Map();
      gathered.set(context, waiting);
      setImmediate(loadGathered);
    }
    const known = waiting.get(key);
    if (known) return known.promise;
    let resolve: Gathered<V>['resolve'] = () => undefined;
    const promise = new Promise<V | null>((settle) => {
      resolve = settle;
    });
    waiting.set(key, { promise, resolve });
    return promise;
  }

  function loadGathered(): void {
    for (const [context, waiting] of gathered) {
      if (gatheredLoads >= MAX_GATHERED_LOADS) return;
      const promises = load([...waiting.keys()].slice(0, MAX_GATHERED_KEYS), context);
      for (const [key, promise] of promises) {
        waiting.get(key)?.resolve(promise);
        waiting.delete(key);
      }
      if (waiting.size === 0) gathered.delete(context);
      gatheredLoads++;
      void Promise.allSettled(promises.values()).then(() => {
        gatheredLoads--;
        loadGathered();
      });
    }
  }

  async function many(keys: Iterable<K>, context: C): Promise<Map<K, V>> {
    const found = new Map<K, V>();
    const waiting = new Map<K, Promise<V | null>>();
    const missing = new Set<K>();
    for (const key of keys) {
      const known = cached(key);
      if (known) found.set(key, known);
      if (known !== undefined) continue;
      const running = loading.get(key);
      if (running) waiting.set(key, running);
      else missing.add(key);
    }
    if (missing.size > 0) for (const [key, promise] of load([...missing], context)) waiting.set(key, promise);
    const values = await Promise.all(waiting.values());
    [...waiting.keys()].forEach((key, i) => {
      const value = values[i];
      if (value) found.set(key, value);
    });
    return found;
  }

  return {
    get(key, context) {
      const known = cached(key);
      if (known !== undefined) return known;
      return loading.get(key) ?? gather(key, context);
    },
    many,
    reload(keys, context) {
      for (const key of keys) forget(key);
      return many(keys, context);
    },
  };
}
