import { createTranslator } from '@isotherm/i18n/translator';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createApp } from '../../../platform/http/app.ts';
import { createLog } from '../../../platform/log.ts';
import { DELIVERY_ORIGIN, type DeliveryBench, startDeliveryBench } from '../../../testing/delivery-bench.ts';
import { type SmsServer, startTencent, startTwilio } from '../../../testing/sms-servers.ts';
import { mountReceipts } from '../receipts/receipt-door.ts';
import { signTc3 } from './tencent.ts';
import { twilioSignature } from './twilio.ts';

const MIN = 60_000;
const time = { now: Date.UTC(2026, 5, 1, 8) };
let bench: DeliveryBench;
let tencent: SmsServer;
let twilio: SmsServer;
let app: FastifyInstance;
let nurse: number;
let nth = 0;

beforeAll(async () => {
  bench = await startDeliveryBench(time);
  tencent = await startTencent('secret-id', 'secret-key');
  twilio = await startTwilio('AC1', 'token');
  nurse = await bench.receiver({ mobile: '13812345678', language: 'zh-CN' });
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
  await bench.recharge('sms', 1000);
});
afterAll(async () => {
  await app.close();
  await tencent.stop();
  await twilio.stop();
  await bench.stop();
});
beforeEach(async () => {
  time.now += 48 * 60 * MIN;
  await bench.pool.query(`update alarm_notification set state = 'cancelled' where state = 'pending'`);
  await bench.worker().deliverDue();
  await bench.pool.query('delete from sms_provider');
  tencent.accepted = [];
  twilio.accepted = [];
});

const addTencent = (secret = 'secret-key', settings = {}) =>
  bench.addProvider({
    name: `Tencent ${++nth}`,
    kind: 'tencent',
    url: tencent.url,
    secret,
    settings: {
      keyId: 'secret-id',
      appId: '1400006666',
      region: '',
      signName: 'Cold',
      templateZhCn: '1110',
      templateEn: '1111',
      ...settings,
    },
  });
const addTwilio = (secret = 'token') =>
  bench.addProvider({
    name: `Twilio ${++nth}`,
    kind: 'twilio',
    url: twilio.url,
    secret,
    settings: { keyId: 'AC1', sender: '+15005550006' },
  });
async function raised() {
  const { channelId } = await bench.watched([{ recipients: [nurse], channels: ['sms'], repeatMs: null }]);
  await bench.send(channelId, [{ at: time.now, value: 9 }]);
  await bench.worker().deliverDue();
  const [message] = await bench.told(channelId);
  return { channelId, id: message?.id ?? 0 };
}
const stateOf = async (channelId: number) => (await bench.states(channelId))[0]?.slice(2);

test('the signature of Tencent Cloud is that of its documented method', () => {
  const call = { host: 'sms.tencentcloudapi.com', action: 'SendSms', body: '{}', at: 1_551_113_065_000 };
  const signed = signTc3(call, 'id', 'key');
  expect(signed).toMatch(
    /^TC3-HMAC-SHA256 Credential=id\/2019-02-25\/sms\/tc3_request, SignedHeaders=content-type;host;x-tc-action, Signature=[0-9a-f]{64}$/,
  );
  expect(signTc3({ ...call, body: '{ }' }, 'id', 'key')).not.toBe(signed);
});

describe('Tencent Cloud', () => {
  test('gets the template of the language with its numbered variables', async () => {
    await addTencent();
    const { channelId, id } = await raised();
    expect(await stateOf(channelId)).toEqual(['sent', '']);
    expect(tencent.accepted).toMatchObject([
      {
        number: '+8613812345678',
        SmsSdkAppId: '1400006666',
        SignName: 'Cold',
        TemplateId: '1110',
        SessionContext: String(id),
        params: expect.stringMatching(/^raised\|1\|.*\|.*\|9\.0 °C\|/),
      },
    ]);
  });

  test('with a wrong key, the message waits', async () => {
    await addTencent('wrong');
    const { channelId } = await raised();
    expect(await stateOf(channelId)).toEqual([
      'pending',
      'AuthFailure.SignatureFailure: AuthFailure.SignatureFailure',
    ]);
  });
});

describe('Twilio', () => {
  const callback = (url: string, fields: Record<string, string>, token = 'token') =>
    app.inject({
      method: 'POST',
      url: url.replace(DELIVERY_ORIGIN, ''),
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'x-twilio-signature': twilioSignature(url, fields, token),
      },
      payload: new URLSearchParams(fields).toString(),
    });

  test('gets the text, the sender and the address for its receipts', async () => {
    const provider = await addTwilio();
    const { channelId, id } = await raised();
    expect(await stateOf(channelId)).toEqual(['sent', '']);
    expect(twilio.accepted).toEqual([
      {
        To: '+8613812345678',
        From: '+15005550006',
        Body: expect.stringContaining('9.0 °C'),
        StatusCallback: `${DELIVERY_ORIGIN}/notification/receipt/twilio/${provider}?id=${id}`,
      },
    ]);
  });

  test('with a wrong token, the message waits', async () => {
    await addTwilio('wrong');
    const { channelId } = await raised();
    expect(await stateOf(channelId)).toEqual(['pending', '20003: refused']);
  });

  test('reports that the message was not delivered; forged reports change nothing', async () => {
    await addTwilio();
    const { channelId, id } = await raised();
    const url = twilio.accepted[0]?.StatusCallback ?? '';
    const fields = {
      MessageSid: 'SM1',
      MessageStatus: 'undelivered',
      To: '+8613812345678',
      ErrorCode: '30003',
    };
    expect((await callback(url, fields, 'guessed')).statusCode).toBe(403);
    expect((await callback(url.replace(/twilio\/\d+/, 'twilio/999'), fields)).statusCode).toBe(403);
    // The signature is of another message.
    const signature = twilioSignature(url, fields, 'token');
    const moved = await app.inject({
      method: 'POST',
      url: url.replace(DELIVERY_ORIGIN, '').replace(`id=${id}`, `id=${id - 1}`),
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'x-twilio-signature': signature },
      payload: new URLSearchParams(fields).toString(),
    });
    expect(moved.statusCode).toBe(403);
    expect(await stateOf(channelId)).toEqual(['sent', '']);

    expect((await callback(url, { ...fields, MessageStatus: 'sent' })).statusCode).toBe(204);
    expect(await stateOf(channelId)).toEqual(['sent', '']);
    for (let time = 0; time < 2; time += 1) expect((await callback(url, fields)).statusCode).toBe(204);
    expect(await stateOf(channelId)).toEqual(['failed', 'not delivered']);
  });
});
