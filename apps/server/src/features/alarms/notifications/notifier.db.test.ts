import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { jitterOf, nextAttempt } from '@isotherm/domain/alarms/notification';
import { GROUP_WINDOW_MS } from '@isotherm/domain/alarms/storm';
import { createTranslator } from '@isotherm/i18n/translator';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createInvalidations } from '../../../platform/cache/invalidations.ts';
import { prepareJobs } from '../../../platform/jobs/jobs.ts';
import { createLog } from '../../../platform/log.ts';
import { createMessages } from '../../../platform/messages/messages.ts';
import { type Letter, RefusedLetterError, type Transports } from '../../../platform/messages/transport.ts';
import { createOutgoing } from '../../../platform/outgoing/outgoing.ts';
import { createSealing } from '../../../platform/sealing.ts';
import { type NotificationBench, startNotificationBench } from '../../../testing/notification-bench.ts';
import { createOwnTexts } from '../templates/own-texts.ts';
import { createNotifier } from './notifier.ts';
import { createSlowOrigins } from './slow-origins.ts';
import { createUrlPush, pushKeyOf } from './url-push.ts';

const MIN = 60_000;
const HOUR = 60 * MIN;
const START = Date.UTC(2026, 5, 1, 8);

const time = { now: START };
const clock = { now: () => time.now };
const log = createLog('silent', false);
const sealing = createSealing('a secret of the tests, long enough for anybody');
const translate = createTranslator();
let bench: NotificationBench;
let nurse: number;

let letters: Letter[] = [];
/** What the mail server does with an e-mail; a test can make it throw. */
let accept: (letter: Letter) => void = () => undefined;

interface Received {
  headers: IncomingHttpHeaders;
  body: string;
}
let received: Received[] = [];
/** Status that the receiver of URL pushes responds with; null closes the connection without a response. */
let hookStatus: number | null = 200;
let hook: Server;
let hookUrl: string;

