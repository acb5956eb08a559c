import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { transaction } from '../../../platform/db/pool.ts';
import { type NotificationBench, startNotificationBench } from '../../../testing/notification-bench.ts';
import { insertAlarms, raiseLevels } from '../episodes.repo.ts';

const MIN = 60_000;
const HOUR = 60 * MIN;
const START = Date.UTC(2026, 5, 1, 8);
const HOOK = 'https://hooks.example/alarms';

const time = { now: START };
let bench: NotificationBench;
let nurse: number;
let head: number;

beforeAll(async () => {
  bench = await startNotificationBench(time);
  nurse = await bench.receiver();
  head = await bench.receiver({ email: 'head@example.com' });
});
afterAll(() => bench.stop());
beforeEach(() => {
  time.now += 24 * HOUR;
});

/** Sends one reading that is received at the moment when it is measured. */
async function read(channelId: number, value: number, afterMs = MIN): Promise<void> {
  time.now += afterMs;
  await bench.send(channelId, [{ at: time.now, value }]);
}

const summary = async (channelId: number) =>
  (await bench.told(channelId)).map(({ kind, step, to, nth, state }) =>
    [kind, step, to, ...(nth > 0 ? [nth] : []), ...(state === 'pending' ? [] : [state])].join(' '),
  );

test('an alarm notifies each recipient of its step through each notification channel and schedules a repeat', async () => {
  const { channelId } = await bench.watched([
    { recipients: [nurse, head], channels: ['email', 'url-push'], url: HOOK, repeatMs: 10 * MIN },
  ]);
  await read(channelId, 9);
  expect((await summary(channelId)).sort()).toEqual(
    [
      `raised 1 ${nurse}`,
      `raised 1 ${head}`,
      `raised 1 ${HOOK}`,
      `repeated 1 ${nurse} 1`,
      `repeated 1 ${head} 1`,
      `repeated 1 ${HOOK} 1`,
    ].sort(),
  );
  const told = await bench.told(channelId);
  for (const { kind, dueAt, late } of told) {
    expect(dueAt).toBe(kind === 'repeated' ? time.now + 10 * MIN : time.now);
    expect(late).toBe(false);
  }
});

test('readings that are sent twice cause no second notification', async () => {
  const { channelId } = await bench.watched([{ recipients: [nurse], channels: ['email'] }]);
  await read(channelId, 9);
  await bench.send(channelId, [{ at: time.now, value: 9 }]);
  await read(channelId, 9.5);
  expect(await summary(channelId)).toEqual([`raised 1 ${nurse}`]);
});

test('a higher level notifies its recipients, and a recipient of both steps gets only the repeats of the higher one', async () => {
  const { channelId } = await bench.watched([
    { recipients: [nurse, head], channels: ['email'], repeatMs: 30 * MIN },
    { recipients: [head], channels: ['email'], repeatMs: 10 * MIN },
  ]);
  await read(channelId, 9);
  await read(channelId, 9, 2 * MIN);
  expect((await summary(channelId)).sort()).toEqual(
    [
      `raised 1 ${nurse}`,
      `raised 1 ${head}`,
      `level-changed 2 ${head}`,
      `repeated 1 ${nurse} 1`,
      `repeated 1 ${head} 1 cancelled`,
      `repeated 2 ${head} 1`,
    ].sort(),
  );
});

test('a level that is reached a second time causes no second notification', async () => {
  const { channelId } = await bench.watched([
    { recipients: [nurse], channels: ['email'] },
    {
      recipients: [head],
      channels: ['email'],
      limits: [{ quantity: 'temperature', low: null, high: 10 }],
    },
  ]);
  for (const value of [9, 11, 11, 9, 9, 11, 11]) await read(channelId, value, 2 * MIN);
  expect(await summary(channelId)).toEqual([`raised 1 ${nurse}`, `level-changed 2 ${head}`]);
});

