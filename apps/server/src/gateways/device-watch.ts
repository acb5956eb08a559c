import type { CacheTopic, InvalidatedKeys, Invalidations } from '../platform/cache/invalidations.ts';

/** Number of devices that are checked together after a notification about many. */
const AT_ONCE = 500;

/** Calls a function when a connected device may have been changed by any process. */
export interface DeviceWatch {
  /** Watches a device. `look` must never reject. Call the returned function when the connection ends. */
  watch(number: string, look: () => Promise<void>): () => void;
}

/**
 * Creates one watch per gateway and topic, for the lifetime of the process; the keys of the topic are device
 * numbers.
 */
export function createDeviceWatch(
  invalidations: Invalidations,
  topic: Extract<CacheTopic, 'device' | 'shared-attributes'>,
): DeviceWatch {
  const watched = new Map<string, Set<() => Promise<void>>>();

  async function lookAt(keys: InvalidatedKeys): Promise<void> {
    const numbers = keys ?? [...watched.keys()];
    for (let i = 0; i < numbers.length; i += AT_ONCE)
      await Promise.all(
        numbers
          .slice(i, i + AT_ONCE)
          .flatMap((number) => [...(watched.get(number) ?? [])].map((look) => look())),
      );
  }
  invalidations.onInvalidated(topic, (keys) => void lookAt(keys));

  return {
    watch(number, look) {
      const own = watched.get(number);
      if (own) own.add(look);
      else watched.set(number, new Set([look]));
      return () => {
        const left = watched.get(number);
        left?.delete(look);
        if (left?.size === 0) watched.delete(number);
      };
    },
  };
}
