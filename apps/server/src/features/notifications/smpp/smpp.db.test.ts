import { selfSigned } from '@isotherm/testkit/self-signed';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createLog } from '../../../platform/log.ts';
import { createOutgoing } from '../../../platform/outgoing/outgoing.ts';
import { type DeliveryBench, startDeliveryBench } from '../../../testing/delivery-bench.ts';
import { startSmsc } from '../../../testing/smsc.ts';
import type { SmsMessage } from '../sms/sms-message.ts';
import { findProvider } from '../sms/sms-providers.repo.ts';
import { createSmpp, type Smpp } from './smpp.ts';

const MIN = 60_000;
const ACCOUNT = { systemId: 'cold', password: 'sesame' };
const time = { now: Date.UTC(2026, 5, 1, 8) };
let bench: DeliveryBench;
let smsc: Awaited<ReturnType<typeof startSmsc>>;
let nurse: number;
let providerId: number;
let nth = 0;

beforeAll(async () => {
  bench = await startDeliveryBench(time);
  smsc = await startSmsc(ACCOUNT);
  nurse = await bench.receiver({ mobile: '13812345678', language: 'zh-CN' });
  await bench.recharge('sms', 1000);
});
afterAll(async () => {
  await bench.stop();
  await smsc.stop();
});
beforeEach(async () => {
  time.now += 48 * 60 * MIN;
  await bench.pool.query(`update alarm_notification set state = 'cancelled' where state = 'pending'`);
  await bench.worker().deliverDue();
  await bench.pool.query('delete from sms_provider');
  smsc.accepted = [];
  smsc.refusals = [];
  smsc.behaviour = 'accept';
  smsc.before = null;
  providerId = await add();
});

const add = (changes: { url?: string; secret?: string } = {}) =>
  bench.addProvider({
    name: `SMSC ${++nth}`,
    kind: 'smpp',
    url: smsc.url,
    secret: ACCOUNT.password,
    settings: { keyId: ACCOUNT.systemId, sender: '10690001' },
    ...changes,
  });
async function raised() {
  const { channelId } = await bench.watched([{ recipients: [nurse], channels: ['sms'], repeatMs: null }]);
  await bench.send(channelId, [{ at: time.now, value: 9 }]);
  await bench.worker().deliverDue();
  return channelId;
}
const stateOf = async (channelId: number) => (await bench.states(channelId))[0]?.slice(2);
const message = (text: string, number = '+8613812345678'): SmsMessage => ({
  id: String(++nth),
  number,
  text,
  prompt: '',
  language: 'en',
  variables: {},
});
const provider = async (id = providerId) => {
  const row = await findProvider(bench.pool, id);
  if (!row) throw new Error('no provider');
  return row;
};
const send = async (each: SmsMessage, secret = ACCOUNT.password, smpp: Smpp = bench.smpp) =>
  smpp.send(await provider(), secret, each);