test('if one batch of stored readings reaches several levels, all are notified, each recipient once', async () => {
  const { channelId } = await bench.watched([
    { recipients: [nurse, head], channels: ['email'] },
    { recipients: [head], channels: ['email'] },
    { recipients: [], channels: ['url-push'], url: HOOK },
  ]);
  await read(channelId, 5);
  const from = time.now;
  time.now += 12 * MIN;
  await bench.send(
    channelId,
    Array.from({ length: 12 }, (_, i) => ({ at: from + (i + 1) * MIN, value: 9 })),
  );
  expect((await summary(channelId)).sort()).toEqual(
    [`raised 1 ${nurse}`, `level-changed 2 ${head}`, `level-changed 3 ${HOOK}`].sort(),
  );
});

test('everyone who was notified of the alarm is notified once of its end, and the repeats stop', async () => {
  const { channelId } = await bench.watched([
    { recipients: [nurse], channels: ['email'], repeatMs: 10 * MIN },
    { recipients: [head], channels: ['email'] },
  ]);
  await read(channelId, 9);
  await read(channelId, 5);
  expect(await summary(channelId)).toEqual([
    `raised 1 ${nurse}`,
    `ended 1 ${nurse}`,
    `repeated 1 ${nurse} 1 cancelled`,
  ]);
  await read(channelId, 9);
  expect(await summary(channelId)).toHaveLength(5);
});

test('an alarm that was over before its readings arrived notifies nobody, and one that is still open is notified as late', async () => {
  const { channelId } = await bench.watched([{ recipients: [nurse], channels: ['email'] }]);
  await read(channelId, 5);
  time.now += 2 * HOUR;
  const back = (minutes: number, value: number) => ({ at: time.now - minutes * MIN, value });
  await bench.send(channelId, [back(60, 9), back(59, 9), back(58, 5)]);
  expect(await bench.alarmsOf(channelId)).toHaveLength(1);
  expect(await bench.told(channelId)).toEqual([]);

  await bench.send(channelId, [back(30, 9), back(29, 9)]);
  expect(await bench.told(channelId)).toMatchObject([{ kind: 'raised', late: true }]);
});

test('an alarm that late readings raise is notified as late if it is still open, and its end is notified if later readings refute it', async () => {
  const { channelId } = await bench.watched([
    { triggerAfterMs: 20 * MIN, recipients: [nurse], channels: ['email'] },
  ]);
  await read(channelId, 5);
  // Some readings in the middle are missing, and the time of the gap does not count for the trigger delay.
  const from = time.now;
  const readings = Array.from({ length: 30 }, (_, i) => ({ at: from + (i + 1) * MIN, value: 9 }));
  const isMissing = ({ at }: { at: number }) => at > from + 8 * MIN && at < from + 18 * MIN;
  time.now += 30 * MIN;
  await bench.send(
    channelId,
    readings.filter((reading) => !isMissing(reading)),
  );
  expect(await bench.told(channelId)).toEqual([]);
  await bench.send(channelId, readings.filter(isMissing));
  expect(await bench.told(channelId)).toMatchObject([{ kind: 'raised', late: true }]);
  await bench.send(channelId, [
    { at: from + 9 * MIN + 1, value: 5 },
    { at: from + 27 * MIN + 1, value: 5 },
  ]);
  expect(await bench.alarmsOf(channelId)).toEqual([]);
  expect(await bench.told(channelId)).toMatchObject([{ kind: 'raised' }, { kind: 'ended' }]);
});

test('alarms of direct rules, and of policies without recipients, notify nobody', async () => {
  const { channelId: silentPolicy } = await bench.watched([{}]);
  const { channelId: direct } = await bench.channel({ versions: [] });
  await bench.pool.query(
    `insert into alarm_rule (channel_id, kind, level, limit_value, trigger_after_ms) values ($1, 'high', 1, 8, 0)`,
    [direct],
  );
  for (const channelId of [silentPolicy, direct]) {
    await read(channelId, 9);
    expect(await bench.alarmsOf(channelId)).toHaveLength(1);
    expect(await bench.told(channelId)).toEqual([]);
  }
});

