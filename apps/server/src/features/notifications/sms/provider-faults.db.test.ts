import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type DeliveryBench, startDeliveryBench } from '../../../testing/delivery-bench.ts';
import { type SmsServer, startHttpProvider } from '../../../testing/sms-servers.ts';
import { findGates, readDatabaseTime } from './provider-gates.repo.ts';
import { createProviderGates } from './provider-gates.ts';

const MIN = 60_000;
const time = { now: Date.UTC(2026, 5, 1, 8) };
let bench: DeliveryBench;
let first: SmsServer;
let second: SmsServer;
let firstId: number;
let receivers: number[];

beforeAll(async () => {
  bench = await startDeliveryBench(time);
  first = await startHttpProvider('token');
  second = await startHttpProvider('token');
  const settings = {
    body: '{"to":"{{number}}","text":"{{text}}","id":"{{id}}"}',
    successPath: 'code',
    successValue: '0',
    idPath: 'data.id',
  };
  firstId = await bench.addProvider({
    name: 'First',
    kind: 'http',
    url: first.url,
    secret: 'token',
    settings,
  });
  await bench.addProvider({
    name: 'Second',
    kind: 'http',
    url: second.url,
    secret: 'token',
    priority: 2,
    settings,
  });
  receivers = [];
  for (let nth = 0; nth < 12; nth += 1)
    receivers.push(await bench.receiver({ mobile: `138${String(10_000_000 + nth)}` }));
});
afterAll(async () => {
  await first.stop();
  await second.stop();
  await bench.stop();
});
beforeEach(async () => {
  time.now += 48 * 60 * MIN;
  await bench.pool.query(`update alarm_notification set state = 'cancelled' where state = 'pending'`);
  await bench.worker().deliverDue();
  await bench.pool.query('delete from provider_gate');
  await enableSecond(true);
  for (const server of [first, second]) {
    server.behaviour = 'accept';
    server.before = null;
    server.accepted = [];
    server.calls = 0;
  }
  await bench.recharge('sms', 100 - (await bench.balance('sms')).available);
});

const enableSecond = (enabled: boolean) =>
  bench.pool.query(`update sms_provider set enabled = $1 where name = 'Second'`, [enabled]);
