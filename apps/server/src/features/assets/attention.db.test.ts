import type { AssetCard } from '@isotherm/contracts/assets';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  fridge,
  type Session,
  startTestServer,
  TEST_KEY,
  type TestServer,
} from '../../testing/test-server.ts';

const MIN = 60_000;
const NUMBER = '30000001';
let server: TestServer;
let keeper: Session;

beforeAll(async () => {
  server = await startTestServer();
  const manager = await server.logIn('demo.manager');
  const item = fridge(NUMBER);
  item.sensors[0]?.channels[0]?.rules?.push({
    kind: 'high',
    level: 5,
    limit: 10,
    recoveryMargin: 0.5,
    triggerAfterMs: MIN,
    recoverAfterMs: 0,
  });
  await server.provision(manager, [item]);
  keeper = await server.logIn('demo.keeper');
});
afterAll(() => server.stop());

const START = Date.now() - 13 * MIN;
const measure = (minute: number, value: number) =>
  server.ingest(NUMBER, TEST_KEY, {
    readings: [{ channel: 'temperature-1', at: START + minute * MIN, value }],
  });
async function onWall(): Promise<AssetCard> {
  const { data } = await server.call<{ cards: AssetCard[] }>({ path: '/api/monitor/cards', session: keeper });
  return data.cards.find(({ name }) => name === `Fridge ${NUMBER}`) as AssetCard;
}

/** Returns the first refrigerators of the list with their states. */
async function listed() {
  const { data } = await server.call<{ items: { name: string; state: { kind: string } }[] }>({
    path: '/api/asset',
    query: { kind: 'refrigerator', sort: 'state', order: 'desc', pageSize: '3' },
    session: keeper,
  });
  return data.items.map(({ name, state }) => [name, state.kind]);
}

test('the list of assets shows the worst first, then the others by name', async () => {
  const names = ['Aa', 'Ab'];
  for (const [at, name] of names.entries()) {
    const item = fridge(`3000001${at}`);
    item.asset.name = name;
    await server.provision(await server.logIn('demo.manager'), [item]);
  }
  await measure(-9, 9);
  expect(await listed()).toEqual([
    [`Fridge ${NUMBER}`, 'pending'],
    ['Aa', 'unknown'],
    ['Ab', 'unknown'],
  ]);
  await measure(-8, 5);
});

test('an excursion stays on the monitor until a user acknowledges it', async () => {
  for (const [minute, value] of [
    [1, 9],
    [2, 12.4],
    [3, 12],
  ] as const)
    await measure(minute, value);
  expect(await onWall()).toMatchObject({
    // The state starts at the beginning of the excursion and shows the first limit that was exceeded,
    // although level 5 has a limit of its own.
    state: { kind: 'alarm', level: 5, limitValue: 8, since: new Date(START + MIN).toISOString() },
    attention: 1,
  });

  await measure(4, 5);
  const { state } = await onWall();
  expect(state).toMatchObject({ kind: 'ended', level: 5, peakValue: 12.4, limitValue: 8 });
  if (state.kind !== 'ended') return;

  await server.call({
    method: 'PUT',
    path: `/api/alarm/${state.alarmId}/acknowledge`,
    session: await server.logIn('demo.manager'),
    json: { reason: 'door-open', correctiveAction: 'Door closed, goods checked' },
  });
  expect(await onWall()).toMatchObject({ state: { kind: 'normal' }, attention: 0 });
});

test('alarms that ended are counted, and the worst of them is shown', async () => {
  for (const [minute, value] of [
    [5, 9],
    [6, 9],
    [7, 5],
    [8, 11],
    [9, 11],
    [10, 5],
  ] as const)
    await measure(minute, value);
  expect(await onWall()).toMatchObject({ state: { kind: 'ended', level: 5, peakValue: 11 }, attention: 2 });
  await measure(11, 1);
  await measure(12, 1);
  expect(await onWall()).toMatchObject({ state: { kind: 'alarm', level: 4 }, attention: 3 });
  // The list also ranks by the open alarm, although an ended one was more severe.
  const other = fridge('30000019');
  other.asset.name = 'Zz';
  other.sensors[0]?.channels[0]?.rules?.push({
    kind: 'high',
    level: 5,
    limit: 10,
    recoveryMargin: 0.5,
    triggerAfterMs: MIN,
    recoverAfterMs: 0,
  });
  await server.provision(await server.logIn('demo.manager'), [other]);
  for (const [minute, value] of [
    [9, 12],
    [10, 12],
    [11, 12],
    [12, 5],
  ] as const)
    await server.ingest('30000019', TEST_KEY, {
      readings: [{ channel: 'temperature-1', at: START + minute * MIN, value }],
    });
  expect((await listed()).slice(0, 2)).toEqual([
    ['Zz', 'ended'],
    [`Fridge ${NUMBER}`, 'alarm'],
  ]);
});