describe('messages about alarms', () => {
  test('an alarm in Chinese is sent, charged, and delivered when all its parts are', async () => {
    const before = (await bench.balance('sms')).available;
    const channelId = await raised();
    expect(await stateOf(channelId)).toEqual(['sent', '']);
    const [first, ...rest] = smsc.accepted;
    expect(first).toMatchObject({ from: '10690001', to: '8613812345678' });
    const { rows } = await bench.pool.query(
      'select text from alarm_sms order by notification_id desc limit 1',
    );
    expect(smsc.accepted.map(({ text }) => text).join('')).toBe(rows[0].text);
    expect(before - (await bench.balance('sms')).available).toBe(smsc.accepted.length);
    for (const { id } of [...rest, first].filter((part) => part !== undefined))
      expect(await smsc.receipt(id, 'DELIVRD')).toBe(0);
    const receipts = await bench.pool.query(
      'select provider_message_id as id, state, code from alarm_receipt order by id desc limit 1',
    );
    expect(receipts.rows).toEqual([{ id: first?.id, state: 'delivered', code: 'DELIVRD' }]);
    expect(await bench.unbalanced()).toEqual([]);
  });

  test('a message that is not delivered has failed, and stays charged', async () => {
    const channelId = await raised();
    const id = smsc.accepted[0]?.id ?? '';
    expect(await smsc.receipt(id, 'ACCEPTD')).toBe(0);
    expect(await stateOf(channelId)).toEqual(['sent', '']);
    // The same receipt again changes nothing.
    for (let times = 0; times < 2; times += 1) expect(await smsc.receipt(id, 'UNDELIV', true)).toBe(0);
    expect(await stateOf(channelId)).toEqual(['failed', 'not delivered']);
    expect((await bench.balance('sms')).reserved).toBe(0);
  });

  test('a receipt may arrive before the response to its submission', async () => {
    smsc.before = async (id) => {
      expect(await smsc.receipt(id, 'UNDELIV')).toBe(0);
    };
    const channelId = await raised();
    await expect.poll(() => stateOf(channelId)).toEqual(['failed', 'not delivered']);
  });

  test('a message whose response is lost is sent again once', async () => {
    smsc.behaviour = 'accept-and-drop';
    const channelId = await raised();
    expect(await stateOf(channelId)).toEqual(['pending', 'connection closed']);
    smsc.behaviour = 'accept';
    time.now += MIN;
    await bench.worker().deliverDue();
    expect(await stateOf(channelId)).toEqual(['sent', '']);
  });

  test('a message waits while nothing listens, and while the SMSC refuses the bind', async () => {
    await bench.pool.query('delete from sms_provider');
    await add({ url: 'smpp://127.0.0.1:9' });
    const channelId = await raised();
    expect(await stateOf(channelId)).toEqual(['pending', 'ECONNREFUSED']);
    await bench.pool.query('delete from sms_provider');
    await add({ secret: 'wrong' });
    time.now += MIN;
    await bench.worker().deliverDue();
    expect(await stateOf(channelId)).toEqual(['pending', 'bind: ESME_RINVPASWD']);
    await bench.pool.query('delete from sms_provider');
    await add();
    time.now += MIN;
    await bench.worker().deliverDue();
    expect(await stateOf(channelId)).toEqual(['sent', '']);
  });
});

describe('one message', () => {
  const EURO = '€';
  test.each([
    ['a short text', 'Level 2: Fridge 3', 1],
    ['306 letters', 'a'.repeat(306), 2],
    ['signs of two places at the end of a part', `${'a'.repeat(152)}${EURO}${'b'.repeat(10)}`, 2],
    ['Chinese', '温'.repeat(71), 2],
    ['emoji, none divided', '🧊'.repeat(67), 3],
  ])('%s arrives as it was written', async (_, text, parts) => {
    expect(await send(message(text))).toEqual({ kind: 'sent', providerMessageId: smsc.accepted[0]?.id });
    expect(smsc.accepted.map(({ text: each }) => each).join('')).toBe(text);
    expect(smsc.accepted.map(({ part }) => part)).toEqual(Array.from({ length: parts }, (__, at) => at + 1));
    expect(new Set(smsc.accepted.map(({ reference }) => reference)).size).toBe(1);
  });

  test('a wrong number is refused, a throttled message is submitted again after a pause', async () => {
    expect(await send(message('a', '+1'))).toEqual({ kind: 'refused', error: 'ESME_RINVDSTADR' });
    smsc.refusals = [0x58];
    expect(await send(message('a'))).toMatchObject({ kind: 'sent' });
    smsc.refusals = [0x08];
    expect(await send(message('a'))).toEqual({ kind: 'unavailable', error: 'ESME_RSYSERR' });
  });

  test('a message of which only a part was accepted has an unknown outcome', async () => {
    smsc.before = async () => {
      smsc.refusals = [0x45];
      smsc.before = null;
    };
    expect(await send(message('a'.repeat(200)))).toEqual({
      kind: 'unknown',
      error: 'part 2 of 2: ESME_RSUBMITFAIL',
    });
  });

  test('a message without a response has an unknown outcome', async () => {
    smsc.behaviour = 'silent';
    expect(await send(message('a'))).toEqual({ kind: 'unknown', error: 'no response' });
  });

  test('messages of subscribers are confirmed and ignored', async () => {
    await send(message('a'));
    expect(await smsc.message('STOP')).toBe(0);
  });

  test('at most ten submissions wait for a response', async () => {
    await send(message('a'));
    smsc.accepted = [];
    smsc.isHolding = true;
    const sending = Array.from({ length: 15 }, () => send(message('a')));
    await expect.poll(() => smsc.held.length).toBe(10);
    for (let round = 0; round < 15; round += 1) {
      await expect.poll(() => smsc.held.length).toBeGreaterThan(0);
      smsc.held.shift()?.();
      expect(smsc.held.length).toBeLessThanOrEqual(10);
    }
    smsc.isHolding = false;
    expect((await Promise.all(sending)).every(({ kind }) => kind === 'sent')).toBe(true);
    expect(smsc.accepted).toHaveLength(15);
  });
});

