import type { KnownDevice } from '../features/devices/index.ts';
import type { Ingest } from '../features/telemetry/index.ts';
import type { Invalidations } from '../platform/cache/invalidations.ts';
import { createDeviceWatch } from './device-watch.ts';

/** Closes connections whose device key or token was changed, or whose device was deleted, by any process. */
export interface KeyWatch {
  /** Watches a device. Call the returned function when the connection ends. */
  watch(device: KnownDevice, hangUp: () => void): () => void;
}

/** Creates one watch per gateway, for the lifetime of the process. */
export function createKeyWatch(invalidations: Invalidations, refresh: Ingest['refresh']): KeyWatch {
  const devices = createDeviceWatch(invalidations, 'device');
  return {
    watch: (device, hangUp) =>
      devices.watch(device.number, async () => {
        // If the registry is unavailable the key cannot be checked now; each message of the connection
        // checks it again.
        const known = await Promise.resolve(refresh(device)).catch(() => device);
        if (!known) hangUp();
      }),
  };
}
