import { createTranslator } from '@isotherm/i18n/translator';
import fc from 'fast-check';
import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAudit } from '../../../platform/audit/audit.ts';
import type { Caller } from '../../../platform/http/caller.ts';
import { prepareJobs } from '../../../platform/jobs/jobs.ts';
import { createLog } from '../../../platform/log.ts';
import { createMessages } from '../../../platform/messages/messages.ts';
import { createSealing } from '../../../platform/sealing.ts';
import { Died, mortal } from '../../../testing/mortal-pool.ts';
import { type NotificationBench, startNotificationBench } from '../../../testing/notification-bench.ts';
import { type ScenarioDeed, type ScenarioPolicy, scenario } from '../../../testing/notification-scenarios.ts';
import { createReferenceIntents } from '../../../testing/reference-intents.ts';
import type { ReferenceIntent, ReferencePolicy, WorkerProgress } from '../../../testing/reference-store.ts';
import { createSuppressionsService, type SuppressionsService } from '../suppressions/suppressions.service.ts';
import { savePushes } from './notifications.repo.ts';
import { createNotifier } from './notifier.ts';

const MIN = 60_000;
const HOUR = 60 * MIN;
const DAY = 24 * HOUR;
const RECIPIENTS = 3;
/** The property stops after this time on a slow machine, unless somebody asks for a number of runs. */
const TIME_LIMIT_MS = 40_000;
const { RUNS } = process.env;

const time = { now: Date.UTC(2026, 5, 1, 8) };
const clock = { now: () => time.now };
const translate = createTranslator();
const log = createLog('silent', false);
const sealing = createSealing('a secret of the tests, long enough for anybody');
let bench: NotificationBench;
let caller: Caller;
let windows: SuppressionsService;
let runs = 0;

beforeAll(async () => {
  bench = await startNotificationBench(time);
  await prepareJobs(bench.pool, log);
  const { rows } = await bench.pool.query<{ organization: number; account: number }>(
    `insert into account (organization_id, username, realname, password_hash, account_type, language)
     select id, 'suppressor', 'Chen Wei', '', 'enterprise', 'en' from organization
     returning organization_id::float8 as organization, id::float8 as account`,
  );
  caller = {
    accountId: rows[0]?.account ?? 0,
    sessionId: null,
    username: 'suppressor',
    realname: 'Chen Wei',
    organizationId: rows[0]?.organization ?? 0,
    scope: '/999999999/',
    permissions: new Set(),
    language: 'en',
    address: '127.0.0.1',
  };
  windows = createSuppressionsService(bench.pool, createAudit(bench.pool, sealing, clock), clock);
});
afterAll(() => bench.stop());

function worker(pool: pg.Pool, losesPushes: boolean) {
  const messages = createMessages({
    pool,
    sealing,
    clock,
    translate,
    transports: { email: async () => undefined },
    keepsReadable: true,
  });
  return createNotifier({
    pool,
    messages,
    // A worker that dies after a push has not stored its outcome.
    urlPush: async ({ id }) =>
      losesPushes
        ? undefined
        : savePushes(bench.pool, [{ id, error: '', dueAt: null, deliveredAt: time.now }]),
    clock,
    translate,
    log,
    consoleUrl: null,
  });
}

const PROGRESS: readonly WorkerProgress[] = ['nothing', 'escalations', 'letters', 'all'];

interface Watched {
  channelId: number;
  policy: ReferencePolicy;
  lastAt: number;
}

/** Creates a channel with a policy for these recipients and addresses. */
async function watch(
  { levels, steps, late, recoverAfterMs }: ScenarioPolicy,
  people: readonly number[],
): Promise<Watched> {
  let triggerMs = 0;
  const made = levels.map((level, rank) => {
    const given = steps[rank] as ScenarioPolicy['steps'][number];
    triggerMs = level === 1 ? 0 : triggerMs + given.triggerMs;
    const toLevel = given.escalates > 0 ? levels[rank + given.escalates] : undefined;
    return {
      level,
      triggerAfterMs: triggerMs,
      recipients: given.recipients.map((at) => people[at] as number),
      channels: given.channels,
      url: given.channels.includes('url-push') ? `https://hooks.example/${runs}-${given.url}` : '',
      repeatMs: given.repeatMs,
      escalation: toLevel ? { afterMs: given.escalatesAfterMs, toLevel } : null,
      limits: given.hasOwnLimit ? [{ quantity: 'temperature' as const, low: null, high: 8 + 2 * rank }] : [],
    };
  });
  const { channelId, policyId } = await bench.watched(made, recoverAfterMs, undefined, {
    lateNotifications: late,
  });
  return { channelId, policy: { id: policyId, steps: made, late }, lastAt: time.now };
}

