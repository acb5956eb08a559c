import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { MESSAGES_PER_DAY } from '@isotherm/domain/alarms/daily-limit';
import type { LateNotifications } from '@isotherm/domain/alarms/graded-policy';
import { GROUP_WINDOW_MS } from '@isotherm/domain/alarms/storm';
import { createTranslator } from '@isotherm/i18n/translator';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Caller } from '../../../platform/http/caller.ts';
import { prepareJobs } from '../../../platform/jobs/jobs.ts';
import { createLog } from '../../../platform/log.ts';
import { createMessages } from '../../../platform/messages/messages.ts';
import type { Letter } from '../../../platform/messages/transport.ts';
import { createOutgoing } from '../../../platform/outgoing/outgoing.ts';
import { createSealing } from '../../../platform/sealing.ts';
import { type NotificationBench, startNotificationBench } from '../../../testing/notification-bench.ts';
import { listMessages } from '../alarm-actions.repo.ts';
import { createAlarmsService } from '../alarms.service.ts';
import { createNotifier } from './notifier.ts';
import { createUrlPush } from './url-push.ts';

const MIN = 60_000;
const HOUR = 60 * MIN;
const time = { now: Date.UTC(2026, 5, 1, 8) };
const clock = { now: () => time.now };
const log = createLog('silent', false);
const sealing = createSealing('a secret of the tests, long enough for anybody');
const translate = createTranslator();
let bench: NotificationBench;
let letters: Letter[] = [];
let pushes: { displayTitle: string }[] = [];
let hookStatus = 200;
let hook: Server;
let hookUrl: string;

beforeAll(async () => {
  bench = await startNotificationBench(time);
  await prepareJobs(bench.pool, log);
  hook = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (piece) => {
      body += piece;
    });
    request.on('end', () => {
      pushes.push(JSON.parse(body));
      response.writeHead(hookStatus).end();
    });
  });
  await new Promise<void>((ready) => hook.listen(0, '127.0.0.1', ready));
  hookUrl = `http://127.0.0.1:${(hook.address() as AddressInfo).port}/alarms`;
});
afterAll(async () => {
  await new Promise((closed) => hook.close(closed));
  await bench.stop();
});
beforeEach(async () => {
  // Each test begins on another day at 08:00 UTC, a Monday to Sunday in turn.
  time.now = Math.ceil(time.now / (24 * HOUR)) * 24 * HOUR + 8 * HOUR;
  await bench.pool.query(`update alarm_notification set state = 'cancelled' where state = 'pending'`);
  letters = [];
  pushes = [];
  hookStatus = 200;
});

/** One worker: its notifier and its own instance of the message outbox. */
function worker() {
  const messages = createMessages({
    pool: bench.pool,
    sealing,
    clock,
    translate,
    transports: {
      email: async (letter) => {
        letters.push(letter);
      },
    },
    keepsReadable: true,
  });
  const notifier = createNotifier({
    pool: bench.pool,
    messages,
    urlPush: createUrlPush({ pool: bench.pool, outgoing: createOutgoing(['127.0.0.1']), sealing, clock }),
    clock,
    translate,
    log,
    consoleUrl: 'https://console.example',
  });
  return {
    ...notifier,
    async work(): Promise<void> {
      await notifier.deliverDue();
      const { rows } = await bench.pool.query<{ id: number }>(
        `select id from message where status = 'pending' order by id`,
      );
      for (const { id } of rows) await messages.tasks[0]?.run({ id });
    },
  };
}

type Step = Parameters<NotificationBench['watched']>[0][number];

async function channels(count: number, ...steps: Step[]): Promise<number[]> {
  const made = [];
  for (let i = 0; i < count; i++) made.push((await bench.watched(steps)).channelId);
  return made;
}

const sendAll = (channelIds: readonly number[], value: number) =>
  bench.sendAll(channelIds, [{ at: time.now, value }]);

const email = (id: number): Step => ({ recipients: [id], channels: ['email'] });

