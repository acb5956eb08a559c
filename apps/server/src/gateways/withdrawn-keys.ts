import type { KnownDevice } from '../features/devices/index.ts';
import type { Ingest } from '../features/telemetry/index.ts';
import type { InvalidatedKeys, Invalidations } from '../platform/cache/invalidations.ts';

/** Devices whose connections are checked together after a notification about many. */
const AT_ONCE = 500;

/** Closes connections whose device key was changed, or whose device was deleted, by whichever process. */
export interface KeyWatch {
  /** Call the returned function when the connection ends. */
  watch(device: KnownDevice, hangUp: () => void): () => void;
}

interface Watched {
  device: KnownDevice;
  hangUp: () => void;
}

/** One per gateway, for the lifetime of the process. */
export function createKeyWatch(invalidations: Invalidations, refresh: Ingest['refresh']): KeyWatch {
  const watched = new Map<string, Set<Watched>>();

  async function look({ device, hangUp }: Watched): Promise<void> {
    // If the registry is unavailable the key cannot be checked; each message of the connection checks again.
    const known = await Promise.resolve(refresh(device)).catch(() => device);
    if (!known) hangUp();
  }

  async function lookAt(keys: InvalidatedKeys): Promise<void> {
    const numbers = keys ?? [...watched.keys()];
    for (let i = 0; i < numbers.length; i += AT_ONCE)
      await Promise.all(
        numbers.slice(i, i + AT_ONCE).flatMap((number) => [...(watched.get(number) ?? [])].map(look)),
      );
  }
  invalidations.onInvalidated('device', (keys) => void lookAt(keys));

  return {
    watch(device, hangUp) {
      const entry = { device, hangUp };
      const own = watched.get(device.number);
      if (own) own.add(entry);
      else watched.set(device.number, new Set([entry]));
      return () => {
        const left = watched.get(device.number);
        left?.delete(entry);
        if (left?.size === 0) watched.delete(device.number);
      };
    },
  };
}
