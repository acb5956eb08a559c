import { createTranslator } from '@isotherm/i18n/translator';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { transaction } from '../../../platform/db/pool.ts';
import { prepareJobs } from '../../../platform/jobs/jobs.ts';
import { createLog } from '../../../platform/log.ts';
import { createMessages } from '../../../platform/messages/messages.ts';
import { createOutgoing } from '../../../platform/outgoing/outgoing.ts';
import { createSealing } from '../../../platform/sealing.ts';
import { type NotificationBench, startNotificationBench } from '../../../testing/notification-bench.ts';
import { type SmsServer, startHttpProvider } from '../../../testing/sms-servers.ts';
import { createNotifier } from '../../alarms/index.ts';
import { findUnbalanced } from '../../billing/ledger.repo.ts';
import { createLedger, type Ledger } from '../../billing/ledger.ts';
import { createSmsGateway, SECRET_PURPOSE } from './sms-gateway.ts';

const MIN = 60_000;
const HOUR = 60 * MIN;
const time = { now: Date.UTC(2026, 5, 1, 8) };
const clock = { now: () => time.now };
const log = createLog('silent', false);
const sealing = createSealing('a secret of the tests, long enough for anybody');
const translate = createTranslator();
const ledger = createLedger(clock);
let bench: NotificationBench;
let provider: SmsServer;
let nurse: number;
let organizationId: number;

beforeAll(async () => {
  bench = await startNotificationBench(time);
  await prepareJobs(bench.pool, log);
  provider = await startHttpProvider('token');
  nurse = await bench.receiver({ mobile: '13812345678' });
  // The payer is found by the path.
  const { rows } = await bench.pool.query(
    `update organization set path = '/' || id || '/' returning id::float8 as id`,
  );
  organizationId = rows[0].id;
  await bench.pool.query(
    `insert into sms_provider (name, kind, enabled, priority, url, settings, sealed_secret, changed_by, changed_at)
     values ('Local', 'http', true, 1, $1, $2, $3, 'test', now())`,
    [
      provider.url,
      JSON.stringify({
        body: '{"to":"{{number}}","text":"{{text}}","id":"{{id}}"}',
        successPath: 'code',
        successValue: '0',
        idPath: 'data.id',
      }),
      sealing.seal(SECRET_PURPOSE, Buffer.from('token')),
    ],
  );
});
afterAll(async () => {
  await provider.stop();
  await bench.stop();
});
beforeEach(async () => {
  time.now += 48 * HOUR;
  await bench.pool.query(`update alarm_notification set state = 'cancelled' where state = 'pending'`);
  await worker().deliverDue();
  provider.behaviour = 'accept';
  provider.accepted = [];
  provider.calls = 0;
  await recharge(100 - (await balance()).available);
});

/** One worker; `broken` replaces methods of the ledger. */
function worker(broken: Partial<Ledger> = {}) {
  const messages = createMessages({
    pool: bench.pool,
    sealing,
    clock,
    translate,
    transports: {},
    keepsReadable: true,
  });
  return createNotifier({
    pool: bench.pool,
    messages,
    urlPush: async () => undefined,
    sms: {
      gateway: createSmsGateway(bench.pool, {
        outgoing: createOutgoing(['127.0.0.1']),
        sealing,
        clock,
        origin: null,
        log,
      }),
      charge: { reserve: ledger.reserve, settle: ledger.settle, ...broken },
    },
    clock,
    translate,
    log,
    consoleUrl: null,
  });
}

let causes = 1_000_000;
async function recharge(units: number): Promise<void> {
  if (units === 0) return;
  await transaction(bench.pool, (tx) =>
    ledger.post(tx, {
      kind: units > 0 ? 'grant' : 'refund',
      cause: { kind: 'grant', id: ++causes },
      payerId: organizationId,
      commodity: 'sms',
      units: Math.abs(units),
      by: 'test',
    }),
  );
}
async function balance() {
  const { rows } = await bench.pool.query<{ role: 'available' | 'reserved'; balance: number }>(
    `select role, balance::float8 as balance from billing_account where organization_id = $1 and commodity = 'sms'`,
    [organizationId],
  );
  const of = (role: string) => rows.find((row) => row.role === role)?.balance ?? 0;
  return { available: of('available'), reserved: of('reserved') };
}
async function raised(...steps: Parameters<NotificationBench['watched']>[0]) {
  const made = await bench.watched(
    steps.length > 0 ? steps : [{ recipients: [nurse], channels: ['sms'], repeatMs: null }],
  );
  await bench.send(made.channelId, [{ at: time.now, value: 9 }]);
  return made;
}
const states = async (channelId: number) =>
  (await bench.told(channelId)).map(({ kind, state, error }) => [kind, state, error]);