/** The notifications of the alarms of a channel, as the page of the alarm shows them. */
async function shown(channelId: number) {
  const { rows } = await bench.pool.query<{ id: number }>(
    'select id::int as id from alarm where channel_id = $1 order by id',
    [channelId],
  );
  return (await Promise.all(rows.map(({ id }) => listMessages(bench.pool, id)))).flat();
}

describe('messages about several alarms of a site', () => {
  test('alarms that are raised at once are one e-mail with the worst ten and a link to the list', async () => {
    const nurse = await bench.receiver();
    const raised = await channels(12, email(nurse));
    await sendAll(raised, 9);
    await worker().work();
    expect(letters).toHaveLength(1);
    const [{ subject, text } = { subject: '', text: '' }] = letters;
    expect(subject).toMatch(/^Bench: 12 alarms, highest level 1, first at /);
    expect(text.match(/^Level 1: /gm)).toHaveLength(10);
    expect(text).toContain('and 2 more');
    expect(text).toMatch(/https:\/\/console\.example\/alarm\/current\?organizationId=\d+&sort=level/);
    for (const channelId of raised)
      expect(await shown(channelId)).toMatchObject([
        { state: 'sent', group: { cause: 'site', site: 'Bench', alarms: 12 } },
      ]);
  });

  test('the first alarm of a storm is sent at once, and those after it half a minute later in one e-mail', async () => {
    const nurse = await bench.receiver();
    const [first, ...rest] = await channels(6, email(nurse));
    await sendAll([first as number], 9);
    await worker().work();
    expect(letters).toHaveLength(1);
    time.now += 5_000;
    await sendAll(rest, 9);
    await worker().work();
    expect(letters).toHaveLength(1);
    expect(await shown(rest[0] as number)).toMatchObject([{ state: 'pending', waits: 'group' }]);
    time.now += GROUP_WINDOW_MS - 5_000;
    await worker().work();
    expect(letters.map(({ subject }) => subject.includes('5 alarms'))).toEqual([false, true]);
    expect(await shown(rest[0] as number)).toMatchObject([
      { state: 'sent', late: false, group: { alarms: 5 } },
    ]);
  });

  test('an alarm that ends before the message about it is reported as raised and as ended, in this order', async () => {
    const nurse = await bench.receiver();
    const [first, second, third] = (await channels(3, email(nurse))) as [number, number, number];
    await sendAll([first], 9);
    await worker().work();
    await sendAll([second, third], 9);
    time.now += 10_000;
    await sendAll([second, third], 5);
    await worker().work();
    expect(letters).toHaveLength(1);
    time.now += GROUP_WINDOW_MS;
    await worker().work();
    expect(letters.slice(1).map(({ subject }) => subject.slice(0, 20))).toEqual([
      'Bench: 2 alarms, hig',
      'Ended: Bench: 2 alar',
    ]);
  });

  test('an alarm of level 5 is sent alone and at once, also during a storm', async () => {
    const nurse = await bench.receiver();
    const worst: Step = { ...email(nurse), level: 5, triggerAfterMs: MIN };
    const ordinary = await channels(3, email(nurse));
    const severe = await channels(2, worst);
    await sendAll([...ordinary, ...severe], 9);
    await worker().work();
    time.now += MIN;
    await sendAll(severe, 9);
    await worker().work();
    expect(letters.map(({ subject }) => subject.slice(0, 8))).toEqual(['Bench: 3', 'Level 5 ', 'Level 5 ']);
    expect(await shown(severe[0] as number)).toMatchObject([{ state: 'sent', group: null }]);
  });

  test('workers that run at the same moment and again later tell each alarm of a storm exactly once', async () => {
    const nurse = await bench.receiver();
    const head = await bench.receiver({ email: 'head@example.com' });
    const raised = await channels(40, { recipients: [nurse, head], channels: ['email'] });
    const workers = [worker(), worker(), worker()];
    const all = () => Promise.all([...workers, ...workers].map((each) => each.deliverDue()));
    await sendAll(raised.slice(0, 20), 9);
    await all();
    await sendAll(raised.slice(20), 9);
    await all();
    time.now += GROUP_WINDOW_MS;
    await all();
    const { rows } = await bench.pool.query(
      `select count(*)::int as told, count(distinct (n.recipient_id, n.message_id))::int as messages,
              count(distinct (n.alarm_id, n.recipient_id))::int as pairs, bool_and(n.state = 'sending') as "isSent"
         from alarm_notification n join alarm a on a.id = n.alarm_id where a.channel_id = any($1)`,
      [raised],
    );
    const [{ messages, ...rest }] = rows;
    expect(rest).toEqual({ told: 80, pairs: 80, isSent: true });
    // A message for each recipient at once and half a minute later, or several if workers share what is due.
    expect(messages).toBeLessThanOrEqual(2 * 2 * workers.length);
  });

  test('URL pushes of a storm are one request, which is repeated until it is accepted', async () => {
    const raised = await channels(4, { channels: ['url-push'], url: hookUrl });
    await sendAll(raised, 9);
    hookStatus = 503;
    await worker().work();
    expect(pushes).toHaveLength(1);
    expect(await shown(raised[3] as number)).toMatchObject([
      { state: 'sending', error: 'HTTP 503', attempts: 1 },
    ]);
    hookStatus = 200;
    time.now += MIN;
    await worker().work();
    await worker().work();
    expect(pushes).toHaveLength(2);
    expect(pushes[1]?.displayTitle).toMatch(/^Bench: 4 alarms, highest level 1/);
    for (const channelId of raised)
      expect(await shown(channelId)).toMatchObject([{ state: 'sent', attempts: 2, group: { alarms: 4 } }]);
  });
});

