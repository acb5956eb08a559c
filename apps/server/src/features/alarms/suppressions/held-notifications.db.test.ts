import type { Alarm } from '@isotherm/contracts/alarms';
import type { SuppressionInput } from '@isotherm/contracts/suppressions';
import { GROUP_WINDOW_MS } from '@isotherm/domain/alarms/storm';
import { createTranslator } from '@isotherm/i18n/translator';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createAudit } from '../../../platform/audit/audit.ts';
import type { Caller } from '../../../platform/http/caller.ts';
import { prepareJobs } from '../../../platform/jobs/jobs.ts';
import { createLog } from '../../../platform/log.ts';
import { createMessages } from '../../../platform/messages/messages.ts';
import type { Letter } from '../../../platform/messages/transport.ts';
import { createOutgoing } from '../../../platform/outgoing/outgoing.ts';
import { createSealing } from '../../../platform/sealing.ts';
import { type NotificationBench, startNotificationBench } from '../../../testing/notification-bench.ts';
import { listMessages } from '../alarm-actions.repo.ts';
import { createNotifier } from '../notifications/notifier.ts';
import { createUrlPush } from '../notifications/url-push.ts';
import { createSuppressionsService, type SuppressionsService } from './suppressions.service.ts';

const MIN = 60_000;
const HOUR = 60 * MIN;
const time = { now: Date.UTC(2026, 5, 1, 8) };
const clock = { now: () => time.now };
const log = createLog('silent', false);
const sealing = createSealing('a secret of the tests, long enough for anybody');
const translate = createTranslator();

let bench: NotificationBench;
let nurse: number;
let organizationId: number;
let caller: Caller;
let windows: SuppressionsService;
let letters: Letter[] = [];

beforeAll(async () => {
  bench = await startNotificationBench(time);
  await prepareJobs(bench.pool, log);
  nurse = await bench.receiver();
  organizationId = await one('select id from organization');
  const accountId = await one(
    `insert into account (organization_id, username, realname, password_hash, account_type, language)
     values ($1, 'suppressor', 'Chen Wei', '', 'enterprise', 'en') returning id`,
    [organizationId],
  );
  caller = {
    accountId,
    sessionId: null,
    username: 'suppressor',
    realname: 'Chen Wei',
    organizationId,
    scope: '/999999999/',
    permissions: new Set(),
    language: 'en',
    address: '127.0.0.1',
  };
  windows = createSuppressionsService(bench.pool, createAudit(bench.pool, sealing, clock), clock);
});
afterAll(() => bench.stop());
beforeEach(async () => {
  time.now += 14 * 24 * HOUR;
  await bench.pool.query(`update alarm_notification set state = 'cancelled' where state = 'pending'`);
  letters = [];
});

async function one(sql: string, values: unknown[] = []): Promise<number> {
  const { rows } = await bench.pool.query<{ id: number }>(sql, values);
  return Number(rows[0]?.id);
}

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
    urlPush: createUrlPush({ pool: bench.pool, outgoing: createOutgoing([]), sealing, clock }),
    clock,
    translate,
    log,
    consoleUrl: null,
  });
  return {
    ...notifier,
    /** Delivers the due notifications and then their messages, as the job queue does. */
    async work(): Promise<void> {
      await notifier.deliverDue();
      const { rows } = await bench.pool.query<{ id: number }>(
        `select id from message where status = 'pending' order by id`,
      );
      for (const { id } of rows) await messages.tasks[0]?.run({ id });
    },
  };
}
const work = () => worker().work();

const read = (channelId: number, value: number) => bench.send(channelId, [{ at: time.now, value }]);

type Steps = Parameters<NotificationBench['watched']>[0];
const toNurse = (more: Partial<Steps[number]> = {}): Steps[number] => ({
  recipients: [nurse],
  channels: ['email'],
  ...more,
});

