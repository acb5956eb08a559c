import { createPublicKey } from 'node:crypto';
import type { PushApp } from '@isotherm/contracts/push-apps';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startApns, startFcm } from '../../../testing/mobile-push-servers.ts';
import { people } from '../../../testing/people.ts';
import { newApnsKey, newServiceAccount } from '../../../testing/push-calls.ts';
import {
  fridge,
  type Session,
  startTestServer,
  TEST_KEY,
  type TestServer,
} from '../../../testing/test-server.ts';
import { NO_BROWSER } from './deliver-push.ts';

const APNS = { keyId: 'ABC123DEFG', teamId: 'DEF123GHIJ', topic: 'com.example.app', key: newApnsKey() };
let server: TestServer;
let fcm: Awaited<ReturnType<typeof startFcm>>;
let apns: Awaited<ReturnType<typeof startApns>>;
let credentials: string;
let manager: Session;
let platform: Session;
let nurse: Session;
let nurseId: number;
let numbers = 38_000_000;

beforeAll(async () => {
  fcm = await startFcm();
  apns = await startApns(APNS);
  credentials = newServiceAccount(fcm.tokenUrl);
  fcm.publicKey = createPublicKey(JSON.parse(credentials).private_key);
  server = await startTestServer({
    environment: { ISOTHERM_OUTGOING_ALLOW: '127.0.0.1', ISOTHERM_PUBLIC_URL: 'https://console.example' },
  });
  manager = await server.logIn('demo.manager');
  platform = await server.logIn('demo.platform');
  const { rows } = await server.pool.query(
    `select code from organization where id = (select organization_id from account where username = 'demo.manager')`,
  );
  const { account, userId } = people(server, platform);
  nurse = await account('app.nurse', 'operator', rows[0].code);
  nurseId = await userId('app.nurse');
  await saveFcm({ url: fcm.url, credentials });
  await saveApns();
});
afterAll(async () => {
  await server.stop();
  await fcm.stop();
  await apns.stop();
});
beforeEach(async () => {
  await server.pool.query('delete from push_app');
  await openWindows();
  fcm.messages.length = 0;
  apns.messages.length = 0;
});

const openWindows = () => server.pool.query(`update alarm_notification_window set closes_at = '-infinity'`);
const as = <T>(session: Session, method: string, path: string, json?: unknown) =>
  server.call<T>({ method, path: `/api${path}`, session, ...(json === undefined ? {} : { json }) });
const saveFcm = (json: object, session = platform) =>
  as(session, 'PUT', '/notification/push-service/fcm', json);
const saveApns = (changes: object = {}) =>
  as(platform, 'PUT', '/notification/push-service/apns', { ...APNS, url: apns.url, ...changes });
const register = (service: 'fcm' | 'apns', token: string, session = nurse, name = 'Pixel 9') =>
  as<PushApp>(session, 'POST', '/account/push-app', { service, token, name });
const own = async (session = nurse) =>
  (await as<{ services: string[]; apps: PushApp[] }>(session, 'GET', '/account/push-app')).data;

