import { MAX_PACKET_BYTES } from '@isotherm/protocol/gateway-packet/packet';
import type pg from 'pg';
import { isDatabaseAway } from '../../platform/db/pool.ts';
import type { Logger } from '../../platform/log.ts';
import type { RefusedMessage } from './incoming-message.ts';
import { insertRejected, type RejectedRow } from './rejected-messages.repo.ts';

export interface RejectedMessages {
  /**
   * Keeps a message that could not be fully decoded, for inspection. It never waits and never throws, so
   * that a bad message blocks nothing.
   */
  keep(message: RefusedMessage, receivedAt: number, code: string, detail: unknown): void;
  stop(): Promise<void>;
}

const FLUSH_EVERY_MS = 500;
const MAX_WAITING = 1_000;
/** Maximum number of bytes kept, as long as a gateway packet, so that each packet can be explained. */
const MAX_KEPT_BYTES = MAX_PACKET_BYTES;
/** Maximum number of bad messages kept per device and minute; all of them are counted. */
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
      // A message that the database rejects must not block those after it.
      if (!isDatabaseAway(error)) {
        log.error({ error: (error as Error).message, rows: rows.length }, 'rejected messages not kept');
        return;
      }
      log.warn({ error: (error as Error).message }, 'rejected messages wait for the database');
      waiting = [...rows, ...waiting].slice(0, MAX_WAITING);
    }
  }
  const timer = setInterval(() => void flush(), FLUSH_EVERY_MS);

  return {
    keep({ gateway, format = 'json', address, device, payload }, receivedAt, code, detail) {
      const current = Math.floor(receivedAt / 60_000);
      if (current !== minute) perDevice.clear();
      minute = current;
      const count = (perDevice.get(device.number) ?? 0) + 1;
      perDevice.set(device.number, count);
      if (count > MAX_PER_DEVICE_AND_MINUTE || waiting.length >= MAX_WAITING) return;
      waiting.push({
        received_at: new Date(receivedAt).toISOString(),
        organization_id: device.organizationId,
        gateway,
        format,
        device_number: device.number,
        address,
        code,
        detail,
        payload_hex: payload.subarray(0, MAX_KEPT_BYTES).toString('hex'),
        payload_bytes: payload.length,
      });
    },
    async stop() {
      clearInterval(timer);
      await flush();
    },
  };
}
