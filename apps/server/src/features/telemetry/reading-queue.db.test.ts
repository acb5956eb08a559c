import { createTestDatabase, type TestDatabase } from '@isotherm/testkit/test-database';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createPool, transaction } from '../../platform/db/pool.ts';
import { createLog } from '../../platform/log.ts';
import { acceptedReadings } from '../../testing/accepted-readings.ts';
import type { PendingMessage } from './batch.ts';
import { LANES, lockLanes } from './locks.ts';
import { createReadingQueue, type QueueOptions } from './reading-queue.ts';

const log = createLog('silent', false);
const HANGS_FOR_MS = 500;
let database: TestDatabase;
let observer: pg.Pool;
const pools: pg.Pool[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  observer = new pg.Pool({ connectionString: database.connectionString, max: 2 });
  observer.on('error', () => undefined);
  await observer.query('create table written (device integer, process text, number serial)');
});
beforeEach(() => observer.query('truncate written'));
afterAll(async () => {
  await Promise.all([...pools, observer].map((pool) => pool.end()));
  await database.drop();
});

const message = (deviceId: number): PendingMessage => ({
  deviceId,
  bindingVersion: 1,
  receivedAt: 0,
  readings: acceptedReadings([deviceId], [Date.UTC(2026, 0, 1)], [5]),
  clock: null,
});

/** Creates the reading queue of one process; `before` runs in its transactions before they write. */
function processOf(
  name: string,
  before: (devices: readonly number[]) => Promise<void> | void = () => undefined,
  options: Partial<QueueOptions> = {},
) {
  const pool = createPool(database.connectionString, 2, log, name, {
    idle_in_transaction_session_timeout: HANGS_FOR_MS,
    lock_timeout: 10 * HANGS_FOR_MS,
    statement_timeout: 10_000,
  });
  pools.push(pool);
  const batches: number[][] = [];
  const queue = createReadingQueue({
    clock: { now: () => 0 },
    log,
    writers: 2,
    maxQueuedReadings: 10_000,
    writeBatch: (take) =>
      transaction(pool, async (tx) => {
        const devices = (await take(tx)).map(({ deviceId }) => deviceId);
        await before(devices);
        await tx.query('insert into written select unnest($1::int[]), $2', [devices, name]);
        batches.push(devices);
        return () => undefined;
      }),
    onCommitted: () => undefined,
    ...options,
  });
  return {
    queue,
    batches,
    write: (devices: readonly number[]) => Promise.all(devices.map((device) => queue.write(message(device)))),
  };
}

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);
const written = async () => {
  const { rows } = await observer.query<{ device: number }>('select device from written order by number');
  return rows.map(({ device }) => device);
};
const inOrder = (devices: readonly number[]) => [...devices].sort((a, b) => a - b);
function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open: () => open(), opened };
}
function failing(codes: string[]) {
  return () => {
    const code = codes.shift();
    if (code) throw Object.assign(new Error(`SQLSTATE ${code}`), { code });
  };
}

