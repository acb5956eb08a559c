import type { PolicyDefinition } from '@isotherm/domain/alarms/graded-policy';
import { createTranslator } from '@isotherm/i18n/translator';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createApp } from '../../../platform/http/app.ts';
import { createLog } from '../../../platform/log.ts';
import { DELIVERY_ORIGIN, type DeliveryBench, startDeliveryBench } from '../../../testing/delivery-bench.ts';
import { type SmsServer, startAliyun, startTwilio } from '../../../testing/sms-servers.ts';
import { gatewaySignature } from '../receipts/gateway-signature.ts';
import { ALIBABA_PATH, mountReceipts } from '../receipts/receipt-door.ts';
import { keypadCallback, statusCallback, twilioSignature } from '../sms/twilio.ts';

const MIN = 60_000;
const TOKEN = 'auth-token';
const SECRET = 'access-secret';
const NURSE = '+8613812345678';
const DOCTOR = '+8613900000002';
const BY_KEY: Partial<PolicyDefinition> = { acknowledgement: { required: [], fromLevel: 1 } };
const time = { now: Date.UTC(2026, 5, 1, 8) };
let bench: DeliveryBench;
let twilio: SmsServer;
let aliyun: SmsServer;
let twilioId: number;
let app: FastifyInstance;
let nurse: number;
let doctor: number;

beforeAll(async () => {
  bench = await startDeliveryBench(time);
  twilio = await startTwilio('AC1', TOKEN, 'Calls');
  aliyun = await startAliyun('access-key', SECRET, 'SingleCallByTts');
  twilioId = await bench.addProvider({
    name: 'Twilio',
    kind: 'twilio-voice',
    url: twilio.url,
    secret: TOKEN,
    settings: { keyId: 'AC1', sender: '+15005550006' },
  });
  await bench.addProvider({
    name: 'Aliyun',
    kind: 'aliyun-voice',
    url: aliyun.url,
    secret: SECRET,
    priority: 2,
    settings: { keyId: 'access-key', sender: '', templateZhCn: 'TTS_1', templateEn: 'TTS_2' },
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
    translate: createTranslator(),
    clock: { now: () => time.now },
    book: receipts,
    origin: DELIVERY_ORIGIN,
  });
});
afterAll(async () => {
  await app.close();
  await Promise.all([twilio.stop(), aliyun.stop()]);
  await bench.stop();
});
beforeEach(async () => {
  time.now += 48 * 60 * MIN;
  await bench.pool.query(`update alarm_notification set state = 'cancelled' where state = 'pending'`);
  await bench.worker().deliverDue();
  for (const server of [twilio, aliyun]) {
    server.behaviour = 'accept';
    server.accepted = [];
    server.calls = 0;
  }
  await use('Twilio');
  await bench.pool.query('delete from provider_gate');
  await bench.recharge('voice', 100 - (await bench.balance('voice')).available);
});

const use = (name: string) => bench.pool.query('update sms_provider set enabled = name = $1', [name]);
const stamp = (at: number) => new Date(at + 8 * 60 * MIN).toISOString().slice(0, 19).replace('T', ' ');

/** Raises an alarm that calls the nurse, and the doctor ten minutes later. Returns the id of the first call. */
async function raised(more: Partial<PolicyDefinition> = BY_KEY) {
  const { channelId, policyId } = await bench.watched(
    [
      {
        recipients: [nurse],
        channels: ['voice'],
        repeatMs: null,
        escalation: { toLevel: 2, afterMs: 10 * MIN },
      },
      { recipients: [doctor], channels: ['voice'], repeatMs: null },
    ],
    0,
    undefined,
    more,
  );
  await bench.send(channelId, [{ at: time.now, value: 9 }]);
  const id = (await bench.told(channelId)).find(({ channel }) => channel === 'voice')?.id ?? 0;
  return { channelId, policyId, id };
}
const statesOf = async (channelId: number) =>
  (await bench.told(channelId))
    .filter(({ channel }) => channel === 'voice')
    .map(({ to, state, error }) => [to, state, error]);

/** A callback of Twilio, signed for the address. */
const signed = (address: string, fields: Record<string, string>, token = TOKEN) =>
  app.inject({
    method: 'POST',
    url: address.slice(DELIVERY_ORIGIN.length),
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'x-twilio-signature': twilioSignature(address, fields, token),
    },
    payload: new URLSearchParams(fields).toString(),
  });
const status = (id: number, CallStatus: string, more: Record<string, string> = {}) =>
  signed(statusCallback(DELIVERY_ORIGIN, twilioId, String(id)), {
    CallSid: `CA${id}`,
    To: NURSE,
    CallStatus,
    ...more,
  });
