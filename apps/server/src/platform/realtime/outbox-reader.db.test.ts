import { createTestDatabase, type TestDatabase } from '@isotherm/testkit/test-database';
import type pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { createInvalidations } from '../cache/invalidations.ts';
import { createPool } from '../db/pool.ts';
import { createLog } from '../log.ts';
import { type Bus, createBus } from './bus.ts';
import { createOutboxReader, type OutboxEvent, type OutboxReader } from './outbox-reader.ts';

const log = createLog('silent', false);
let database: TestDatabase;
let pool: pg.Pool;
let reader: OutboxReader;
let delivered: OutboxEvent[];

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool(database.connectionString, 6, log, 'test');
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});
beforeEach(async () => {
  delivered = [];
  reader = createOutboxReader(pool, (events) => delivered.push(...events), log);
  await reader.start();
});
afterEach(() => reader.stop());

const insert = (db: Pick<pg.Pool, 'query'>, alarmId: number) =>
  db.query(`insert into outbox (topic, alarm_id) values ('alarm.raised', $1)`, [alarmId]);
const ids = () => delivered.map(({ alarmId }) => alarmId);

test('each event is delivered once, and none from before the start', async () => {
  await insert(pool, 1);
  reader.wake();
  await expect.poll(ids).toEqual([1]);
  await insert(pool, 2);
  await insert(pool, 3);
  reader.wake();
  reader.wake();
  await expect.poll(ids).toEqual([1, 2, 3]);
  const later: OutboxEvent[] = [];
  const second = createOutboxReader(pool, (events) => later.push(...events), log);
  await second.start();
  await insert(pool, 4);
  second.wake();
  await expect.poll(() => later.map(({ alarmId }) => alarmId)).toEqual([4]);
  await second.stop();
});

test('an event whose transaction commits late is not skipped and does not delay the others', async () => {
  const slow = await pool.connect();
  await slow.query('begin');
  await insert(slow, 10);
  await insert(pool, 11);
  reader.wake();
  await expect.poll(ids).toEqual([11]);
  await insert(pool, 12);
  reader.wake();
  await expect.poll(ids).toEqual([11, 12]);
  await slow.query('commit');
  slow.release();
  reader.wake();
  await expect.poll(ids).toEqual([11, 12, 10]);
  await insert(pool, 13);
  reader.wake();
  await expect.poll(ids).toEqual([11, 12, 10, 13]);
});

test('an event without a notification is delivered as well', async () => {
  await insert(pool, 20);
  await expect.poll(ids, { timeout: 5_000 }).toEqual([20]);
});

test('events written while the database did not respond are delivered afterwards', async () => {
  const failing = { query: () => Promise.reject(new Error('away')) } as unknown as pg.Pool;
  let isAway = false;
  const through = {
    query: (...args: [never]) => (isAway ? failing : pool).query(...args),
  } as unknown as pg.Pool;
  const seen: number[] = [];
  const own = createOutboxReader(through, (events) => seen.push(...events.map((each) => each.alarmId)), log);
  await own.start();
  isAway = true;
  await insert(pool, 30);
  own.wake();
  isAway = false;
  own.wake();
  await expect.poll(() => seen).toEqual([30]);
  await own.stop();
});

test('an event reaches every process, even if the process that wrote it died right after the commit', async () => {
  const buses: { bus: Bus; alarms: number[] }[] = [];
  for (let i = 0; i < 3; i++) {
    const bus = createBus(database.connectionString, pool, createInvalidations(), log);
    const alarms: number[] = [];
    bus.subscribe((news) => alarms.push(...news.alarms.map(({ id }) => id)));
    await bus.start();
    buses.push({ bus, alarms });
  }
  const [first] = buses as [(typeof buses)[number]];
  await insert(pool, 40);
  first.bus.publish({ alarms: [{ id: 40, topic: 'alarm.raised' }], assetIds: [] });
  await expect.poll(() => buses.map(({ alarms }) => alarms)).toEqual([[40], [40], [40]]);
  // No notification is sent for this event.
  await insert(pool, 41);
  await expect
    .poll(() => buses.map(({ alarms }) => alarms), { timeout: 5_000 })
    .toEqual([
      [40, 41],
      [40, 41],
      [40, 41],
    ]);
  for (const { bus } of buses) await bus.stop();
});
