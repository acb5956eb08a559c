import { createTranslator } from '@isotherm/i18n/translator';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { prepareJobs } from '../../../platform/jobs/jobs.ts';
import { createLog } from '../../../platform/log.ts';
import { createMessages } from '../../../platform/messages/messages.ts';
import { createSealing } from '../../../platform/sealing.ts';
import { type NotificationBench, startNotificationBench } from '../../../testing/notification-bench.ts';
import { createNotifier } from './notifier.ts';

const MIN = 60_000;
const time = { now: Date.UTC(2026, 5, 1, 8) };
const clock = { now: () => time.now };
const translate = createTranslator();
const log = createLog('silent', false);
let bench: NotificationBench;
let nurse: number;
let head: number;
let chief: number;

beforeAll(async () => {
  bench = await startNotificationBench(time);
  await prepareJobs(bench.pool, log);
  [nurse, head, chief] = [await bench.receiver(), await bench.receiver(), await bench.receiver()];
});
afterAll(() => bench.stop());
beforeEach(async () => {
  time.now += 48 * 60 * MIN;
  await bench.pool.query(`update alarm_notification set state = 'cancelled' where state = 'pending'`);
});

/** A worker with a message outbox of its own; URL pushes succeed. */
function worker() {
  const messages = createMessages({
    pool: bench.pool,
    sealing: createSealing('a secret of the tests, long enough for anybody'),
    clock,
    translate,
    transports: { email: async () => undefined },
    keepsReadable: true,
  });
  return createNotifier({
    pool: bench.pool,
    messages,
    urlPush: async () => undefined,
    clock,
    translate,
    log,
    consoleUrl: null,
  });
}

async function workAfter(minutes: number, workers = 1): Promise<void> {
  time.now += minutes * MIN;
  await Promise.all(Array.from({ length: workers }, () => worker().deliverDue()));
}

async function read(channelId: number, value: number): Promise<void> {
  await bench.send(channelId, [{ at: time.now, value }]);
}

/** What the recipients were told, such as `unacknowledged 2 7`: kind, level and id. */
async function told(channelId: number): Promise<string[]> {
  return (await bench.told(channelId))
    .filter(({ channel, state }) => channel !== 'escalation' && (state === 'sending' || state === 'sent'))
    .map(({ kind, step, to }) => `${kind} ${step} ${to}`);
}

const pending = async (channelId: number) =>
  (await bench.told(channelId)).filter(
    ({ channel, state }) => channel === 'escalation' && state === 'pending',
  );

const email = (...recipients: number[]) => ({ recipients, channels: ['email'] as const });
const HOUR_LATER = { triggerAfterMs: 60 * MIN };
/** A level that is reached above 10 °C. */
const ABOVE_10 = { limits: [{ quantity: 'temperature', low: null, high: 10 }] } as const;

/** Raises the alarm to the level above 10 °C. */
async function climb(channelId: number): Promise<void> {
  for (const value of [11, 11]) {
    time.now += MIN;
    await read(channelId, value);
  }
  expect((await bench.pool.query('select level from alarm where channel_id = $1', [channelId])).rows).toEqual(
    [{ level: 2 }],
  );
}

/** An alarm of level 1 that is escalated after 10 minutes to level 2, and after 20 more to level 3. */
async function raised() {
  const made = await bench.watched([
    { ...email(nurse), escalation: { afterMs: 10 * MIN, toLevel: 2 } },
    { ...email(nurse, head), ...ABOVE_10, escalation: { afterMs: 20 * MIN, toLevel: 3 } },
    { ...email(chief), triggerAfterMs: 120 * MIN },
  ]);
  await read(made.channelId, 9);
  return made;
}

