import { writeTimeRequest } from '@isotherm/protocol/gateway-packet/session-bodies';
import { openPacketLink } from '@isotherm/simulator/client/packet-link';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fridge, startTestServer, TEST_KEY, type TestServer } from '../../testing/test-server.ts';

const MIN = 60_000;
const HOUR = 60 * MIN;
const NUMBER = '30000009';
/** The server's clock, which the tests set; the device's clock is always right. */
const clock = { offset: 0, now: () => Date.now() + clock.offset };
let server: TestServer;

beforeAll(async () => {
  server = await startTestServer({ clock });
  await server.provision(await server.logIn('demo.manager'), [fridge(NUMBER)]);
});
afterAll(() => server.stop());

const send = (at: number, value: number) =>
  server.ingest(NUMBER, TEST_KEY, { readings: [{ channel: 'temperature-1', at, value }] });
const rows = async (sql: string) => (await server.pool.query(sql)).rows;

test('after jumps of its own clock in both directions, a server refuses no correct reading and raises its alarms', async () => {
  const begun = Date.now() - 10 * MIN;
  expect(await send(begun, 5)).toMatchObject({ data: { accepted: 1 } });
  clock.offset = -3 * HOUR;
  for (let minute = 1; minute <= 5; minute++)
    expect(await send(begun + minute * MIN, 12)).toMatchObject({ data: { accepted: 1, rejected: [] } });
  expect(await rows(`select kind, state, since from alarm`)).toEqual([
    { kind: 'high', state: 'active', since: new Date(begun + MIN) },
  ]);
  clock.offset = 3 * HOUR;
  expect(await send(begun + 6 * MIN, 12)).toMatchObject({ data: { accepted: 1, rejected: [] } });
  clock.offset = 0;
  expect(await send(begun + 7 * MIN, 12)).toMatchObject({ data: { accepted: 1, rejected: [] } });
  expect(await rows(`select count(*)::int as count from reading`)).toEqual([{ count: 8 }]);
  expect(await rows(`select count(*)::int as count from alarm where kind = 'high'`)).toEqual([{ count: 1 }]);
});

test('after the server clock was 3 h ahead, readings without a time and device clocks get the right time', async () => {
  clock.offset = 3 * HOUR;
  expect(await send(Date.now(), 5)).toMatchObject({ data: { accepted: 1 } });
  clock.offset = 0;

  const before = Date.now();
  const response = await fetch(`${server.url}/api/v1/${NUMBER}.${TEST_KEY}/telemetry`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ temperature: 5.5 }),
  });
  expect(response.status).toBe(200);
  const [newest] = await rows(
    `select measured_at from reading order by value = 5.5 desc, measured_at desc limit 1`,
  );
  expect(newest.measured_at.getTime()).toBeGreaterThanOrEqual(before);
  expect(newest.measured_at.getTime()).toBeLessThanOrEqual(Date.now());

  const link = await openPacketLink({
    host: '127.0.0.1',
    port: server.tcpPort,
    number: NUMBER,
    key: TEST_KEY,
    encryption: 'none',
    counter: 1,
  });
  try {
    expect(Math.abs(link.serverTime - Date.now())).toBeLessThan(HOUR);
    const answer = await link.send('time-request', writeTimeRequest({ sentAt: 1 }));
    const { time } = answer.body as { time: number };
    expect(Math.abs(time - Date.now())).toBeLessThan(HOUR);
  } finally {
    link.close();
  }
});