async function expectBalanced(): Promise<void> {
  expect(await findUnbalanced(bench.pool)).toEqual([]);
}

describe('an SMS about an alarm', () => {
  test('reaches the recipient in his language, is charged by its segments, and is stored as it was sent', async () => {
    const chinese = await bench.receiver({ mobile: '13900000001', language: 'zh-CN' });
    const { channelId } = await raised({ recipients: [chinese], channels: ['sms'], repeatMs: null });
    await worker().deliverDue();
    expect(provider.accepted).toMatchObject([
      { to: '+8613900000001', text: expect.stringMatching(/^1 级报警：.*，9.0 °C。/) },
    ]);
    expect(await states(channelId)).toEqual([['raised', 'sent', '']]);
    const { rows } = await bench.pool.query(
      `select number, units, settled, provider_message_id as "messageId", attempts from alarm_sms
        order by notification_id desc limit 1`,
    );
    expect(rows[0]).toMatchObject({ number: '+8613900000001', settled: true });
    expect(rows[0].messageId).toMatch(/^http-/);
    expect(rows[0].attempts).toMatchObject([{ provider: 'Local', outcome: 'sent' }]);
    expect(await balance()).toEqual({ available: 100 - rows[0].units, reserved: 0 });
    await expectBalanced();
  });

  test('is sent once by several workers', async () => {
    for (let index = 0; index < 4; index += 1) await raised();
    await Promise.all([worker(), worker(), worker()].map((each) => each.deliverDue()));
    time.now += MIN;
    await Promise.all([worker(), worker()].map((each) => each.deliverDue()));
    const ids = provider.accepted.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const { rows } = await bench.pool.query(`select count(*)::int as open from alarm_sms where not settled`);
    expect(rows[0].open).toBe(0);
    expect((await balance()).reserved).toBe(0);
    await expectBalanced();
  });

  test('fails with its reason if the recipient has no mobile number', async () => {
    const nobody = await bench.receiver({ mobile: '' });
    const { channelId } = await raised({ recipients: [nobody], channels: ['sms'], repeatMs: null });
    await worker().deliverDue();
    expect(await states(channelId)).toEqual([['raised', 'failed', 'no mobile number']]);
    expect(await balance()).toEqual({ available: 100, reserved: 0 });
  });

  test('keeps its reservation while a provider is away, and is sent when it is back', async () => {
    provider.behaviour = { status: 503, body: {} };
    const { channelId } = await raised();
    await worker().deliverDue();
    expect(await states(channelId)).toEqual([['raised', 'pending', 'HTTP 503']]);
    expect((await balance()).reserved).toBeGreaterThan(0);
    provider.behaviour = 'accept';
    time.now += MIN;
    await worker().deliverDue();
    expect(await states(channelId)).toEqual([['raised', 'sent', '']]);
    expect((await balance()).reserved).toBe(0);
  });

  test('releases its reservation if it is refused', async () => {
    provider.behaviour = { status: 422, body: {} };
    const { channelId } = await raised();
    await worker().deliverDue();
    expect(await states(channelId)).toEqual([['raised', 'failed', 'HTTP 422']]);
    expect(await balance()).toEqual({ available: 100, reserved: 0 });
    await expectBalanced();
  });

  test('is tried once more after an unknown outcome, and then stands as failed', async () => {
    provider.behaviour = 'accept-and-hang-up';
    const { channelId } = await raised();
    for (let minute = 0; minute < 5; minute += 1) {
      await worker().deliverDue();
      time.now += MIN;
    }
    expect(provider.accepted).toHaveLength(2);
    expect(await states(channelId)).toEqual([['raised', 'failed', 'outcome unknown']]);
    expect(await balance()).toEqual({ available: 100, reserved: 0 });
  });

  test('releases its reservation if the alarm ends before a repeat is sent', async () => {
    const { channelId } = await raised({ recipients: [nurse], channels: ['sms'], repeatMs: 10 * MIN });
    await worker().deliverDue();
    provider.behaviour = { status: 503, body: {} };
    time.now += 10 * MIN;
    await worker().deliverDue();
    expect((await balance()).reserved).toBeGreaterThan(0);
    provider.behaviour = 'accept';
    await bench.send(channelId, [{ at: time.now, value: 4 }]);
    time.now += MIN;
    await worker().deliverDue();
    expect(await states(channelId)).toEqual([
      ['raised', 'sent', ''],
      ['repeated', 'cancelled', 'HTTP 503'],
      ['ended', 'sent', ''],
      // The next repeat, which is not due.
      ['repeated', 'cancelled', ''],
    ]);
    expect((await balance()).reserved).toBe(0);
    await expectBalanced();
  });
});

