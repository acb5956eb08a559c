import { smsLength } from '@isotherm/domain/billing/sms-segments';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { DELIVERY_ORIGIN, type DeliveryBench, startDeliveryBench } from '../../../testing/delivery-bench.ts';
import { type SmsServer, startHttpProvider } from '../../../testing/sms-servers.ts';

const HOUR = 60 * 60_000;
const LINK = new RegExp(`^(.*) Acknowledge: (${DELIVERY_ORIGIN}/link/[\\w-]{22})$`);
const time = { now: Date.UTC(2026, 5, 1, 8) };
let bench: DeliveryBench;
let provider: SmsServer;
let nurse: number;

beforeAll(async () => {
  bench = await startDeliveryBench(time);
  provider = await startHttpProvider('token');
  await bench.addProvider({
    name: 'Local',
    kind: 'http',
    url: provider.url,
    secret: 'token',
    settings: {
      body: '{"to":"{{number}}","text":"{{text}}","id":"{{id}}"}',
      successPath: 'code',
      successValue: '0',
      idPath: 'data.id',
    },
  });
  nurse = await bench.receiver({ mobile: '13812345678' });
});
afterAll(async () => {
  await provider.stop();
  await bench.stop();
});
beforeEach(async () => {
  time.now += 48 * HOUR;
  await bench.pool.query(`update alarm_notification set state = 'cancelled' where state = 'pending'`);
  await bench.worker().deliverDue();
  await bench.pool.query('delete from public_link');
  await bench.pool.query('delete from provider_gate');
  provider.behaviour = 'accept';
  provider.accepted = [];
  await bench.recharge('sms', 100 - (await bench.balance('sms')).available);
});

async function raised(linkInSms: boolean) {
  const made = await bench.watched(
    [{ recipients: [nurse], channels: ['sms'], repeatMs: null }],
    undefined,
    undefined,
    { linkInSms },
  );
  await bench.send(made.channelId, [{ at: time.now, value: 9 }]);
  return made;
}

async function stored() {
  const { rows } = await bench.pool.query<{ text: string; units: number; sealed: boolean }>(
    `select text, units, sealed_link is not null as sealed from alarm_sms order by notification_id desc limit 1`,
  );
  return rows[0];
}
async function links() {
  const { rows } = await bench.pool.query<{ by: string; person: number }>(
    'select sent_by as by, person_id::float8 as person from public_link',
  );
  return rows;
}

test('an SMS contains a link if the policy says so, and is charged with it; the link is not stored with the text', async () => {
  await raised(true);
  await bench.worker().deliverDue();
  const [, text, link = ''] = LINK.exec(provider.accepted[0]?.text ?? '') ?? [];
  expect(link).not.toBe('');
  const sms = await stored();
  expect(sms).toEqual({ text, units: smsLength(`${text} Acknowledge: ${link}`).segments, sealed: false });
  expect((await bench.balance('sms')).available).toBe(100 - (sms?.units ?? 0));
  expect(await links()).toEqual([{ by: 'sms', person: nurse }]);
});

test('an SMS that is sent again contains the same link', async () => {
  await raised(true);
  provider.behaviour = { status: 503, body: {} };
  await bench.worker().deliverDue();
  expect(provider.accepted).toEqual([]);
  expect((await stored())?.sealed).toBe(true);
  provider.behaviour = 'accept';
  time.now += HOUR;
  await bench.worker().deliverDue();
  expect(provider.accepted[0]?.text).toMatch(LINK);
  expect(await links()).toHaveLength(1);
  expect((await stored())?.sealed).toBe(false);
});

test.each([
  ['the policy does not say so', false, 100],
  ['the balance is too low for the SMS', true, 0],
])('no link is made if %s', async (_, linkInSms, units) => {
  await bench.recharge('sms', units - 100);
  await raised(linkInSms);
  await bench.worker().deliverDue();
  expect(provider.accepted.map(({ text }) => text?.includes('/link/'))).toEqual(units === 0 ? [] : [false]);
  expect(await links()).toEqual([]);
});