/** Creates a device with a policy that sends notifications to the nurse. */
async function watched(definition: object = {}): Promise<string> {
  const number = String(++numbers);
  await server.provision(manager, [fridge(number)]);
  const { rows } = await server.pool.query(
    'select asset_id::int as asset, organization_id::int as organization from device where number = $1',
    [number],
  );
  const policy = await as<{ id: number }>(manager, 'POST', '/alarm/policy', {
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
  await as(manager, 'POST', `/alarm/policy/${policy.data.id}/assignment`, {
    kind: 'asset',
    id: rows[0].asset,
  });
  await as(manager, 'DELETE', `/alarm/policy/of-asset/${rows[0].asset}/own-rules`, {
    reason: 'The policy instead',
  });
  return number;
}

const ofDevice = async (number: string) =>
  (
    await server.pool.query(
      `select kind, state, error, attempts, (extract(epoch from due_at - now()))::float8 as "inSeconds"
         from alarm_notification where channel = 'push' and facts ->> 'device' = $1 order by id`,
      [number],
    )
  ).rows;
const settled = (number: string, state: string, kind = 'raised') =>
  expect
    .poll(() => ofDevice(number), { timeout: 15_000 })
    .toContainEqual(expect.objectContaining({ kind, state }));
const send = (number: string, value: number) =>
  server.ingest(number, TEST_KEY, { readings: [{ channel: 'temperature-1', at: Date.now(), value }] });
async function raised(definition: object = {}): Promise<string> {
  const number = await watched(definition);
  await send(number, 12);
  return number;
}
const retryNow = (number: string) =>
  server.pool.query(
    `update alarm_notification set due_at = now() where channel = 'push' and state = 'pending' and facts ->> 'device' = $1`,
    [number],
  );

test('an alarm reaches the apps of its recipient through both push services', async () => {
  const [android, iphone] = [fcm.add(), apns.add()];
  expect(await register('fcm', android)).toMatchObject({ status: '1', data: { name: 'Pixel 9' } });
  expect(await register('apns', iphone, nurse, 'iPhone 17')).toMatchObject({ status: '1' });
  const number = await raised({ acknowledgement: { required: [], fromLevel: 1 } });
  await settled(number, 'sent');
  const [ofAndroid] = fcm.messages;
  expect(ofAndroid?.token).toBe(android);
  expect(ofAndroid?.body).toMatchObject({
    notification: { title: expect.stringContaining(number), body: expect.stringContaining('12') },
    data: { path: expect.stringMatching(/^\/alarm\/\d+$/), acknowledgeOneTap: 'true' },
    android: { priority: 'HIGH', notification: { tag: expect.stringMatching(/^alarm-\d+$/) } },
  });
  const [ofIphone] = apns.messages;
  expect(ofIphone?.token).toBe(iphone);
  expect(ofIphone?.body).toMatchObject({
    aps: { alert: { title: expect.stringContaining(number), body: expect.stringContaining('12') } },
    acknowledge: { isOneTap: true, level: 1 },
  });
  expect(ofIphone?.headers).toMatchObject({
    'apns-priority': '10',
    'apns-collapse-id': expect.stringMatching(/^alarm-\d+$/),
  });
  expect((await own()).apps).toMatchObject([
    { lastSentAt: expect.any(String), lastError: '' },
    { lastSentAt: expect.any(String), lastError: '' },
  ]);
});

test('access tokens and connections are used again, and renewed when a service refuses them', async () => {
  await register('fcm', fcm.add());
  await register('apns', apns.add());
  const test = async () => {
    for (const { id } of (await own()).apps)
      expect(await as(nurse, 'POST', `/account/push-app/${id}/test`)).toMatchObject({
        data: { outcome: 'sent' },
      });
  };
  await test();
  const [issued, connections, tokens] = [fcm.tokens, apns.connections, apns.tokens.size];
  await test();
  expect([fcm.tokens, apns.connections, apns.tokens.size]).toEqual([issued, connections, tokens]);
  fcm.expireTokens();
  for (const token of apns.tokens) apns.expired.add(token);
  await test();
  expect([fcm.tokens, apns.tokens.size]).toEqual([issued + 1, tokens + 1]);
  // The service has closed the kept connection.
  apns.drop();
  await test();
  expect(apns.connections).toBe(connections + 1);
});

test('an app that its push service does not know any more is removed', async () => {
  const [android, iphone] = [fcm.add(), 'a1'.repeat(32)];
  await register('fcm', android);
  await register('apns', iphone);
  fcm.remove(android);
  const number = await raised();
  await settled(number, 'failed');
  expect(await ofDevice(number)).toMatchObject([{ error: NO_BROWSER }]);
  expect((await own()).apps).toEqual([]);
});

test('an app that has registered again after its token was not valid stays', async () => {
  const token = apns.add({ status: 410, body: { reason: 'Unregistered', timestamp: Date.now() - 60_000 } });
  await register('apns', token);
  const [app] = (await own()).apps;
  expect(await as(nurse, 'POST', `/account/push-app/${app?.id}/test`)).toMatchObject({
    data: { outcome: 'gone' },
  });
  expect((await own()).apps).toHaveLength(1);
});

test('a token that a service refuses is kept, with the reason', async () => {
  await register('apns', apns.add({ status: 400, body: { reason: 'DeviceTokenNotForTopic' } }));
  const number = await raised();
  await settled(number, 'failed');
  expect(await ofDevice(number)).toMatchObject([{ error: 'HTTP 400: DeviceTokenNotForTopic' }]);
  expect((await own()).apps).toMatchObject([{ lastError: 'HTTP 400: DeviceTokenNotForTopic' }]);
});

test.each<'fcm' | 'apns'>(['fcm', 'apns'])(
  'a notification waits for as long as %s asks, and is sent then',
  async (service) => {
    const refusal = { status: 429, headers: { 'retry-after': '600' } };
    const token = service === 'fcm' ? fcm.add(refusal) : apns.add(refusal);
    await register(service, token);
    const number = await raised();
    await expect
      .poll(() => ofDevice(number), { timeout: 15_000 })
      .toMatchObject([{ error: expect.stringMatching(/^HTTP 429/), state: 'pending' }]);
    const [{ inSeconds }] = await ofDevice(number);
    expect(inSeconds).toBeGreaterThan(580);
    expect(inSeconds).toBeLessThan(620);
    if (service === 'fcm') fcm.answer(token, null);
    else apns.answer(token, null);
    await retryNow(number);
    await settled(number, 'sent');
  },
);

test('a push service that does not answer is tried again by a new connection', async () => {
  const token = apns.add('silent');
  await register('apns', token);
  const number = await raised();
  await expect
    .poll(() => ofDevice(number), { timeout: 20_000 })
    .toMatchObject([{ error: 'timed_out', state: 'pending' }]);
  apns.answer(token, null);
  await retryNow(number);
  await settled(number, 'sent');
});

test('a notification waits while Google issues no access token', async () => {
  await register('fcm', fcm.add());
  fcm.expireTokens();
  fcm.tokenRefusal = { status: 400, body: { error: 'invalid_grant' } };
  const number = await raised();
  await expect
    .poll(() => ofDevice(number), { timeout: 15_000 })
    .toMatchObject([{ error: 'access token: HTTP 400 invalid_grant', state: 'pending' }]);
  fcm.tokenRefusal = null;
  await retryNow(number);
  await settled(number, 'sent');
});

test('an app belongs to the account that registered it last, which can revoke it', async () => {
  const token = fcm.add();
  const { data: app } = await register('fcm', token);
  expect(await register('fcm', token)).toMatchObject({ data: { id: app.id } });
  expect(await register('fcm', token, manager)).toMatchObject({ status: '1', data: { id: app.id } });
  expect((await own()).apps).toEqual([]);
  expect(await as(nurse, 'DELETE', `/account/push-app/${app.id}`)).toMatchObject({
    status: 'push_app.not_found',
  });
  expect(await as(nurse, 'POST', `/account/push-app/${app.id}/test`)).toMatchObject({
    status: 'push_app.not_found',
  });
  expect(await as(manager, 'DELETE', `/account/push-app/${app.id}`)).toMatchObject({ status: '1' });
  const { rows } = await server.pool.query(
    `select action from audit_entry where object_kind = 'push-app' and object_id = $1 order by seq`,
    [String(app.id)],
  );
  expect(rows.map(({ action }) => action)).toEqual(['create', 'create', 'delete']);
});

test('an account has ten apps at most, and tokens have the form of their service', async () => {
  expect(await register('apns', 'not hexadecimal')).toMatchObject({ status: 'request.invalid' });
  for (let at = 0; at < 10; at += 1) expect(await register('fcm', fcm.add())).toMatchObject({ status: '1' });
  expect(await register('fcm', fcm.add())).toMatchObject({ status: 'push_app.too_many' });
});

test('the platform operator configures and tests push services; keys are not returned', async () => {
  const test = (service: string) => as(platform, 'POST', `/notification/push-service/${service}/test`);
  expect(await test('fcm')).toMatchObject({ data: { outcome: 'accepted' } });
  expect(await test('apns')).toMatchObject({ data: { outcome: 'accepted' } });
  await register('apns', apns.add(), platform);
  expect(await test('apns')).toMatchObject({ data: { outcome: 'sent' } });
  const stored = await as(platform, 'GET', '/notification/push-service');
  expect(stored.data).toMatchObject({
    fcm: { projectId: 'test-project', url: fcm.url },
    apns: { keyId: APNS.keyId, topic: APNS.topic, apps: 1 },
  });
  expect(JSON.stringify(stored.data)).not.toContain('PRIVATE');
  const { rows } = await server.pool.query('select sealed_secret from push_service');
  for (const { sealed_secret } of rows) expect(sealed_secret.toString('latin1')).not.toContain('PRIVATE');
  expect((await saveFcm({ url: fcm.url, credentials }, manager)).status).not.toBe('1');
  // Without a new key, everything but the address and the identity of the key may change.
  expect(await saveApns({ key: '', topic: 'com.example.other' })).toMatchObject({ status: '1' });
  expect(await test('apns')).toMatchObject({
    data: { outcome: 'unavailable', error: 'HTTP 400: TopicDisallowed' },
  });
  expect(await saveApns({ key: '', keyId: 'ZZZ123DEFG' })).toMatchObject({
    status: 'push_service.secret_needed',
  });
  expect(await saveApns({ key: '', url: 'https://elsewhere.example' })).toMatchObject({
    status: 'push_service.secret_needed',
  });
  expect(await saveApns({ key: newServiceAccount('x') })).toMatchObject({ status: 'push_service.key' });
  expect(await saveApns({ key: newApnsKey() })).toMatchObject({ status: '1' });
  expect(await test('apns')).toMatchObject({
    data: { outcome: 'unavailable', error: 'HTTP 403: InvalidProviderToken' },
  });
  expect(await saveApns()).toMatchObject({ status: '1' });
  expect(await saveFcm({ url: 'ftp://x', credentials })).toMatchObject({ status: 'push_service.url' });
  expect(await saveFcm({ url: fcm.url, credentials: '{"type": "x"}' })).toMatchObject({
    status: 'push_service.credentials',
  });
  expect(await saveFcm({ url: 'https://elsewhere.example' })).toMatchObject({
    status: 'push_service.secret_needed',
  });
});

test('apps of a service that is disabled are not reached, and no app can be registered', async () => {
  await register('fcm', fcm.add());
  await saveFcm({ url: fcm.url, enabled: false });
  expect(await register('fcm', fcm.add())).toMatchObject({ status: 'push_service.not_configured' });
  const number = await raised();
  await settled(number, 'failed');
  expect(await ofDevice(number)).toMatchObject([{ error: NO_BROWSER }]);
  expect((await own()).services).toEqual(['apns']);
  await saveFcm({ url: fcm.url });
});

test('a push service at a private address is not asked', async () => {
  await register('apns', apns.add());
  await saveApns({ url: 'https://10.0.0.1' });
  const [app] = (await own()).apps;
  expect(await as(nurse, 'POST', `/account/push-app/${app?.id}/test`)).toMatchObject({
    data: { outcome: 'unavailable', error: 'address_refused' },
  });
  await saveApns();
});