/** Creates a channel whose policy notifies the nurse, and returns it with its asset. */
async function watched(...steps: Steps) {
  const { channelId } = await bench.watched(steps.length > 0 ? steps : [toNurse()]);
  return {
    channelId,
    assetId: await one('select asset_id as id from channel where id = $1', [channelId]),
  };
}

/** Declares a window of an hour on an asset. */
const declare = (assetId: number, more: Partial<SuppressionInput> = {}) =>
  windows.create(caller, {
    targetKind: 'asset',
    targetId: assetId,
    kind: 'defrost',
    from: new Date(time.now).toISOString(),
    until: new Date(time.now + HOUR).toISOString(),
    reason: 'Weekly defrost',
    highestLevel: 4,
    ...more,
  });

const states = async (channelId: number) =>
  (await bench.told(channelId)).map(({ kind, state }) => `${kind} ${state}`);
const subjects = () => letters.map(({ subject }) => subject.replace(/, 9\d{7}/, ''));

const messagesOf = async (channelId: number) =>
  listMessages(bench.pool, await one('select id from alarm where channel_id = $1', [channelId]));

describe('notifications in a suppression window', () => {
  test('a notification is held back until the window ends and is then sent as late, while the alarm is raised as always', async () => {
    const { channelId, assetId } = await watched();
    const window = await declare(assetId);
    await read(channelId, 9);
    expect(await bench.alarmsOf(channelId)).toHaveLength(1);
    await work();
    expect(letters).toEqual([]);
    expect(await messagesOf(channelId)).toMatchObject([
      {
        kind: 'raised',
        state: 'pending',
        held: true,
        suppression: { id: window.id, reason: 'Weekly defrost', until: window.until },
      },
    ]);
    expect(await windows.get(caller, window.id)).toMatchObject({ state: 'active', held: 1 });
    time.now += HOUR - 1;
    await work();
    expect(letters).toEqual([]);
    time.now += 1;
    await work();
    expect(subjects()).toEqual([expect.stringMatching(/^Level 1 alarm: Too warm.*\(late\)$/)]);
    expect(await messagesOf(channelId)).toMatchObject([
      { state: 'sent', late: true, held: false, suppression: { id: window.id } },
    ]);
    expect(await windows.get(caller, window.id)).toMatchObject({ state: 'over', held: 0 });
  });

  test('a notification held back for longer than a day is still delivered', async () => {
    const { channelId, assetId } = await watched();
    await declare(assetId, { until: new Date(time.now + 7 * 24 * HOUR).toISOString() });
    await read(channelId, 9);
    await work();
    time.now += 7 * 24 * HOUR;
    await work();
    expect(await states(channelId)).toEqual(['raised sent']);
  });

  test('a window that is declared after the raise holds back what is not yet sent', async () => {
    const { channelId, assetId } = await watched();
    await read(channelId, 9);
    await declare(assetId);
    await work();
    expect(letters).toEqual([]);
    expect(await messagesOf(channelId)).toMatchObject([{ held: true }]);
  });

  test('a window that begins later holds back nothing before', async () => {
    const { channelId, assetId } = await watched();
    await declare(assetId, {
      from: new Date(time.now + MIN).toISOString(),
      until: new Date(time.now + HOUR).toISOString(),
    });
    await read(channelId, 9);
    await work();
    expect(await states(channelId)).toEqual(['raised sent']);
  });

  test('the notifications of an alarm that ends during the window are dropped with the reason, also that of the end', async () => {
    const { channelId, assetId } = await watched(toNurse({ repeatMs: 10 * MIN }));
    const window = await declare(assetId);
    await read(channelId, 9);
    await work();
    time.now += 5 * MIN;
    await read(channelId, 5);
    await work();
    expect(await messagesOf(channelId)).toMatchObject([
      { kind: 'raised', state: 'cancelled', error: 'suppressed', suppression: { id: window.id } },
      { kind: 'ended', state: 'cancelled', error: 'suppressed', suppression: { id: window.id } },
      { kind: 'repeated', state: 'cancelled' },
    ]);
    time.now += 2 * HOUR;
    await work();
    expect(letters).toEqual([]);
  });

  test('an alarm that is raised and ends between two looks of the worker is dropped as well', async () => {
    const { channelId, assetId } = await watched();
    await declare(assetId);
    await read(channelId, 9);
    time.now += MIN;
    await read(channelId, 5);
    await work();
    expect(await states(channelId)).toEqual(['raised cancelled', 'ended cancelled']);
  });

  test('whoever was notified before the window is notified of the end during the window', async () => {
    const { channelId, assetId } = await watched();
    await read(channelId, 9);
    await work();
    await declare(assetId);
    time.now += 5 * MIN;
    await read(channelId, 5);
    await work();
    expect(await states(channelId)).toEqual(['raised sent', 'ended sent']);
  });

  test('an alarm that ends after the window, before a worker runs again, is still notified', async () => {
    const { channelId, assetId } = await watched();
    await declare(assetId);
    await read(channelId, 9);
    await work();
    time.now += 2 * HOUR;
    await read(channelId, 5);
    await work();
    expect(await states(channelId)).toEqual(['raised sent', 'ended sent']);
  });

  test('an alarm that is acknowledged during the window is not notified at its end', async () => {
    const { channelId, assetId } = await watched();
    await declare(assetId);
    await read(channelId, 9);
    await work();
    await bench.acknowledge(channelId);
    time.now += HOUR;
    await work();
    expect(await messagesOf(channelId)).toMatchObject([{ state: 'cancelled', error: 'suppressed' }]);
    expect(letters).toEqual([]);
  });

  test('a window that is ended early releases at once what it holds', async () => {
    const { channelId, assetId } = await watched();
    const { id } = await declare(assetId);
    await read(channelId, 9);
    await work();
    time.now += 5 * MIN;
    expect(await windows.end(caller, id)).toMatchObject({ state: 'over', endedBy: 'suppressor' });
    await work();
    expect(await states(channelId)).toEqual(['raised sent']);
  });

  test('a shortened window releases at its new end, an extended one holds until then', async () => {
    const { channelId, assetId } = await watched();
    const { id } = await declare(assetId);
    await read(channelId, 9);
    await work();
    const until = (minutes: number) => new Date(time.now + minutes * MIN).toISOString();
    await windows.edit(caller, id, { until: until(120), reason: 'Takes longer' });
    time.now += HOUR;
    await work();
    expect(letters).toEqual([]);
    await windows.edit(caller, id, { until: until(5), reason: 'Nearly done' });
    await work();
    expect(letters).toEqual([]);
    time.now += 5 * MIN;
    await work();
    expect(await states(channelId)).toEqual(['raised sent']);
  });

  test('a level above the covered one is sent at once, with what was held back of the alarm', async () => {
    const doctor = await bench.receiver({ email: 'doctor@example.com' });
    const { channelId, assetId } = await watched(toNurse(), toNurse({ recipients: [doctor] }));
    await declare(assetId, { highestLevel: 1 });
    await read(channelId, 9);
    await work();
    expect(letters).toEqual([]);
    time.now += MIN;
    await read(channelId, 9);
    await work();
    expect(letters.map(({ recipient, subject }) => `${recipient} ${subject.slice(0, 7)}`).sort()).toEqual([
      'doctor@example.com Level 2',
      'nurse@example.com Level 1',
    ]);
  });

  test('of a level that is not covered the first notification is sent at once', async () => {
    const { channelId, assetId } = await watched(toNurse({ level: 5, triggerAfterMs: MIN }));
    await declare(assetId, { highestLevel: 4 });
    await read(channelId, 9);
    time.now += MIN;
    await read(channelId, 9);
    await work();
    expect(subjects()).toEqual([expect.stringMatching(/^Level 5 alarm/)]);
  });

  test('a repeat that is due during the window is sent once at its end, and repeats go on in step', async () => {
    const { channelId, assetId } = await watched(toNurse({ repeatMs: 10 * MIN }));
    await read(channelId, 9);
    await work();
    const start = time.now;
    await declare(assetId, { until: new Date(time.now + 35 * MIN).toISOString() });
    for (time.now += 10 * MIN; time.now < start + 35 * MIN; time.now += 10 * MIN) await work();
    expect(letters).toHaveLength(1);
    time.now = start + 35 * MIN;
    await work();
    expect(subjects()[1]).toMatch(/^Not acknowledged, level 1.*\(late\)$/);
    const next = (await bench.told(channelId)).find(({ state }) => state === 'pending');
    expect(next).toMatchObject({ kind: 'repeated', dueAt: start + 40 * MIN });
  });

  test('a recipient gets no repeat together with the notification that it repeats', async () => {
    const { channelId, assetId } = await watched(toNurse({ repeatMs: 10 * MIN }));
    await declare(assetId);
    await read(channelId, 9);
    for (let turn = 0; turn < 6; turn += 1, time.now += 10 * MIN) await work();
    await work();
    expect(subjects()).toEqual([expect.stringMatching(/^Level 1 alarm/)]);
    time.now += 10 * MIN;
    await work();
    expect(subjects()[1]).toMatch(/^Not acknowledged, level 1/);
  });

  test('URL pushes are held back as well, also those that are due to be tried again', async () => {
    const push = { channels: ['url-push' as const], url: 'http://127.0.0.1:9/alarms' };
    const tried = await watched(push);
    await read(tried.channelId, 9);
    await work();
    // The address is not permitted, so that each attempt fails.
    const failed = { state: 'pending', error: 'address_refused' };
    expect(await bench.told(tried.channelId)).toMatchObject([{ ...failed, attempts: 1 }]);
    const untried = await watched(push);
    for (const { assetId } of [tried, untried]) await declare(assetId);
    await read(untried.channelId, 9);
    time.now += 30 * MIN;
    await work();
    expect(await bench.told(tried.channelId)).toMatchObject([{ attempts: 1 }]);
    expect(await messagesOf(tried.channelId)).toMatchObject([{ held: true }]);
    expect(await bench.told(untried.channelId)).toMatchObject([{ state: 'pending', attempts: 0 }]);
    time.now += 30 * MIN;
    await work();
    expect(await bench.told(tried.channelId)).toMatchObject([{ ...failed, attempts: 2, late: true }]);
    expect(await bench.told(untried.channelId)).toMatchObject([{ ...failed, attempts: 1, late: true }]);
  });

  test('windows that overlap hold back until the last one ends', async () => {
    const { channelId, assetId } = await watched();
    await declare(assetId);
    await declare(assetId, {
      from: new Date(time.now + 30 * MIN).toISOString(),
      until: new Date(time.now + 90 * MIN).toISOString(),
    });
    await read(channelId, 9);
    await work();
    time.now += HOUR;
    await work();
    expect(letters).toEqual([]);
    time.now += 30 * MIN;
    await work();
    expect(await states(channelId)).toEqual(['raised sent']);
  });

  test('a window of one asset holds back nothing of another', async () => {
    const { assetId } = await watched();
    await declare(assetId);
    const other = await watched();
    await read(other.channelId, 9);
    await work();
    expect(await states(other.channelId)).toEqual(['raised sent']);
  });
});

