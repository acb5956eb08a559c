import type { Alarm } from '@isotherm/contracts/alarms';
import { DATA_TIMEOUT_MS } from '@isotherm/domain/alarms/data-timeout';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Asking, asking } from '../../testing/asking.ts';
import { fridge, startTestServer, TEST_KEY, type TestServer } from '../../testing/test-server.ts';
import { createDataTimeout } from './data-timeout.ts';
import type { News } from './evaluator.ts';

let server: TestServer;
let asked: Asking;
let numbers = 36_000_000;

beforeAll(async () => {
  server = await startTestServer();
  asked = asking(server, await server.logIn('demo.manager'));
});
afterAll(() => server.stop());

const news: News[] = [];
const timeout = (later: number) =>
  createDataTimeout(server.pool, { now: () => Date.now() + later }, (told) => news.push(told)).run();

/** Creates a device with an open high-temperature alarm. */
async function warmDevice(): Promise<{ number: string; alarmId: number }> {
  const number = String(++numbers);
  await server.provision(await server.logIn('demo.manager'), [fridge(number)]);
  await send(number, -600_000);
  const { rows } = await server.pool.query(
    `select a.id::float8 as id from alarm a join channel c on c.id = a.channel_id join device d on d.id = c.device_id
      where d.number = $1 and a.kind = 'high'`,
    [number],
  );
  return { number, alarmId: rows[0].id };
}

async function send(number: string, from: number): Promise<void> {
  const at = Date.now() + from;
  await server.ingest(number, TEST_KEY, {
    readings: [0, 1, 2].map((i) => ({ channel: 'temperature-1', at: at + i * 60_000, value: 9 })),
  });
}

/** Opens a no-data alarm for the asset of this alarm. */
async function silence(alarmId: number): Promise<void> {
  await server.pool.query(
    `insert into alarm (channel_id, rule_id, subject, asset_id, organization_id, kind, level, peak_level, state, since,
                        raised_at, trigger_after_ms, late, recorded_at)
     select channel_id, 0, 'device', asset_id, organization_id, 'no-data', 1, 1, 'active', now(), now(), 600000, false,
            now()
       from alarm where id = $1`,
    [alarmId],
  );
}

const get = (id: number) => asked.ask<Alarm>({ path: `/api/alarm/${id}` });

test('an alarm without readings for a day ends at its last reading if the asset has an open no-data alarm', async () => {
  const { number, alarmId } = await warmDevice();
  await silence(alarmId);
  await timeout(DATA_TIMEOUT_MS - 600_000);
  expect(await get(alarmId)).toMatchObject({ endedAt: null });
  await timeout(DATA_TIMEOUT_MS + 60_000);
  const alarm = await get(alarmId);
  expect(alarm).toMatchObject({ state: 'ended', endReason: 'data-timeout' });
  expect(Date.parse(alarm.endedAt ?? '')).toBeLessThan(Date.now());
  expect(news.at(-1)).toMatchObject({ alarms: [{ id: alarmId, topic: 'alarm.changed' }] });

  // Readings measured before the timeout move the end of the alarm to the last of them.
  await send(number, -240_000);
  const later = await get(alarmId);
  expect(later).toMatchObject({ endReason: 'data-timeout' });
  expect(Date.parse(later.endedAt ?? '')).toBeGreaterThan(Date.parse(alarm.endedAt ?? ''));
  const { rows } = await server.pool.query(
    `select count(*)::int as count from alarm where kind = 'high' and ended_at is null
        and channel_id = (select channel_id from alarm where id = $1)`,
    [alarmId],
  );
  expect(rows).toEqual([{ count: 0 }]);
});

test('an alarm without readings stays open if its asset has no open no-data alarm', async () => {
  const { alarmId } = await warmDevice();
  await timeout(2 * DATA_TIMEOUT_MS);
  expect(await get(alarmId)).toMatchObject({ endedAt: null });
});
