import type { ListedMessage } from '@isotherm/contracts/alarm-messages';
import type { AlarmPopup } from '@isotherm/contracts/alarm-popups';
import { NOTIFICATION_CHANNELS } from '@isotherm/domain/alarms/graded-policy';
import { afterAll, beforeAll, expect, test } from 'vitest';
import WebSocket from 'ws';
import { type Asking, asking } from '../../../testing/asking.ts';
import { people } from '../../../testing/people.ts';
import {
  fridge,
  type Session,
  startTestServer,
  TEST_KEY,
  type TestServer,
} from '../../../testing/test-server.ts';
import { NOT_SHOWN } from './popups.repo.ts';

let server: TestServer;
let other: TestServer;
let manager: Session;
let nurse: Session;
let nurseId: number;
let asked: Asking;
let numbers = 38_000_000;

beforeAll(async () => {
  server = await startTestServer({ environment: { ISOTHERM_ROLE: 'web,ingest' } });
  // The worker that claims popups is another process than the one that has the sockets.
  other = await startTestServer({
    environment: { ISOTHERM_ROLE: 'worker' },
    databaseUrl: server.databaseUrl,
  });
  manager = await server.logIn('demo.manager');
  asked = asking(server, manager);
  const { rows } = await server.pool.query(
    `select code from organization where id = (select organization_id from account where username = 'demo.manager')`,
  );
  const { account, userId } = people(server, await server.logIn('demo.platform'));
  nurse = await account('night.nurse', 'operator', rows[0].code);
  nurseId = await userId('night.nurse');
});
afterAll(async () => {
  await other.stop();
  await server.stop();
});

const post = <T>(path: string, json: unknown, method = 'POST') =>
  server.call<T>({ method, path: `/api${path}`, json, session: manager });
const popupsOf = async (session: Session) =>
  (await server.call<AlarmPopup[]>({ path: '/api/alarm/popup', session })).data;
const confirm = (session: Session, json: object) =>
  server.call({ method: 'PUT', path: '/api/alarm/popup/shown', json, session });

function definition(channels: string[], recipientType: string, recipients: number[]) {
  return {
    conditions: [{ quantity: 'temperature', low: 2, high: 8, recoveryMargin: 0, recoverAfterMs: 0 }],
    steps: [{ level: 1, triggerAfterMs: 0, recipients, channels }],
    recipientType,
  };
}

/** Creates a device with a policy that sends popups to the nurse. */
async function watched(): Promise<{ number: string; policyId: number }> {
  const number = String(++numbers);
  await server.provision(manager, [fridge(number)]);
  const { rows } = await server.pool.query(
    'select asset_id::int as asset, organization_id::int as organization from device where number = $1',
    [number],
  );
  const policy = await post<{ id: number }>('/alarm/policy', {
    organizationId: rows[0].organization,
    name: `Popups ${number}`,
    definition: definition(['web'], 'accounts', [nurseId]),
  });
  expect(policy).toMatchObject({ status: '1' });
  await post(`/alarm/policy/${policy.data.id}/assignment`, { kind: 'asset', id: rows[0].asset });
  await post(`/alarm/policy/of-asset/${rows[0].asset}/own-rules`, { reason: 'The policy instead' }, 'DELETE');
  return { number, policyId: policy.data.id };
}

const send = (number: string, value: number) =>
  server.ingest(number, TEST_KEY, { readings: [{ channel: 'temperature-1', at: Date.now(), value }] });

async function stored(number: string) {
  const { rows } = await server.pool.query(
    `select n.id::float8 as id, n.kind, n.state, n.error, n.delivered_at is not null as delivered from alarm_notification n
      where n.channel = 'web' and n.facts ->> 'device' = $1 order by n.id`,
    [number],
  );
  return rows;
}

test('the catalogue in the database has the notification channels of the domain', async () => {
  const { rows } = await server.pool.query('select name from notification_channel order by name');
  expect(rows.map(({ name }) => name)).toEqual([...NOTIFICATION_CHANNELS].sort());
});

test('a popup needs recipients that are accounts', async () => {
  const { rows } = await server.pool.query(
    'select id::int as id from organization order by length(path) desc limit 1',
  );
  expect(
    await post('/alarm/policy', {
      organizationId: rows[0].id,
      name: 'Popups to receivers',
      definition: definition(['web'], 'receivers', [1]),
    }),
  ).toMatchObject({ status: 'request.invalid' });
});

test('an alarm is told to the open console of its recipient through another process, and is delivered when it was shown', async () => {
  const { number } = await watched();
  const { data } = await server.call<{ ticket: string }>({
    method: 'POST',
    path: '/api/auth/socket-ticket',
    session: nurse,
  });
  const query = new URLSearchParams({ username: 'night.nurse', ticket: data.ticket });
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}/ws?${query}`);
  const told = new Promise<void>((resolve) =>
    socket.on('message', (text) => {
      if (JSON.parse(String(text)).event === 'popups') resolve();
    }),
  );
  await new Promise((opened) => socket.once('message', opened));
  await send(number, 12);
  await told;
  socket.close();

  const [popup, ...more] = await popupsOf(nurse);
  expect(more).toEqual([]);
  expect(popup).toMatchObject({ level: 1, testId: null, isEnd: false });
  expect(popup?.title).toContain(number);
  expect(popup?.message).toContain('12');
  expect(await popupsOf(manager)).toEqual([]);

  // Only the recipient can confirm that it was shown.
  await confirm(manager, { ids: [popup?.id] });
  expect(await stored(number)).toMatchObject([{ state: 'sending', delivered: false }]);
  await confirm(nurse, { ids: [popup?.id] });
  expect(await stored(number)).toMatchObject([{ state: 'sent', delivered: true }]);
  expect(await popupsOf(nurse)).toEqual([]);
  const messages = await asked.ask<{ items: ListedMessage[] }>({
    path: '/api/alarm/message',
    query: { channel: 'web' },
  });
  expect(messages.items).toMatchObject([{ channel: 'web', state: 'success' }]);
});

test('a popup that no console shows in time is stored as not delivered', async () => {
  const { number } = await watched();
  // Otherwise it would wait for others about its site, because the test before has notified the same person.
  await server.pool.query(`update alarm_notification_window set closes_at = '-infinity'`);
  await send(number, 12);
  await expect.poll(() => stored(number), { timeout: 10_000 }).toMatchObject([{ state: 'sending' }]);
  await server.pool.query(
    `update alarm_notification set due_at = now() where channel = 'web' and facts ->> 'device' = $1`,
    [number],
  );
  await expect
    .poll(() => stored(number), { timeout: 10_000 })
    .toMatchObject([{ state: 'failed', error: NOT_SHOWN, delivered: false }]);
  expect(await popupsOf(nurse)).toEqual([]);
});

test('an alarm test shows a popup, too', async () => {
  const { policyId } = await watched();
  expect(await post('/alarm-test', { policyId, level: 1 })).toMatchObject({ status: '1' });
  const waiting = () =>
    server.pool.query(`select attempts from alarm_test_message where channel = 'web' and state = 'sending'`);
  await expect.poll(async () => (await waiting()).rows, { timeout: 10_000 }).toEqual([{ attempts: 1 }]);
  const [popup] = (await popupsOf(nurse)).filter(({ testId }) => testId !== null);
  expect(popup).toMatchObject({ alarmId: null, level: 1 });
  await confirm(nurse, { testMessageIds: [popup?.id] });
  const { rows } = await server.pool.query(`select state from alarm_test_message where channel = 'web'`);
  expect(rows).toEqual([{ state: 'sent' }]);
});