describe('the reach of a window', () => {
  const group = async (parent: string | null = null) =>
    one(
      `with made as (
         insert into asset_group (organization_id, path, name) values ($1, '', 'Group') returning id
       ) select id from made`,
      [organizationId],
    ).then(async (id) => {
      await bench.pool.query('update asset_group set path = $2 where id = $1', [
        id,
        `${parent ?? '/'}${id}/`,
      ]);
      return id;
    });
  const join = (groupId: number, assetId: number) =>
    bench.pool.query('insert into asset_group_member (group_id, asset_id) values ($1, $2)', [
      groupId,
      assetId,
    ]);

  test('a group is covered with the groups below it, and an asset that leaves it is released', async () => {
    const { channelId, assetId } = await watched();
    const top = await group();
    const below = await group(`/${top}/`);
    await join(below, assetId);
    await declare(assetId, { targetKind: 'asset-group', targetId: top });
    await read(channelId, 9);
    await work();
    expect(letters).toEqual([]);
    await bench.pool.query('delete from asset_group_member where asset_id = $1', [assetId]);
    time.now += MIN;
    await work();
    expect(await states(channelId)).toEqual(['raised sent']);
  });

  test('an organisation is covered with those below it, and an asset that moves out of it is released', async () => {
    const { channelId, assetId } = await watched();
    const child = await one(
      `insert into organization (code, name, level, path, parent_id) values ($1, 'Child', 'org', '', $2) returning id`,
      [`CHILD-${time.now}`, organizationId],
    );
    const outside = await one(
      `insert into organization (code, name, level, path) values ($1, 'Other', 'org', '/other/') returning id`,
      [`OTHER-${time.now}`],
    );
    await bench.pool.query('update organization set path = $2 where id = $1', [
      child,
      `/999999999/${child}/`,
    ]);
    const move = (to: number) =>
      bench.pool.query('update asset set organization_id = $2 where id = $1', [assetId, to]);
    await move(child);
    const own = await declare(assetId, { targetKind: 'organization', targetId: organizationId });
    await read(channelId, 9);
    await work();
    expect(letters).toEqual([]);
    expect(
      await windows.list(caller, {
        assetId,
        page: 1,
        pageSize: 10,
        search: '',
        sort: 'from',
        order: 'desc',
      }),
    ).toMatchObject({ total: 1, items: [{ id: own.id, isEditable: true }] });
    await move(outside);
    time.now += MIN;
    await work();
    expect(await states(channelId)).toEqual(['raised sent']);
  });

  test('a window of an asset does not follow it into another organisation', async () => {
    const { channelId, assetId } = await watched();
    await declare(assetId);
    const outside = await one(
      `insert into organization (code, name, level, path) values ($1, 'Other', 'org', '/away/') returning id`,
      [`AWAY-${time.now}`],
    );
    await bench.pool.query('update asset set organization_id = $2 where id = $1', [assetId, outside]);
    await read(channelId, 9);
    await work();
    expect(await states(channelId)).toEqual(['raised sent']);
  });
});