test('the list groups the alarms of an incident, worst first, for callers in whose scope they are', async () => {
  const raised = await channels(6, {});
  await sendAll(raised, 9);
  const { rows: ids } = await bench.pool.query<{ id: number }>(
    'select id::int as id from alarm where channel_id = any($1) order by id',
    [raised],
  );
  const service = createAlarmsService(bench.pool);
  const groupsOf = async (scope: string) =>
    (
      await service.groups({ scope, language: 'en' } as Caller, {
        show: 'all',
        search: '',
        sort: 'level',
        order: 'desc',
      })
    ).groups;
  const [group] = (await groupsOf('/999999999/')).filter(({ ids: all }) => all.includes(ids[0]?.id ?? 0));
  expect(group).toMatchObject({ cause: 'site', site: 'Bench', highestLevel: 1, required: ['reason'] });
  expect(group?.ids).toEqual(ids.map(({ id }) => id));
  expect(group?.unacknowledged).toEqual(group?.ids);
  expect(group?.worst).toHaveLength(6);
  expect(await groupsOf('/elsewhere/')).toEqual([]);
});

describe('limit of e-mails about one device on a day', () => {
  test('after 200 e-mails, others fail with the reason, their recipient is told once, and level 5 is sent', async () => {
    const nurse = await bench.receiver();
    const { channelId } = await bench.watched([
      email(nurse),
      { ...email(nurse), level: 5, triggerAfterMs: 10 * MIN },
    ]);
    await bench.pool.query(
      `insert into alarm_message_count (device_id, channel, day, sent)
       select device_id, 'email', $2::date, $3 from channel where id = $1`,
      [channelId, new Date(time.now).toISOString().slice(0, 10), MESSAGES_PER_DAY - 1],
    );
    const step = async (minutes: number, value: number) => {
      time.now += minutes * MIN;
      await bench.send(channelId, [{ at: time.now, value }]);
      await worker().work();
    };
    await step(0, 9);
    await step(1, 5);
    await step(1, 9);
    await step(1, 5);
    expect(letters.map(({ subject }) => subject.slice(0, 12))).toEqual(['Level 1 alar', 'No more alar']);
    for (let minute = 0; minute <= 10; minute += 5) await step(minute === 0 ? 1 : 5, 9);
    expect(letters.map(({ subject }) => subject.slice(0, 7))).toEqual(['Level 1', 'No more', 'Level 5']);
    expect((await shown(channelId)).map(({ kind, state, error }) => [kind, state, error])).toEqual([
      ['raised', 'sent', ''],
      ['ended', 'failed', 'daily limit'],
      ['raised', 'failed', 'daily limit'],
      ['ended', 'failed', 'daily limit'],
      ['raised', 'failed', 'daily limit'],
      ['level-changed', 'sent', ''],
    ]);
    await bench.send(channelId, [{ at: time.now + MIN, value: 5 }]);
    time.now += 16 * HOUR;
    await worker().work();
    expect(letters).toHaveLength(4);
  });
});

