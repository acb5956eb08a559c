import { provisionDevices } from '@isotherm/contracts/devices';
import type { LimitRule } from '@isotherm/domain/alarms/alarm-machine';
import { replay } from '@isotherm/domain/alarms/late-readings';
import { logIn } from '@isotherm/simulator/client/api-client';
import { type DemoServer, startDemoServer } from '@isotherm/testkit/demo-server';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type LoadedDevice,
  loadedItem,
  startLoadedDevice,
  type TimedValue,
  TRIGGER_AFTER_MS,
} from './loaded-device.ts';

const DEVICES = 24;
const ROUNDS = 3;
const START_MS_AGO = 40 * 3_600_000;

let demo: DemoServer;

beforeAll(async () => {
  demo = await startDemoServer({ LOG_LEVEL: 'warn' });
});
afterAll(() => demo?.stop());

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const HIGH: LimitRule = {
  id: 0,
  kind: 'high',
  level: 3,
  limit: 8,
  recoveryMargin: 0.5,
  triggerAfterMs: TRIGGER_AFTER_MS,
  recoverAfterMs: 0,
  gapAllowanceMs: 300_000,
  limitIsOutside: false,
};
const LOW: LimitRule = { ...HIGH, kind: 'low', level: 4, limit: 2 };

async function query<T>(text: string, values: unknown[]): Promise<T[]> {
  const client = new pg.Client({ connectionString: demo.databaseUrl });
  await client.connect();
  try {
    return (await client.query(text, values)).rows as T[];
  } finally {
    await client.end();
  }
}

const storedReadings = (number: string) =>
  query<TimedValue>(
    `select (extract(epoch from r.measured_at) * 1000)::float8 as at, r.value
       from reading r join channel c on c.id = r.channel_id join device d on d.id = c.device_id
      where d.number = $1 order by r.measured_at`,
    [number],
  );

const storedAlarms = (number: string) =>
  query<{ kind: string; since: number; raised: number; ended: number | null }>(
    `select a.kind, (extract(epoch from a.since) * 1000)::float8 as since,
            (extract(epoch from a.raised_at) * 1000)::float8 as raised,
            (extract(epoch from a.ended_at) * 1000)::float8 as ended
       from alarm a join channel c on c.id = a.channel_id join device d on d.id = c.device_id
      where d.number = $1 order by a.since, a.kind`,
    [number],
  );

function implied(readings: readonly TimedValue[]) {
  return [HIGH, LOW]
    .flatMap((rule) =>
      replay(rule, readings).episodes.map(({ since, raisedAt, endedAt }) => ({
        kind: rule.kind,
        since,
        raised: raisedAt,
        ended: endedAt,
      })),
    )
    .sort((a, b) => a.since - b.since);
}

test('killed in mid-load, server and database come back by themselves; nothing acknowledged is lost or doubled', async () => {
  const account = demo.accounts[0] as { username: string; password: string };
  const manager = await logIn(demo.url, account.username, account.password);
  const numbers = Array.from({ length: DEVICES }, (_, index) => String(50_000_001 + index));
  await manager.call(provisionDevices, { body: { items: numbers.map(loadedItem) } });
  const startAt = Date.now() - START_MS_AGO;
  const devices: LoadedDevice[] = numbers.map((number, index) =>
    startLoadedDevice(index % 2 === 0 ? 'http' : 'mqtt', number, startAt, {
      http: demo.url,
      mqtt: demo.mqttUrl,
    }),
  );
  const acknowledged = () => devices.reduce((sum, device) => sum + device.acknowledged.length, 0);
  const goesOn = async (what: string) => {
    const before = acknowledged();
    await expect
      .poll(acknowledged, { timeout: 40_000, message: `sending goes on after ${what}` })
      .toBeGreaterThan(before + 500);
  };
  try {
    await goesOn('the start');
    for (let round = 0; round < ROUNDS; round++) {
      demo.server.signal('SIGKILL');
      await demo.server.exited;
      await demo.startServer();
      await goesOn('the server was killed');
      await pause(100 * round);

      await demo.postgres.stop('SIGKILL');
      await demo.startPostgres();
      await goesOn('the database was killed');
    }
  } finally {
    await Promise.all(devices.map((device) => device.stop()));
  }

  let alarms = 0;
  for (const device of devices) {
    const stored = await storedReadings(device.number);
    // What was sent but not acknowledged may be there too, as the newest message; nothing may be missing.
    expect(stored.slice(0, device.acknowledged.length)).toEqual(device.acknowledged);
    expect(stored.length - device.acknowledged.length).toBeLessThanOrEqual(5);
    const expected = implied(stored);
    expect(await storedAlarms(device.number)).toEqual(expected);
    alarms += expected.length;
  }
  expect(alarms).toBeGreaterThan(DEVICES);
});

test('while the database is away nothing is acknowledged, and all of it arrives afterwards', async () => {
  const account = demo.accounts[0] as { username: string; password: string };
  const manager = await logIn(demo.url, account.username, account.password);
  const numbers = ['51000001', '51000002'];
  await manager.call(provisionDevices, { body: { items: numbers.map(loadedItem) } });
  const startAt = Date.now() - START_MS_AGO;
  const devices = numbers.map((number, index) =>
    startLoadedDevice(index === 0 ? 'http' : 'mqtt', number, startAt, { http: demo.url, mqtt: demo.mqttUrl }),
  );
  const acknowledged = () => devices.map((device) => device.acknowledged.length);
  await expect.poll(() => Math.min(...acknowledged()), { timeout: 20_000 }).toBeGreaterThan(50);

  await demo.postgres.stop();
  const atStop = acknowledged();
  await pause(30_000);
  // A message may have been committed whose acknowledgement was under way.
  for (const [index, count] of acknowledged().entries())
    expect(count - (atStop[index] as number)).toBeLessThanOrEqual(5);
  expect((await fetch(`${demo.url}/healthz`)).status).toBe(200);
  expect((await fetch(`${demo.url}/readyz`)).status).toBe(503);

  await demo.startPostgres();
  const before = acknowledged();
  await expect
    .poll(() => acknowledged().every((count, index) => count > (before[index] as number) + 50), {
      timeout: 30_000,
    })
    .toBe(true);
  await Promise.all(devices.map((device) => device.stop()));
  expect((await fetch(`${demo.url}/readyz`)).status).toBe(200);
  for (const device of devices)
    expect((await storedReadings(device.number)).slice(0, device.acknowledged.length)).toEqual(
      device.acknowledged,
    );
});
