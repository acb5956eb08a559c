import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ReportVerification } from '@isotherm/contracts/report-register';
import type { ReportRun, ReportSchedule } from '@isotherm/contracts/report-schedules';
import { DAY_MS } from '@isotherm/domain/readings/sealed-day';
import { nextReport } from '@isotherm/domain/reports/report-schedule';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { startMailServer, type TestMailServer } from '../../../testing/mail-server.ts';
import { expectDone, people } from '../../../testing/people.ts';
import { readPdf } from '../../../testing/read-pdf.ts';
import {
  fridge,
  type Session,
  startTestServer,
  TEST_KEY,
  type TestServer,
} from '../../../testing/test-server.ts';

const MINUTE = 60_000;
const NUMBER = '60000051';
const WAIT = { timeout: 30_000, interval: 100 };
let files: string;
let post: TestMailServer;
let environment: Record<string, string>;
let server: TestServer;
let manager: Session;
let organizationId: number;
let assetId: number;
let named = 0;

beforeAll(async () => {
  files = await mkdtemp(join(tmpdir(), 'isotherm-schedules-'));
  post = await startMailServer();
  environment = {
    ...post.environment,
    ISOTHERM_PUBLIC_URL: 'https://console.example',
    ISOTHERM_FILES_FOLDER: files,
  };
  server = await startTestServer({ environment });
  manager = await server.logIn('demo.manager');
  await server.provision(manager, [fridge(NUMBER)]);
  const yesterday = Math.floor(Date.now() / DAY_MS) * DAY_MS - DAY_MS + 6 * 3_600_000;
  await server.ingest(NUMBER, TEST_KEY, {
    readings: Array.from({ length: 60 }, (_, minute) => ({
      channel: 'temperature-1',
      at: yesterday + minute * MINUTE,
      value: 5,
    })),
  });
  const { rows } = await server.pool.query(
    'select asset_id::int as asset, organization_id::int as organization from device where number = $1',
    [NUMBER],
  );
  assetId = rows[0].asset;
  organizationId = rows[0].organization;
  await server.pool.query(`update organization set time_zone = 'UTC' where id = $1`, [organizationId]);
});
beforeEach(() => post.mails.splice(0));
afterAll(async () => {
  await server.stop();
  await post.stop();
  await rm(files, { recursive: true });
});

const form = (more: object = {}) => ({
  organizationId,
  name: `Fridges ${++named}`,
  assets: [assetId],
  format: 'pdf',
  interval: 'day',
  at: '07:00',
  recipients: ['nurse@example.com'],
  language: 'en',
  enabled: true,
  ...more,
});
const create = async (more: object = {}, session = manager) =>
  expectDone(
    await server.call<ReportSchedule>({
      method: 'POST',
      path: '/api/report-schedule',
      session,
      json: form(more),
    }),
  );
const get = async (id: number) =>
  expectDone(await server.call<ReportSchedule>({ path: `/api/report-schedule/${id}`, session: manager }));
const runs = async (id: number) =>
  expectDone(
    await server.call<{ items: ReportRun[] }>({ path: `/api/report-schedule/${id}/run`, session: manager }),
  ).items;
/** Makes a schedule due, as when its time has come. */
const makeDue = (ids: readonly number[], at = 'now()') =>
  server.pool.query(`update report_schedule set due_at = ${at} where id = any($1)`, [ids]);
const mailed = (count: number) =>
  vi.waitFor(() => {
    expect(post.mails.length).toBeGreaterThanOrEqual(count);
    return post.mails;
  }, WAIT);
const ended = (id: number, state: string) =>
  vi.waitFor(async () => {
    const [run] = await runs(id);
    expect(run?.state, run?.error ?? '').toBe(state);
    return run as ReportRun;
  }, WAIT);

async function verify(token: string, file: Buffer): Promise<ReportVerification> {
  const sha256 = createHash('sha256').update(file).digest('hex');
  return expectDone(
    await server.call<ReportVerification>({
      method: 'POST',
      path: '/api/verify/report',
      json: { token, sha256 },
    }),
  );
}