describe('without enough balance', () => {
  test('an SMS is unsent, and is sent after a recharge while the alarm lasts', async () => {
    await recharge(-100);
    const { channelId } = await raised();
    await worker().deliverDue();
    expect(await states(channelId)).toEqual([['raised', 'pending', 'balance']]);
    expect(provider.calls).toBe(0);
    await recharge(10);
    time.now += 2 * MIN;
    await worker().deliverDue();
    expect(await states(channelId)).toEqual([['raised', 'sent', '']]);
    await expectBalanced();
  });

  test('neither the alarm nor its end is sent if it ended before the recharge', async () => {
    await recharge(-100);
    const { channelId } = await raised();
    await worker().deliverDue();
    time.now += MIN;
    await bench.send(channelId, [{ at: time.now, value: 4 }]);
    await worker().deliverDue();
    await recharge(10);
    for (let minute = 0; minute < 3; minute += 1) {
      time.now += MIN;
      await worker().deliverDue();
    }
    expect(await states(channelId)).toEqual([
      ['raised', 'failed', 'balance'],
      ['ended', 'failed', 'balance'],
    ]);
    expect(provider.calls).toBe(0);
  });

  test('what remains goes to the most severe alarms', async () => {
    await recharge(-98);
    const levels: number[] = [];
    for (let index = 0; index < 3; index += 1) levels.push((await raised()).channelId);
    const grave = levels[2] as number;
    await bench.pool.query(
      `update alarm_notification n set facts = jsonb_set(facts, '{level}', '5')
         from alarm a where a.id = n.alarm_id and a.channel_id = $1`,
      [grave],
    );
    await worker().deliverDue();
    expect(await states(grave)).toEqual([['raised', 'sent', '']]);
    expect((await balance()).available).toBeGreaterThanOrEqual(0);
  });
});

describe('a worker that dies', () => {
  const dead = () => Promise.reject(new Error('killed'));

  test.each([
    ['before the reservation is committed', { reserve: dead }, 0],
    ['after the provider accepted the message, before the outcome is stored', { settle: dead }, 1],
  ])('%s loses no message and charges it once', async (_when, broken, acceptedBefore) => {
    const { channelId } = await raised();
    await worker(broken)
      .deliverDue()
      .catch(() => undefined);
    expect(provider.accepted).toHaveLength(acceptedBefore);
    await expectBalanced();
    time.now += 2 * MIN;
    await worker().deliverDue();
    expect(await states(channelId)).toEqual([['raised', 'sent', '']]);
    const { rows } = await bench.pool.query(
      `select e.kind from ledger_entry e join alarm_notification n on n.id = e.cause_id and e.cause_kind = 'message'
         join alarm a on a.id = n.alarm_id where a.channel_id = $1 order by e.id`,
      [channelId],
    );
    expect(rows).toEqual([{ kind: 'reserve' }, { kind: 'capture' }]);
    expect((await balance()).reserved).toBe(0);
    await expectBalanced();
  });

  test('twice after the reservation leaves a failed message with an unknown outcome and nothing reserved', async () => {
    const { channelId } = await raised();
    for (let turn = 0; turn < 2; turn += 1) {
      await worker({ settle: dead })
        .deliverDue()
        .catch(() => undefined);
      time.now += 2 * MIN;
    }
    await worker().deliverDue();
    expect(provider.accepted).toHaveLength(2);
    expect(await states(channelId)).toEqual([['raised', 'failed', 'outcome unknown']]);
    expect(await balance()).toEqual({ available: 100, reserved: 0 });
    await expectBalanced();
  });
});
