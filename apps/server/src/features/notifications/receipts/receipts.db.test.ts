import { createTranslator } from '@isotherm/i18n/translator';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createApp } from '../../../platform/http/app.ts';
import { createLog } from '../../../platform/log.ts';
import { DELIVERY_ORIGIN, type DeliveryBench, startDeliveryBench } from '../../../testing/delivery-bench.ts';
import { type SmsServer, startAliyun } from '../../../testing/sms-servers.ts';
import { gatewaySignature } from './gateway-signature.ts';
import { ALIBABA_PATH, isAllowedSource, mountReceipts, receiptAddress } from './receipt-door.ts';

const MIN = 60_000;
const KEY = 'access-key';
const SECRET = 'access-secret';
const time = { now: Date.UTC(2026, 5, 1, 8) };
let bench: DeliveryBench;
let provider: SmsServer;
let app: FastifyInstance;
let nurse: number;
let doctor: number;

beforeAll(async () => {
  bench = await startDeliveryBench(time);
  provider = await startAliyun(KEY, SECRET);
  await bench.addProvider({
    name: 'Aliyun',
    kind: 'aliyun',
    url: provider.url,
    secret: SECRET,
    settings: { keyId: KEY, signName: 'Cold', templateZhCn: 'SMS_1', templateEn: 'SMS_2' },
  });
  nurse = await bench.receiver({ mobile: '13812345678' });
  doctor = await bench.receiver({ mobile: '13900000002' });
  const log = createLog('silent', false);
  app = await createApp(log, createTranslator(), false);
  const { pool, sealing, receipts } = bench;
  mountReceipts(app, {
    pool,
    sealing,
    log,
    clock: { now: () => time.now },
    translate: createTranslator(),
    book: receipts,
    origin: DELIVERY_ORIGIN,
  });
});
afterAll(async () => {
  await app.close();
  await provider.stop();
  await bench.stop();
});
beforeEach(async () => {
  time.now += 48 * 60 * MIN;
  await bench.pool.query(`update alarm_notification set state = 'cancelled' where state = 'pending'`);
  await bench.worker().deliverDue();
  provider.behaviour = 'accept';
  provider.accepted = [];
  await bench.recharge('sms', 100 - (await bench.balance('sms')).available);
});

const stamp = (at: number) => new Date(at + 8 * 60 * MIN).toISOString().slice(0, 19).replace('T', ' ');

/** A report as Dysms sends it. */
const report = (id: number | string, success: boolean, more: object = {}) => ({
  phone_number: '13812345678',
  send_time: stamp(time.now),
  report_time: stamp(time.now),
  success,
  err_code: success ? 'DELIVERED' : 'MK:0001',
  err_msg: '',
  sms_size: '1',
  biz_id: `biz-of-${id}`,
  out_id: String(id),
  ...more,
});

interface Forgery {
  key?: string;
  secret?: string;
  method?: string;
  at?: number;
  /** Replaces the body after it was signed. */
  replaced?: string;
}

/** Sends reports like the gateway; returns the status. */
async function post(reports: unknown, forgery: Forgery = {}): Promise<number> {
  const body = JSON.stringify(reports);
  const query: Record<string, string> = {
    app_key: forgery.key ?? KEY,
    method: 'alibaba.sms.report',
    sign_method: forgery.method ?? 'hmac-sha256',
    timestamp: stamp(forgery.at ?? time.now),
  };
  query.sign = gatewaySignature({ query, body }, forgery.secret ?? SECRET) ?? '';
  const answer = await app.inject({
    method: 'POST',
    url: `${ALIBABA_PATH}?${new URLSearchParams(query)}`,
    headers: { 'content-type': 'application/json' },
    payload: forgery.replaced ?? body,
  });
  return answer.statusCode;
}

