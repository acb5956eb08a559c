import type { LinkedAlarmView } from '@isotherm/contracts/acknowledge-links';
import type { PushBrowser, PushPayload } from '@isotherm/contracts/web-push';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { people } from '../../../testing/people.ts';
import { type PushedBrowser, startPushService } from '../../../testing/push-service.ts';
import {
  fridge,
  type Session,
  startTestServer,
  TEST_KEY,
  type TestServer,
} from '../../../testing/test-server.ts';
import { NO_BROWSER } from './deliver-push.ts';

let server: TestServer;
let pushes: Awaited<ReturnType<typeof startPushService>>;
let manager: Session;
let nurse: Session;
let nurseId: number;
let serverKey: string;
let numbers = 39_000_000;

beforeAll(async () => {
  pushes = await startPushService();
  server = await startTestServer({
    environment: { ISOTHERM_OUTGOING_ALLOW: '127.0.0.1', ISOTHERM_PUBLIC_URL: 'https://console.example' },
  });
  manager = await server.logIn('demo.manager');
  const { rows } = await server.pool.query(
    `select code from organization where id = (select organization_id from account where username = 'demo.manager')`,
  );
  const { account, userId } = people(server, await server.logIn('demo.platform'));
  nurse = await account('push.nurse', 'operator', rows[0].code);
  nurseId = await userId('push.nurse');
  serverKey = (await own()).publicKey;
});
afterAll(async () => {
  await server.stop();
  await pushes.stop();
});
beforeEach(async () => {
  await server.pool.query('delete from push_subscription');
  await openWindows();
});

/** Otherwise a notification waits for others about its site, because the same person was notified just before. */
const openWindows = () => server.pool.query(`update alarm_notification_window set closes_at = '-infinity'`);

const own = async (session = nurse) =>
  (await server.call<{ publicKey: string; browsers: PushBrowser[] }>({ path: '/api/account/push', session }))
    .data;
const add = ({ subscription }: PushedBrowser, session = nurse) =>
  server.call<PushBrowser>({ method: 'POST', path: '/api/account/push', json: subscription, session });
const post = <T>(path: string, json: unknown, method = 'POST') =>
  server.call<T>({ method, path: `/api${path}`, json, session: manager });

/** Creates a device with a policy that sends notifications to the browsers of the nurse. */
async function watched(definition: object = {}): Promise<string> {
  const number = String(++numbers);
  await server.provision(manager, [fridge(number)]);
  const { rows } = await server.pool.query(
    'select asset_id::int as asset, organization_id::int as organization from device where number = $1',
    [number],
  );
  const policy = await post<{ id: number }>('/alarm/policy', {
    organizationId: rows[0].organization,
    name: `Notifications ${number}`,
    definition: {
      conditions: [{ quantity: 'temperature', low: 2, high: 8, recoveryMargin: 0, recoverAfterMs: 0 }],
      steps: [{ level: 1, triggerAfterMs: 0, recipients: [nurseId], channels: ['push'] }],
      recipientType: 'accounts',
      ...definition,
    },
  });
  expect(policy).toMatchObject({ status: '1' });
  await post(`/alarm/policy/${policy.data.id}/assignment`, { kind: 'asset', id: rows[0].asset });
  await post(`/alarm/policy/of-asset/${rows[0].asset}/own-rules`, { reason: 'The policy instead' }, 'DELETE');
  return number;
}

const send = (number: string, value: number, at = Date.now()) =>
  server.ingest(number, TEST_KEY, { readings: [{ channel: 'temperature-1', at, value }] });

const ofDevice = async (number: string) =>
  (
    await server.pool.query(
      `select kind, state, error, attempts from alarm_notification
        where channel = 'push' and facts ->> 'device' = $1 order by id`,
      [number],
    )
  ).rows;
const settled = (number: string, state: string, kind = 'raised') =>
  expect
    .poll(async () => (await ofDevice(number)).filter((row) => row.kind === kind), { timeout: 15_000 })
    .toMatchObject([{ state }]);
const payloads = ({ messages }: PushedBrowser) => messages.map(({ payload }) => payload as PushPayload);

test('an alarm reaches all browsers of its recipient, encrypted and signed by the server', async () => {
  const [phone, laptop] = [pushes.subscribe(serverKey), pushes.subscribe(serverKey, 'Firefox · Windows')];
  for (const browser of [phone, laptop]) expect(await add(browser)).toMatchObject({ status: '1' });
  const number = await watched();
  await send(number, 12);
  await settled(number, 'sent');
  for (const browser of [phone, laptop]) {
    const [payload] = payloads(browser);
    expect(payload?.title).toContain(number);
    expect(payload?.text).toContain('12');
    expect(payload?.path).toMatch(/^\/alarm\/\d+$/);
    expect(browser.messages[0]).toMatchObject({
      urgency: 'high',
      claims: { sub: 'https://console.example' },
    });
  }
  expect((await own()).browsers.every(({ lastSentAt }) => lastSentAt !== null)).toBe(true);
  // The end replaces the notification of the alarm.
  await openWindows();
  await send(number, 5, Date.now() + 1000);
  await settled(number, 'sent', 'ended');
  expect(payloads(phone).map(({ tag }) => tag)).toEqual([payloads(phone)[0]?.tag, payloads(phone)[0]?.tag]);
  expect(payloads(phone)[1]?.acknowledge).toBeNull();
});