test('if an alarm rises, the recipients of the current version of the policy are notified', async () => {
  const steps = [{ recipients: [nurse], channels: ['email' as const] }, {}];
  const { channelId, policyId } = await bench.watched(steps);
  await read(channelId, 9);
  await bench.edit(policyId, [steps[0] ?? {}, { recipients: [head], channels: ['email'] }]);
  await read(channelId, 9, 2 * MIN);
  expect(await summary(channelId)).toEqual([`raised 1 ${nurse}`, `level-changed 2 ${head}`]);
});

test('a policy about missing data notifies its recipients of a device without data, and again when the level rises', async () => {
  const { channelId, policyId } = await bench.watched([
    { recipients: [nurse], channels: ['email'] },
    { recipients: [head], channels: ['email'] },
  ]);
  const addRule = async (level: number) => {
    const { rows } = await bench.pool.query<{ id: number }>(
      `with made as (
         insert into alarm_policy_rule (policy_id, since_version, quantity, predicate, level, trigger_after_ms)
         values ($1, 1, 'contact', 'silence', $2, 600000) returning id
       )
       insert into alarm_rule (channel_id, kind, level, trigger_after_ms, policy_rule_id)
       select $3, 'no-data', $2, 600000 * $2::int, id from made returning id`,
      [policyId, level, channelId],
    );
    return rows[0]?.id ?? 0;
  };
  const ruleId = await addRule(1);
  await addRule(2);
  const { asset_id, organization_id } = (
    await bench.pool.query(
      'select c.asset_id, d.organization_id from channel c join device d on d.id = c.device_id where c.id = $1',
      [channelId],
    )
  ).rows[0];
  const [alarm] = await transaction(bench.pool, (tx) =>
    insertAlarms(tx, [
      {
        channel_id: channelId,
        rule_id: ruleId,
        subject: 'device',
        asset_id,
        organization_id,
        kind: 'no-data',
        level: 1,
        peak_level: 1,
        state: 'active',
        since: time.now - 10 * MIN,
        raised_at: time.now,
        ended_at: null,
        end_reason: null,
        limit_value: null,
        recovery_margin: null,
        trigger_after_ms: 10 * MIN,
        value: null,
        peak_value: null,
        peak_at: null,
        late: false,
        recorded_at: time.now,
        events: [{ type: 'raised', at: time.now, level: 1, limit: null, value: null }],
      },
    ]),
  );
  time.now += 10 * MIN;
  await transaction(bench.pool, (tx) =>
    raiseLevels(tx, [{ id: alarm?.id ?? 0, level: 2, at: time.now }], time.now),
  );
  expect(await summary(channelId)).toEqual([`raised 1 ${nurse}`, `level-changed 2 ${head}`]);
});

test('if late readings reopen an alarm whose end was notified, the alarm and its next end are notified again', async () => {
  const step = { recipients: [nurse], channels: ['email' as const], repeatMs: 10 * MIN };
  const { channelId } = await bench.watched([step], 5 * MIN);
  await read(channelId, 9);
  const raisedAt = time.now;
  await read(channelId, 5);
  await read(channelId, 5, 5 * MIN);
  expect(await summary(channelId)).toContain(`ended 1 ${nurse}`);
  // A late warm reading shortens the recovery to two minutes, so the alarm is open again.
  await bench.send(channelId, [{ at: raisedAt + 4 * MIN, value: 9 }]);
  expect(await bench.alarmsOf(channelId)).toMatchObject([{ endedAt: null }]);
  expect(await summary(channelId)).toEqual(
    expect.arrayContaining([`reopened 1 ${nurse} 1`, `repeated 1 ${nurse} 2`]),
  );
  await bench.send(channelId, [{ at: raisedAt + 4 * MIN, value: 9 }]);
  await read(channelId, 5, 5 * MIN);
  expect((await summary(channelId)).sort()).toEqual(
    [
      `raised 1 ${nurse}`,
      `repeated 1 ${nurse} 1 cancelled`,
      `ended 1 ${nurse}`,
      `reopened 1 ${nurse} 1`,
      `repeated 1 ${nurse} 2 cancelled`,
      `ended 1 ${nurse} 1`,
    ].sort(),
  );
});