/** Raises an alarm that is sent by SMS, and escalated to the doctor after ten minutes. Returns its message. */
async function raised() {
  const { channelId } = await bench.watched([
    {
      recipients: [nurse],
      channels: ['sms'],
      repeatMs: null,
      escalation: { toLevel: 2, afterMs: 10 * MIN },
    },
    { recipients: [doctor], channels: ['sms'], repeatMs: null, triggerAfterMs: 600 * MIN },
  ]);
  await bench.send(channelId, [{ at: time.now, value: 9 }]);
  const [message] = await bench.told(channelId);
  return { channelId, id: message?.id ?? 0 };
}
const statesOf = async (channelId: number) =>
  (await bench.told(channelId)).map(({ channel, state, error }) => [channel, state, error]);
async function receiptsOf(id: number) {
  const { rows } = await bench.pool.query(
    'select state, code from alarm_receipt where notification_id = $1 order by id',
    [id],
  );
  return rows;
}

describe('a receipt', () => {
  test('is stored once, however often it arrives', async () => {
    const { channelId, id } = await raised();
    await bench.worker().deliverDue();
    for (let time = 0; time < 3; time += 1) expect(await post([report(id, true)])).toBe(200);
    expect(await Promise.all([post([report(id, true)]), post([report(id, true)])])).toEqual([200, 200]);
    expect(await receiptsOf(id)).toEqual([{ state: 'delivered', code: 'DELIVERED' }]);
    expect((await statesOf(channelId))[0]).toEqual(['sms', 'sent', '']);
  });

  test('that the SMS was not delivered fails it and notifies the next person at once', async () => {
    const { channelId, id } = await raised();
    await bench.worker().deliverDue();
    expect(provider.accepted).toHaveLength(1);
    time.now += MIN;
    await post([report(id, false)]);
    await bench.worker().deliverDue();
    expect(provider.accepted.map(({ PhoneNumbers }) => PhoneNumbers)).toEqual(['13812345678', '13900000002']);
    expect(await statesOf(channelId)).toEqual([
      ['sms', 'failed', 'not delivered'],
      ['escalation', 'sent', ''],
      ['sms', 'sent', ''],
    ]);
    expect(await bench.unbalanced()).toEqual([]);
  });

  test('that the SMS was delivered leaves the escalation at its time', async () => {
    const { channelId, id } = await raised();
    await bench.worker().deliverDue();
    await post([report(id, true)]);
    time.now += 9 * MIN;
    await bench.worker().deliverDue();
    expect(provider.accepted).toHaveLength(1);
    time.now += 2 * MIN;
    await bench.worker().deliverDue();
    expect(provider.accepted).toHaveLength(2);
    expect((await statesOf(channelId))[0]).toEqual(['sms', 'sent', '']);
  });

  test.each([
    [true, false],
    [false, true],
  ])('that the SMS was delivered (%s, then %s) wins over the opposite one', async (...order) => {
    const { channelId, id } = await raised();
    await bench.worker().deliverDue();
    for (const success of order) await post([report(id, success)]);
    expect((await statesOf(channelId))[0]).toEqual(['sms', 'sent', '']);
    expect(await receiptsOf(id)).toHaveLength(2);
  });

  test.each([
    [true, ['sms', 'sent', '']],
    [false, ['sms', 'failed', 'not delivered']],
  ])('that arrives before the response of the provider counts (delivered: %s)', async (success, state) => {
    const { channelId, id } = await raised();
    provider.before = async () => {
      provider.before = null;
      await post([report(id, success)]);
    };
    await bench.worker().deliverDue();
    expect((await statesOf(channelId))[0]).toEqual(state);
    expect((await bench.balance('sms')).reserved).toBe(0);
    expect(await bench.unbalanced()).toEqual([]);
  });

  test('shows that a message with an unknown outcome was sent, so that it is not sent again', async () => {
    const { channelId, id } = await raised();
    provider.behaviour = 'accept-and-hang-up';
    await bench.worker().deliverDue();
    await post([report(id, true)]);
    provider.behaviour = 'accept';
    time.now += MIN;
    await bench.worker().deliverDue();
    expect(provider.accepted).toHaveLength(1);
    expect((await statesOf(channelId))[0]).toEqual(['sms', 'sent', '']);
    const { available, reserved } = await bench.balance('sms');
    expect(reserved).toBe(0);
    expect(available).toBeLessThan(100);
    expect(await bench.unbalanced()).toEqual([]);
  });

  test('of another message, number or program changes nothing', async () => {
    const { channelId, id } = await raised();
    await bench.worker().deliverDue();
    const before = await statesOf(channelId);
    expect(
      await post([
        report(99_999_999, false),
        report('test-5-17', false),
        report('1; drop table alarm', false),
        report(id, false, { phone_number: '13700000000' }),
        { success: false },
      ]),
    ).toBe(200);
    expect(await statesOf(channelId)).toEqual(before);
    expect(await receiptsOf(id)).toEqual([]);
  });
});