test('a notification is in the language of its recipient', async () => {
  const browser = pushes.subscribe(serverKey);
  await add(browser);
  await server.pool.query(`update account set language = 'zh-CN' where id = $1`, [nurseId]);
  const number = await watched();
  await send(number, 12);
  await settled(number, 'sent');
  await server.pool.query(`update account set language = '' where id = $1`, [nurseId]);
  expect(payloads(browser)[0]).toMatchObject({ language: 'zh-CN', words: { acknowledge: '处理' } });
});

test('an alarm is acknowledged from its notification, in the name of the recipient and once', async () => {
  const browser = pushes.subscribe(serverKey);
  await add(browser);
  const number = await watched({ acknowledgement: { required: [], fromLevel: 1 } });
  await send(number, 12);
  await settled(number, 'sent');
  const acknowledge = payloads(browser)[0]?.acknowledge;
  expect(acknowledge).toMatchObject({ isOneTap: true, level: 1 });
  const byNotification = () =>
    server.call<LinkedAlarmView>({
      method: 'POST',
      path: '/api/link/alarm/acknowledge',
      json: { token: acknowledge?.token, level: acknowledge?.level, cause: '', correctiveAction: '' },
    });
  expect(await byNotification()).toMatchObject({ status: '1', data: { fault: 'acknowledged' } });
  const { rows } = await server.pool.query(
    `select acknowledged_by::int as by from alarm where id = (
       select alarm_id from alarm_notification where facts ->> 'device' = $1 limit 1)`,
    [number],
  );
  expect(rows).toEqual([{ by: nurseId }]);
  expect(await byNotification()).toMatchObject({ status: 'link.refused' });
});

test('if the policy wants a reason, the notification leads to the form', async () => {
  const browser = pushes.subscribe(serverKey);
  await add(browser);
  const number = await watched();
  await send(number, 12);
  await settled(number, 'sent');
  expect(payloads(browser)[0]?.acknowledge).toMatchObject({ isOneTap: false });
  expect(payloads(browser)[0]?.acknowledge?.path).toMatch(/^\/link\/[\w-]{22}$/);
});

test.each([404, 410])('a subscription that the push service answers with %i is deleted', async (status) => {
  const browser = pushes.subscribe(serverKey);
  await add(browser);
  browser.answer = status;
  const number = await watched();
  await send(number, 12);
  await settled(number, 'failed');
  expect(await ofDevice(number)).toMatchObject([{ error: NO_BROWSER }]);
  expect((await own()).browsers).toEqual([]);
});

test('a notification waits for a push service that is unavailable', async () => {
  const browser = pushes.subscribe(serverKey);
  await add(browser);
  browser.answer = 503;
  const number = await watched();
  await send(number, 12);
  await expect
    .poll(() => ofDevice(number), { timeout: 15_000 })
    .toMatchObject([{ error: 'HTTP 503', state: 'pending' }]);
  browser.answer = null;
  await server.pool.query(
    `update alarm_notification set due_at = now() where channel = 'push' and state = 'pending' and facts ->> 'device' = $1`,
    [number],
  );
  await settled(number, 'sent');
  expect(await ofDevice(number)).toMatchObject([{ attempts: 2 }]);
});

test('a recipient without a browser is stored as not reached', async () => {
  const number = await watched();
  await send(number, 12);
  await settled(number, 'failed');
  expect(await ofDevice(number)).toMatchObject([{ error: NO_BROWSER }]);
});

test('a browser is tested, belongs to the account that enabled it last, and is removed', async () => {
  const browser = pushes.subscribe(serverKey);
  const { data: added } = await add(browser);
  const of = (session: Session, method: string, path = '') =>
    server.call({ method, path: `/api/account/push/${added.id}${path}`, session });
  expect(await of(manager, 'POST', '/test')).toMatchObject({ status: 'push.not_found' });
  expect(await of(nurse, 'POST', '/test')).toMatchObject({ status: '1', data: { outcome: 'sent' } });
  expect(payloads(browser)).toMatchObject([{ tag: 'test', path: '/management/account' }]);
  expect(await add(browser, manager)).toMatchObject({ status: '1', data: { id: added.id } });
  expect((await own()).browsers).toEqual([]);
  expect(await of(nurse, 'DELETE')).toMatchObject({ status: 'push.not_found' });
  expect(await of(manager, 'DELETE')).toMatchObject({ status: '1' });
  const { rows } = await server.pool.query(
    `select action from audit_entry where object_kind = 'push-browser' and object_id = $1 order by seq`,
    [String(added.id)],
  );
  expect(rows.map(({ action }) => action)).toEqual(['create', 'create', 'delete']);
});

test('a push service at a private address is refused, and an account has ten browsers at most', async () => {
  const browser = pushes.subscribe(serverKey);
  browser.subscription.endpoint = 'https://10.0.0.1/push/1';
  expect(await add(browser)).toMatchObject({ status: 'push.address' });
  for (let at = 0; at < 10; at += 1)
    expect(await add(pushes.subscribe(serverKey))).toMatchObject({ status: '1' });
  expect(await add(pushes.subscribe(serverKey))).toMatchObject({ status: 'push.too_many' });
});

test('the private key is stored encrypted, and is the same for all processes', async () => {
  const other = await startTestServer({
    environment: { ISOTHERM_ROLE: 'web' },
    databaseUrl: server.databaseUrl,
  });
  const session = await other.logIn('demo.manager');
  const { data } = await other.call<{ publicKey: string }>({ path: '/api/account/push', session });
  expect(data.publicKey).toBe(serverKey);
  await other.stop();
  const { rows } = await server.pool.query('select private_key from push_key');
  expect(rows).toHaveLength(1);
  expect(Buffer.from(rows[0].private_key, 'base64url').length).toBeGreaterThan(32);
});