/** Raises an alarm that is sent to all recipients. */
async function raised(recipients = receivers) {
  const { channelId } = await bench.watched([{ recipients, channels: ['sms'], repeatMs: null }]);
  await bench.send(channelId, [{ at: time.now, value: 9 }]);
  return channelId;
}
const statesOf = async (channelId: number) => {
  const counts: Record<string, number> = {};
  for (const { state, error } of await bench.told(channelId)) {
    const key = [state, error].filter(Boolean).join(': ');
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
};

describe('a provider that is away', () => {
  test('is passed over after five faults, and used again when it accepts a message after a pause', async () => {
    first.behaviour = { status: 503, body: {} };
    // Other recipients each time, because messages to the same ones are grouped.
    const channelId = await raised(receivers.slice(0, 8));
    await bench.worker().deliverDue();
    expect(await statesOf(channelId)).toEqual({ sent: 8 });
    expect(second.accepted).toHaveLength(8);
    const tried = first.calls;
    await raised(receivers.slice(8, 10));
    await bench.worker().deliverDue();
    // Its circuit is open, in every process.
    expect(first.calls).toBe(tried);
    expect(second.accepted).toHaveLength(10);

    time.now += 20_000;
    first.behaviour = 'accept';
    await raised(receivers.slice(10));
    await bench.worker().deliverDue();
    expect(first.accepted.length).toBeGreaterThan(0);
    expect((await findGates(bench.pool)).get(firstId)).toMatchObject({ failures: 0, retryAt: null });
  });

  test('for a day loses no message, keeps the reservations and is asked only now and then', async () => {
    await enableSecond(false);
    first.behaviour = { status: 503, body: {} };
    const channelId = await raised();
    for (let minute = 0; minute < 23 * 60; minute += 30) {
      await bench.worker().deliverDue();
      time.now += 30 * MIN;
    }
    expect(first.calls).toBeLessThan(12 + 23 * 2 * 3);
    expect((await bench.balance('sms')).reserved).toBeGreaterThanOrEqual(12);
    first.behaviour = 'accept';
    for (let turn = 0; turn < 4; turn += 1) {
      await bench.worker().deliverDue();
      time.now += 10 * MIN;
    }
    expect(await statesOf(channelId)).toEqual({ sent: 12 });
    expect(first.accepted).toHaveLength(12);
    expect((await bench.balance('sms')).reserved).toBe(0);
    expect(await bench.unbalanced()).toEqual([]);
  });

  test('for longer than a day fails the messages and releases their units', async () => {
    await enableSecond(false);
    first.behaviour = { status: 503, body: {} };
    const channelId = await raised();
    for (let hour = 0; hour < 27; hour += 1) {
      await bench.worker().deliverDue();
      time.now += 60 * MIN;
    }
    const states = await statesOf(channelId);
    expect(Object.keys(states).every((state) => state.startsWith('failed'))).toBe(true);
    expect(await bench.balance('sms')).toEqual({ available: 100, reserved: 0 });
    expect(await bench.unbalanced()).toEqual([]);
  });
});

test('a provider that answers garbage gets each message twice at most, and then pauses', async () => {
  await enableSecond(false);
  first.behaviour = 'garbage';
  const channelId = await raised();
  for (let minute = 0; minute < 30; minute += 1) {
    await bench.worker().deliverDue();
    time.now += MIN;
  }
  expect(first.calls).toBeLessThanOrEqual(24);
  const states = await statesOf(channelId);
  expect(states['failed: outcome unknown']).toBeGreaterThan(0);
  expect(await bench.unbalanced()).toEqual([]);
});

test('a provider that accepts everything and delivers nothing leaves the escalation at its time', async () => {
  const [nurse = 0, doctor = 0] = receivers;
  const { channelId } = await bench.watched([
    { recipients: [nurse], channels: ['sms'], repeatMs: null, escalation: { toLevel: 2, afterMs: 10 * MIN } },
    { recipients: [doctor], channels: ['sms'], repeatMs: null, triggerAfterMs: 600 * MIN },
  ]);
  await bench.send(channelId, [{ at: time.now, value: 9 }]);
  await bench.worker().deliverDue();
  expect(first.accepted.map(({ to }) => to)).toEqual(['+8613810000000']);
  time.now += 11 * MIN;
  await bench.worker().deliverDue();
  expect(first.accepted.map(({ to }) => to)).toEqual(['+8613810000000', '+8613810000001']);
});

test('a rate limit holds for several workers together, and the rest is sent later without counting as attempts', async () => {
  await enableSecond(false);
  await bench.pool.query(
    `update sms_provider set settings = settings || '{"ratePerSecond": 2}' where id = $1`,
    [firstId],
  );
  const channelId = await raised();
  await Promise.all([bench.worker(), bench.worker()].map((worker) => worker.deliverDue()));
  // The burst of a second, and what the next two seconds allow.
  expect(first.accepted.length).toBeGreaterThanOrEqual(2);
  expect(first.accepted.length).toBeLessThanOrEqual(7);
  for (const { state, attempts, error } of await bench.told(channelId))
    if (state === 'pending') expect([attempts, error]).toEqual([0, 'provider paused']);
  for (let turn = 0; turn < 10; turn += 1) {
    time.now += 3_000;
    await bench.worker().deliverDue();
  }
  expect(await statesOf(channelId)).toEqual({ sent: 12 });
  expect(first.accepted).toHaveLength(12);
  await bench.pool.query(`update sms_provider set settings = settings - 'ratePerSecond' where id = $1`, [
    firstId,
  ]);
}, 60_000);

test('an SMS that a provider has accepted is not sent again if the provider was deleted before its answer', async () => {
  const deletedId = await bench.addProvider({
    name: 'Deleted',
    kind: 'http',
    url: first.url,
    secret: 'token',
    priority: 0,
    settings: { body: '{"id":"{{id}}"}', successPath: 'code', successValue: '0', idPath: 'data.id' },
  });
  first.before = async () => {
    await bench.pool.query('delete from sms_provider where id = $1', [deletedId]);
  };
  const channelId = await raised(receivers.slice(0, 1));
  await bench.worker().deliverDue();
  expect(await statesOf(channelId)).toEqual({ sent: 1 });
  time.now += 2 * MIN;
  await bench.worker().deliverDue();
  expect([first.accepted.length, second.accepted.length]).toEqual([1, 0]);
  expect((await bench.balance('sms')).reserved).toBe(0);
});

test('hosts whose clocks differ pause a provider for the same time', async () => {
  const gatesOf = (skew: number) => {
    const clock = { now: () => Date.now() + skew };
    return { clock, gates: createProviderGates(bench.pool, clock, readDatabaseTime) };
  };
  const fast = gatesOf(60 * MIN);
  const slow = gatesOf(-60 * MIN);
  for (let nth = 0; nth < 5; nth += 1)
    await fast.gates.leave(firstId, { kind: 'unavailable', error: 'HTTP 503' });
  for (const { clock, gates } of [fast, slow]) {
    const verdict = await gates.enter({ id: firstId, ratePerSecond: 0 });
    expect(verdict.kind).toBe('wait');
    expect(verdict.at - clock.now()).toBeGreaterThan(0);
    expect(verdict.at - clock.now()).toBeLessThanOrEqual(15_000);
  }
});