const press = (id: number, Digits = '1', more: Record<string, string> = {}, token = TOKEN) =>
  signed(
    keypadCallback(DELIVERY_ORIGIN, twilioId, String(id)),
    { CallSid: `CA${id}`, To: NURSE, CallStatus: 'in-progress', Digits, ...more },
    token,
  );
async function acknowledgement(channelId: number) {
  const { rows } = await bench.pool.query<{ by: string }>(
    'select acknowledged_by_link as by from alarm where channel_id = $1 and is_acknowledged',
    [channelId],
  );
  return rows.map(({ by }) => by);
}

describe('a call', () => {
  test('says the alarm in the language of its recipient, and costs one unit', async () => {
    const { channelId, id } = await raised();
    await bench.worker().deliverDue();
    expect(twilio.accepted).toMatchObject([
      { To: NURSE, From: '+15005550006', StatusCallback: expect.stringContaining(`?id=${id}`) },
    ]);
    expect(twilio.accepted[0]?.Twiml).toContain('Press 1 to acknowledge.');
    expect(twilio.accepted[0]?.Twiml).toContain(`/notification/keypad/twilio/${twilioId}?id=${id}`);
    expect(await statesOf(channelId)).toEqual([[nurse, 'sent', '']]);
    expect(await bench.balance('voice')).toEqual({ available: 99, reserved: 0 });
    expect(await bench.unbalanced()).toEqual([]);
  });

  test('that was not answered goes to the next person now', async () => {
    const { channelId, id } = await raised();
    await bench.worker().deliverDue();
    expect((await status(id, 'no-answer')).statusCode).toBe(204);
    await bench.worker().deliverDue();
    expect(twilio.accepted.map(({ To }) => To)).toEqual([NURSE, DOCTOR]);
    expect(await statesOf(channelId)).toEqual([
      [nurse, 'failed', 'not answered'],
      [doctor, 'sent', ''],
    ]);
    expect(await bench.balance('voice')).toEqual({ available: 98, reserved: 0 });
  });

  test.each([
    ['completed', {}, 1],
    ['ringing', {}, 1],
    ['busy', {}, 2],
    ['failed', {}, 2],
    ['canceled', {}, 2],
    ['completed', { AnsweredBy: 'machine_start' }, 2],
    ['completed', { AnsweredBy: 'human' }, 1],
  ])('with the status %s and %j leads to %i calls', async (said, more, calls) => {
    const { id } = await raised();
    await bench.worker().deliverDue();
    await status(id, said, more);
    await bench.worker().deliverDue();
    expect(twilio.accepted).toHaveLength(calls);
  });

  test('that is reported as not answered before the response goes to the next person', async () => {
    const { channelId, id } = await raised();
    twilio.before = async () => {
      twilio.before = null;
      await status(id, 'no-answer');
    };
    await bench.worker().deliverDue();
    await bench.worker().deliverDue();
    expect((await statesOf(channelId)).map(([to]) => to)).toEqual([nurse, doctor]);
  });

  test('that the provider refuses is released, and goes to the next person now', async () => {
    const { channelId } = await raised();
    twilio.behaviour = { status: 400, body: { code: 21211, message: 'not a number' } };
    await bench.worker().deliverDue();
    twilio.behaviour = 'accept';
    await bench.worker().deliverDue();
    expect((await statesOf(channelId)).map(([to, state]) => [to, state])).toEqual([
      [nurse, 'failed'],
      [doctor, 'sent'],
    ]);
    expect(await bench.balance('voice')).toEqual({ available: 99, reserved: 0 });
  });

  test('is made by the next provider if one is unavailable', async () => {
    await bench.pool.query('update sms_provider set enabled = true');
    twilio.behaviour = { status: 503, body: {} };
    await raised();
    await bench.worker().deliverDue();
    expect([twilio.accepted.length, aliyun.accepted.length]).toEqual([0, 1]);
  });

  test('with an unknown outcome is made again once', async () => {
    const { channelId } = await raised();
    twilio.behaviour = 'accept-and-hang-up';
    for (let at = 0; at < 4; at += 1) {
      await bench.worker().deliverDue();
      time.now += MIN;
    }
    expect(twilio.accepted.filter(({ To }) => To === NURSE)).toHaveLength(2);
    expect((await statesOf(channelId))[0]).toEqual([nurse, 'failed', 'outcome unknown']);
    expect(await bench.unbalanced()).toEqual([]);
  });

  test('waits while the balance is empty', async () => {
    await bench.recharge('voice', -100);
    const { channelId } = await raised();
    await bench.worker().deliverDue();
    expect(twilio.calls).toBe(0);
    expect(await statesOf(channelId)).toEqual([[nurse, 'pending', 'balance']]);
    await bench.recharge('voice', 5);
    time.now += MIN;
    await bench.worker().deliverDue();
    expect(await statesOf(channelId)).toEqual([[nurse, 'sent', '']]);
  });

  test('is not made about the end of an alarm, nor after an acknowledgement', async () => {
    const { channelId } = await raised();
    await bench.worker().deliverDue();
    await bench.send(channelId, [{ at: time.now + MIN, value: 5 }]);
    const acknowledged = await raised();
    await bench.acknowledge(acknowledged.channelId);
    time.now += 2 * MIN;
    await bench.worker().deliverDue();
    expect(twilio.accepted).toHaveLength(1);
    expect(await bench.states(channelId)).toContainEqual(['ended', 'voice', 'cancelled', '']);
  });

  test('that waits for a provider is not made after an acknowledgement, and its unit is released', async () => {
    const { channelId } = await raised();
    twilio.behaviour = { status: 503, body: {} };
    await bench.worker().deliverDue();
    expect(await bench.balance('voice')).toEqual({ available: 99, reserved: 1 });
    await bench.acknowledge(channelId);
    twilio.behaviour = 'accept';
    time.now += MIN;
    await bench.worker().deliverDue();
    await bench.worker().deliverDue();
    expect(twilio.accepted).toEqual([]);
    expect(await bench.balance('voice')).toEqual({ available: 100, reserved: 0 });
  });

  test('is no work for providers of SMS', async () => {
    await bench.pool.query('update sms_provider set enabled = false');
    await bench.addProvider({
      name: 'SMS',
      kind: 'http',
      url: twilio.url,
      secret: '',
      settings: { body: '{}' },
    });
    const { channelId } = await raised();
    await bench.worker().deliverDue();
    await bench.pool.query(`delete from sms_provider where name = 'SMS'`);
    expect(twilio.calls).toBe(0);
    expect((await statesOf(channelId))[0]).toEqual([nurse, 'failed', 'no transport']);
  });
});

