import type { WarnedCommodity } from '@isotherm/domain/billing/balance-warning';
import { createTranslator } from '@isotherm/i18n/translator';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createMessages } from '../../../platform/messages/messages.ts';
import { type DeliveryBench, startDeliveryBench } from '../../../testing/delivery-bench.ts';
import { findOutlook } from '../../billing/outlook.ts';
import { createWarningJob } from './balance-warnings.job.ts';

const DAY = 86_400_000;
const time = { now: Date.UTC(2026, 5, 1, 8) };
const clock = { now: () => time.now };
let bench: DeliveryBench;

beforeAll(async () => {
  bench = await startDeliveryBench(time);
  await bench.pool.query(
    `insert into balance_warning (organization_id, sms_below, voice_below, emails, mobiles, enabled, language, changed_by,
                                  changed_at)
     values ($1, 100, 20, '{buyer@example.com}', '{13812345678}', true, 'en', 'test', now())`,
    [bench.organizationId],
  );
});
afterAll(() => bench.stop());
beforeEach(async () => {
  time.now += 60 * DAY;
  await set('sms', 200);
  await set('voice', 200);
  await run();
  await bench.pool.query('delete from message');
});

const set = async (commodity: WarnedCommodity, units: number) =>
  bench.recharge(commodity, units - (await bench.balance(commodity)).available);

/** How often the outage of a site was computed. */
let outages = 0;
/** Runs the job as in one process; returns what is in the outbox by then. */
async function run(processes = 1, isAble = true) {
  const { pool, sealing, ledger } = bench;
  const send = async () => undefined;
  const messages = createMessages({
    pool,
    sealing,
    clock,
    translate: createTranslator(),
    transports: isAble ? { email: send, sms: send } : {},
    keepsReadable: true,
  });
  const job = createWarningJob({
    pool,
    clock,
    messages,
    async outlook(tx, organizationId) {
      const found = await findOutlook(tx, ledger, clock, organizationId);
      for (const outlook of [found.sms, found.voice]) {
        if (!outlook) continue;
        const { outageUnits } = outlook;
        outlook.outageUnits = () => {
          outages += 1;
          return outageUnits();
        };
      }
      return found;
    },
  });
  await Promise.all(Array.from({ length: processes }, () => job.run()));
  const { items } = await messages.list('/', { search: '', page: 1, pageSize: 50 });
  return items.map(({ channel, recipient, subject, text }) => ({ channel, recipient, subject, text }));
}

test('a low balance is told once by e-mail and SMS, also by several processes', async () => {
  await set('sms', 99);
  const sent = await run(3);
  expect(sent.map(({ channel, recipient }) => [channel, recipient]).sort()).toEqual([
    ['email', 'buyer@example.com'],
    ['sms', '13812345678'],
  ]);
  expect(sent.find(({ channel }) => channel === 'email')?.subject).toMatch(
    /^SMS balance of .* is low: 99 units$/,
  );
  await set('sms', 50);
  expect(await run()).toHaveLength(2);
});

test('it is told again after a recharge, when it falls again', async () => {
  await set('sms', 99);
  await run();
  await set('sms', 150);
  expect(await run()).toHaveLength(2);
  await set('sms', 99);
  expect(await run()).toHaveLength(4);
});

test('SMS and voice are judged each by its own count', async () => {
  await set('voice', 19);
  const sent = await run();
  expect(sent).toHaveLength(2);
  expect(sent[0]?.text).toMatch(/^Voice balance of .*: 19 units left\. /);
});

test('nothing is noted as told while nothing can be sent', async () => {
  await set('sms', 10);
  expect(await run(1, false)).toEqual([]);
  expect(await run()).toHaveLength(2);
});

test('it says how long the balance lasts and what the outage of a site costs', async () => {
  const nurse = await bench.receiver({ mobile: '13812345678' });
  const doctor = await bench.receiver({ mobile: '13900000002' });
  const { channelId } = await bench.watched([
    { recipients: [nurse, doctor], channels: ['sms'], repeatMs: null },
    { recipients: [nurse], channels: ['email'], repeatMs: null, triggerAfterMs: 60_000 },
  ]);
  await bench.addProvider({
    name: 'None',
    kind: 'http',
    url: 'http://127.0.0.1:9/',
    secret: '',
    settings: {},
  });
  await bench.send(channelId, [{ at: time.now, value: 9 }]);
  const { rows } = await bench.pool.query<{ id: number }>(
    `select n.id::int as id from alarm_notification n where n.channel = 'sms' order by n.id limit 2`,
  );
  const client = await bench.pool.connect();
  const charges = rows.map(({ id }) => ({
    causeId: id,
    organizationId: bench.organizationId,
    commodity: 'sms' as const,
    units: 60,
    level: 1,
  }));
  await bench.ledger.reserve(client, charges);
  await bench.ledger.settle(
    client,
    charges.map(({ causeId }) => ({ causeId, used: 60 })),
  );
  client.release();
  // 120 units of 2 messages were used in the last 30 days; two recipients are told of the beginning and the end.
  const outlook = await findOutlook(bench.pool, bench.ledger, clock, bench.organizationId);
  expect(outlook.sms).toMatchObject({ available: 80, lastsDays: 20 });
  expect(await outlook.sms?.outageUnits()).toBe(240);
  expect(outlook.voice).toMatchObject({ available: 200, lastsDays: null });
  expect(await outlook.voice?.outageUnits()).toBe(0);
  const [first] = await run();
  expect(first?.text).toContain(
    "80 units left. At last month's rate: 20 days. One site outage costs 240 units.",
  );
});

test('the outage of a site is computed only when people are told, once for all of them', async () => {
  outages = 0;
  await run();
  expect(outages).toBe(0);
  await set('sms', 99);
  expect(await run()).toHaveLength(2);
  await run();
  expect(outages).toBe(1);
});

test('nobody is told that units are low of which the payer never had any', async () => {
  const { rows } = await bench.pool.query<{ id: number }>(
    `insert into organization (path, name, code, level) values ('/new/', 'New', 'NEW', 'org') returning id::float8 as id`,
  );
  const id = rows[0]?.id ?? 0;
  await bench.pool.query(`update organization set path = '/' || id || '/' where id = $1`, [id]);
  await bench.pool.query(
    `insert into balance_warning (organization_id, sms_below, voice_below, emails, mobiles, enabled, language, changed_by,
                                  changed_at)
     values ($1, 100, 20, '{new@example.com}', '{}', true, 'en', 'test', now())`,
    [id],
  );
  // A message that nobody has paid for creates accounts without units.
  await bench.pool.query(
    `insert into billing_account (organization_id, commodity, role) values ($1, 'sms', 'available'), ($1, 'sms', 'reserved')`,
    [id],
  );
  expect(await run()).toEqual([]);
});