test('a report arrives by e-mail when it is due, its PDF verifies, and a changed byte does not', async () => {
  const { id, dueAt, timeZone } = await create({ recipients: ['nurse@example.com', 'NURSE@example.com'] });
  expect(Date.parse(dueAt ?? '')).toBe(
    nextReport({ interval: 'day', weekday: 1, monthDay: 1, at: '07:00', timeZone }, Date.now()),
  );
  await makeDue([id]);
  const [mail] = await mailed(1);
  expect(mail?.to.toLowerCase()).toBe('nurse@example.com');
  expect(mail?.text).toMatch(/^Subject: Fridges \d+: Records report, /m);
  const file = mail?.file as Buffer;
  const { pages } = await readPdf(file.toString('base64'));
  expect(pages[0]).toContain('Fridge 60000051');
  const [, token = ''] = /\/verify\/([\w-]{22})/.exec(pages[0] ?? '') ?? [];
  expect(await verify(token, file)).toMatchObject({ kind: 'records', isGenuine: true });
  file[1000] = (file[1000] as number) ^ 1;
  expect(await verify(token, file)).toMatchObject({ isGenuine: false });

  const run = await ended(id, 'sent');
  const midnight = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  expect(run).toMatchObject({
    startedBy: '',
    from: new Date(midnight - DAY_MS).toISOString(),
    to: new Date(midnight).toISOString(),
    bytes: file.length,
    isLinked: false,
  });
  await vi.waitFor(async () => expect((await runs(id))[0]?.deliveries[0]?.state).toBe('sent'), WAIT);
  expect(await get(id)).toMatchObject({ dueAt, lastRun: { state: 'sent', refused: 0 } });
});

test('a refused recipient is in the history, and the others receive the report', async () => {
  const { id } = await create({ recipients: ['refused@example.com', 'nurse@example.com'], format: 'csv' });
  await makeDue([id]);
  const [mail] = await mailed(1);
  expect(mail?.to).toBe('nurse@example.com');
  expect(mail?.file?.toString('utf8')).toContain('Fridge 60000051');
  await vi.waitFor(async () => {
    const [run] = await runs(id);
    expect(run?.deliveries).toEqual([
      { recipient: 'nurse@example.com', state: 'sent', error: '' },
      { recipient: 'refused@example.com', state: 'failed', error: expect.stringContaining('550') },
    ]);
  }, WAIT);
  expect((await get(id)).lastRun).toMatchObject({ refused: 1 });
});

test('a schedule whose owner lost the permission is paused with the reason, and resumes when another person saves it', async () => {
  const platform = await server.logIn('demo.platform');
  const known = people(server, platform);
  const keeper = await known.account('schedule.keeper', 'quality-manager', 'DEMO');
  const { id, name } = await create({}, keeper);
  await server.pool.query(
    `delete from account_role where account_id = (select id from account where username = 'schedule.keeper')`,
  );
  await makeDue([id]);
  const run = await ended(id, 'failed');
  expect(run.error).toBe('You no longer have permission to see this content. Ask your administrator.');
  expect(await get(id)).toMatchObject({
    enabled: false,
    dueAt: null,
    pauseReason: 'job.forbidden',
    owner: 'Test Person',
  });
  const saved = expectDone(
    await server.call<ReportSchedule>({
      method: 'PUT',
      path: `/api/report-schedule/${id}`,
      session: manager,
      json: form({ name }),
    }),
  );
  expect(saved).toMatchObject({ enabled: true, pauseReason: null });
  // A deleted account has no rights either.
  await server.pool.query('update report_schedule set owner_id = null where id = $1', [id]);
  await makeDue([id]);
  await vi.waitFor(async () => expect((await get(id)).pauseReason).toBe('job.forbidden'), WAIT);
  expect(post.mails).toEqual([]);
});

test('a schedule with an asset that was deleted is paused, and assets of others are not found', async () => {
  await server.provision(manager, [fridge('60000052')]);
  const { rows } = await server.pool.query(
    `select asset_id::int as id from device where number = '60000052'`,
  );
  const { id } = await create({ assets: [assetId, rows[0].id] });
  await server.pool.query('update asset set deleted_at = now() where id = $1', [rows[0].id]);
  await makeDue([id]);
  await vi.waitFor(async () => expect((await get(id)).pauseReason).toBe('asset.not_found'), WAIT);
  const refused = await server.call({
    method: 'POST',
    path: '/api/report-schedule',
    session: manager,
    json: form({ assets: [rows[0].id] }),
  });
  expect(refused.status).toBe('asset.not_found');
});

test('a report can be started at once, though not twice at the same time, while its schedule is paused', async () => {
  const { id } = await create({ enabled: false, format: 'csv' });
  const start = (timestamp: number) =>
    server.call({ method: 'POST', path: `/api/report-schedule/${id}/run`, session: manager, timestamp });
  const both = await Promise.all([start(Date.now()), start(Date.now() + 1)]);
  expect(both.map(({ status }) => status).sort()).toEqual(['1', 'report_schedule.running']);
  await mailed(1);
  expect(await ended(id, 'sent')).toMatchObject({ startedBy: 'demo.manager' });
  expect((await get(id)).dueAt).toBeNull();
});

