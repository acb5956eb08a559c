import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AlarmTest, AlarmTestDetail, TestScheduleView } from '@isotherm/contracts/alarm-tests';
import { TESTS_PER_HOUR } from '@isotherm/domain/alarms/alarm-test';
import { createTranslator } from '@isotherm/i18n/translator';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createInvalidations } from '../../../platform/cache/invalidations.ts';
import { systemClock } from '../../../platform/clock.ts';
import { createLog } from '../../../platform/log.ts';
import { createSealing } from '../../../platform/sealing.ts';
import { expectDone, people } from '../../../testing/people.ts';
import { fridge, type Session, startTestServer, type TestServer } from '../../../testing/test-server.ts';
import { createOwnTexts } from '../templates/own-texts.ts';
import { claimDueSchedule } from './schedules.repo.ts';
import { createSendTest } from './send-test.ts';
import { createTestRunner } from './test-runner.ts';

/** Alarm tests by a real mail server and a real HTTP server. */
let server: TestServer;
let manager: Session;
let demo: number;
let managerId: number;
let names = 0;
const mails: { to: string; source: string }[] = [];
const pushes: { headers: IncomingHttpHeaders; body: string }[] = [];

const smtp = new SMTPServer({
  authOptional: true,
  disabledCommands: ['STARTTLS'],
  onRcptTo({ address }, _session, done) {
    done(
      address.startsWith('refused') ? Object.assign(new Error('no such box'), { responseCode: 550 }) : null,
    );
  },
  onData(stream, session, done) {
    let source = '';
    stream.on('data', (piece: Buffer) => {
      source += piece.toString('utf8');
    });
    stream.on('end', () => {
      mails.push({ to: session.envelope.rcptTo[0]?.address ?? '', source });
      done();
    });
  },
});
let web: Server;

beforeAll(async () => {
  smtp.on('error', () => undefined);
  await new Promise<void>((ready) => smtp.listen(0, '127.0.0.1', ready));
  web = createServer((request, response) => {
    let body = '';
    request.on('data', (piece) => {
      body += piece;
    });
    request.on('end', () => {
      pushes.push({ headers: request.headers, body });
      response.end();
    });
  });
  await new Promise<void>((ready) => web.listen(0, '127.0.0.1', ready));
  server = await startTestServer({
    environment: {
      ISOTHERM_SMTP_URL: `smtp://127.0.0.1:${(smtp.server.address() as AddressInfo).port}`,
      ISOTHERM_MAIL_FROM: 'alarms@example.com',
      ISOTHERM_OUTGOING_ALLOW: '127.0.0.0/8',
    },
  });
  manager = await server.logIn('demo.manager');
  const known = people(server, await server.logIn('demo.platform'));
  demo = await known.organizationId('DEMO');
  managerId = await known.userId('demo.manager');
  await server.pool.query(`update account set email = 'manager@example.com' where id = $1`, [managerId]);
});
afterAll(async () => {
  await server.stop();
  await new Promise((closed) => web.close(closed));
  await new Promise<void>((closed) => smtp.close(closed));
});

const ask = <T>(method: string, path: string, json?: object, session = manager) =>
  server.call<T>({ method, path: `/api${path}`, session, ...(json ? { json } : {}) });

async function receiver(email: string, language = 'en'): Promise<number> {
  const json = { organizationId: demo, name: `Receiver ${++names}`, email, language };
  return expectDone(await ask<{ id: number }>('POST', '/receiver', json)).id;
}

async function policy(recipientType: string, recipients: readonly number[], more: object = {}) {
  const definition = {
    conditions: [{ quantity: 'temperature', low: 2, high: 8, recoveryMargin: 0, recoverAfterMs: 0 }],
    recipientType,
    steps: [{ level: 1, triggerAfterMs: 0, limits: [], recipients, channels: ['email'], ...more }],
    limitIsOutside: false,
  };
  const json = { organizationId: demo, name: `Policy ${++names}`, definition };
  return expectDone(await ask<{ id: number }>('POST', '/alarm/policy', json)).id;
}

const get = async (id: number) => expectDone(await ask<AlarmTestDetail>('GET', `/alarm-test/${id}`));

/** Resolves when every message of a test was sent or has failed. */
const settled = (id: number) =>
  vi.waitFor(
    async () => {
      const test = await get(id);
      expect(test.sent.every(({ state }) => state === 'sent' || state === 'failed')).toBe(true);
      return test;
    },
    { timeout: 30_000, interval: 200 },
  );