describe('the key 1', () => {
  test('acknowledges in the name of the recipient, once, and stops the escalation', async () => {
    const { channelId, id } = await raised();
    await bench.worker().deliverDue();
    const answer = await press(id);
    expect(answer.headers['content-type']).toContain('text/xml');
    expect(answer.body).toContain('The alarm is acknowledged.');
    expect((await press(id)).body).toContain('was acknowledged before');
    expect(await acknowledgement(channelId)).toEqual([expect.stringMatching(/^Receiver/)]);
    time.now += 20 * MIN;
    await bench.worker().deliverDue();
    expect(twilio.accepted).toHaveLength(1);
    const { rows } = await bench.pool.query(
      `select count(*)::int as count from alarm_action n join alarm a on a.id = n.alarm_id
        where a.channel_id = $1 and n.type = 'acknowledged'`,
      [channelId],
    );
    expect(rows).toEqual([{ count: 1 }]);
  });

  test('pressed twice at once acknowledges once', async () => {
    const { channelId, id } = await raised();
    await bench.worker().deliverDue();
    await Promise.all([press(id), press(id)]);
    expect(await acknowledgement(channelId)).toHaveLength(1);
  });

  test.each<[string, Partial<PolicyDefinition>]>([
    ['requires a reason', {}],
    ['requires a signature', { ...BY_KEY, signatureFromLevel: 1 }],
    ['allows no links', { ...BY_KEY, linkLevel: 0 }],
  ])('does nothing if the policy %s, and is not offered', async (_, more) => {
    const { channelId, id } = await raised(more);
    await bench.worker().deliverDue();
    expect(twilio.accepted[0]?.Twiml).not.toContain('Press 1');
    expect((await press(id)).body).toContain('not acknowledged');
    expect(await acknowledgement(channelId)).toEqual([]);
  });

  test('does not acknowledge an alarm that has become more severe since the call', async () => {
    const { channelId, id } = await raised();
    await bench.worker().deliverDue();
    await bench.send(channelId, [{ at: time.now + 2 * MIN, value: 9 }]);
    expect((await press(id)).body).toContain('not acknowledged');
    expect(await acknowledgement(channelId)).toEqual([]);
  });

  test.each([
    ['another key', (id: number) => press(id, '2'), 200],
    ['another number', (id: number) => press(id, '1', { To: DOCTOR }), 200],
    ['another token', (id: number) => press(id, '1', {}, 'guessed'), 403],
    ['an unknown call', () => press(99_999_999), 200],
  ])('of %s acknowledges nothing', async (_, forged, code) => {
    const { channelId, id } = await raised();
    await bench.worker().deliverDue();
    expect((await forged(id)).statusCode).toBe(code);
    expect(await acknowledgement(channelId)).toEqual([]);
  });

  test('acknowledges all alarms of one call', async () => {
    // The first call opens the time in which further alarms of the site share a call.
    await raised();
    await bench.worker().deliverDue();
    const [one, other] = [await raised(), await raised()];
    await bench.worker().deliverDue();
    time.now += 31_000;
    await bench.worker().deliverDue();
    expect(twilio.accepted).toHaveLength(2);
    expect(twilio.accepted[1]?.Twiml).toContain('2 alarms');
    expect(await bench.balance('voice')).toEqual({ available: 98, reserved: 0 });
    expect((await press(one.id)).body).toContain('The alarm is acknowledged.');
    expect(await acknowledgement(one.channelId)).toHaveLength(1);
    expect(await acknowledgement(other.channelId)).toHaveLength(1);
  });

  test('counts for an hour', async () => {
    const { channelId, id } = await raised();
    await bench.worker().deliverDue();
    time.now += 61 * MIN;
    await press(id);
    expect(await acknowledgement(channelId)).toEqual([]);
  });
});