/** What has happened to the alarms of a channel since an event, by alarm. */
async function eventsSince(channelId: number, since: number) {
  const { rows } = await bench.pool.query<{
    id: number;
    alarm: number;
    type: string;
    level: number;
    at: number;
    now: number;
    alarmLevel: number;
    isOpen: boolean;
    isLate: boolean;
  }>(
    `select e.id::float8 as id, a.id::float8 as alarm, e.type, e.level, (extract(epoch from e.at) * 1000)::float8 as at,
            a.level as "alarmLevel", a.ended_at is null as "isOpen", a.late as "isLate"
       from alarm_event e join alarm a on a.id = e.alarm_id
      where a.channel_id = $1 and e.id > $2 order by a.id, e.id`,
    [channelId, since],
  );
  return rows;
}

async function storedIntents(alarms: readonly number[]): Promise<ReferenceIntent[]> {
  const { rows } = await bench.pool.query<ReferenceIntent>(
    `select n.alarm_id::float8 as alarm, n.kind, n.step_level as step, n.channel,
            case when n.url = '' then to_jsonb(n.recipient_id) else to_jsonb(n.url) end as "to", n.nth, n.state,
            (extract(epoch from n.first_due_at) * 1000)::float8 as "firstDueAt",
            (extract(epoch from n.due_at) * 1000)::float8 as "dueAt", n.late, n.held, n.error
       from alarm_notification n where n.alarm_id = any($1::bigint[])`,
    [alarms],
  );
  return rows;
}

/** One line for each intent, with its due time only while it is pending; times in seconds since the start. */
function linesOf(intents: readonly ReferenceIntent[], start: number, free: ReadonlySet<string>): string[] {
  const seconds = (at: number) => Math.round((at - start) / 100) / 10;
  return intents
    .map((intent) => {
      const {
        alarm,
        kind,
        step: level,
        channel,
        to,
        nth,
        state,
        firstDueAt,
        dueAt,
        late,
        held,
        error,
      } = intent;
      return [
        keyOf(intent),
        state,
        `first ${seconds(firstDueAt)}`,
        ...(state === 'pending' ? [`due ${seconds(dueAt)}`] : []),
        ...(late && !free.has(keyOf({ alarm, kind, step: level, channel, to, nth })) ? ['late'] : []),
        ...(held ? ['held'] : []),
        error,
      ].join(' ');
    })
    .sort();
}
const keyOf = ({
  alarm,
  kind,
  step: level,
  channel,
  to,
  nth,
}: Pick<ReferenceIntent, 'alarm' | 'kind' | 'step' | 'channel' | 'to' | 'nth'>) =>
  [alarm, kind, level, channel, to, nth].join(' ');

