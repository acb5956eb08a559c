import type pg from 'pg';
import type { Logger } from '../../platform/log.ts';
import { writePresence } from './presence.repo.ts';

const FLUSH_EVERY_MS = 5_000;

/**
 * Records when each device was last seen. Times are saved for many devices at once, because a device sends
 * every few seconds.
 */
export interface Presence {
  heard(deviceId: number, at: number): void;
  /** Saves what was recorded and stops. */
  stop(): Promise<void>;
}

export function createPresence(pool: pg.Pool, log: Logger): Presence {
  let heard = new Map<number, number>();
  let writing: Promise<void> = Promise.resolve();

  async function flush(): Promise<void> {
    if (heard.size === 0) return;
    const some = heard;
    heard = new Map();
    try {
      // The rows are sorted by id, so that two processes cannot deadlock.
      const ids = [...some.keys()].sort((a, b) => a - b);
      await writePresence(
        pool,
        ids,
        ids.map((id) => new Date(some.get(id) as number)),
      );
    } catch (error) {
      log.warn({ error: (error as Error).message }, 'who was heard from is written down later');
      for (const [id, at] of some) if (!heard.has(id)) heard.set(id, at);
    }
  }
  const timer = setInterval(() => {
    writing = writing.then(flush);
  }, FLUSH_EVERY_MS);

  return {
    heard(deviceId, at) {
      heard.set(deviceId, at);
    },
    async stop() {
      clearInterval(timer);
      await writing;
      await flush();
    },
  };
}
