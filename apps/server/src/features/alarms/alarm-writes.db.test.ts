import { afterAll, beforeAll, expect, test } from 'vitest';
import { letTimePass } from '../../testing/receiving-time.ts';
import {
  fridge,
  type Session,
  startTestServer,
  TEST_KEY,
  type TestServer,
} from '../../testing/test-server.ts';

const MIN = 60_000;
const clock = { offset: 0, now: () => Date.now() + clock.offset };
let server: TestServer;
let manager: Session;

beforeAll(async () => {
  server = await startTestServer({ clock });
  manager = await server.logIn('demo.manager');
});
afterAll(() => server.stop());

function send(number: string, readings: readonly { at: number; value: number }[]) {
  return server.ingest(number, TEST_KEY, {
    readings: readings.map((reading) => ({ channel: 'temperature-1', ...reading })),
  });
}

async function alarmsOf(number: string) {
  const { rows } = await server.pool.query<{ id: number; state: string; end_reason: string | null }>(
    `select a.id, a.state, a.end_reason from alarm a
       join channel c on c.id = a.channel_id join device d on d.id = c.device_id
      where d.number = $1 order by a.since, a.id`,
    [number],
  );
  return rows;
}

test('a late reading that merges an ended alarm with the open one is accepted', async () => {
  await server.provision(manager, [fridge('31000001', { triggerAfterMs: MIN, recoverAfterMs: 10 * MIN })]);
  const start = Math.floor(clock.now() / MIN) * MIN - 60 * MIN;
  const at = (minute: number, value: number) => ({ at: start + minute * MIN, value });
  const cold = [2, 3, 4, 5, 6, 8, 9, 10, 11, 12].map((minute) => at(minute, 5));
  expect(await send('31000001', [at(0, 9), at(1, 9), ...cold, at(21, 9), at(22, 9)])).toMatchObject({
    httpStatus: 200,
  });
  expect(await alarmsOf('31000001')).toMatchObject([{ state: 'ended' }, { state: 'active' }]);
  expect(await send('31000001', [at(7, 9)])).toMatchObject({ httpStatus: 200, data: { accepted: 1 } });
  expect(await alarmsOf('31000001')).toMatchObject([
    { state: 'active', end_reason: null },
    { state: 'ended', end_reason: 'late-readings' },
  ]);
});

test('an alarm that starts and ends within one message is published as raised, then as changed', async () => {
  await server.provision(manager, [fridge('31000002')]);
  const start = Math.floor(clock.now() / MIN) * MIN - 41 * MIN;
  const readings = Array.from({ length: 41 }, (_, minute) => ({
    at: start + minute * MIN,
    value: minute >= 12 && minute < 28 ? 12 : 5,
  }));
  await send('31000002', readings);
  const [alarm] = await alarmsOf('31000002');
  expect(alarm).toMatchObject({ state: 'ended', end_reason: 'recovered' });
  const { rows } = await server.pool.query('select topic from outbox where alarm_id = $1 order by id', [
    alarm?.id,
  ]);
  expect(rows).toEqual([{ topic: 'alarm.raised' }, { topic: 'alarm.changed' }]);
});

test('a device that was deleted and restored raises a no-data alarm again', async () => {
  await server.provision(manager, [fridge('31000003', { noDataAfterMs: 10 * MIN })]);
  await send('31000003', [{ at: clock.now(), value: 5 }]);
  const open = async () => (await alarmsOf('31000003')).filter((alarm) => alarm.state === 'active').length;
  await letTimePass(server, clock, 25 * MIN);
  await expect.poll(open, { timeout: 20_000 }).toBe(1);
  const batch = (action: string, more = {}) =>
    server.call({
      method: 'POST',
      path: `/api/device/list/${action}`,
      json: { numbers: ['31000003'], ...more },
      session: manager,
    });
  expect(await batch('delete', { reason: 'Broken' })).toMatchObject({ status: '1', data: { success: 1 } });
  expect(await open()).toBe(0);
  expect(await batch('restore')).toMatchObject({ status: '1', data: { success: 1 } });
  await letTimePass(server, clock, 25 * MIN);
  await expect.poll(open, { timeout: 20_000 }).toBe(1);
});
