import type { WechatAccount, WechatBinding, WechatCode } from '@isotherm/contracts/wechat';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Asking, asking } from '../../../testing/asking.ts';
import {
  fridge,
  type Session,
  startTestServer,
  TEST_KEY,
  type TestServer,
} from '../../../testing/test-server.ts';
import { startWechatService } from '../../../testing/wechat-service.ts';
import { encryptWechat, readAesKey, wechatSignature } from '../../notifications/wechat/wechat-cipher.ts';
import { NOT_BOUND, NOT_SUBSCRIBED } from './deliver-wechat.ts';

const APP = { appId: 'wx1234567890', secret: 'a secret of the account' };
const TOKEN = 'callback-token';
const AES_KEY = 'abcdefghijklmnopqrstuvwxyz0123456789ABCDEFG';
let service: Awaited<ReturnType<typeof startWechatService>>;
let server: TestServer;
let manager: Session;
let asked: Asking;
let platform: Asking;
let organizationId: number;
let numbers = 37_000_000;

beforeAll(async () => {
  service = await startWechatService(APP);
  server = await startTestServer({
    environment: {
      ISOTHERM_OUTGOING_ALLOW: '127.0.0.1',
      ISOTHERM_PUBLIC_URL: 'https://console.example',
      // Nothing listens here: the notice of a reached limit stays in the outbox.
      ISOTHERM_SMTP_URL: 'smtp://127.0.0.1:9',
      ISOTHERM_MAIL_FROM: 'alarms@example.com',
    },
  });
  manager = await server.logIn('demo.manager');
  asked = asking(server, manager);
  platform = asking(server, await server.logIn('demo.platform'));
  const { rows } = await server.pool.query(
    `select organization_id::int as id from account where username = 'demo.manager'`,
  );
  organizationId = rows[0].id;
  await save();
});
afterAll(async () => {
  await server.stop();
  await service.stop();
});
beforeEach(async () => {
  service.state.answer = null;
  await openWindows();
});

/** Otherwise a notification waits for others about its site, because the same person was notified just before. */
const openWindows = () => server.pool.query(`update alarm_notification_window set closes_at = '-infinity'`);

const settings = (more: object = {}) => ({
  ...APP,
  url: service.url,
  token: TOKEN,
  templateZhCn: 'tpl-zh',
  templateEn: 'tpl-en',
  fields: '{"thing1": "{{asset}}", "thing2": "{{fault}}", "time3": "{{time}}"}',
  ...more,
});
const save = (more: object = {}) =>
  platform.ask<WechatAccount>({ method: 'PUT', path: '/api/notification/wechat', json: settings(more) });

const eventXml = (openId: string, event: string, key: string) =>
  `<xml><ToUserName><![CDATA[gh_1]]></ToUserName><FromUserName><![CDATA[${openId}]]></FromUserName>` +
  `<CreateTime>1</CreateTime><MsgType><![CDATA[event]]></MsgType><Event><![CDATA[${event}]]></Event>` +
  `<EventKey><![CDATA[${key}]]></EventKey></xml>`;

/** Sends a callback as WeChat does, in plain text or in the secure mode; returns its status and text. */
async function callback(
  xml: string,
  { token = TOKEN, at = Date.now(), aesKey = '' }: { token?: string; at?: number; aesKey?: string } = {},
) {
  const [timestamp, nonce] = [String(Math.floor(at / 1000)), '42'];
  const key = readAesKey(aesKey);
  const encrypted = key && encryptWechat(key, APP.appId, xml);
  const query = new URLSearchParams({
    timestamp,
    nonce,
    signature: wechatSignature(token, timestamp, nonce),
    ...(encrypted
      ? { encrypt_type: 'aes', msg_signature: wechatSignature(token, timestamp, nonce, encrypted) }
      : {}),
  });
  const response = await fetch(`${server.url}/notification/wechat/callback?${query}`, {
    method: 'POST',
    headers: { 'content-type': 'text/xml' },
    body: encrypted
      ? `<xml><ToUserName>gh_1</ToUserName><Encrypt><![CDATA[${encrypted}]]></Encrypt></xml>`
      : xml,
  });
  return { status: response.status, text: await response.text() };
}

async function receiver(): Promise<number> {
  const { id } = await asked.ask<{ id: number }>({
    method: 'POST',
    path: '/api/receiver',
    json: {
      organizationId,
      name: `Nurse ${++numbers}`,
      email: `nurse-${numbers}@example.com`,
      language: 'en',
    },
  });
  return id;
}

const bindingOf = (id: number) => asked.ask<WechatBinding>({ path: `/api/receiver/${id}/wechat` });

