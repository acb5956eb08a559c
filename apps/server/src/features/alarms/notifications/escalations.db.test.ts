import type { PolicyStep } from '@isotherm/domain/alarms/graded-policy';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type NotificationBench, startNotificationBench } from '../../../testing/notification-bench.ts';
import { escalateDue } from './escalations.ts';

const MIN = 60_000;
const HOUR = 60 * MIN;

const time = { now: Date.UTC(2026, 5, 1, 8) };
let bench: NotificationBench;
let nurse: number;
let manager: number;
let director: number;

beforeAll(async () => {
  bench = await startNotificationBench(time);
  nurse = await bench.receiver();
  manager = await bench.receiver({ email: 'manager@example.com' });
  director = await bench.receiver({ email: 'director@example.com' });
});
afterAll(() => bench.stop());
beforeEach(async () => {
  time.now += 48 * HOUR;
  await bench.pool.query(`update alarm_escalation set state = 'cancelled' where state = 'pending'`);
});

type Step = Partial<PolicyStep>;
const telling = (id: number, rest: Step = {}): Step => ({ recipients: [id], channels: ['email'], ...rest });

/** Level 1 at once, level 2 after an hour, level 3 after a day; level 1 escalates to level 2 after 10 minutes. */
const twoSteps = (): Step[] => [
  telling(nurse, { escalation: { afterMs: 10 * MIN, toLevel: 2 } }),
  telling(manager, { triggerAfterMs: HOUR }),
];
const threeSteps = (): Step[] => [
  telling(nurse, { escalation: { afterMs: 10 * MIN, toLevel: 2 } }),
  telling(manager, { triggerAfterMs: HOUR, escalation: { afterMs: 20 * MIN, toLevel: 3 } }),
  telling(director, { triggerAfterMs: 24 * HOUR }),
];

const read = (channelId: number, value: number) => bench.send(channelId, [{ at: time.now, value }]);

/** Lets time pass while the value stays above the limit, with a reading every minute. */
async function wait(channelId: number, minutes: number): Promise<void> {
  for (let minute = 0; minute < minutes; minute++) {
    time.now += MIN;
    await read(channelId, 9);
  }
}

async function raised(steps: readonly Step[]): Promise<{ channelId: number; policyId: number }> {
  const made = await bench.watched(steps);
  await read(made.channelId, 9);
  return made;
}

const escalate = () => escalateDue(bench.pool, new Date(time.now));

/** Recipients of escalated notifications, with the level of their step. */
async function escalated(channelId: number): Promise<[number | string, number][]> {
  const told = await bench.told(channelId);
  return told.filter(({ kind }) => kind === 'unacknowledged').map(({ to, step }) => [to, step]);
}

test('an alarm that nobody acknowledges in time is sent to the recipients of the next level, once by one of two workers', async () => {
  const { channelId } = await raised(twoSteps());
  time.now += 10 * MIN - 1;
  await Promise.all([escalate(), escalate()]);
  expect(await escalated(channelId)).toEqual([]);
  time.now += 1;
  await Promise.all([escalate(), escalate()]);
  await escalate();
  expect(await bench.told(channelId)).toMatchObject([
    { kind: 'raised', to: nurse, step: 1 },
    { kind: 'unacknowledged', to: manager, step: 2, dueAt: time.now },
  ]);
});

test('after an outage, an escalation keeps the time at which it was due, so that its notification counts as late', async () => {
  const { channelId } = await raised(twoSteps());
  const dueAt = time.now + 10 * MIN;
  time.now += 5 * HOUR;
  await escalate();
  expect((await bench.told(channelId)).at(-1)).toMatchObject({ kind: 'unacknowledged', dueAt });
});

test.each([
  ['acknowledged', (channelId: number) => bench.acknowledge(channelId)],
  ['over', (channelId: number) => read(channelId, 5)],
])('nobody else is notified of an alarm that is %s before', async (_, happen) => {
  const { channelId } = await raised(threeSteps());
  time.now += 5 * MIN;
  await happen(channelId);
  time.now += 5 * HOUR;
  await escalate();
  await escalate();
  expect(await escalated(channelId)).toEqual([]);
});

test('an escalation that is not acknowledged either goes on with that of its target', async () => {
  const { channelId } = await raised(threeSteps());
  time.now += 10 * MIN;
  await escalate();
  expect(await escalated(channelId)).toEqual([[manager, 2]]);
  time.now += 20 * MIN;
  await escalate();
  expect(await escalated(channelId)).toEqual([
    [manager, 2],
    [director, 3],
  ]);
});

test('an acknowledgement between two escalations stops the second one', async () => {
  const { channelId } = await raised(threeSteps());
  time.now += 10 * MIN;
  await escalate();
  await bench.acknowledge(channelId);
  time.now += HOUR;
  await escalate();
  expect(await escalated(channelId)).toEqual([[manager, 2]]);
});

test('an alarm that was acknowledged and then climbs escalates from its new level', async () => {
  const { channelId } = await raised(threeSteps());
  await bench.acknowledge(channelId);
  await wait(channelId, 60);
  expect((await bench.told(channelId)).at(-1)).toMatchObject({ kind: 'level-changed', to: manager });
  time.now += 20 * MIN;
  await escalate();
  expect(await escalated(channelId)).toEqual([[director, 3]]);
});

test('the escalation that follows another one is dropped if the alarm has climbed to its level meanwhile', async () => {
  const steps = threeSteps();
  const { channelId } = await raised([
    { ...steps[0], escalation: { afterMs: 59 * MIN, toLevel: 2 } },
    steps[1] as Step,
    steps[2] as Step,
  ]);
  await wait(channelId, 59);
  await escalate();
  await wait(channelId, 1);
  expect((await bench.told(channelId)).at(-1)).toMatchObject({ kind: 'level-changed', to: manager });
  time.now += 19 * MIN;
  await escalate();
  expect(await escalated(channelId)).toEqual([[manager, 2]]);
  time.now += MIN;
  await escalate();
  expect(await escalated(channelId)).toEqual([
    [manager, 2],
    [director, 3],
  ]);
});

test('whoever was notified by an escalation is notified of the end of the alarm', async () => {
  const { channelId } = await raised(twoSteps());
  time.now += 10 * MIN;
  await escalate();
  time.now += MIN;
  await read(channelId, 5);
  const ends = (await bench.told(channelId)).filter(({ kind }) => kind === 'ended');
  expect(ends.map(({ to }) => to).sort()).toEqual([nurse, manager].sort());
});

test('the recipients and steps are those of the policy when the escalation is due', async () => {
  const { channelId, policyId } = await raised(twoSteps());
  const [first] = twoSteps();
  await bench.edit(policyId, [first as Step, telling(director, { triggerAfterMs: HOUR })]);
  time.now += 10 * MIN;
  await escalate();
  expect(await escalated(channelId)).toEqual([[director, 2]]);
});

test('a policy that was disabled meanwhile notifies nobody', async () => {
  const { channelId, policyId } = await raised(twoSteps());
  await bench.pool.query('update alarm_policy set enabled = false where id = $1', [policyId]);
  time.now += 10 * MIN;
  await escalate();
  expect(await escalated(channelId)).toEqual([]);
});
