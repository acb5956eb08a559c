import { afterAll, beforeAll, expect, test } from 'vitest';
import { fridge, startTestServer, TEST_KEY, type TestServer } from '../../testing/test-server.ts';

const MIN = 60_000;
const HOUR = 60 * MIN;
const NUMBER = '30000009';
/** The server's clock; the device's own is right all the time. */
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

test('a server whose clock is put back and forward refuses no right reading, and rings when it should', async () => {
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