test('a file that is too large for an e-mail is sent as a link, which ends with the file', async () => {
  await server.pool.query(`
    create function large_file() returns trigger language plpgsql as $$
    begin new.file_bytes = 10000001; return new; end $$;
    create trigger large_file before update on job for each row when (new.state = 'done') execute function large_file()`);
  const { id } = await create({ format: 'csv' });
  await makeDue([id]);
  const [mail] = await mailed(1);
  await server.pool.query('drop trigger large_file on job');
  expect(mail?.file).toBeNull();
  const [, token] = /console\.example\/api\/report-file\/([\w-]{22})/.exec(mail?.text ?? '') ?? [];
  const download = () => fetch(`${server.url}/api/report-file/${token}`);
  const answer = await download();
  expect(answer.headers.get('content-disposition')).toContain('records-');
  expect(await answer.text()).toContain('Fridge 60000051');
  expect(await ended(id, 'sent')).toMatchObject({ isLinked: true });
  await server.pool.query(`update job set expires_at = now() where kind = 'record-report'`);
  expect((await download()).status).toBe(404);
  expect((await fetch(`${server.url}/api/report-file/${'x'.repeat(22)}`)).status).toBe(404);
});

test('reports that are due at once are made once each by two processes, one of which is restarted', async () => {
  const other = await startTestServer({ environment, databaseUrl: server.databaseUrl });
  const made = await Promise.all(
    Array.from({ length: 30 }, (_, at) => create({ format: 'csv', recipients: [`ward-${at}@example.com`] })),
  );
  const ids = made.map(({ id }) => id);
  await makeDue(ids);
  await mailed(5);
  await other.stop();
  const third = await startTestServer({ environment, databaseUrl: server.databaseUrl });
  await mailed(30);
  await vi.waitFor(async () => {
    const { rows } = await server.pool.query(
      `select count(*)::int as runs, count(*) filter (where state = 'sent')::int as sent from report_run where schedule_id = any($1)`,
      [ids],
    );
    expect(rows[0]).toEqual({ runs: 30, sent: 30 });
  }, WAIT);
  await third.stop();
  expect(new Set(post.mails.map(({ to }) => to)).size).toBe(30);
  expect(post.mails).toHaveLength(30);
});

test('10,000 reports that are due at midnight wait for each other, and a missed time is made once', async () => {
  await server.pool.query(
    `insert into report_schedule (organization_id, owner_id, name, kind, asset_ids, format, interval_unit, weekday, month_day,
                                  starts_at, recipients, language, enabled, due_at, changed_by, changed_at)
     select $1, (select id from account where username = 'demo.manager'), 'Midnight ' || n, 'record-report', array[$2::bigint],
            'csv', 'day', 1, 1, '00:00', array['mass-' || n || '@example.com'], 'en', true,
            date_trunc('day', now()) - interval '2 days', 'test', now()
       from generate_series(1, 10000) n`,
    [organizationId, assetId],
  );
  let mostOrdered = 0;
  let sent = 0;
  const sentAtLeast = (wanted: number) =>
    vi.waitFor(
      async () => {
        const { rows } = await server.pool.query(
          `select count(*)::int as runs, count(*) filter (where r.state = 'running')::int as ordered,
                  count(*) filter (where r.state = 'sent')::int as sent
             from report_run r join report_schedule s on s.id = r.schedule_id where s.name like 'Midnight %'`,
        );
        mostOrdered = Math.max(mostOrdered, rows[0].ordered);
        sent = rows[0].sent;
        expect(rows[0].runs).toBe(10_000);
        expect(sent).toBeGreaterThanOrEqual(wanted);
      },
      { timeout: 300_000, interval: 100 },
    );
  await sentAtLeast(20);
  // An alarm in between does not wait for them.
  const begin = performance.now();
  await server.ingest(NUMBER, TEST_KEY, {
    readings: [3, 2, 1].map((minutes) => ({
      channel: 'temperature-1',
      at: Date.now() - minutes * MINUTE,
      value: 12,
    })),
  });
  const alarms = await server.pool.query(
    `select from alarm where kind = 'high' and raised_at is not null and ended_at is null`,
  );
  const alarmMs = performance.now() - begin;
  expect(alarms.rowCount).toBeGreaterThan(0);
  await sentAtLeast(20);
  expect(sent).toBeLessThan(200);
  expect(alarmMs).toBeLessThan(5_000);
  await sentAtLeast(200);
  // Never more than five of one owner, so that a person's own downloads find their place between them.
  expect(mostOrdered).toBeLessThanOrEqual(5);
  const { rows } = await server.pool.query(
    `select count(*)::int as early from report_schedule where name like 'Midnight %' and due_at <= now()`,
  );
  expect(rows[0].early).toBe(0);
  await server.pool.query(`delete from report_schedule where name like 'Midnight %'`);
}, 330_000);
