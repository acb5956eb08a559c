import type pg from 'pg';
import type { Logger } from '../../platform/log.ts';
import { insertRejected, type RejectedRow } from './telemetry.repo.ts';

/** A message, or part of one, that could not be understood. */
export interface Rejection {
  receivedAt: number;
  gateway: 'mqtt' | 'http';
  deviceNumber: string;
  address: string;
  code: string;
  detail: unknown;
  payload: Buffer;
}

export interface RejectedMessages {
  /** Keeps the message for inspection. Never waits and never throws: a bad message blocks nothing. */
  keep(rejection: Rejection): void;
  stop(): Promise<void>;
}

const FLUSH_EVERY_MS = 500;
const MAX_WAITING = 1_000;
const MAX_KEPT_BYTES = 16_384;
/** A device gone mad is counted in full, but only so many of its messages are kept a minute. */
const MAX_PER_DEVICE_AND_MINUTE = 20;

export function createRejectedMessages(pool: pg.Pool, log: Logger): RejectedMessages {
  let waiting: RejectedRow[] = [];
  let minute = 0;
  const perDevice = new Map<string, number>();

  async function flush(): Promise<void> {
    if (waiting.length === 0) return;
    const rows = waiting;
    waiting = [];
    try {
      await insertRejected(pool, rows);
    } catch (error) {
      log.warn({ error: (error as Error).message }, 'rejected messages wait for the database');
      waiting = [...rows, ...waiting].slice(0, MAX_WAITING);
    }
  }
  const timer = setInterval(() => void flush(), FLUSH_EVERY_MS);

  return {
    keep(rejection) {
      const current = Math.floor(rejection.receivedAt / 60_000);
      if (current !== minute) perDevice.clear();
      minute = current;
      const count = (perDevice.get(rejection.deviceNumber) ?? 0) + 1;
      perDevice.set(rejection.deviceNumber, count);
      if (count > MAX_PER_DEVICE_AND_MINUTE || waiting.length >= MAX_WAITING) return;
      waiting.push({
        received_at: new Date(rejection.receivedAt).toISOString(),
        gateway: rejection.gateway,
        device_number: rejection.deviceNumber.slice(0, 64),
        address: rejection.address,
        code: rejection.code,
        detail: rejection.detail,
        payload_hex: rejection.payload.subarray(0, MAX_KEPT_BYTES).toString('hex'),
        payload_bytes: rejection.payload.length,
      });
    },
    async stop() {
      clearInterval(timer);
      await flush();
    },
  };
}