describe('late alarms', () => {
  /** Kinds and late marks of what a nurse is told after a device sends the readings of three hours at once. */
  async function told(lateNotifications: LateNotifications | undefined, ends: boolean) {
    const nurse = await bench.receiver();
    const { channelId } = await bench.watched(
      [{ ...email(nurse), repeatMs: 30 * MIN, escalation: { afterMs: 5 * MIN, toLevel: 2 } }, email(nurse)],
      0,
      'receivers',
      { lateNotifications },
    );
    time.now += 3 * HOUR;
    await bench.send(channelId, [
      { at: time.now - 2 * HOUR, value: 9 },
      ...(ends ? [{ at: time.now - 2 * HOUR + 30_000, value: 5 }] : []),
    ]);
    await worker().work();
    return (await shown(channelId))
      .filter(({ state }) => state === 'sent')
      .map(({ kind, late }) => `${kind}${late ? ' late' : ''}`);
  }

  test.each<[LateNotifications | undefined, boolean, string[]]>([
    [undefined, true, []],
    [undefined, false, ['raised late']],
    ['if-outside', true, []],
    ['if-outside', false, ['raised late']],
    ['always', true, ['raised late']],
    ['always', false, ['raised late']],
    ['never', true, []],
    ['never', false, []],
  ])('policy %s, alarm is over: %s', async (policy, ends, expected) => {
    expect(await told(policy, ends)).toEqual(expected);
    const { rows } = await bench.pool.query(
      `select count(*)::int as pending from alarm_notification where state = 'pending' and channel = 'escalation'`,
    );
    expect(rows[0].pending).toBe(expected.length > 0 && !ends ? 1 : 0);
  });

  test.each<[LateNotifications, string[]]>([
    ['if-outside', []],
    ['always', ['raised']],
    ['never', []],
  ])(
    'an alarm that begins and ends within one fresh message is told by the policy %s: %j',
    async (policy, expected) => {
      const nurse = await bench.receiver();
      const { channelId } = await bench.watched([email(nurse)], 0, 'receivers', {
        lateNotifications: policy,
      });
      time.now += MIN;
      await bench.send(channelId, [
        { at: time.now - 20_000, value: 9 },
        { at: time.now - 10_000, value: 5 },
      ]);
      await worker().work();
      expect((await shown(channelId)).map(({ kind }) => kind)).toEqual(expected);
      expect(letters).toHaveLength(expected.length);
    },
  );

  test('a policy that tells no late alarms tells those that are raised in time', async () => {
    const nurse = await bench.receiver();
    const { channelId } = await bench.watched([email(nurse)], 0, 'receivers', { lateNotifications: 'never' });
    await sendAll([channelId], 9);
    await worker().work();
    expect(letters).toHaveLength(1);
  });
});

