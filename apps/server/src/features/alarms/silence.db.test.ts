import { afterAll, beforeAll, expect, test } from 'vitest';
import { fridge, startTestServer, TEST_KEY, type TestServer } from '../../testing/test-server.ts';

const MIN = 60_000;
/** The server's clock, moved by hand; the watch looks at it every few real seconds. */
const clock = { offset: 0, now: () => Date.now() + clock.offset };
let server: TestServer;

beforeAll(async () => {
  server = await startTestServer({ clock });
});
afterAll(() => server.stop());

test('a device that falls silent is told of once, in its own time, and is forgiven when it speaks', async () => {
  const manager = await server.logIn('demo.manager');
  await server.provision(manager, [fridge('30000001', { noDataAfterMs: 10 * MIN })]);
  const last = clock.now();
  await server.ingest('30000001', TEST_KEY, { readings: [{ channel: 'temperature-1', at: last, value: 5 }] });
  const alarms = async () =>
    (await server.pool.query('select kind, state, since, raised_at, end_reason from alarm')).rows;
  expect(await alarms()).toEqual([]);

  clock.offset = 25 * MIN;
  await expect.poll(alarms, { timeout: 20_000 }).toEqual([
    {
      kind: 'no-data',
      state: 'active',
      since: new Date(last),
      raised_at: new Date(last + 10 * MIN),
      end_reason: null,
    },
  ]);
  const card = await server.call<{ cards: { state: { kind: string } }[] }>({
    path: '/api/monitor/cards',
    session: await server.logIn('demo.keeper'),
  });
  expect(card.data.cards[0]?.state.kind).toBe('unknown');

  await server.ingest('30000001', TEST_KEY, {
    readings: [{ channel: 'temperature-1', at: clock.now(), value: 5 }],
  });
  expect(await alarms()).toMatchObject([{ state: 'ended', end_reason: 'data-returned' }]);
});
