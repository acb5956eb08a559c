import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import type { Logger } from '../log.ts';
import { readLeases, releaseLeases, renewLeases, takeExpiredLeases } from './leases.repo.ts';

export interface Leases {
  /** Claims this process's own lease and renews it regularly; resolves when it is held. */
  start(): Promise<void>;
  /** Returns whether this process holds the lease now; false if the database is unavailable. */
  holds(name: string): Promise<boolean>;
  /** Releases the leases. */
  stop(): Promise<void>;
}

export interface LeasesOptions {
  pool: pg.Pool;
  log: Logger;
  kind: string;
  /** Name of this process: unique among running processes, and the same after a restart. */
  own: string;
  onTaken(name: string): void;
  onLost(name: string): void;
}

const RENEW_EVERY_MS = 1_000;
/** Duration of a lease; a dead process is replaced within this time plus one renewal. */
const HELD_FOR_MS = 3_000;

/**
 * Creates leases of one kind: each process has its own, and running processes take over those of dead ones.
 * After a database outage, running processes have time to renew theirs before others take expired ones.
 */
export function createLeases(options: LeasesOptions): Leases {
  const { pool, log, kind, own } = options;
  const holder = randomUUID();
  let held = new Set<string>();
  let lastRenewed = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | null = null;

  async function renew(): Promise<void> {
    await renewLeases(pool, kind, own, holder, HELD_FOR_MS);
    if (performance.now() - lastRenewed < HELD_FOR_MS)
      await takeExpiredLeases(pool, kind, holder, HELD_FOR_MS);
    lastRenewed = performance.now();
    const now = new Set(await readLeases(pool, kind, holder));
    const before = held;
    held = now;
    for (const name of now) if (!before.has(name)) options.onTaken(name);
    for (const name of before) if (!now.has(name)) options.onLost(name);
  }

  function tick(): void {
    running ??= renew()
      .catch((error: Error) => log.debug({ error: error.message }, 'leases not renewed'))
      .finally(() => {
        running = null;
      });
  }

  return {
    async start() {
      await renew();
      timer = setInterval(tick, RENEW_EVERY_MS);
    },
    holds: (name) =>
      readLeases(pool, kind, holder).then(
        (names) => names.includes(name),
        () => false,
      ),
    async stop() {
      clearInterval(timer);
      await running;
      await releaseLeases(pool, kind, holder).catch((error: Error) =>
        log.debug({ error: error.message }, 'leases expire by themselves'),
      );
    },
  };
}