describe('receipts of unknown origin are refused:', () => {
  test.each<[string, Forgery]>([
    ['another secret', { secret: 'guessed' }],
    ['an unknown key', { key: 'nobody' }],
    ['an unknown method', { method: 'none' }],
    ['an old request', { at: time.now - 100 * 24 * 60 * MIN }],
    ['a body that was not signed', { replaced: '[]' }],
  ])('%s', async (_, forgery) => {
    const { id } = await raised();
    await bench.worker().deliverDue();
    expect(await post([report(id, false)], forgery)).toBe(403);
    expect(await receiptsOf(id)).toEqual([]);
  });

  test('from another network than the provider has', async () => {
    const { id } = await raised();
    await bench.worker().deliverDue();
    const allow = (networks: string) =>
      bench.pool.query(
        `update sms_provider set settings = settings || jsonb_build_object('receiptSources', $1::text)`,
        [networks],
      );
    await allow('203.0.113.0/24, 10.1.2.3');
    expect(await post([report(id, true)])).toBe(403);
    await allow('203.0.113.0/24 127.0.0.0/8');
    expect(await post([report(id, true)])).toBe(200);
    await allow('');
  });

  test('a genuine request with garbage', async () => {
    expect(await post({ hello: 1 })).toBe(400);
    expect(await post([{ success: 'perhaps' }])).toBe(400);
  });
});

test('a provider that cannot sign uses an address with a token, which ends with its credentials', async () => {
  const { id } = await raised();
  await bench.worker().deliverDue();
  const { rows } = await bench.pool.query(
    `select id, settings ->> 'keyId' as "keyId", secret_changed_at as "secretChangedAt" from sms_provider`,
  );
  const address = receiptAddress('http://localhost', bench.sealing, rows[0]);
  const send = (url: string) =>
    app.inject({
      method: 'POST',
      url: url.replace('http://localhost', ''),
      headers: { 'content-type': 'application/json' },
      payload: JSON.stringify([report(id, true)]),
    });
  expect((await send(address.replace(/sign=..../, 'sign=0000'))).statusCode).toBe(403);
  expect((await send(address)).json()).toEqual({ code: 0, msg: 'success' });
  await bench.pool.query(`update sms_provider set secret_changed_at = now() + interval '1 second'`);
  expect((await send(address)).statusCode).toBe(403);
});

test.each([
  ['', '8.8.8.8', true],
  ['10.0.0.0/8', '10.200.1.1', true],
  ['10.0.0.0/8', '::ffff:10.200.1.1', true],
  ['10.0.0.0/8', '11.0.0.1', false],
  ['2001:db8::/32', '2001:db8::1', true],
  ['10.0.0.1, 2001:db8::1', '2001:db8::2', false],
  ['10.0.0.0/99', '10.0.0.1', false],
  ['host.example', '10.0.0.1', false],
])('sources %s allow %s: %s', (sources, address, expected) =>
  expect(isAllowedSource(sources, address)).toBe(expected),
);