beforeAll(async () => {
  bench = await startNotificationBench(time);
  await prepareJobs(bench.pool, log);
  nurse = await bench.receiver();
  hook = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (piece) => {
      body += piece;
    });
    request.on('end', () => {
      received.push({ headers: request.headers, body });
      if (hookStatus === null) request.socket.destroy();
      else response.writeHead(hookStatus).end();
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
  time.now += 48 * HOUR;
  await bench.pool.query(`update alarm_notification set state = 'cancelled' where state = 'pending'`);
  letters = [];
  received = [];
  hookStatus = 200;
});
afterEach(() => {
  accept = () => undefined;
});

/** One worker: its notifier and its own instance of the message outbox. */
function worker(
  transports: Transports = {
    email: async (letter) => {
      accept(letter);
      letters.push(letter);
    },
  },
  networks = ['127.0.0.1'],
) {
  const messages = createMessages({
    pool: bench.pool,
    sealing,
    clock,
    translate,
    transports,
    keepsReadable: true,
  });
  const notifier = createNotifier({
    pool: bench.pool,
    messages,
    urlPush: createUrlPush({
      pool: bench.pool,
      outgoing: createOutgoing(networks),
      sealing,
      clock,
    }),
    clock,
    translate,
    log,
    consoleUrl: 'https://console.example',
    // Without notifications of changes nothing is kept.
    ownTexts: createOwnTexts(createInvalidations(false)),
  });
  return {
    ...notifier,
    /** Delivers the due notifications and then their messages, as the job queue does. */
    async work(): Promise<void> {
      await notifier.deliverDue();
      const { rows } = await bench.pool.query<{ id: number }>(
        `select id from message where status = 'pending' order by id`,
      );
      for (const { id } of rows) await messages.tasks[0]?.run({ id }).catch(() => undefined);
    },
  };
}

async function read(channelId: number, value: number): Promise<void> {
  await bench.send(channelId, [{ at: time.now, value }]);
}

async function raised(...steps: Parameters<NotificationBench['watched']>[0]) {
  const made = await bench.watched(steps);
  await read(made.channelId, 9);
  return made;
}

const repeating = (): Parameters<NotificationBench['watched']>[0][number] => ({
  recipients: [nurse],
  channels: ['email'],
  repeatMs: 10 * MIN,
});

describe('notifications of an on-call schedule', () => {
  /** Creates a rota with daily handovers at 00:00 UTC that starts with the first person on the day of the test. */
  async function schedule(people: readonly number[]): Promise<number> {
    const { rows } = await bench.pool.query<{ id: string }>(
      `insert into alarm_on_call_schedule (organization_id, name, description, people, starts_on, handover_at, time_zone,
                                           turn_days, changed_by, changed_at)
       select id, $1, '', $2, $3, '00:00', 'UTC', 1, 'test', now() from organization order by id limit 1 returning id`,
      [
        `Schedule ${Math.random()}`,
        JSON.stringify(people.map((id) => ({ type: 'receivers', id }))),
        new Date(time.now).toISOString().slice(0, 10),
      ],
    );
    return Number(rows[0]?.id);
  }

  const away = (scheduleId: number, person: number, hours: number) =>
    bench.pool.query(
      `insert into alarm_on_call_change (schedule_id, kind, person_type, person_id, starts_at, ends_at)
       values ($1, 'leave', 'receivers', $2, $3, $4)`,
      [scheduleId, person, new Date(time.now - HOUR), new Date(time.now + hours * HOUR)],
    );

  const raisedFor = async (id: number, repeatMs: number | null = null) => {
    const made = await bench.watched([{ recipients: [id], channels: ['email'], repeatMs }], 0, 'on-call');
    await read(made.channelId, 9);
    return made.channelId;
  };

  const people = async (channelId: number) => {
    const { rows } = await bench.pool.query(
      `select n.kind, n.state, n.person_type as type, n.person_id::int as id, n.error
         from alarm_notification n join alarm a on a.id = n.alarm_id
        where a.channel_id = $1 and n.state <> 'pending' order by n.first_due_at, n.id`,
      [channelId],
    );
    return rows;
  };

  test('each notification goes to the person who is on call when it is due, and the person is stored', async () => {
    const [day, night] = [
      await bench.receiver({ email: 'day@example.com' }),
      await bench.receiver({ email: 'night@example.com' }),
    ];
    const channelId = await raisedFor(await schedule([day, night]), 24 * HOUR);
    await worker().work();
    time.now += 24 * HOUR;
    await worker().work();
    expect(letters.map(({ recipient }) => recipient)).toEqual(['day@example.com', 'night@example.com']);
    expect(await people(channelId)).toMatchObject([
      { kind: 'raised', state: 'sent', type: 'receivers', id: day },
      { kind: 'repeated', state: 'sent', type: 'receivers', id: night },
    ]);
  });

  test('while nobody is on call, the notification of an open alarm waits and is then sent as late', async () => {
    const person = await bench.receiver({ email: 'back@example.com' });
    const id = await schedule([person]);
    await away(id, person, 3);
    const channelId = await raisedFor(id);
    await worker().work();
    expect(await bench.told(channelId)).toMatchObject([
      { kind: 'raised', state: 'pending', error: 'nobody on call' },
    ]);
    time.now += 3 * HOUR;
    await worker().work();
    expect(letters).toMatchObject([{ recipient: 'back@example.com' }]);
    expect(await bench.told(channelId)).toMatchObject([{ state: 'sent', late: true, error: '' }]);
  });

  test('a notification that waits fails when the alarm has ended, and so does the end', async () => {
    const person = await bench.receiver();
    const id = await schedule([person]);
    await away(id, person, 3);
    const channelId = await raisedFor(id);
    await worker().work();
    time.now += HOUR;
    await read(channelId, 5);
    await worker().work();
    expect(await people(channelId)).toMatchObject([
      { kind: 'raised', state: 'failed', error: 'nobody on call' },
      { kind: 'ended', state: 'failed', error: 'nobody on call' },
    ]);
    expect(letters).toEqual([]);
  });

  test('a deleted receiver is never on call', async () => {
    const person = await bench.receiver();
    const id = await schedule([person]);
    await bench.pool.query('delete from alarm_receiver where id = $1', [person]);
    const channelId = await raisedFor(id);
    await worker().work();
    expect(await bench.told(channelId)).toMatchObject([{ state: 'pending', error: 'nobody on call' }]);
  });
});

describe('repeated notifications of an alarm', () => {
  test('each repeat is sent once by one of two workers at its due time, until somebody acknowledges the alarm', async () => {
    const { channelId } = await raised(repeating());
    const workers = [worker(), worker()];
    const both = () => Promise.all(workers.map((each) => each.deliverDue()));
    const sent = async () => {
      const { rows } = await bench.pool.query(
        `select count(*)::int as n from message where created_at = $1`,
        [new Date(time.now)],
      );
      return rows[0].n as number;
    };
    await both();
    expect(await sent()).toBe(1);
    time.now += 10 * MIN - 1;
    await both();
    expect(await sent()).toBe(0);
    for (let repeats = 0; repeats < 3; repeats++) {
      time.now += repeats === 0 ? 1 : 10 * MIN;
      await both();
      expect(await sent()).toBe(1);
    }
    await bench.acknowledge(channelId);
    time.now += 10 * MIN;
    await both();
    expect(await sent()).toBe(0);
    expect((await bench.told(channelId)).map(({ nth, state }) => [nth, state])).toEqual([
      [0, 'sending'],
      [1, 'sending'],
      [2, 'sending'],
      [3, 'sending'],
      [4, 'cancelled'],
    ]);
  });

  test('several workers that run at the same moment send the repeats of many alarms, each exactly once', async () => {
    const alarms = [];
    for (let i = 0; i < 12; i++) alarms.push(await raised(repeating()));
    time.now += 10 * MIN;
    const workers = [worker(), worker(), worker()];
    const from = new Date(time.now);
    await Promise.all([...workers, ...workers].map((each) => each.deliverDue()));
    time.now += GROUP_WINDOW_MS;
    await Promise.all([...workers, ...workers].map((each) => each.deliverDue()));
    const { rows } = await bench.pool.query(
      `select count(distinct m.id)::int as messages, count(distinct n.message_id)::int as used, count(n.id)::int as told
         from message m left join alarm_notification n on n.message_id = m.id where m.created_at >= $1`,
      [from],
    );
    const { messages, used, told } = rows[0];
    expect({ used, told }).toEqual({ used: messages, told: 24 });
    // A message about the new alarms and one about the repeats, or several if workers share what is due.
    expect(messages).toBeLessThanOrEqual(2 * 2 * workers.length);
    for (const { channelId } of alarms)
      expect((await bench.told(channelId)).map(({ nth, state }) => [nth, state])).toEqual([
        [0, 'sending'],
        [1, 'sending'],
        [2, 'pending'],
      ]);
  });

  test('repeats that were missed during an outage are sent once, in order, marked late, and later ones keep their schedule', async () => {
    const first = await raised(repeating());
    time.now += MIN;
    const second = await raised(repeating());
    const { work } = worker();
    await work();
    const { dueAt = 0 } = (await bench.told(first.channelId)).at(-1) ?? {};
    letters = [];
    time.now += 35 * MIN;
    await work();
    expect(letters).toHaveLength(1);
    expect(letters[0]?.subject).toMatch(/2 alarms, .* \(late\)$/);
    const told = [...(await bench.told(first.channelId)), ...(await bench.told(second.channelId))];
    const late = told.filter(({ nth }) => nth === 1);
    expect(late.map((each) => each.late)).toEqual([true, true]);
    expect(told.find(({ nth }) => nth === 2)?.dueAt).toBe(dueAt + 30 * MIN);
    time.now += 4 * MIN;
    await work();
    expect((await bench.told(first.channelId)).find(({ nth }) => nth === 2)).toMatchObject({ late: false });
  });

  test('the repeats of a level pause while the alarm is at a lower level and resume when it rises again', async () => {
    const { channelId } = await bench.watched([
      {},
      { ...repeating(), limits: [{ quantity: 'temperature', low: null, high: 10 }] },
    ]);
    for (const value of [9, 11, 11, 9, 9]) {
      time.now += MIN;
      await read(channelId, value);
    }
    const { work } = worker();
    await work();
    expect(letters).toHaveLength(1);
    time.now += 8 * MIN;
    await work();
    expect(letters).toHaveLength(1);
    for (const value of [11, 11]) {
      time.now += MIN;
      await read(channelId, value);
    }
    time.now += 8 * MIN;
    await work();
    expect(letters.map(({ subject }) => subject.slice(0, 25))).toEqual([
      'Level 2 alarm: Too warm, ',
      'Not acknowledged, level 2',
    ]);
  });

  test('the repeats stop for an acknowledged level, and a higher level is notified and repeated until it is acknowledged', async () => {
    const { channelId } = await raised(repeating(), repeating());
    const { work } = worker();
    await work();
    await bench.acknowledge(channelId);
    time.now += 2 * MIN;
    await read(channelId, 9);
    await work();
    expect(letters.map(({ subject }) => subject.slice(0, 8))).toEqual(['Level 1 ', 'Level 2 ']);
    time.now += 30 * MIN;
    await work();
    expect(letters.at(-1)?.subject).toMatch(/^Not acknowledged, level 2/);
    const before = letters.length;
    await bench.acknowledge(channelId);
    time.now += 60 * MIN;
    await work();
    expect(letters).toHaveLength(before);
    await read(channelId, 5);
    await work();
    expect(letters.at(-1)?.subject).toMatch(/^Ended: Too warm/);
    time.now += 30 * MIN;
    await work();
    expect(letters).toHaveLength(before + 1);
  });
});

describe('alarm e-mails', () => {
  test("an e-mail describes the alarm in the recipient's language and time zone, with a link", async () => {
    const ana = await bench.receiver({
      email: 'ana@example.com',
      language: 'es',
      timeZone: 'America/Lima',
    });
    const { channelId } = await raised({ recipients: [ana], channels: ['email'] });
    await worker().work();
    const { rows } = await bench.pool.query('select id from alarm where channel_id = $1', [channelId]);
    const [letter] = letters;
    expect(letter).toMatchObject({ recipient: 'ana@example.com' });
    expect(letter?.subject).toMatch(/^Alarma de nivel 1: /);
    expect(letter?.text).toContain('9,0 °C');
    expect(letter?.text).toContain('8,0 °C');
    const at = new Intl.DateTimeFormat('es', {
      dateStyle: 'medium',
      timeStyle: 'long',
      timeZone: 'America/Lima',
    }).format(time.now);
    expect(letter?.text).toContain(at);
    expect(letter?.text).toContain(`https://console.example/alarm/${rows[0].id}`);
    expect(await bench.told(channelId)).toMatchObject([{ state: 'sent', attempts: 1, error: '' }]);
  });

  test('an e-mail to a deleted recipient or one without address fails with a reason, and the other recipients get theirs', async () => {
    const gone = await bench.receiver();
    const mute = await bench.receiver({ email: '' });
    const { channelId } = await raised({ recipients: [gone, mute, nurse], channels: ['email'] });
    await bench.pool.query('delete from alarm_receiver where id = $1', [gone]);
    await worker().work();
    const told = await bench.told(channelId);
    expect(Object.fromEntries(told.map(({ to, state, error }) => [to, `${state} ${error}`.trim()]))).toEqual({
      [gone]: 'failed recipient removed',
      [mute]: 'failed no e-mail address',
      [nurse]: 'sent',
    });
  });

  test('an e-mail fails if no mail server is configured', async () => {
    const { channelId } = await raised({ recipients: [nurse], channels: ['email'] });
    await worker({}).work();
    expect(await bench.told(channelId)).toMatchObject([{ state: 'failed', error: 'no transport' }]);
  });

  test('an e-mail is retried for a day while the server is down, but not after the server refused it', async () => {
    const { channelId } = await raised({ recipients: [nurse], channels: ['email'] });
    accept = () => {
      throw new Error('connection refused');
    };
    const { work } = worker();
    for (let hours = 0; hours < 20; hours++) {
      await work();
      time.now += HOUR;
    }
    expect(await bench.told(channelId)).toMatchObject([
      { state: 'sending', attempts: 20, error: 'connection refused' },
    ]);
    accept = () => undefined;
    await work();
    expect(await bench.told(channelId)).toMatchObject([{ state: 'sent', attempts: 21, error: '' }]);

    accept = () => {
      throw new RefusedLetterError('550 no such mailbox');
    };
    const refused = await raised({ recipients: [nurse], channels: ['email'] });
    await work();
    await work();
    expect(await bench.told(refused.channelId)).toMatchObject([
      { state: 'failed', attempts: 1, error: '550 no such mailbox' },
    ]);
  });
});

describe('URL push', () => {
  const pushing = () => ({ channels: ['url-push' as const], url: hookUrl });

  test('a URL push posts the alarm with a signature that its receiver can verify', async () => {
    const { channelId, policyId } = await raised(pushing());
    await worker().work();
    expect(received).toHaveLength(1);
    const [{ headers, body } = { headers: {}, body: '' }] = received;
    expect(JSON.parse(body)).toEqual({
      event: '0003',
      eventField: 'temperature',
      displayTitle: expect.stringMatching(/^Level 1 alarm: Too warm, 9\d{7}$/),
      message: 'Air: 9.0 °C, limit 8.0 °C',
      dataTimestamp: new Date(time.now).toISOString(),
    });
    const signed = createHmac('sha256', pushKeyOf(sealing, policyId))
      .update(`${headers['x-isotherm-timestamp']}.${body}`)
      .digest('hex');
    expect(headers['x-isotherm-signature']).toBe(`sha256=${signed}`);
    expect(headers['x-isotherm-timestamp']).toBe(String(time.now / 1000));
    const [told] = await bench.told(channelId);
    expect(told).toMatchObject({ state: 'sent', attempts: 1, error: '' });
    expect(headers['x-isotherm-notification']).toBe(String(told?.id));

    time.now += MIN;
    await read(channelId, 5);
    await worker().work();
    expect(JSON.parse(received[1]?.body ?? '')).toMatchObject({
      event: '0002',
      message: 'Back to normal',
      dataTimestamp: new Date(time.now).toISOString(),
    });
  });

  test('a failed URL push is retried with growing delays and given up after a day', async () => {
    const { channelId } = await raised(pushing());
    const { work } = worker();
    const first = time.now;
    hookStatus = 503;
    await work();
    const [waiting] = await bench.told(channelId);
    const dueAt = nextAttempt(first, 1, first, jitterOf(waiting?.id ?? 0)) ?? 0;
    expect(waiting).toMatchObject({ state: 'pending', attempts: 1, error: 'HTTP 503', dueAt });
    time.now = dueAt - 1;
    await work();
    expect(received).toHaveLength(1);
    time.now += 1;
    hookStatus = null;
    await work();
    expect(await bench.told(channelId)).toMatchObject([{ attempts: 2, error: 'unreachable' }]);
    for (; time.now - first < 25 * HOUR; time.now += 10 * MIN) await work();
    const [given] = await bench.told(channelId);
    expect(given).toMatchObject({ state: 'failed', error: 'unreachable' });
    // The longest delay is 15 to 18 minutes, and this test looks every 10 minutes.
    expect(given?.attempts).toBeGreaterThan(70);
    hookStatus = 200;
    await work();
    expect(await bench.told(channelId)).toMatchObject([{ state: 'failed' }]);
  });

  test('a URL push to a private address is refused unless the operator permits it', async () => {
    const { channelId } = await raised(pushing());
    await worker(undefined, []).work();
    expect(received).toEqual([]);
    expect(await bench.told(channelId)).toMatchObject([{ state: 'pending', error: 'address_refused' }]);
  });

  test('a URL push is sent by another worker a minute later if the first worker dies', async () => {
    const { channelId } = await raised(pushing());
    let never: () => void = () => undefined;
    const dying = createNotifier({
      pool: bench.pool,
      messages: { canDeliver: () => false, enqueue: async () => 0, enqueueAll: async () => [] },
      urlPush: () =>
        new Promise((resolve) => {
          never = resolve;
        }),
      clock,
      translate,
      log,
      consoleUrl: null,
    });
    const dead = dying.deliverDue();
    await expect.poll(async () => (await bench.told(channelId))[0]?.attempts).toBe(1);
    const { work } = worker();
    await work();
    expect(received).toEqual([]);
    time.now += MIN;
    await work();
    expect(received).toHaveLength(1);
    expect(await bench.told(channelId)).toMatchObject([{ state: 'sent', attempts: 2 }]);
    never();
    await dead;
  });

  test('a URL push to a slow address delays no e-mail and no push to another address', async () => {
    const slow = await raised({ channels: ['url-push'], url: 'http://127.0.0.2:9/never' });
    const { channelId } = await raised({
      ...pushing(),
      channels: ['url-push', 'email'],
      recipients: [nurse],
    });
    let answer: () => void = () => undefined;
    const { ask } = createOutgoing(['127.0.0.1']);
    const messages = createMessages({
      pool: bench.pool,
      sealing,
      clock,
      translate,
      transports: { email: async () => undefined },
      keepsReadable: true,
    });
    const notifier = createNotifier({
      pool: bench.pool,
      messages,
      urlPush: createUrlPush({
        pool: bench.pool,
        outgoing: {
          ask: async (request) => {
            if (request.url.hostname === '127.0.0.2')
              await new Promise<void>((resolve) => {
                answer = resolve;
              });
            return ask(request);
          },
        },
        sealing,
        clock,
      }),
      clock,
      translate,
      log,
      consoleUrl: null,
    });
    notifier.start();
    await expect
      .poll(async () => (await bench.told(channelId)).map(({ state }) => state).sort())
      .toEqual(['sending', 'sent']);
    expect(await bench.told(slow.channelId)).toMatchObject([{ state: 'pending' }]);
    time.now += 30_000;
    const later = await raised(pushing());
    await expect
      .poll(async () => (await bench.told(later.channelId))[0]?.state, { timeout: 3_000 })
      .toBe('sent');
    answer();
    await notifier.stop();
  });
});

test('a server that is known to be slow gets four URL pushes at once, the rest waits without an attempt', async () => {
  const at = { ms: 0 };
  const slowOrigins = createSlowOrigins(() => at.ms);
  const slowUrl = 'http://127.0.0.2:9/slow';
  const end = slowOrigins.begin(slowUrl);
  at.ms = 5_000;
  end();
  const slow = [];
  // Alarms of level 5 are sent alone.
  for (let i = 0; i < 6; i++)
    slow.push((await raised({ level: 5, channels: ['url-push'], url: slowUrl })).channelId);
  const { channelId: other } = await raised({ level: 5, channels: ['url-push'], url: hookUrl });
  const answers: (() => void)[] = [];
  const begun: string[] = [];
  const notifier = createNotifier({
    pool: bench.pool,
    messages: { canDeliver: () => false, enqueue: async () => 0, enqueueAll: async () => [] },
    async urlPush({ url }) {
      begun.push(url);
      if (url === slowUrl) await new Promise<void>((resolve) => answers.push(resolve));
    },
    clock,
    translate,
    log,
    consoleUrl: null,
    slowOrigins,
  });
  const delivered = notifier.deliverDue();
  await expect.poll(() => begun.length).toBe(5);
  expect(begun.filter((url) => url === slowUrl)).toHaveLength(4);
  const attempts = [];
  for (const channelId of slow) attempts.push((await bench.told(channelId))[0]?.attempts);
  expect(attempts.sort()).toEqual([0, 0, 1, 1, 1, 1]);
  expect((await bench.told(other))[0]?.attempts).toBe(1);
  for (const answer of answers.splice(0)) answer();
  await delivered;
  time.now += 5_000;
  const again = notifier.deliverDue();
  await expect.poll(() => answers.length).toBe(2);
  for (const answer of answers) answer();
  await again;
});

describe('texts of organisations', () => {
  test('an e-mail has the text of the organisation of the alarm, without lines that have no value', async () => {
    const own = (kind: string, body: string) =>
      bench.pool.query(
        `insert into message_template (organization_id, channel, kind, language, subject, body, changed_by, changed_at)
         select o.id, 'email', $1, r.language, 'Own {{fault}}, {{asset}}', $2, 'test', now()
           from organization o, alarm_receiver r where r.id = $3 order by o.id limit 1`,
        [kind, body, nurse],
      );
    await own(
      'alarm',
      '{{event}}: {{asset}} {{value}}\nReason: {{reason}}\nAcknowledge: {{acknowledge}}\n{{link}}',
    );
    await own('reminder', 'Still: {{asset}} {{value}}');
    const { channelId } = await raised(repeating());
    const one = worker();
    await one.work();
    time.now += 10 * MIN;
    await read(channelId, 9);
    await one.work();
    await bench.pool.query('delete from message_template');
    expect(letters.map(({ subject }) => subject.slice(0, 4))).toEqual(['Own ', 'Own ']);
    expect(letters[0]?.text.split('\n')).toHaveLength(2);
    expect(letters[0]?.text).toMatch(/^New alarm: .*9(\.0)? °C\nhttps:\/\/console\.example\/alarm\/\d+$/);
    expect(letters[1]?.text).toMatch(/^Still: /);
    time.now += 10 * MIN;
    await read(channelId, 9);
    await one.work();
    expect(letters[2]?.subject).not.toMatch(/^Own/);
  });
});