describe('alarm tests', () => {
  it('a test arrives by e-mail marked as a test in the language of each receiver, and a refused one has its reason', async () => {
    const ids = [
      await receiver('ward@example.com'),
      await receiver('sala@example.com', 'es'),
      await receiver('refused@example.com'),
    ];
    const policyId = await policy('receivers', ids);
    const started = expectDone(await ask<AlarmTestDetail>('POST', '/alarm-test', { policyId, level: 1 }));
    const test = await settled(started.id);
    expect(test.sent.map(({ state, error }) => [state, error.includes('no such box')])).toEqual([
      ['sent', false],
      ['sent', false],
      ['failed', true],
    ]);
    expect(test).toMatchObject({ state: 'failed', unconfirmed: 3 });
    const subjectOf = (to: string) =>
      decodeURIComponent(mails.find((mail) => mail.to === to)?.source.match(/^Subject: (.*)\r$/m)?.[1] ?? '');
    expect(subjectOf('ward@example.com')).toMatch(/^TEST: level 1 alarm, Policy/);
    expect(subjectOf('sala@example.com')).toMatch(/^PRUEBA: alarma de nivel 1, Policy/);
    const alarms = await server.pool.query('select from alarm union all select from alarm_notification');
    expect(alarms.rowCount).toBe(0);
  });

  it('an account confirms its own test, a receiver is confirmed once by phone, each with an audit entry', async () => {
    const own = await policy('accounts', [managerId]);
    const test = expectDone(await ask<AlarmTestDetail>('POST', '/alarm-test', { policyId: own, level: 1 }));
    await settled(test.id);
    const list = expectDone(
      await server.call<{ items: AlarmTest[] }>({ path: '/api/alarm-test', session: manager }),
    );
    expect(list.items.find(({ id }) => id === test.id)).toMatchObject({
      state: 'waiting',
      waitsForCaller: true,
    });
    const byPhone = `/alarm-test/${test.id}/message/${test.sent[0]?.id}/confirmation`;
    expect(await ask('POST', byPhone, { name: 'Nurse' })).toMatchObject({
      status: 'alarm_test.not_recipient',
    });
    expect(expectDone(await ask<AlarmTestDetail>('POST', `/alarm-test/${test.id}/confirm`))).toMatchObject({
      state: 'confirmed',
    });

    const phoned = await policy('receivers', [await receiver('phone@example.com')]);
    const other = expectDone(
      await ask<AlarmTestDetail>('POST', '/alarm-test', { policyId: phoned, level: 1 }),
    );
    expect(await ask('POST', `/alarm-test/${other.id}/confirm`)).toMatchObject({
      status: 'alarm_test.not_recipient',
    });
    const path = `/alarm-test/${other.id}/message/${other.sent[0]?.id}/confirmation`;
    expect(expectDone(await ask<AlarmTestDetail>('POST', path, { name: 'Nurse Ana' })).sent).toMatchObject([
      { confirmedBy: 'Nurse Ana', recordedBy: expect.stringMatching(/./) },
    ]);
    expect(await ask('POST', path, { name: 'Nurse Eva' })).toMatchObject({ status: 'alarm_test.confirmed' });
    const { rows } = await server.pool.query(
      `select action from audit_entry where object_kind = 'alarm-test' and object_id = $1 order by seq`,
      [String(other.id)],
    );
    expect(rows.map(({ action }) => action)).toEqual(['create', 'change']);
  });

  it('a person starts a limited number of tests in an hour, also by calls at once, and schedules are not limited', async () => {
    // Equal calls of one moment would be refused as repeated.
    const limited = await receiver('limited@example.com');
    const policies = [];
    for (let i = 0; i < 4; i++) policies.push(await policy('receivers', [limited]));
    const [policyId] = policies;
    const other = await server.logIn('demo.platform');
    const start = (tested = policyId) =>
      ask<AlarmTestDetail>('POST', '/alarm-test', { policyId: tested, level: 1 }, other);
    const first = expectDone(await start());
    await server.pool.query(
      `insert into alarm_test (organization_id, policy_id, policy_name, level, asset_name, schedule_name, started_by,
                               started_at, starter)
       select organization_id, policy_id, policy_name, level, asset_name, '', started_by, started_at, starter
         from alarm_test cross join generate_series(1, $2) where id = $1`,
      [first.id, TESTS_PER_HOUR - 3],
    );
    const answers = await Promise.all(policies.map((tested) => start(tested)));
    expect(answers.map(({ status }) => status).sort()).toEqual([
      '1',
      '1',
      'alarm_test.too_many',
      'alarm_test.too_many',
    ]);
    // Another person is not concerned.
    expectDone(await ask<AlarmTestDetail>('POST', '/alarm-test', { policyId, level: 1 }));
    await server.pool.query(
      `update alarm_test set started_at = started_at - interval '61 minutes' where starter = (
      select starter from alarm_test where id = $1)`,
      [first.id],
    );
    expectDone(await start());
  });

  it('an account of an organisation below confirms its test, sees no other names, and cannot answer for others', async () => {
    const keeper = await server.logIn('demo.keeper');
    const { rows } = await server.pool.query<{ id: number }>(
      `update account set email = 'keeper@example.com' where username = 'demo.keeper' returning id::int as id`,
    );
    const policyId = await policy('accounts', [managerId, rows[0]?.id ?? 0]);
    const test = expectDone(await ask<AlarmTestDetail>('POST', '/alarm-test', { policyId, level: 1 }));
    const seen = expectDone(
      await ask<AlarmTestDetail>('POST', `/alarm-test/${test.id}/confirm`, undefined, keeper),
    );
    expect(seen.sent.map(({ isOwn, name, confirmedBy }) => [isOwn, name !== '', confirmedBy !== ''])).toEqual(
      [
        [false, false, false],
        [true, true, true],
      ],
    );
    const path = `/alarm-test/${test.id}/message/${test.sent[0]?.id}/confirmation`;
    expect(await ask('POST', path, { name: 'Nurse' }, keeper)).toMatchObject({
      status: 'alarm_test.not_found',
    });
  });

  it('a URL push is signed, says that it is a test, and is not an alarm event', async () => {
    const url = `http://127.0.0.1:${(web.address() as AddressInfo).port}/hook`;
    const policyId = await policy('receivers', [], { channels: ['url-push'], url });
    const test = expectDone(await ask<AlarmTestDetail>('POST', '/alarm-test', { policyId, level: 1 }));
    expect(await settled(test.id)).toMatchObject({
      state: 'confirmed',
      sent: [{ state: 'sent', name: url }],
    });
    expect(pushes).toHaveLength(1);
    expect(pushes[0]?.headers['x-isotherm-signature']).toMatch(/^sha256=/);
    expect(JSON.parse(pushes[0]?.body ?? '')).toMatchObject({
      event: '0002',
      displayTitle: expect.stringMatching(/^TEST/),
    });
  });

  it('an unconfirmed test is overdue after a day', async () => {
    const policyId = await policy('receivers', [await receiver('late@example.com')]);
    const test = expectDone(await ask<AlarmTestDetail>('POST', '/alarm-test', { policyId, level: 1 }));
    await settled(test.id);
    await server.pool.query(
      `update alarm_test set started_at = started_at - interval '25 hours' where id = $1`,
      [test.id],
    );
    expect((await get(test.id)).state).toBe('overdue');
  });

  it('a step that notifies nobody, and an asset without a policy, cannot be tested', async () => {
    const policyId = await policy('receivers', [], { channels: [] });
    expect(await ask('POST', '/alarm-test', { policyId, level: 1 })).toMatchObject({
      status: 'alarm_test.nobody',
    });
    const { rows } = await server.pool.query<{ id: number }>(
      `insert into asset (organization_id, code, name, kind) values ($1, 'TESTED', 'Tested', 'refrigerator')
       returning id::int as id`,
      [demo],
    );
    expect(await ask('POST', `/alarm-test/asset/${rows[0]?.id}`)).toMatchObject({
      status: 'alarm_test.no_policy',
    });
  });

  it('the test of an asset goes to the recipients of the policy that applies, with its lowest step that notifies', async () => {
    const { sensors, ...rest } = fridge('40000091', { organizationCode: 'DEMO' });
    const channels = [{ indicator: 'temperature' as const, name: 'Air' }];
    await server.provision(manager, [{ ...rest, sensors: sensors.map((each) => ({ ...each, channels })) }]);
    const { rows } = await server.pool.query<{ id: number }>(
      `select asset_id::int as id from device where number = '40000091'`,
    );
    const assetId = rows[0]?.id ?? 0;
    const policyId = await policy('receivers', [await receiver('covered@example.com')]);
    expectDone(await ask('POST', `/alarm/policy/${policyId}/assignment`, { kind: 'asset', id: assetId }));
    const tests = expectDone(await ask<AlarmTestDetail[]>('POST', `/alarm-test/asset/${assetId}`));
    expect(tests).toMatchObject([{ policyId, level: 1, assetId, sent: [{ state: 'sending' }] }]);
  });
});