describe('lanes: locks that serialise the writes of a group of devices', () => {
  test('a process commits messages of lanes that no other process holds, and the rest after the other process has committed', async () => {
    const hold = gate();
    const first = processOf('first', () => hold.opened);
    const slow = first.write(range(0, 100));
    await expect.poll(() => first.queue.oldestMs() > 0).toBe(true);
    await expect
      .poll(async () => {
        const { rows } = await observer.query(
          `select 1 from pg_locks where locktype = 'advisory' and classid = 7413 and granted`,
        );
        return rows.length;
      })
      .toBe(100);
    const second = processOf('second');
    const all = second.write(range(50, 150));
    await expect.poll(written).toHaveLength(50);
    expect(inOrder(await written())).toEqual(range(100, 150));
    hold.open();
    await Promise.all([slow, all]);
    expect(inOrder(await written())).toEqual(inOrder([...range(0, 100), ...range(50, 150)]));
  });

  test('messages of a device are committed in the order of their arrival', async () => {
    const one = processOf('one');
    const order: number[] = [];
    const devices = Array.from({ length: 2_000 }, (_, i) => i % 300);
    await Promise.all(devices.map((device, i) => one.queue.write(message(device)).then(() => order.push(i))));
    for (const device of range(0, 300)) {
      const settled = order.filter((i) => devices[i] === device);
      expect(settled).toEqual(inOrder(settled));
    }
    expect(await written()).toHaveLength(2_000);
  });

  test('a process that hangs in a transaction loses its lanes after the timeout', async () => {
    const hold = gate();
    let hangs = true;
    const hanging = processOf('hanging', () => (hangs ? hold.opened : undefined));
    const late = hanging.write(range(0, 20));
    await expect.poll(() => hanging.queue.oldestMs() > 0).toBe(true);
    const healthy = processOf('healthy');
    const started = performance.now();
    await healthy.write(range(0, 20));
    expect(performance.now() - started).toBeLessThan(4 * HANGS_FOR_MS);
    expect(inOrder(await written())).toEqual(range(0, 20));
    // When the hanging process resumes, its transaction has been aborted and is retried.
    hangs = false;
    hold.open();
    await late;
    expect(inOrder(await written())).toEqual(inOrder([...range(0, 20), ...range(0, 20)]));
  });

  test('locking the lanes of some devices waits for their writers and blocks later ones', async () => {
    const one = processOf('one');
    const client = await observer.connect();
    await client.query('begin');
    await lockLanes(client, [7, 7 + LANES, 9]);
    const waits = one.write([7]);
    await one.write([8]);
    expect(await written()).toEqual([8]);
    await client.query('commit');
    client.release();
    await waits;
    expect(await written()).toEqual([8, 7]);
  });

  test('a process of the previous release prevents writes for the devices of its lanes', async () => {
    const one = processOf('one');
    const client = await observer.connect();
    await client.query('begin; select pg_advisory_xact_lock(7411, 3)');
    const waits = one.write([3 + 16]);
    await expect
      .poll(async () => {
        const { rows } = await observer.query(
          `select 1 from pg_locks where locktype = 'advisory' and classid = 7411 and not granted`,
        );
        return rows.length;
      })
      .toBe(1);
    await client.query('commit');
    client.release();
    await waits;
  });
});

describe('database errors', () => {
  test.each(['23505', '40001', '40P01', '55P03', '57014', 'XX000'])(
    'SQLSTATE %s is retried, and no message is refused',
    async (code) => {
      const one = processOf('one', failing([code, code]));
      await one.write(range(0, 4));
      expect(inOrder(await written())).toEqual(range(0, 4));
    },
  );

  test('messages with a persistent error get the response "unavailable", and other messages are not affected', async () => {
    const one = processOf('one', (devices) => {
      if (devices.includes(3)) failing(['23505'])();
    });
    const results = await Promise.allSettled(range(0, 8).map((device) => one.queue.write(message(device))));
    expect(results.map((result) => result.status)).toEqual(
      range(0, 8).map((device) => (device === 3 ? 'rejected' : 'fulfilled')),
    );
    expect((results[3] as PromiseRejectedResult).reason).toMatchObject({ code: 'ingest.unavailable' });
    expect(inOrder(await written())).toEqual([0, 1, 2, 4, 5, 6, 7]);
  });

  test('data that the database rejects is refused, and does not affect other messages', async () => {
    const one = processOf('one', (devices) => {
      if (devices.includes(3)) failing(['22003'])();
    });
    const results = await Promise.allSettled(range(0, 8).map((device) => one.queue.write(message(device))));
    expect((results[3] as PromiseRejectedResult).reason).toMatchObject({ code: 'ingest.refused' });
    expect(inOrder(await written())).toEqual([0, 1, 2, 4, 5, 6, 7]);
  });
});

test('messages that wait too long are reported as a stall, although the database responds', async () => {
  let now = 0;
  const hold = gate();
  const one = processOf('one', () => hold.opened, { elapsed: () => now });
  const waits = one.write([1]);
  now = 9_000;
  expect(one.queue.stall()).toBeNull();
  now = 11_000;
  expect(one.queue.stall()).toEqual({ since: -11_000, reason: 'not-committing' });
  expect(one.queue.queuedReadings()).toBe(1);
  hold.open();
  await waits;
  expect(one.queue.stall()).toBeNull();
  expect(one.queue.oldestMs()).toBe(0);
});