describe('connections', () => {
  let kept: Smpp;
  beforeEach(async () => {
    // Those of the tests before, whose providers do not exist any more.
    smsc.drop();
    await expect.poll(() => smsc.connections()).toBe(0);
    kept = createSmpp({
      pool: bench.pool,
      outgoing: createOutgoing(['127.0.0.1']),
      clock: { now: () => time.now },
      log: createLog('silent', false),
      timing: { response: 1_000, enquiry: 200 },
    });
  });
  afterEach(() => kept.stop());

  test('a worker binds without a message, uses one connection, tests it, and binds again after it was lost', async () => {
    const [binds, enquiries] = [smsc.binds, smsc.enquiries];
    kept.start(() => ACCOUNT.password);
    await expect.poll(() => smsc.binds).toBe(binds + 1);
    await Promise.all([1, 2, 3].map(() => send(message('a'), ACCOUNT.password, kept)));
    expect(smsc.binds).toBe(binds + 1);
    await expect.poll(() => smsc.enquiries).toBeGreaterThan(enquiries);
    smsc.drop();
    await expect.poll(() => smsc.binds).toBe(binds + 2);
  });

  test('a connection whose SMSC does not answer is given up', async () => {
    await send(message('a'), ACCOUNT.password, kept);
    const binds = smsc.binds;
    smsc.isDeaf = true;
    await expect.poll(() => smsc.connections()).toBe(0);
    smsc.isDeaf = false;
    expect(await send(message('a'), ACCOUNT.password, kept)).toMatchObject({ kind: 'sent' });
    expect(smsc.binds).toBe(binds + 1);
  });

  test('after a refused bind, the next one waits, and messages fail at once', async () => {
    smsc.bindStatus = 0x0d;
    const binds = smsc.binds;
    const outcomes = [];
    for (let times = 0; times < 3; times += 1)
      outcomes.push(await send(message('a'), ACCOUNT.password, kept));
    expect(outcomes).toEqual(Array(3).fill({ kind: 'unavailable', error: 'bind: ESME_RBINDFAIL' }));
    expect(smsc.binds).toBe(binds + 1);
    smsc.bindStatus = 0;
    await expect
      .poll(() => send(message('a'), ACCOUNT.password, kept), { timeout: 5_000, interval: 300 })
      .toMatchObject({ kind: 'sent' });
  });

  test('receipts that nobody takes yet are asked for again later', async () => {
    await send(message('a'), ACCOUNT.password, kept);
    expect(await smsc.receipt(smsc.accepted[0]?.id ?? '', 'DELIVRD')).toBe(0x64);
  });

  test('the connection says goodbye when the process stops', async () => {
    const unbinds = smsc.unbinds;
    await send(message('a'), ACCOUNT.password, kept);
    await kept.stop();
    expect(smsc.unbinds).toBe(unbinds + 1);
  });

  test('TLS is used for smpps, and the certificate must be trusted', async () => {
    const certificate = selfSigned('localhost');
    const secure = await startSmsc(ACCOUNT, certificate);
    await bench.pool.query('delete from sms_provider');
    providerId = await add({ url: secure.url });
    expect(await send(message('a'), ACCOUNT.password, kept)).toMatchObject({ kind: 'unavailable' });
    const trusting = createSmpp({
      pool: bench.pool,
      outgoing: createOutgoing(['127.0.0.1', '::1']),
      clock: { now: () => time.now },
      log: createLog('silent', false),
      ca: certificate.cert,
    });
    expect(await send(message('a'), ACCOUNT.password, trusting)).toMatchObject({ kind: 'sent' });
    await trusting.stop();
    await secure.stop();
  });

  test('an SMSC at a private address is refused', async () => {
    await bench.pool.query('delete from sms_provider');
    providerId = await add({ url: 'smpp://10.0.0.1:2775' });
    expect(await send(message('a'), ACCOUNT.password, kept)).toEqual({
      kind: 'unavailable',
      error: 'address_refused',
    });
  });

  test('parts are forgotten when no receipt can be expected any more', async () => {
    await send(message('a'), ACCOUNT.password, kept);
    time.now += 11 * 24 * 60 * MIN;
    await kept.forgetOld();
    const { rows } = await bench.pool.query('select from smpp_part where provider_id = $1', [providerId]);
    expect(rows).toHaveLength(0);
  });
});