describe('several workers', () => {
  test('workers that run at the same moment tell nobody of the end of an alarm that nobody was told of', async () => {
    const channels: number[] = [];
    for (let index = 0; index < 10; index += 1) {
      const { channelId, assetId } = await watched(toNurse({ repeatMs: 10 * MIN }));
      await declare(assetId);
      await read(channelId, 9);
      channels.push(channelId);
    }
    time.now += MIN;
    for (const channelId of channels) await read(channelId, 5);
    const workers = [worker(), worker(), worker(), worker()];
    for (let turn = 0; turn < 3; turn += 1, time.now += 1_000)
      await Promise.all(workers.map((each) => each.deliverDue()));
    for (const channelId of channels)
      expect((await states(channelId)).sort()).toEqual([
        'ended cancelled',
        'raised cancelled',
        'repeated cancelled',
      ]);
  });

  test('a worker waits for a window that is being ended, and does not hold back by its former end', async () => {
    const { channelId, assetId } = await watched();
    const { id } = await declare(assetId);
    await read(channelId, 9);
    const ending = await bench.pool.connect();
    await ending.query('begin');
    await ending.query('update alarm_suppression set ended_at = $2 where id = $1', [id, new Date(time.now)]);
    const working = work();
    await expect
      .poll(async () => {
        const { rows } = await bench.pool.query(
          `select count(*)::int as n from pg_stat_activity
            where datname = current_database() and wait_event_type = 'Lock' and query like '%for share of w%'`,
        );
        return rows[0].n;
      })
      .toBe(1);
    await ending.query('commit');
    ending.release();
    await working;
    expect(await states(channelId)).toEqual(['raised sent']);
  });

  test('workers that start again and run at the same moment send what was held back exactly once', async () => {
    const top = await one(
      `insert into asset_group (organization_id, path, name) values ($1, '', 'All') returning id`,
      [organizationId],
    );
    await bench.pool.query('update asset_group set path = $2 where id = $1', [top, `/${top}/`]);
    const channels: number[] = [];
    for (let index = 0; index < 12; index += 1) {
      const { channelId, assetId } = await watched();
      await bench.pool.query('insert into asset_group_member (group_id, asset_id) values ($1, $2)', [
        top,
        assetId,
      ]);
      channels.push(channelId);
    }
    const { id } = await declare(0, { targetKind: 'asset-group', targetId: top });
    for (const channelId of channels) await read(channelId, 9);
    await Promise.all([worker(), worker(), worker()].map((each) => each.deliverDue()));
    expect(await windows.get(caller, id)).toMatchObject({ held: 12 });
    time.now += 10 * MIN;
    // While workers run, the window is ended.
    const endedAt = time.now;
    await Promise.all([worker().deliverDue(), windows.end(caller, id), worker().deliverDue()]);
    await Promise.all([worker(), worker(), worker()].map((each) => each.deliverDue()));
    // Workers that share what is due send the rest with the next message about the site, one window later.
    time.now += GROUP_WINDOW_MS;
    await Promise.all([worker(), worker(), worker()].map((each) => each.deliverDue()));
    const { rows } = await bench.pool.query(
      `select count(*)::int as messages, count(distinct n.id)::int as used from message m
         join alarm_notification n on n.message_id = m.id where m.created_at >= $1`,
      [new Date(endedAt)],
    );
    expect(rows[0]).toEqual({ messages: 12, used: 12 });
    for (const channelId of channels) expect(await states(channelId)).toEqual(['raised sending']);
  });
});

