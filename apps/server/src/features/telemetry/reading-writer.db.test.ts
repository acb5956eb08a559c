import { readingsTopic } from '@isotherm/contracts/ingest';
import mqtt from 'mqtt';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fridge, startTestServer, TEST_KEY, type TestServer } from '../../testing/test-server.ts';

const QUEUE = 1_000;
const METRICS_KEY = 'key of the metrics';
let server: TestServer;
const now = Date.now();

beforeAll(async () => {
  server = await startTestServer({
    environment: { ISOTHERM_QUEUE_READINGS: String(QUEUE), ISOTHERM_METRICS_KEY: METRICS_KEY },
  });
  await server.provision(await server.logIn('demo.manager'), [fridge('60000001'), fridge('60000002')]);
});
afterAll(() => server.stop());

const readings = (first: number, count: number) => ({
  readings: Array.from({ length: count }, (_, i) => ({
    channel: 'temperature-1',
    at: now - (first + i + 1) * 1000,
    value: 5,
  })),
});

const stored = async () => {
  const { rows } = await server.pool.query<{ count: number }>('select count(*)::int as count from reading');
  return rows[0]?.count;
};

/** Locks every lane, like a database with slow commits; returns a function that releases them. */
async function holdLanes(): Promise<() => Promise<void>> {
  const client = await server.pool.connect();
  await client.query('begin');
  await client.query('select pg_advisory_xact_lock(7413, lane) from generate_series(0, 255) as lane');
  return async () => {
    await client.query('rollback');
    client.release();
  };
}

test('a full queue slows down the senders and loses nothing', async () => {
  const letGo = await holdLanes();
  const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${server.mqttPort}`, {
    username: '60000002',
    password: TEST_KEY,
    protocolVersion: 4,
  });
  const waiting = server.ingest('60000001', TEST_KEY, readings(0, QUEUE));
  // The queue is full as soon as the first of these messages waits in it, so a further message is refused.
  await expect
    .poll(async () => {
      const { httpStatus, status, retryAfter } = await server.ingest(
        '60000001',
        TEST_KEY,
        readings(QUEUE, 10),
      );
      return { httpStatus, status, retryAfter };
    })
    .toEqual({ httpStatus: 429, status: 'ingest.busy', retryAfter: '1' });
  let acknowledged = false;
  const published = client
    .publishAsync(readingsTopic('60000002'), JSON.stringify(readings(0, 5)), { qos: 1 })
    .then(() => {
      acknowledged = true;
    });
  await server.ingest('60000001', TEST_KEY, readings(QUEUE, 10));
  expect(acknowledged).toBe(false);
  expect(await stored()).toBe(0);

  await letGo();
  expect((await waiting).data.accepted).toBe(QUEUE);
  await published;
  expect((await server.ingest('60000001', TEST_KEY, readings(QUEUE, 10))).status).toBe('1');
  expect(await stored()).toBe(QUEUE + 5 + 10);
  await client.endAsync();
});

test('the next days have partitions, and readings of days long past are stored', async () => {
  const { rows } = await server.pool.query<{ days: number }>(
    `select count(*)::int as days from generate_series(0, 7) as ahead
      where to_regclass('reading_' || to_char((now() at time zone 'UTC')::date + ahead, 'YYYYMMDD')) is not null`,
  );
  expect(rows[0]?.days).toBe(8);
  const at = Date.UTC(2019, 1, 3);
  const body = { readings: [{ channel: 'temperature-1', at, value: 5 }] };
  expect((await server.ingest('60000001', TEST_KEY, body)).data.accepted).toBe(1);
  const { rows: old } = await server.pool.query('select measured_at from reading_default');
  expect(old).toEqual([{ measured_at: new Date(at) }]);
});

test('while the database disk is full nothing is acknowledged; once there is space, everything is', async () => {
  await server.pool.query(`
    create function no_space() returns trigger language plpgsql as
      $$ begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$;
    create trigger no_space before insert on reading execute function no_space()`);
  let answered = false;
  const taken = server.ingest('60000001', TEST_KEY, readings(5 * QUEUE, 10)).then((answer) => {
    answered = true;
    return answer;
  });
  const ready = async () => {
    const answer = await fetch(`${server.url}/readyz`);
    return { code: answer.status, ...((await answer.json()) as { status: string }) };
  };
  await expect.poll(ready).toMatchObject({ code: 503, status: 'database disk full' });
  expect(answered).toBe(false);
  const before = await stored();
  await server.pool.query('drop function no_space() cascade');
  expect(await taken).toMatchObject({ httpStatus: 200, data: { accepted: 10 } });
  expect(await stored()).toBe((before as number) + 10);
  expect(await ready()).toMatchObject({ code: 200, status: 'ready' });
});

test('a database that stopped because of a full disk is still reported as such while it is unreachable', async () => {
  const fail = (code: string) =>
    server.pool.query(`
      create or replace function fail_attempt() returns trigger language plpgsql as
        $$ begin perform nextval('attempt'); raise exception 'failed' using errcode = '${code}'; end $$`);
  await server.pool.query('create sequence attempt');
  await server.pool.query('grant all on sequence attempt to public');
  await fail('53100');
  await server.pool.query(
    'create trigger fail_attempt before insert on reading execute function fail_attempt()',
  );
  const taken = server.ingest('60000001', TEST_KEY, readings(8 * QUEUE, 10));
  const status = async () =>
    ((await (await fetch(`${server.url}/readyz`)).json()) as { status: string }).status;
  const attempts = async () => (await server.pool.query('select last_value from attempt')).rows[0].last_value;
  await expect.poll(status).toBe('database disk full');
  await fail('57P02');
  const before = await attempts();
  await expect.poll(attempts, { timeout: 20_000 }).toBeGreaterThan(before + 1);
  expect(await status()).toBe('database disk full');
  await server.pool.query('drop function fail_attempt() cascade');
  expect(await taken).toMatchObject({ httpStatus: 200, data: { accepted: 10 } });
  expect(await status()).toBe('ready');
});

test('an error that is not caused by the readings is answered with 503, never with a refusal', async () => {
  await server.pool.query(`
    create function duplicate_key() returns trigger language plpgsql as
      $$ begin raise exception 'duplicate key value' using errcode = '23505'; end $$;
    create trigger duplicate_key before insert on reading execute function duplicate_key()`);
  const answer = await server.ingest('60000001', TEST_KEY, readings(6 * QUEUE, 10));
  expect(answer).toMatchObject({ httpStatus: 503, status: 'ingest.unavailable', retryAfter: '5' });
  await server.pool.query('drop function duplicate_key() cascade');
  const again = await server.ingest('60000001', TEST_KEY, readings(6 * QUEUE, 10));
  expect(again).toMatchObject({ httpStatus: 200, data: { accepted: 10 } });
});

test('gauges have their current values when they are scraped', async () => {
  const scrape = async (name: string) => {
    const answer = await fetch(`${server.url}/metrics`, {
      headers: { authorization: `Bearer ${METRICS_KEY}` },
    });
    return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(await answer.text())?.[1]);
  };
  expect(await scrape('isotherm_queued_readings')).toBe(0);
  const letGo = await holdLanes();
  const waiting = server.ingest('60000001', TEST_KEY, readings(7 * QUEUE, 123));
  await expect.poll(() => scrape('isotherm_queued_readings')).toBe(123);
  expect(await scrape('isotherm_oldest_queued_seconds')).toBeGreaterThan(0);
  await letGo();
  await waiting;
  expect(await scrape('isotherm_queued_readings')).toBe(0);
  expect(await scrape('isotherm_oldest_queued_seconds')).toBe(0);
});