describe('instructions of a policy', () => {
  test('a message contains the instruction of the highest level up to that of the alarm, its end none', async () => {
    const nurse = await bench.receiver();
    const [channelId] = (await channels(
      1,
      { ...email(nurse), instruction: 'Close the door.' },
      { ...email(nurse) },
      { ...email(nurse), instruction: 'Move the vaccines to fridge 04.' },
    )) as [number];
    for (const value of [9, 9, 9, 5]) {
      await sendAll([channelId], value);
      await worker().work();
      time.now += MIN;
    }
    expect(letters.map(({ text }) => /^What to do: (.*)$/m.exec(text)?.[1])).toEqual([
      'Close the door.',
      'Close the door.',
      'Move the vaccines to fridge 04.',
      undefined,
    ]);
  });
});

describe('quiet hours of a recipient', () => {
  const quietNurse = async () => {
    const id = await bench.receiver();
    await bench.pool.query('update alarm_receiver set quiet_hours = $2 where id = $1', [
      id,
      JSON.stringify({ days: [1, 2, 3, 4, 5, 6, 7], from: '07:00', until: '12:00' }),
    ]);
    return id;
  };

  test('an alarm waits until their end and is then sent as late if nobody has acknowledged it', async () => {
    const [open, acknowledged] = (await channels(2, email(await quietNurse()))) as [number, number];
    await sendAll([open, acknowledged], 9);
    await worker().work();
    expect(letters).toEqual([]);
    const twelve = time.now + 4 * HOUR;
    expect(await shown(open)).toMatchObject([
      { state: 'pending', waits: 'quiet', dueAt: new Date(twelve).toISOString() },
    ]);
    await bench.acknowledge(acknowledged);
    time.now = twelve;
    await worker().work();
    expect(letters.map(({ subject }) => subject)).toEqual([
      expect.stringMatching(/^Level 1 alarm: .*\(late\)$/),
    ]);
    expect(await shown(acknowledged)).toMatchObject([{ state: 'cancelled', error: 'quiet hours' }]);
  });

  test('an alarm that is over before their end is told neither as raised nor as ended', async () => {
    const [channelId] = (await channels(1, email(await quietNurse()))) as [number];
    await sendAll([channelId], 9);
    await worker().work();
    time.now += MIN;
    await sendAll([channelId], 5);
    await worker().work();
    time.now += 6 * HOUR;
    await worker().work();
    expect(letters).toEqual([]);
    expect((await shown(channelId)).map(({ kind, state }) => [kind, state])).toEqual([
      ['raised', 'cancelled'],
      ['ended', 'cancelled'],
    ]);
  });

  test('an alarm of level 5 is sent during them', async () => {
    const [channelId] = (await channels(1, {
      ...email(await quietNurse()),
      level: 5,
      triggerAfterMs: MIN,
    })) as [number];
    await sendAll([channelId], 9);
    time.now += MIN;
    await sendAll([channelId], 9);
    await worker().work();
    expect(letters).toHaveLength(1);
  });

  test('a repeat waits until their end and is then sent once', async () => {
    const nurse = await bench.receiver();
    const [channelId] = (await channels(1, { ...email(nurse), repeatMs: 30 * MIN })) as [number];
    await sendAll([channelId], 9);
    await worker().work();
    await bench.pool.query('update alarm_receiver set quiet_hours = $2 where id = $1', [
      nurse,
      JSON.stringify({ days: [1, 2, 3, 4, 5, 6, 7], from: '08:00', until: '12:00' }),
    ]);
    for (let minute = 0; minute < 240; minute += 30) {
      time.now += 30 * MIN;
      await worker().work();
    }
    expect(letters.map(({ subject }) => subject.slice(0, 16))).toEqual([
      'Level 1 alarm: T',
      'Not acknowledged',
    ]);
  });

  test('what waits is sent when its recipient ends the quiet hours', async () => {
    const nurse = await quietNurse();
    const [channelId] = (await channels(1, email(nurse))) as [number];
    await sendAll([channelId], 9);
    await worker().work();
    await bench.pool.query('update alarm_receiver set quiet_hours = null where id = $1', [nurse]);
    await worker().work();
    expect(letters).toHaveLength(1);
  });
});