describe('schedules of alarm tests', () => {
  const form = async (more: object = {}) => ({
    organizationId: demo,
    name: `Schedule ${++names}`,
    policyId: await policy('receivers', [await receiver(`s${names}@example.com`)]),
    level: 1,
    every: 1,
    interval: 'weeks',
    startsOn: '2026-01-05',
    at: '10:00',
    timeZone: 'Asia/Shanghai',
    ...more,
  });
  const testsOf = async (name: string) =>
    (await server.pool.query('select id from alarm_test where schedule_name = $1', [name])).rows;

  it('a test that came due several times during an outage is sent once, and the next one is in the future', async () => {
    const wanted = await form();
    const made = expectDone(await ask<TestScheduleView>('POST', '/alarm-test-schedule', wanted));
    expect(Date.parse(made.dueAt ?? '')).toBeGreaterThan(Date.now());
    await server.pool.query(
      `update alarm_test_schedule set due_at = now() - interval '40 days' where id = $1`,
      [made.id],
    );
    await vi.waitFor(async () => expect(await testsOf(wanted.name)).toHaveLength(1), {
      timeout: 20_000,
      interval: 200,
    });
    const after = expectDone(await ask<TestScheduleView>('GET', `/alarm-test-schedule/${made.id}`));
    expect(after.dueAt).toBe(made.dueAt);
  });

  it('a schedule that a worker has claimed is skipped by another one', async () => {
    await server.pool.query(`update alarm_test_schedule set due_at = null, enabled = false`);
    await ask('POST', '/alarm-test-schedule', await form({ startsOn: '2030-01-07' }));
    const [one, two] = [await server.pool.connect(), await server.pool.connect()];
    try {
      await one.query('begin');
      await two.query('begin');
      const later = new Date('2030-02-01');
      expect(await claimDueSchedule(one, later)).not.toBeNull();
      expect(await claimDueSchedule(two, later)).toBeNull();
    } finally {
      await one.query('rollback');
      await two.query('rollback');
      one.release();
      two.release();
    }
  });

  it('several workers start each due test once', async () => {
    const made: Awaited<ReturnType<typeof form>>[] = [];
    for (let nth = 0; nth < 4; nth += 1) made.push(await form({ startsOn: '2030-01-07' }));
    for (const each of made) expectDone(await ask('POST', '/alarm-test-schedule', each));
    const runner = () =>
      createTestRunner({
        pool: server.pool,
        sendTest: createSendTest({
          messages: { canDeliver: () => false, enqueue: () => Promise.reject(new Error('no transport')) },
          clock: systemClock,
          consoleUrl: null,
          ownTexts: createOwnTexts(createInvalidations(true)),
          translate: createTranslator(),
        }),
        post: async () => null,
        sealing: createSealing('a secret of the tests, long enough for anybody'),
        clock: systemClock,
        translate: createTranslator(),
        log: createLog('silent', false),
      });
    await server.pool.query('update alarm_test_schedule set due_at = now() where enabled');
    await Promise.all([runner().runDue(), runner().runDue(), runner().runDue()]);
    await vi.waitFor(async () => {
      const { rows } = await server.pool.query(
        'select schedule_name from alarm_test where schedule_name = any($1) order by 1',
        [made.map(({ name }) => name)],
      );
      expect(rows.map((row) => row.schedule_name)).toEqual(made.map(({ name }) => name).sort());
    });
  });

  it('a disabled schedule has no next test, and a deleted one leaves its tests', async () => {
    const wanted = await form({ enabled: false });
    const made = expectDone(await ask<TestScheduleView>('POST', '/alarm-test-schedule', wanted));
    expect(made.dueAt).toBeNull();
    expect(await ask('POST', '/alarm-test-schedule', wanted)).toMatchObject({
      status: 'test_schedule.taken',
    });
    expectDone(await ask('DELETE', `/alarm-test-schedule/${made.id}`, { reason: 'Not needed' }));
    expect(await ask('GET', `/alarm-test-schedule/${made.id}`)).toMatchObject({
      status: 'test_schedule.not_found',
    });
  });
});