/** A receiver that is bound to a new WeChat user who follows the account. */
async function bound(): Promise<{ id: number; openId: string }> {
  const id = await receiver();
  const openId = `oUser_${id}`;
  const { url } = await asked.ask<WechatCode>({ method: 'POST', path: `/api/receiver/${id}/wechat/code` });
  expect(url).toBe(`http://weixin.qq.com/q/${service.scenes.at(-1)}`);
  service.followers.add(openId);
  const scanned = await callback(eventXml(openId, 'subscribe', `qrscene_${service.scenes.at(-1)}`));
  expect(scanned).toEqual({ status: 200, text: 'success' });
  expect(await bindingOf(id)).toMatchObject({ isOffered: true, isSubscribed: true });
  return { id, openId };
}

/** Creates a device with a policy that sends WeChat messages, and raises its alarm; returns the number of the device. */
async function raise(recipients: readonly number[]): Promise<string> {
  const number = String(++numbers);
  await server.provision(manager, [fridge(number)]);
  const { rows } = await server.pool.query(
    'select asset_id::int as asset, organization_id::int as organization from device where number = $1',
    [number],
  );
  const policy = await asked.ask<{ id: number }>({
    method: 'POST',
    path: '/api/alarm/policy',
    json: {
      organizationId: rows[0].organization,
      name: `WeChat ${number}`,
      definition: {
        conditions: [{ quantity: 'temperature', low: 2, high: 8, recoveryMargin: 0, recoverAfterMs: 0 }],
        steps: [{ level: 1, triggerAfterMs: 0, recipients, channels: ['wechat'] }],
      },
    },
  });
  await asked.ask({
    method: 'POST',
    path: `/api/alarm/policy/${policy.id}/assignment`,
    json: { kind: 'asset', id: rows[0].asset },
  });
  await asked.ask({
    method: 'DELETE',
    path: `/api/alarm/policy/of-asset/${rows[0].asset}/own-rules`,
    json: { reason: 'The policy instead' },
  });
  await server.ingest(number, TEST_KEY, {
    readings: [{ channel: 'temperature-1', at: Date.now(), value: 12 }],
  });
  return number;
}

const settled = (number: string, state: object) =>
  expect
    .poll(
      async () =>
        (
          await server.pool.query(
            `select state, error, attempts from alarm_notification where channel = 'wechat' and facts ->> 'device' = $1`,
            [number],
          )
        ).rows,
      { timeout: 15_000 },
    )
    .toMatchObject([state]);
/** Makes a postponed notification due now. */
const again = (number: string) =>
  server.pool.query(
    `update alarm_notification set due_at = now() where channel = 'wechat' and state = 'pending' and facts ->> 'device' = $1`,
    [number],
  );

