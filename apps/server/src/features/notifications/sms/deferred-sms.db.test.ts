import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type DeliveryBench, startDeliveryBench } from '../../../testing/delivery-bench.ts';
import { type SmsServer, startTencent } from '../../../testing/sms-servers.ts';

const SECOND = 1000;
const time = { now: Date.UTC(2026, 5, 1, 8) };
let bench: DeliveryBench;
let provider: SmsServer;
let providerId: number;
let nurse: number;

beforeAll(async () => {
  bench = await startDeliveryBench(time);
  provider = await startTencent('secret-id', 'secret-key');
  providerId = await bench.addProvider({
    name: 'Tencent',
    kind: 'tencent',
    url: provider.url,
    secret: 'secret-key',
    settings: { keyId: 'secret-id', appId: '1400006666', region: '', signName: 'Cold', templateEn: '1111' },
  });
  nurse = await bench.receiver({ mobile: '13812345678' });
});
afterAll(async () => {
  await provider.stop();
  await bench.stop();
});
beforeEach(async () => {
  time.now += 48 * 3600 * SECOND;
  await bench.pool.query(
    `update alarm_notification set state = 'cancelled' where state in ('pending', 'sending')`,
  );
  await bench.worker().deliverDue();
  provider.accepted = [];
  await bench.recharge('sms', 100 - (await bench.balance('sms')).available);
  // The circuit is open for two more seconds.
  await bench.pool.query(
    `insert into provider_gate (provider_id, failures, retry_at) values ($1, 5, to_timestamp($2::float8 / 1000))
     on conflict (provider_id) do update set failures = 5, retry_at = excluded.retry_at, probe_until = null`,
    [providerId, time.now + 2 * SECOND],
  );
});

/** Raises an alarm; returns its channel and the id of its notification. */
async function raised(level: 1 | 3 = 1) {
  const { channelId } = await bench.watched([
    { level, recipients: [nurse], channels: ['sms'], repeatMs: null },
  ]);
  await bench.send(channelId, [{ at: time.now, value: 9 }]);
  const [told] = await bench.told(channelId);
  return { channelId, id: String(told?.id) };
}
const stateOf = async ({ channelId }: { channelId: number }) =>
  (await bench.told(channelId)).map(({ state, error }) => [state, error].filter(Boolean).join(': '));
const sentIds = () => provider.accepted.map(({ SessionContext: id }) => id);

test('an SMS that no provider could take is sent at its time, and not together with later alarms', async () => {
  const first = await raised();
  await bench.worker().deliverDue();
  expect(await stateOf(first)).toEqual(['pending: provider paused']);
  const later = await raised();
  time.now += 2 * SECOND;
  await bench.worker().deliverDue();
  expect(await stateOf(first)).toEqual(['sent']);
  expect(sentIds()).toEqual([first.id]);
  time.now += 30 * SECOND;
  await bench.worker().deliverDue();
  expect(await stateOf(later)).toEqual(['sent']);
  expect(sentIds()).toEqual([first.id, later.id]);
});

test('it takes no part in a later message if both are due together, and is charged once', async () => {
  const first = await raised();
  await bench.worker().deliverDue();
  const { reserved } = await bench.balance('sms');
  const later = await raised();
  time.now += 35 * SECOND;
  await bench.worker().deliverDue();
  time.now += 35 * SECOND;
  await bench.worker().deliverDue();
  expect([await stateOf(first), await stateOf(later)]).toEqual([['sent'], ['sent']]);
  expect(sentIds().sort()).toEqual([first.id, later.id].sort());
  expect(await bench.balance('sms')).toEqual({ available: 100 - 2 * reserved, reserved: 0 });
  expect(await bench.unbalanced()).toEqual([]);
});

test('a group that no provider could take stays the same group, with its text and its variables', async () => {
  const first = await raised();
  const worst = await raised(3);
  await bench.worker().deliverDue();
  expect(await stateOf(first)).toEqual(['pending: provider paused']);
  expect(await stateOf(worst)).toEqual(['sending']);
  const later = await raised();
  time.now += 35 * SECOND;
  await bench.worker().deliverDue();
  time.now += 35 * SECOND;
  await bench.worker().deliverDue();
  for (const alarm of [first, worst, later]) expect(await stateOf(alarm)).toEqual(['sent']);
  // The level is the second variable.
  const levels = provider.accepted.map(({ SessionContext: id, params }) => [id, params?.split('|')[1]]);
  expect(levels).toHaveLength(2);
  expect(Object.fromEntries(levels)).toEqual({ [first.id]: '3', [later.id]: '1' });
  const { rows } = await bench.pool.query('select text from alarm_sms where notification_id = $1', [
    first.id,
  ]);
  expect(rows[0].text).toMatch(/2 alarms/);
  expect(await bench.unbalanced()).toEqual([]);
});

test('if the first alarm of a group ends in quiet hours, the others are still sent after them', async () => {
  const first = await raised();
  const worst = await raised(3);
  await bench.worker().deliverDue();
  expect([await stateOf(first), await stateOf(worst)]).toEqual([['pending: provider paused'], ['sending']]);
  const day = 24 * 3600 * SECOND;
  const at = (moment: number) => new Date(moment).toISOString().slice(11, 16);
  await bench.pool.query(`update alarm_receiver set time_zone = 'UTC', quiet_hours = $2 where id = $1`, [
    nurse,
    JSON.stringify({ days: [1, 2, 3, 4, 5, 6, 7], from: at(time.now), until: at(time.now + day / 4) }),
  ]);
  time.now += 10 * SECOND;
  await bench.worker().deliverDue();
  const inGroup = { [first.id]: first, [worst.id]: worst };
  const { rows } = await bench.pool.query<{ id: number }>(
    `select id from alarm_notification where id = any($1::bigint[]) and waits = 'quiet'`,
    [Object.keys(inGroup)],
  );
  const leading = inGroup[String(rows[0]?.id)] as typeof first;
  const other = leading === first ? worst : first;
  await bench.send(leading.channelId, [{ at: time.now, value: 5 }]);
  time.now += day / 4;
  await bench.worker().deliverDue();
  // What the group leaves is due at once.
  await bench.worker().deliverDue();
  await bench.pool.query('update alarm_receiver set quiet_hours = null where id = $1', [nurse]);
  expect((await stateOf(leading))[0]).toBe('cancelled: quiet hours');
  expect(await stateOf(other)).toEqual(['sent']);
  expect(sentIds()).toEqual([other.id]);
  expect(await bench.unbalanced()).toEqual([]);
});