describe('escalation within a policy', () => {
  test('each link of the chain is sent once by one of two workers, when nobody has acknowledged for its time', async () => {
    const { channelId } = await raised();
    await workAfter(0, 2);
    await workAfter(9, 2);
    expect(await told(channelId)).toEqual([`raised 1 ${nurse}`]);
    await workAfter(1, 2);
    const second = [`raised 1 ${nurse}`, `unacknowledged 2 ${nurse}`, `unacknowledged 2 ${head}`];
    expect((await told(channelId)).sort()).toEqual(second.sort());
    await workAfter(19, 2);
    expect(await told(channelId)).toHaveLength(3);
    await workAfter(1, 2);
    await workAfter(20, 2);
    expect((await told(channelId)).sort()).toEqual([...second, `unacknowledged 3 ${chief}`].sort());
    expect(await pending(channelId)).toEqual([]);
  });

  test('many alarms are escalated once each by workers that run at the same moment', async () => {
    const alarms = [];
    for (let i = 0; i < 12; i++) alarms.push(await raised());
    await workAfter(10, 4);
    // What one of the workers did not send with the first message of the site follows half a minute later.
    await workAfter(1, 4);
    for (const { channelId } of alarms)
      expect((await told(channelId)).filter((each) => each.startsWith('unacknowledged'))).toHaveLength(2);
  });

  test.each([0, 10])(
    'an acknowledgement %d minutes after the alarm stops the escalations that follow',
    async (minutes) => {
      const { channelId } = await raised();
      await workAfter(minutes);
      await bench.acknowledge(channelId);
      const before = await told(channelId);
      await workAfter(60);
      expect(await told(channelId)).toEqual(before);
      expect(await pending(channelId)).toEqual([]);
    },
  );

  test('an alarm that has ended is not escalated, and its end is told to those of the escalation', async () => {
    const { channelId } = await raised();
    const ended = await raised();
    time.now += MIN;
    await read(ended.channelId, 5);
    await workAfter(9);
    await read(channelId, 5);
    await workAfter(60);
    expect(await told(ended.channelId)).toEqual([`raised 1 ${nurse}`, `ended 1 ${nurse}`]);
    expect((await told(channelId)).slice(-2).sort()).toEqual([`ended 2 ${nurse}`, `ended 2 ${head}`].sort());
  });

  test('an alarm that late readings open again is escalated at its time and not at once', async () => {
    const { channelId } = await bench.watched(
      [
        { ...email(nurse), escalation: { afterMs: 10 * MIN, toLevel: 2 } },
        { ...email(head), ...HOUR_LATER },
      ],
      5 * MIN,
    );
    await read(channelId, 9);
    const raisedAt = time.now;
    await workAfter(1);
    await read(channelId, 5);
    await workAfter(5);
    await read(channelId, 5);
    await workAfter(0);
    expect(await told(channelId)).toEqual([`raised 1 ${nurse}`, `ended 1 ${nurse}`]);
    // A late warm reading shortens the recovery to two minutes, so the alarm is open again.
    await bench.send(channelId, [{ at: raisedAt + 4 * MIN, value: 9 }]);
    await workAfter(1);
    expect(await told(channelId)).toEqual([`raised 1 ${nurse}`, `ended 1 ${nurse}`, `reopened 1 ${nurse}`]);
    await workAfter(3);
    expect(await told(channelId)).toContain(`unacknowledged 2 ${head}`);
  });

  test('an escalation waits while the alarm is below the level of its step, and is sent when it rises again', async () => {
    const { channelId } = await bench.watched([
      {},
      {
        ...email(nurse),
        limits: [{ quantity: 'temperature', low: null, high: 10 }],
        escalation: { afterMs: 10 * MIN, toLevel: 3 },
      },
      { ...email(chief), ...HOUR_LATER },
    ]);
    for (const value of [9, 11, 11, 9, 9]) {
      time.now += MIN;
      await read(channelId, value);
    }
    await workAfter(10);
    expect(await told(channelId)).toEqual(
      [`raised 2 ${nurse}`].map((each) => each.replace('raised', 'level-changed')),
    );
    for (const value of [11, 11]) {
      time.now += MIN;
      await read(channelId, value);
    }
    await workAfter(1);
    expect(await told(channelId)).toContain(`unacknowledged 3 ${chief}`);
  });

  test('an escalation that was due during an outage is sent once, marked as late, and the next one follows it', async () => {
    const { channelId } = await raised();
    await workAfter(45, 2);
    const late = (await bench.told(channelId)).filter(
      ({ kind, channel }) => kind === 'unacknowledged' && channel === 'email',
    );
    expect(late.map((each) => each.late)).toEqual([true, true]);
    await workAfter(19);
    expect(await told(channelId)).not.toContain(`unacknowledged 3 ${chief}`);
    await workAfter(1);
    expect((await bench.told(channelId)).at(-1)).toMatchObject({ to: chief, late: false });
  });

  test('who was told of a level by an escalation is not told again when the alarm reaches it', async () => {
    const { channelId } = await raised();
    await workAfter(10);
    await climb(channelId);
    await workAfter(0);
    expect((await told(channelId)).filter((each) => each.includes(` 2 `)).sort()).toEqual(
      [`unacknowledged 2 ${nurse}`, `unacknowledged 2 ${head}`].sort(),
    );
  });

  test('the repeats of an escalated level begin when the alarm reaches it, in place of those of lower levels', async () => {
    const { channelId } = await bench.watched([
      { ...email(nurse), repeatMs: 10 * MIN, escalation: { afterMs: 5 * MIN, toLevel: 2 } },
      { ...email(nurse, head), ...ABOVE_10, repeatMs: 10 * MIN },
    ]);
    await read(channelId, 9);
    await workAfter(5);
    await workAfter(45);
    const repeated = async () => (await told(channelId)).filter((each) => each.startsWith('repeated'));
    expect(new Set(await repeated())).toEqual(new Set([`repeated 1 ${nurse}`]));
    await climb(channelId);
    const before = (await repeated()).length;
    await workAfter(10);
    expect((await repeated()).slice(before).sort()).toEqual(
      [`repeated 2 ${nurse}`, `repeated 2 ${head}`].sort(),
    );
  });

  test('a policy that was disabled or lost its escalation meanwhile does not escalate', async () => {
    const edited = await raised();
    await bench.edit(edited.policyId, [{ ...email(nurse) }, { ...email(head), ...HOUR_LATER }]);
    await workAfter(10);
    expect(await told(edited.channelId)).toEqual([`raised 1 ${nurse}`]);
  });
});