test('an alarm that late readings open again during the window is notified at its end', async () => {
  const { channelId, assetId } = await watched();
  await declare(assetId);
  await read(channelId, 9);
  time.now += MIN;
  await read(channelId, 5);
  await work();
  expect(await states(channelId)).toEqual(['raised cancelled', 'ended cancelled']);
  await bench.pool.query(
    `with reopened as (
       update alarm set ended_at = null, end_reason = null, state = 'active' where channel_id = $1 returning id, level
     )
     insert into alarm_event (alarm_id, type, at, recorded_at, level) select id, 'reopened', $2, $2, level from reopened`,
    [channelId, new Date(time.now)],
  );
  await work();
  expect(letters).toEqual([]);
  time.now += HOUR;
  await work();
  expect((await states(channelId)).at(-1)).toBe('reopened sent');
});

test('an API key cannot declare a window, because its owner is a person', async () => {
  const { assetId } = await watched();
  const window = {
    targetKind: 'asset' as const,
    targetId: assetId,
    kind: 'other' as const,
    from: new Date(time.now).toISOString(),
    until: new Date(time.now + HOUR).toISOString(),
    reason: 'Cleaning',
    highestLevel: 4 as const,
  };
  await expect(windows.create({ ...caller, accountId: null }, window)).rejects.toMatchObject({
    code: 'permission.denied',
  });
});

test('the default level leaves level 5 uncovered', async () => {
  const levels: Alarm['level'][] = [1, 2, 3, 4, 5];
  const { suppressionInput } = await import('@isotherm/contracts/suppressions');
  const { highestLevel } = suppressionInput.parse({
    targetKind: 'asset',
    targetId: 1,
    kind: 'other',
    from: '2026-06-01T08:00:00.000Z',
    until: '2026-06-01T09:00:00.000Z',
    reason: 'Cleaning',
  });
  expect(levels.filter((level) => level > highestLevel)).toEqual([5]);
});