describe('calls by Aliyun', () => {
  const report = (id: number, status_code: string, more: object = {}) => ({
    call_id: `1^${id}`,
    status_code,
    callee: '13812345678',
    end_time: stamp(time.now),
    duration: '0',
    out_id: String(id),
    ...more,
  });
  async function post(reports: unknown, secret = SECRET): Promise<number> {
    const body = JSON.stringify(reports);
    const query: Record<string, string> = {
      app_key: 'access-key',
      sign_method: 'hmac-sha256',
      timestamp: stamp(time.now),
    };
    query.sign = gatewaySignature({ query, body }, secret) ?? '';
    const answer = await app.inject({
      method: 'POST',
      url: `${ALIBABA_PATH}?${new URLSearchParams(query)}`,
      headers: { 'content-type': 'application/json' },
      payload: body,
    });
    return answer.statusCode;
  }
  beforeEach(() => use('Aliyun'));

  test('are made by the template of the language', async () => {
    const { channelId, id } = await raised();
    await bench.worker().deliverDue();
    expect(aliyun.accepted).toMatchObject([
      { CalledNumber: '13812345678', TtsCode: 'TTS_2', OutId: String(id), PlayTimes: '2' },
    ]);
    expect(aliyun.accepted[0]).not.toHaveProperty('CalledShowNumber');
    expect(await statesOf(channelId)).toEqual([[nurse, 'sent', '']]);
  });

  test.each([
    ['200000', 'sent', '', 1],
    ['200002', 'failed', 'busy', 2],
    ['200003', 'failed', 'not answered', 2],
    ['200011', 'failed', 'not delivered', 2],
  ])('with the result %s are %s (%s) and lead to %i calls', async (code, state, error, calls) => {
    const { channelId, id } = await raised();
    await bench.worker().deliverDue();
    expect(await post([report(id, code)])).toBe(200);
    await bench.worker().deliverDue();
    expect((await statesOf(channelId))[0]).toEqual([nurse, state, error]);
    expect(aliyun.accepted).toHaveLength(calls);
  });

  test('acknowledge by the key in the report, if it is genuine', async () => {
    const { channelId, id } = await raised();
    await bench.worker().deliverDue();
    expect(await post([report(id, '200000', { dtmf: '1' })], 'guessed')).toBe(403);
    expect(await acknowledgement(channelId)).toEqual([]);
    expect(await post([report(id, '200000', { dtmf: '1' })])).toBe(200);
    expect(await post([report(id, '200000', { dtmf: '1' })])).toBe(200);
    expect(await acknowledgement(channelId)).toHaveLength(1);
  });

  test('ignore reports about calls that are under way', async () => {
    const { channelId, id } = await raised();
    await bench.worker().deliverDue();
    expect(
      await post([{ call_id: '1', status_code: '200201', status_time: stamp(time.now), out_id: `${id}` }]),
    ).toBe(200);
    expect(await post([{ call_id: '1', out_id: `${id}` }])).toBe(400);
    expect(await statesOf(channelId)).toEqual([[nurse, 'sent', '']]);
  });
});