describe('escalation plans of organisations', () => {
  let plans = 0;

  beforeEach(() => bench.pool.query('delete from alarm_escalation_plan'));

  /** Creates a plan of the organisation of the alarms: recipients of e-mails by minutes. */
  async function plan(
    steps: readonly { afterMinutes: number; recipients: number[]; recipientType?: string }[],
    lowestLevel = 1,
    path?: string,
  ): Promise<number> {
    const { rows } = await bench.pool.query<{ id: string }>(
      `insert into alarm_escalation_plan (organization_id, name, description, enabled, lowest_level, steps, changed_by,
                                          changed_at)
       select id, $1, '', true, $2, $3, 'test', now() from organization where $4::text is null or path = $4
        order by id limit 1 returning id`,
      [
        `Plan ${++plans}`,
        lowestLevel,
        JSON.stringify(
          steps.map((step) => ({ recipientType: 'receivers', channels: ['email'], url: '', ...step })),
        ),
        path ?? null,
      ],
    );
    return Number(rows[0]?.id);
  }

  const alarm = async () => {
    const { channelId } = await bench.watched([{ ...email(nurse) }, { ...ABOVE_10 }]);
    await read(channelId, 9);
    return channelId;
  };
  const escalated = async (channelId: number) =>
    (await told(channelId))
      .filter((each) => each.startsWith('unacknowledged'))
      .map((each) => Number(each.split(' ')[2]));

  test('each step is sent once by one of two workers, after its time since the alarm was raised', async () => {
    await plan([
      { afterMinutes: 30, recipients: [head] },
      { afterMinutes: 60, recipients: [head, chief] },
    ]);
    const channelId = await alarm();
    await workAfter(29, 2);
    expect(await escalated(channelId)).toEqual([]);
    await workAfter(1, 2);
    expect(await escalated(channelId)).toEqual([head]);
    await workAfter(30, 2);
    expect((await escalated(channelId)).sort()).toEqual([head, head, chief].sort());
    await read(channelId, 5);
    await workAfter(60, 2);
    expect((await told(channelId)).filter((each) => each.startsWith('ended')).sort()).toEqual(
      [nurse, head, chief].map((id) => `ended 1 ${id}`).sort(),
    );
  });

  test('a recipient of several plans is told once at the same moment, whichever workers find the plans', async () => {
    await plan([{ afterMinutes: 30, recipients: [head] }]);
    await plan([{ afterMinutes: 30, recipients: [head, chief] }]);
    const alarms = [];
    for (let i = 0; i < 8; i++) alarms.push(await alarm());
    await workAfter(30, 4);
    await workAfter(1, 4);
    for (const channelId of alarms) expect((await escalated(channelId)).sort()).toEqual([head, chief].sort());
  });

  test('an acknowledgement stops a plan, and it begins again when the alarm climbs above it', async () => {
    await plan([{ afterMinutes: 30, recipients: [head] }]);
    const channelId = await alarm();
    await bench.acknowledge(channelId);
    await workAfter(40);
    expect(await escalated(channelId)).toEqual([]);
    await climb(channelId);
    await workAfter(30);
    expect(await escalated(channelId)).toEqual([head]);
  });

  test('a plan waits while the alarm is below its lowest level', async () => {
    await plan([{ afterMinutes: 30, recipients: [head] }], 2);
    const channelId = await alarm();
    await workAfter(40);
    expect(await escalated(channelId)).toEqual([]);
    await climb(channelId);
    await workAfter(1);
    expect(await escalated(channelId)).toEqual([head]);
  });

  test('an alarm that has ended is not escalated by a plan', async () => {
    await plan([{ afterMinutes: 30, recipients: [head] }]);
    const channelId = await alarm();
    time.now += MIN;
    await read(channelId, 5);
    await workAfter(60);
    expect(await escalated(channelId)).toEqual([]);
  });

  test('steps that were due during an outage tell a recipient once, marked as late', async () => {
    await plan([
      { afterMinutes: 10, recipients: [head] },
      { afterMinutes: 20, recipients: [head] },
    ]);
    const channelId = await alarm();
    await workAfter(45, 2);
    expect(await escalated(channelId)).toEqual([head]);
    expect(
      (await bench.told(channelId)).filter(({ to, kind }) => to === head && kind === 'unacknowledged'),
    ).toMatchObject([{ late: true }]);
  });

  test('plans of organisations beside or below that of the alarm, disabled and deleted plans tell nobody', async () => {
    const { rows } = await bench.pool.query<{ path: string }>(
      'select path from organization order by id limit 1',
    );
    const below = `${rows[0]?.path}990/`;
    for (const path of [below, '/991/'])
      await bench.pool.query(
        `insert into organization (name, path, code, level) values ($1, $1, $1, 'org')`,
        [path],
      );
    await plan([{ afterMinutes: 30, recipients: [head] }], 1, below);
    await plan([{ afterMinutes: 30, recipients: [head] }], 1, '/991/');
    const disabled = await plan([{ afterMinutes: 30, recipients: [head] }]);
    const deleted = await plan([{ afterMinutes: 30, recipients: [head] }]);
    const channelId = await alarm();
    await bench.pool.query('update alarm_escalation_plan set enabled = false where id = $1', [disabled]);
    await bench.pool.query('delete from alarm_escalation_plan where id = $1', [deleted]);
    await workAfter(40);
    expect(await escalated(channelId)).toEqual([]);
  });
});