test('an alarm is sent to the bound WeChat user, with the template of the language and a link', async () => {
  const { id, openId } = await bound();
  const number = await raise([id]);
  await settled(number, { state: 'sent', error: '' });
  expect(service.sent.at(-1)).toMatchObject({
    touser: openId,
    template_id: 'tpl-en',
    data: {
      thing1: { value: expect.stringContaining(number.slice(0, 4)) },
      time3: { value: expect.any(String) },
    },
  });
  expect(service.sent.at(-1)?.url).toMatch(/^https:\/\/console\.example\/link\//);
  expect(service.sent.at(-1)?.data.thing1?.value.length).toBeLessThanOrEqual(20);
  expect((await asked.audited('wechat-binding', id)).map(({ action }) => action)).toEqual([
    'create',
    'create',
  ]);
});

test('a recipient who is not bound, or no longer follows the account, is not reached', async () => {
  await settled(await raise([await receiver()]), { state: 'failed', error: NOT_BOUND });
  const { id, openId } = await bound();
  service.followers.delete(openId);
  await settled(await raise([id]), { state: 'failed', error: NOT_SUBSCRIBED });
  expect(await bindingOf(id)).toMatchObject({ isSubscribed: false });
  await callback(eventXml(openId, 'subscribe', ''));
  expect(await bindingOf(id)).toMatchObject({ isSubscribed: true });
  await callback(eventXml(openId, 'unsubscribe', ''));
  await openWindows();
  await settled(await raise([id]), { state: 'failed', error: NOT_SUBSCRIBED });
});

test('a quota, garbage and a lost response are tried again, and the message is sent once', async () => {
  const { id, openId } = await bound();
  service.state.answer = { errcode: 45009, errmsg: 'reach max api daily quota limit' };
  const number = await raise([id]);
  await settled(number, { state: 'pending', error: '45009: reach max api daily quota limit', attempts: 1 });
  service.state.answer = '<html>502</html>';
  await again(number);
  await settled(number, { state: 'pending', error: 'no JSON', attempts: 2 });
  // WeChat has accepted this message, but its response is lost.
  service.state.answer = 'hang';
  await again(number);
  await settled(number, { state: 'pending', error: 'unreachable', attempts: 3 });
  service.state.answer = null;
  await again(number);
  await settled(number, { state: 'sent', attempts: 4 });
  expect(service.sent.filter(({ touser }) => touser === openId)).toHaveLength(1);
});

const statesOf = async (numbersOf: readonly string[]) =>
  (
    await server.pool.query<{ state: string }>(
      `select concat_ws(': ', state, nullif(error, '')) as state from alarm_notification
        where channel = 'wechat' and facts ->> 'device' = any($1) order by id`,
      [numbersOf],
    )
  ).rows.map(({ state }) => state);

/** Number of notifications that wait for the next message about their site. */
const waitingOf = async (numbersOf: readonly string[]) =>
  (
    await server.pool.query(
      `select from alarm_notification where channel = 'wechat' and waits = 'group' and facts ->> 'device' = any($1)`,
      [numbersOf],
    )
  ).rowCount;

/** Raises two alarms whose common message is refused for the moment; returns the numbers of the devices. */
async function refusedTogether(id: number): Promise<string[]> {
  // The first message opens a window, in which the other two wait for the next. It closes only below, also on a busy machine.
  await settled(await raise([id]), { state: 'sent' });
  await server.pool.query(
    `update alarm_notification_window set closes_at = now() + interval '1 hour' where recipient_id = $1`,
    [id],
  );
  const numbersOf = [await raise([id]), await raise([id])];
  await expect.poll(() => waitingOf(numbersOf), { timeout: 15_000 }).toBe(2);
  service.state.answer = { errcode: 45009, errmsg: 'quota' };
  await openWindows();
  await server.pool.query(
    `update alarm_notification set due_at = now() where waits = 'group' and facts ->> 'device' = any($1)`,
    [numbersOf],
  );
  await expect
    .poll(() => statesOf(numbersOf), { timeout: 15_000 })
    .toEqual(['pending: 45009: quota', 'sending: 45009: quota']);
  service.state.answer = null;
  return numbersOf;
}

test('several alarms are one message that names all, also if it is tried again', async () => {
  const { id, openId } = await bound();
  const numbersOf = await refusedTogether(id);
  for (const number of numbersOf) await again(number);
  await expect.poll(() => statesOf(numbersOf), { timeout: 15_000 }).toEqual(['sent', 'sent']);
  const sent = service.sent.filter(({ touser }) => touser === openId);
  expect(sent).toHaveLength(2);
  expect(sent[1]?.url).toBe('https://console.example/alarm/current');
});

test('if a recipient of a message about several alarms cannot be reached any more, all of them have failed', async () => {
  const { id, openId } = await bound();
  const numbersOf = await refusedTogether(id);
  await callback(eventXml(openId, 'unsubscribe', ''));
  for (const number of numbersOf) await again(number);
  const failed = `failed: ${NOT_SUBSCRIBED}`;
  await expect.poll(() => statesOf(numbersOf), { timeout: 15_000 }).toContain(failed);
  // The other is judged by itself, with the next message about the site.
  await openWindows();
  for (const number of numbersOf) await again(number);
  await expect.poll(() => statesOf(numbersOf), { timeout: 15_000 }).toEqual([failed, failed]);
});

test('a template that does not exist is not tried again', async () => {
  const { id } = await bound();
  await save({ templateEn: 'tpl-gone' });
  await settled(await raise([id]), { state: 'failed', error: '40037: invalid template_id', attempts: 1 });
  await save();
});

test('a token that WeChat has withdrawn is renewed once, by one of all processes', async () => {
  const { id } = await bound();
  const other = await bound();
  await settled(await raise([id]), { state: 'sent' });
  const before = service.state.tokens;
  const second = await startTestServer({
    databaseUrl: server.databaseUrl,
    environment: { ISOTHERM_OUTGOING_ALLOW: '127.0.0.1' },
  });
  await openWindows();
  service.state.token = 'withdrawn';
  const numbersOf = [await raise([id]), await raise([other.id])];
  for (const number of numbersOf) await settled(number, { state: 'sent' });
  expect(service.state.tokens).toBe(before + 1);
  await second.stop();
});

test('a code binds the first WeChat user who scans it in time', async () => {
  const id = await receiver();
  await asked.ask({ method: 'POST', path: `/api/receiver/${id}/wechat/code` });
  const scene = service.scenes.at(-1) ?? '';
  await server.pool.query(`update wechat_code set expires_at = now() - interval '1 s' where used_by is null`);
  await callback(eventXml('oLate_1234', 'SCAN', scene));
  expect((await bindingOf(id)).boundAt).toBeNull();
  await server.pool.query(
    `update wechat_code set expires_at = now() + interval '1 minute' where used_by is null`,
  );
  await callback(eventXml('oFirst_1234', 'SCAN', scene));
  await callback(eventXml('oFirst_1234', 'SCAN', scene));
  await callback(eventXml('oSecond_1234', 'SCAN', scene));
  const { rows } = await server.pool.query('select open_id from wechat_binding where person_id = $1', [id]);
  expect(rows).toEqual([{ open_id: 'oFirst_1234' }]);
  await asked.ask({ method: 'DELETE', path: `/api/receiver/${id}/wechat` });
  expect((await bindingOf(id)).boundAt).toBeNull();
  expect(await asked.refusal({ method: 'DELETE', path: `/api/receiver/${id}/wechat` })).toBe(
    'wechat.not_bound',
  );
});

test('callbacks that are forged or old are refused, and the echo is returned', async () => {
  const xml = eventXml('oForged_1234', 'unsubscribe', '');
  expect(await callback(xml, { token: 'other' })).toMatchObject({ status: 403 });
  expect(await callback(xml, { at: Date.now() - 3_600_000 })).toMatchObject({ status: 403 });
  expect(await callback('no xml')).toEqual({ status: 200, text: 'success' });
  const timestamp = String(Math.floor(Date.now() / 1000));
  const query = new URLSearchParams({
    timestamp,
    nonce: '1',
    echostr: '77',
    signature: wechatSignature(TOKEN, timestamp, '1'),
  });
  const echo = await fetch(`${server.url}/notification/wechat/callback?${query}`);
  expect([echo.status, await echo.text()]).toEqual([200, '77']);
  query.set('signature', 'a'.repeat(40));
  expect((await fetch(`${server.url}/notification/wechat/callback?${query}`)).status).toBe(403);
});

test('the secure mode takes encrypted callbacks only', async () => {
  await save({ aesKey: AES_KEY });
  const id = await receiver();
  await asked.ask({ method: 'POST', path: `/api/receiver/${id}/wechat/code` });
  const xml = eventXml('oSecure_1234', 'SCAN', service.scenes.at(-1) ?? '');
  expect(await callback(xml)).toMatchObject({ status: 403 });
  expect(await callback(xml, { aesKey: AES_KEY.replace('a', 'b') })).toMatchObject({ status: 403 });
  expect(await callback(xml, { aesKey: AES_KEY })).toEqual({ status: 200, text: 'success' });
  expect((await bindingOf(id)).boundAt).not.toBeNull();
  await server.pool.query('update wechat_account set sealed_aes_key = null');
});

test('settings are checked, secrets are not returned, and a test message goes to the caller', async () => {
  const refused = (more: object) =>
    platform.refusal({ method: 'PUT', path: '/api/notification/wechat', json: settings(more) });
  expect(await refused({ url: 'ftp://x' })).toBe('wechat.url');
  expect(await refused({ fields: '[]' })).toBe('wechat.fields');
  expect(await refused({ aesKey: 'short' })).toBe('wechat.aes_key');
  expect(await refused({ templateZhCn: '', templateEn: '' })).toBe('wechat.template');
  expect(await refused({ appId: 'wx-other', secret: '' })).toBe('wechat.secret_needed');
  const saved = await save({ secret: '', token: '' });
  expect(JSON.stringify(saved)).not.toContain(APP.secret);
  expect(saved.callbackUrl).toBe('https://console.example/notification/wechat/callback');
  const test = { method: 'POST' as const, path: '/api/notification/wechat/test' };
  expect(await platform.refusal(test)).toBe('wechat.not_bound');
  await platform.ask({ method: 'POST', path: '/api/account/wechat/code' });
  service.followers.add('oPlatform_1');
  await callback(eventXml('oPlatform_1', 'SCAN', service.scenes.at(-1) ?? ''));
  expect(await platform.ask(test)).toEqual({ outcome: 'sent', error: '' });
});

test('200 messages of a device on a day are the limit, and the recipient is told by e-mail', async () => {
  const { id } = await bound();
  const number = await raise([id]);
  await settled(number, { state: 'sent' });
  await server.pool.query(
    `update alarm_message_count set sent = 200 from device d where d.id = device_id and d.number = $1 and channel = 'wechat'`,
    [number],
  );
  await openWindows();
  await server.ingest(number, TEST_KEY, {
    readings: [{ channel: 'temperature-1', at: Date.now(), value: 5 }],
  });
  await expect
    .poll(
      async () =>
        (
          await server.pool.query(
            `select kind, state, error from alarm_notification where channel = 'wechat' and facts ->> 'device' = $1 order by id`,
            [number],
          )
        ).rows,
      { timeout: 15_000 },
    )
    .toMatchObject([{ kind: 'raised' }, { kind: 'ended', state: 'failed', error: 'daily limit' }]);
  const { rows } = await server.pool.query(
    `select template from message where template = 'alarm-limit-wechat'`,
  );
  expect(rows).toHaveLength(1);
});