async function expectScenario(
  policies: readonly ScenarioPolicy[],
  deeds: readonly ScenarioDeed[],
): Promise<void> {
  runs++;
  time.now = Math.ceil((time.now + 8 * DAY) / DAY) * DAY;
  const start = time.now;
  const people: number[] = [];
  for (let i = 0; i < RECIPIENTS; i++) people.push(await bench.receiver({ email: mailOf(i) }));
  const watched: Watched[] = [];
  for (const each of policies) watched.push(await watch(each, people));
  time.now += MIN;
  const reference = createReferenceIntents();
  const alarms = new Set<number>();
  const declared: number[] = [];
  let seen = 0;

  async function observe({ channelId, policy: given }: Watched): Promise<void> {
    const rows = await eventsSince(channelId, seen);
    for (const id of new Set(rows.map(({ alarm }) => alarm))) {
      const own = rows.filter(({ alarm }) => alarm === id);
      const [first] = own as [(typeof own)[number]];
      alarms.add(id);
      reference.happened(
        {
          alarm: id,
          policy: given,
          events: own,
          level: first.alarmLevel,
          isOpen: first.isOpen,
          isLate: first.isLate,
        },
        time.now,
      );
    }
    seen = Math.max(seen, ...rows.map(({ id }) => id));
  }

  async function carryOut(each: ScenarioDeed): Promise<void> {
    switch (each.type) {
      case 'passed':
        time.now += each.ms;
        return;
      case 'readings': {
        const channel = watched[each.channel % watched.length] as Watched;
        const readings = Array.from({ length: each.count }, () => {
          channel.lastAt = Math.max(channel.lastAt + MIN, time.now - each.receivedAfterMs - each.count * MIN);
          return { at: channel.lastAt, value: each.value };
        });
        time.now = Math.max(time.now, channel.lastAt + each.receivedAfterMs);
        await bench.send(channel.channelId, readings);
        await observe(channel);
        if (each.isSentTwice) await bench.send(channel.channelId, readings);
        return;
      }
      case 'worked': {
        const isShared = each.dies === null && reference.canBeShared(time.now);
        const { pool, committed } = mortal(bench.pool, each.dies);
        const all = Array.from({ length: isShared ? each.workers : 1 }, () => worker(pool, each.losesPushes));
        try {
          await Promise.all(all.map((one) => one.deliverDue()));
        } catch (error) {
          if (!(error instanceof Died)) throw error;
        }
        reference.worked(time.now, PROGRESS[committed()] ?? 'all', each.losesPushes);
        return;
      }
      case 'acknowledged': {
        const { channelId } = watched[each.channel % watched.length] as Watched;
        await bench.acknowledge(channelId);
        const { rows } = await bench.pool.query<{ id: number; level: number }>(
          `select id::float8 as id, acknowledged_level as level from alarm where channel_id = $1 and ended_at is null`,
          [channelId],
        );
        for (const { id, level } of rows) reference.acknowledged(id, level);
        return;
      }
      case 'declared': {
        const from = time.now + each.inMs;
        const { id } = await windows.create(caller, {
          targetKind: 'organization',
          targetId: caller.organizationId,
          kind: 'maintenance',
          from: new Date(from).toISOString(),
          until: new Date(from + each.forMs).toISOString(),
          reason: 'Maintenance',
          highestLevel: each.highestLevel,
        });
        declared.push(id);
        reference.declared({ id, from, until: from + each.forMs, highestLevel: each.highestLevel });
        return;
      }
      case 'window-ended': {
        const id = declared.pop();
        if (id === undefined || (await windows.get(caller, id)).state === 'over') return;
        await windows.end(caller, id);
        reference.endedWindow(id, time.now);
      }
    }
  }

  async function expectSame(): Promise<void> {
    const wanted = reference.intents();
    const free = new Set(wanted.flatMap((intent) => (intent.late === null ? [keyOf(intent)] : [])));
    expect(linesOf(await storedIntents([...alarms]), start, free)).toEqual(linesOf(wanted, start, free));
  }

  for (const each of deeds) {
    await carryOut(each);
    await expectSame();
  }
  // Everything ends, and no deadline is left once the workers had time.
  for (const channel of watched) {
    time.now = Math.max(time.now, channel.lastAt) + 10 * MIN;
    for (let i = 0; i < 5; i++) {
      channel.lastAt = time.now += MIN;
      await bench.send(channel.channelId, [{ at: time.now, value: 5 }]);
      await observe(channel);
    }
  }
  for (const ms of [0, 2 * MIN, 3 * HOUR, 3 * HOUR]) {
    time.now += ms;
    await worker(bench.pool, false).deliverDue();
    reference.worked(time.now, 'all', false);
    await expectSame();
  }
  const left = await storedIntents([...alarms]);
  expect(
    left.filter(({ state, channel }) => state === 'pending' || (state === 'sending' && channel !== 'email')),
  ).toEqual([]);
  // Each e-mail is with one message of the outbox, and no message is without one.
  const { rows } = await bench.pool.query<{ messages: number; named: number }>(
    `select (select count(*)::int from message where recipient = any($1)) as messages,
            (select count(distinct message_id)::int from alarm_notification
              where alarm_id = any($2::bigint[]) and channel = 'email' and state = 'sending') as named`,
    [people.map((_, at) => mailOf(at)), [...alarms]],
  );
  expect(rows[0]?.messages).toBe(rows[0]?.named);
}
const mailOf = (at: number) => `nurse-${runs}-${at}@example.com`;

test('whoever is told of alarms, when and how often is as in the reference implementation, also after deaths and outages of workers', async () => {
  await fc.assert(
    fc.asyncProperty(scenario, ({ policies, deeds }) => expectScenario(policies, deeds)),
    RUNS ? { numRuns: Number(RUNS) } : { numRuns: 60, interruptAfterTimeLimit: TIME_LIMIT_MS },
  );
});
