import type pg from 'pg';
import type { Logger } from '../log.ts';
import { createPool, HANGING_SESSION_TIMEOUT_MS, type SessionSettings } from './pool.ts';

/** Transactions that store readings at the same time. */
export const WRITERS = 2;
/** A batch of readings that takes longer than this is retried, and split when it fails again. */
const INGEST_TIMEOUTS = {
  idle_in_transaction_session_timeout: HANGING_SESSION_TIMEOUT_MS,
  lock_timeout: 2 * HANGING_SESSION_TIMEOUT_MS,
  statement_timeout: 30_000,
};
const WEB_CONNECTIONS = 10;
const DEVICE_CONNECTIONS = 3;
const SEAL_CONNECTIONS = 2;
const JOB_CONNECTIONS = 4;
/** One for each message that is delivered at the same time, and two that wait for news of the queue. */
const DELIVERY_CONNECTIONS = 14;
const LEASE_CONNECTIONS = 1;
const REPORT_CONNECTIONS = 4;

/**
 * Pools of the application's role. Each kind of work has its own connections, so that none waits for
 * another: a slow report delays no alarm, and a slow mail server no job.
 */
export interface Pools {
  /** API requests. */
  web: pg.Pool;
  /** Devices, alarms and events. */
  devices: pg.Pool;
  /** Only the writers of readings. */
  ingest: pg.Pool;
  /** The sealer, which reads whole days. */
  seal: pg.Pool;
  /** Delivery of messages. Its commits do not wait for the disk. */
  delivery: pg.Pool;
  /** Pools that only some processes need, created on demand. */
  jobs(): pg.Pool;
  /** Reports and exports, so that they take no connection of jobs, requests and alarms. */
  reports(): pg.Pool;
  /** Leases of broker sessions, so that nothing delays their renewal. */
  leases(): pg.Pool;
  /** Closes all pools that were created. */
  end(): Promise<void>;
}

export function createPools(databaseUrl: string, log: Logger): Pools {
  const created: pg.Pool[] = [];
  function pool(
    name: string,
    connections: number,
    timeouts?: typeof INGEST_TIMEOUTS,
    settings?: SessionSettings,
  ): pg.Pool {
    const made = createPool(databaseUrl, connections, log, `isotherm-${name}`, timeouts, settings);
    created.push(made);
    return made;
  }
  return {
    web: pool('web', WEB_CONNECTIONS),
    devices: pool('devices', DEVICE_CONNECTIONS),
    ingest: pool('ingest', WRITERS, INGEST_TIMEOUTS),
    seal: pool('seal', SEAL_CONNECTIONS),
    // A delivery whose end is lost is repeated with the same message id.
    delivery: pool('messages', DELIVERY_CONNECTIONS, undefined, { waitsForDisk: false }),
    jobs: () => pool('jobs', JOB_CONNECTIONS),
    reports: () => pool('reports', REPORT_CONNECTIONS),
    leases: () => pool('leases', LEASE_CONNECTIONS),
    async end() {
      await Promise.all(created.map((made) => made.end()));
    },
  };
}
