import type { DeviceGateway } from '@isotherm/contracts/device-connection';
import type pg from 'pg';
import { createRecent } from '../../platform/cache/recent.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/log.ts';
import { type ContactRow, writeConnected, writeRefused } from './contacts.repo.ts';

/** The origin of a device's message or login. */
export interface Sender {
  gateway: DeviceGateway;
  address: string;
}

/**
 * Records how each device last reached the server, and attempts with a wrong key: the information for users
 * who connect a device for the first time. It is saved once a second for many devices, and lost if the
 * process dies.
 */
export interface Contacts {
  /** Records that the device has authenticated. */
  connected(deviceId: number, sender: Sender): void;
  /** Records that the number of the device was used with a wrong key. */
  refused(deviceId: number, sender: Sender): void;
  /** Saves what was recorded and stops. */
  stop(): Promise<void>;
}

const FLUSH_EVERY_MS = 1_000;
/**
 * The contact of a device that authenticates with every message is saved at this interval while its address
 * stays the same.
 */
const SAME_FOR_MS = 60_000;
const MAX_REMEMBERED = 200_000;
/**
 * Maximum number of devices with wrong keys that are saved at once; an attacker who tries all numbers would
 * create more.
 */
const MAX_REFUSED = 500;

export function createContacts(pool: pg.Pool, clock: Clock, log: Logger): Contacts {
  let connected = new Map<number, ContactRow>();
  let refused = new Map<number, { row: ContactRow; attempts: number }>();
  const saved = createRecent<number, { sender: string; at: number }>(MAX_REMEMBERED);
  let writing: Promise<void> = Promise.resolve();

  async function flush(): Promise<void> {
    if (connected.size + refused.size === 0) return;
    // The rows are sorted by id, so that two processes cannot deadlock.
    const arrived = [...connected.values()].sort((a, b) => a.deviceId - b.deviceId);
    const failed = [...refused.values()].sort((a, b) => a.row.deviceId - b.row.deviceId);
    connected = new Map();
    refused = new Map();
    try {
      if (arrived.length > 0) await writeConnected(pool, arrived);
      if (failed.length > 0)
        await writeRefused(
          pool,
          failed.map(({ row }) => row),
          failed.map(({ attempts }) => attempts),
        );
    } catch (error) {
      log.warn({ error: (error as Error).message }, 'connections of devices not recorded');
      for (const { deviceId } of arrived) saved.delete(deviceId);
    }
  }
  const timer = setInterval(() => {
    writing = writing.then(flush);
  }, FLUSH_EVERY_MS);

  const rowOf = (deviceId: number, { gateway, address }: Sender): ContactRow => ({
    deviceId,
    at: new Date(clock.now()),
    from: address,
    by: gateway,
  });

  return {
    connected(deviceId, sender) {
      const now = clock.now();
      const key = `${sender.gateway} ${sender.address}`;
      const known = saved.get(deviceId);
      if (known?.sender === key && Math.abs(now - known.at) < SAME_FOR_MS) return;
      saved.set(deviceId, { sender: key, at: now });
      refused.delete(deviceId);
      connected.set(deviceId, rowOf(deviceId, sender));
    },
    refused(deviceId, sender) {
      const known = refused.get(deviceId);
      if (!known && refused.size >= MAX_REFUSED) return;
      refused.set(deviceId, { row: rowOf(deviceId, sender), attempts: (known?.attempts ?? 0) + 1 });
      // The next success is saved at once, so that the page stops showing the failure.
      saved.delete(deviceId);
    },
    async stop() {
      clearInterval(timer);
      await writing;
      await flush();
    },
  };
}
