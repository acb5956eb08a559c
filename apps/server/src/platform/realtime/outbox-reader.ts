import type pg from 'pg';
import type { Logger } from '../log.ts';

/** An event of the outbox: a change of an alarm. */
export interface OutboxEvent {
  alarmId: number;
  topic: string;
}

export interface OutboxReader {
  /** Sets the cursor, so that events committed from now on are delivered. */
  start(): Promise<void>;
  /** Must be called when there may be new events. */
  wake(): void;
  stop(): Promise<void>;
}

/**
 * Poll interval. Polling is needed because a notification can be lost with its process or connection, but
 * events must not be.
 */
const POLL_EVERY_MS = 1_000;

/**
 * Creates a reader that delivers every event of the outbox to this process once, soon after its commit,
 * whichever process wrote it. The cursor is the oldest transaction that was still running at the last read:
 * everything older is complete. Newer events that were already delivered are remembered, so that a long
 * transaction delays no events but its own.
 */
export function createOutboxReader(
  pool: pg.Pool,
  deliver: (events: OutboxEvent[]) => void,
  log: Logger,
): OutboxReader {
  let cursor: bigint | null = null;
  let delivered = new Map<number, bigint>();
  let timer: NodeJS.Timeout | undefined;
  let isDue = false;
  let running: Promise<void> | null = null;

  async function read(): Promise<void> {
    const { oldestRunning, events } = await readOutbox(pool, cursor);
    const fresh = events.filter(({ id }) => !delivered.has(id));
    const isFirst = cursor === null;
    // The cursor may also move backwards, if the database was restored from a backup and its transaction
    // numbers are lower.
    cursor = oldestRunning;
    delivered = new Map(events.filter(({ xid }) => xid >= oldestRunning).map(({ id, xid }) => [id, xid]));
    if (!isFirst && fresh.length > 0) deliver(fresh.map(({ alarmId, topic }) => ({ alarmId, topic })));
  }

  function wake(): void {
    isDue = true;
    running ??= (async () => {
      while (isDue && timer) {
        isDue = false;
        await read().catch((error: Error) => log.debug({ error: error.message }, 'outbox not read'));
      }
    })().finally(() => {
      running = null;
    });
  }

  return {
    async start() {
      await read();
      timer = setInterval(wake, POLL_EVERY_MS);
    },
    wake,
    async stop() {
      clearInterval(timer);
      timer = undefined;
      await running;
    },
  };
}

/**
 * Reads events of transactions from `cursor` on, or of those still running at the first read, ordered by
 * transaction.
 */
async function readOutbox(
  pool: pg.Pool,
  cursor: bigint | null,
): Promise<{ oldestRunning: bigint; events: (OutboxEvent & { id: number; xid: bigint })[] }> {
  const { rows } = await pool.query<{
    oldest_running: string;
    id: number | null;
    xid: string;
    alarm_id: number;
    topic: string;
  }>({
    name: 'read-outbox',
    // This is one statement, so that events and running transactions are from the same snapshot.
    text: `select s.xmin::text as oldest_running, o.id, o.xid::text, o.alarm_id, o.topic
             from (select pg_snapshot_xmin(pg_current_snapshot()) as xmin) s
             left join outbox o on o.xid >= coalesce($1::text::xid8, s.xmin)
            order by o.xid, o.id`,
    values: [cursor === null ? null : String(cursor)],
  });
  return {
    oldestRunning: BigInt((rows[0] as { oldest_running: string }).oldest_running),
    events: rows
      .filter((row) => row.id !== null)
      .map((row) => ({
        id: row.id as number,
        xid: BigInt(row.xid),
        alarmId: row.alarm_id,
        topic: row.topic,
      })),
  };
}
