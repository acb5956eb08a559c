import { afterAll, beforeAll, expect, test } from 'vitest';
import { letTimePass } from '../../testing/receiving-time.ts';
import { fridge, startTestServer, TEST_KEY, type TestServer } from '../../testing/test-server.ts';

const MIN = 60_000;
/** The server's clock with an offset set by the test. The task under test runs every few real seconds. */
const clock = { offset: 0, now: () => Date.now() + clock.offset };
let server: TestServer;

beforeAll(async () => {
  server = await startTestServer({ clock });
});
afterAll(() => server.stop());

test('a device that stops reporting raises one alarm after its allowed time, and the next reading ends it', async () => {
  const manager = await server.logIn('demo.manager');
  await server.provision(manager, [fridge('30000001', { noDataAfterMs: 10 * MIN })]);
  const last = clock.now();
  await server.ingest('30000001', TEST_KEY, { readings: [{ channel: 'temperature-1', at: last, value: 5 }] });
  const alarms = async () =>
    (await server.pool.query('select kind, subject, state, since, end_reason from alarm')).rows;
  expect(await alarms()).toEqual([]);

  await letTimePass(server, clock, 25 * MIN);
  await expect.poll(alarms, { timeout: 20_000 }).toEqual([
    {
      kind: 'no-data',
      subject: 'device',
      state: 'active',
      since: new Date(last),
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

test('no-data rules of assets that are out of service do not keep other no-data alarms from being raised', async () => {
  const manager = await server.logIn('demo.manager');
  const [idle, used] = ['30000002', '30000003'] as const;
  await server.provision(manager, [fridge(idle), fridge(used, { noDataAfterMs: 10 * MIN })]);
  const at = clock.now();
  for (const number of [idle, used])
    await server.ingest(number, TEST_KEY, { readings: [{ channel: 'temperature-1', at, value: 5 }] });
  const asset = await server.pool.query<{ asset_id: number }>(
    'select asset_id from device where number = $1',
    [idle],
  );
  await server.call({
    method: 'POST',
    path: `/api/asset/${asset.rows[0]?.asset_id}/status`,
    session: manager,
    json: { from: 'normal', to: 'deactivated', reason: 'In the store room' },
  });
  // Creates more rules than one scan handles.
  await server.pool.query(
    `insert into alarm_rule (channel_id, kind, level, trigger_after_ms)
     select c.id, 'no-data', 2, 60000 from channel c join device d on d.id = c.device_id, generate_series(1, 2100)
      where d.number = $1 and c.indicator = 'temperature'`,
    [idle],
  );
  await letTimePass(server, clock, 25 * MIN);
  const told = async () =>
    (
      await server.pool.query<{ number: string }>(
        `select d.number from alarm a join channel c on c.id = a.channel_id join device d on d.id = c.device_id
          where a.ended_at is null and d.number = any($1)`,
        [[idle, used]],
      )
    ).rows;
  await expect.poll(told, { timeout: 20_000 }).toEqual([{ number: used }]);
});

test('an offline device raises one alarm, which ends with a reading of any of its channels, and a channel that still sends nothing gets its own alarm', async () => {
  const manager = await server.logIn('demo.manager');
  const number = '30000004';
  await server.provision(manager, [fridge(number, { noDataAfterMs: 10 * MIN })]);
  const report = (...channels: string[]) =>
    server.ingest(number, TEST_KEY, {
      readings: channels.map((channel) => ({
        channel,
        at: clock.now(),
        value: channel === 'door-1' ? 0 : 5,
      })),
    });
  const alarms = async () =>
    (
      await server.pool.query<{ subject: string; end_reason: string | null }>(
        `select a.subject, a.end_reason from alarm a join channel c on c.id = a.channel_id
           join device d on d.id = c.device_id where d.number = $1 order by a.id`,
        [number],
      )
    ).rows;
  await report('temperature-1', 'door-1');
  await server.pool.query(
    `insert into alarm_rule (channel_id, kind, level, trigger_after_ms)
     select c.id, 'no-data', 3, 600000 from channel c join device d on d.id = c.device_id
      where d.number = $1 and c.indicator = 'door'`,
    [number],
  );
  await letTimePass(server, clock, 25 * MIN);
  await expect.poll(alarms, { timeout: 20_000 }).toEqual([{ subject: 'device', end_reason: null }]);

  await report('door-1');
  expect(await alarms()).toEqual([{ subject: 'device', end_reason: 'data-returned' }]);
  await letTimePass(server, clock, 8 * MIN);
  await report('door-1');
  await letTimePass(server, clock, 3 * MIN);
  await expect.poll(alarms, { timeout: 20_000 }).toEqual([
    { subject: 'device', end_reason: 'data-returned' },
    { subject: 'channel', end_reason: null },
  ]);
  await report('temperature-1');
  expect((await alarms())[1]).toEqual({ subject: 'channel', end_reason: 'data-returned' });
});
