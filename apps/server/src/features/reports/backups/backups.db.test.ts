import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { archiveManifest, type BackupArchive, type BackupConfiguration } from '@isotherm/contracts/backups';
import { DAY_MS } from '@isotherm/domain/readings/sealed-day';
import { ARCHIVE_SUMS, archiveFaults } from '@isotherm/domain/reports/backup-archive';
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
import { unzip } from '../../../testing/unzip.ts';

const MINUTE = 60_000;
const NUMBER = '60000071';
const OTHER = '60000072';
const WAIT = { timeout: 30_000, interval: 100 };
let files: string;
let post: TestMailServer;
let environment: Record<string, string>;
let server: TestServer;
let manager: Session;
let platform: Session;
let organizationId: number;
let named = 0;
let stamp = Date.now();
/** Calls of one user in the same millisecond would be replays. */
const timestamp = () => ++stamp;

beforeAll(async () => {
  files = await mkdtemp(join(tmpdir(), 'isotherm-backups-'));
  post = await startMailServer();
  environment = {
    ...post.environment,
    ISOTHERM_PUBLIC_URL: 'https://console.example',
    ISOTHERM_FILES_FOLDER: files,
  };
  server = await startTestServer({ environment });
  manager = await server.logIn('demo.manager');
  platform = await server.logIn('demo.platform');
  await server.provision(
    manager,
    [NUMBER, OTHER].map((number) => fridge(number, { organizationCode: 'DEMO' })),
  );
  const { rows } = await server.pool.query(
    'select organization_id::int as organization, asset_id::int as asset from device where number = $1',
    [NUMBER],
  );
  organizationId = rows[0].organization;
  await server.pool.query(`update organization set time_zone = 'UTC' where id = $1`, [organizationId]);
  // A name that a spreadsheet would take for a formula.
  await server.pool.query(`update asset set name = '=HYPERLINK("x")' where id = $1`, [rows[0].asset]);
  const yesterday = Math.floor(Date.now() / DAY_MS) * DAY_MS - DAY_MS;
  for (const number of [NUMBER, OTHER])
    await server.ingest(number, TEST_KEY, {
      readings: Array.from({ length: 60 }, (_, minute) => ({
        channel: 'temperature-1',
        at: yesterday + minute * MINUTE,
        value: 4 + minute / 100,
      })),
    });
});
beforeEach(() => post.mails.splice(0));
afterAll(async () => {
  await server.stop();
  await post.stop();
  await rm(files, { recursive: true });
});

const form = (more: object = {}) => ({
  organizationId,
  title: `Ward ${++named}`,
  fileName: `ward-${named}`,
  interval: 'day',
  devices: [NUMBER],
  recipients: ['nurse@example.com'],
  language: 'en',
  enabled: true,
  ...more,
});
const ask = <T = unknown>(
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  json?: object,
  session = manager,
) =>
  server.call<T>({
    method,
    path: `/api/${path}`,
    session,
    timestamp: timestamp(),
    ...(json ? { json } : {}),
  });
const create = async (more: object = {}, session = manager) =>
  expectDone(await ask<BackupConfiguration>('POST', 'backup', form(more), session));
const get = async (id: number) => expectDone(await ask<BackupConfiguration>('GET', `backup/${id}`));
const archives = async (id: number, session = manager) =>
  expectDone(
    await server.call<{ items: BackupArchive[]; total: number }>({
      path: '/api/backup-archive',
      query: { configurationId: String(id) },
      session,
      timestamp: timestamp(),
    }),
  ).items;
const makeDue = (ids: readonly number[]) =>
  server.pool.query('update report_schedule set due_at = now() where id = any($1)', [ids]);
const ended = (id: number, state: string) =>
  vi.waitFor(async () => {
    const [archive] = await archives(id);
    expect(archive?.state, archive?.error ?? '').toBe(state);
    return archive as BackupArchive;
  }, WAIT);
const mailed = (count: number) =>
  vi.waitFor(() => {
    expect(post.mails.length).toBeGreaterThanOrEqual(count);
    return post.mails;
  }, WAIT);
async function download(id: number, session = manager): Promise<Response> {
  const { url, headers } = server.signed({
    path: `/api/backup-archive/${id}/file`,
    session,
    timestamp: timestamp(),
  });
  return fetch(url, { headers });
}
const bytesOf = async (id: number) => Buffer.from(await (await download(id)).arrayBuffer());
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const foundIn = (archive: ReadonlyMap<string, Buffer>) =>
  [...archive]
    .filter(([name]) => !name.startsWith('manifest.') && name !== ARCHIVE_SUMS)
    .map(([name, bytes]) => ({ name, bytes: bytes.length, sha256: sha256(bytes) }));
const verify = async (manifest: Buffer, seal: string) =>
  expectDone(
    await ask<{ isGenuine: boolean }>('POST', 'backup-archive/verify', { manifest: sha256(manifest), seal }),
  ).isGenuine;

test('without the service nothing is backed up; the trial covers 50 devices for a week', async () => {
  const refused = await ask('POST', 'backup', form());
  expect(refused.status).toBe('backup.inactive');
  // A configuration can be prepared.
  expect(await create({ enabled: false })).toMatchObject({ enabled: false, dueAt: null });
  expect(expectDone(await ask('GET', 'backup-service'))).toMatchObject({
    state: 'not-activated',
    mayTry: true,
  });
  expectDone(await ask('POST', `billing/premium/${organizationId}/trial`, { service: 'backup' }));
  expect(expectDone(await ask('GET', 'backup-service'))).toMatchObject({
    state: 'trial',
    mayTry: false,
    deviceLimit: 50,
    canDeliver: true,
  });
});

test('an archive contains all readings, its files have the listed hashes, and each changed file is named', async () => {
  const { id, dueAt, timeZone } = await create({ devices: [] });
  const timing = { interval: 'day' as const, weekday: 1, monthDay: 1, at: '00:00', timeZone };
  expect(Date.parse(dueAt ?? '')).toBe(nextReport(timing, Date.now()));
  await makeDue([id]);
  const archive = await ended(id, 'ready');
  const zip = await bytesOf(archive.id);
  expect(archive).toMatchObject({ bytes: zip.length, sha256: sha256(zip), startedBy: '', error: null });
  expect(archive.fileName).toMatch(/^ward-\d+-\d{4}-\d\d-\d\d-\d{4}-\d\d-\d\d\.zip$/);

  const content = await unzip(zip);
  expect([...content.keys()]).toEqual([
    `devices/${NUMBER}.csv`,
    `devices/${OTHER}.csv`,
    'summary.pdf',
    'README.txt',
    'SHA256SUMS',
    'manifest.json',
    'manifest.seal',
  ]);
  const csv = content.get(`devices/${NUMBER}.csv`)?.toString('utf8') ?? '';
  expect(csv.trim().split('\r\n')).toHaveLength(61);
  expect(csv).toContain(`"'=HYPERLINK(""x"")"`);
  const { pages } = await readPdf((content.get('summary.pdf') as Buffer).toString('base64'));
  expect(pages[0]).toContain('120 readings');
  expect(pages[0]).toMatch(/BK-\d{4}-\d{6}/);

  const text = content.get('manifest.json') as Buffer;
  const manifest = archiveManifest.parse(JSON.parse(text.toString('utf8')));
  expect(manifest).toMatchObject({ organization: expect.any(String), timeZone: 'UTC' });
  expect(manifest.devices.map(({ number, channels }) => [number, channels[0]?.readings])).toContainEqual([
    NUMBER,
    60,
  ]);
  expect(archiveFaults(manifest.files, foundIn(content))).toEqual([]);
  const seal = content.get('manifest.seal')?.toString('utf8') ?? '';
  expect(await verify(text, seal)).toBe(true);
  expect(content.get(ARCHIVE_SUMS)?.toString('utf8')).toContain(`${sha256(text)}  manifest.json\n`);

  for (const { name } of manifest.files) {
    const tampered = new Map(content);
    const bytes = Buffer.from(content.get(name) as Buffer);
    bytes[bytes.length - 2] = (bytes.at(-2) as number) ^ 1;
    tampered.set(name, bytes);
    expect(archiveFaults(manifest.files, foundIn(tampered))).toEqual([{ file: name, fault: 'changed' }]);
  }
  expect(await verify(Buffer.concat([text, Buffer.from(' ')]), seal)).toBe(false);
  expect(
    await verify(
      text,
      seal.replace(/^./, (first) => (first === '0' ? '1' : '0')),
    ),
  ).toBe(false);
});

test('the manifest lists the hashes of sealed days', async () => {
  const day = Math.floor(Date.now() / DAY_MS) * DAY_MS - 4 * DAY_MS;
  await server.ingest(NUMBER, TEST_KEY, { readings: [{ channel: 'temperature-1', at: day, value: 5 }] });
  await server.pool.query(`select graphile_worker.add_job('telemetry-seal')`);
  const { rows } = await vi.waitFor(async () => {
    const found = await server.pool.query(
      `select channel_id as channel, to_char(day, 'YYYY-MM-DD') as day, count as readings,
              encode(sha256(gaps || value_deltas || coalesce(late, '')), 'hex') as sha256
         from sealed_day where day = $1`,
      [new Date(day)],
    );
    expect(found.rows).toHaveLength(1);
    return found;
  }, WAIT);
  const { id } = await create({ interval: 'week' });
  await makeDue([id]);
  const content = await unzip(await bytesOf((await ended(id, 'ready')).id));
  const manifest = archiveManifest.parse(JSON.parse(content.get('manifest.json')?.toString('utf8') ?? ''));
  expect(manifest.sealedDays).toEqual(rows);
  expect(content.get(`devices/${NUMBER}.csv`)?.toString('utf8').trim().split('\r\n')).toHaveLength(62);
});

test('recipients get a link, and an address that is refused is in the list', async () => {
  const { id } = await create({
    recipients: ['refused@example.com', 'nurse@example.com', 'NURSE@example.com'],
  });
  expectDone(await ask('POST', `backup/${id}/run`));
  const [mail] = await mailed(1);
  expect(mail?.to.toLowerCase()).toBe('nurse@example.com');
  expect(mail?.file).toBeNull();
  expect(mail?.text).toMatch(/^Subject: Ward \d+: backup ready/m);
  const [, token] = /console\.example\/api\/report-file\/([\w-]{22})/.exec(mail?.text ?? '') ?? [];
  const response = await fetch(`${server.url}/api/report-file/${token}`);
  const archive = await ended(id, 'ready');
  expect(sha256(Buffer.from(await response.arrayBuffer()))).toBe(archive.sha256);
  expect(archive.startedBy).toBe('demo.manager');
  await vi.waitFor(
    async () => expect((await archives(id))[0]?.refused).toEqual(['refused@example.com']),
    WAIT,
  );
  // After a week the file is gone.
  await server.pool.query(
    `update job set expires_at = now() where id = (select job_id from report_run where id = $1)`,
    [archive.id],
  );
  await server.pool.query('update report_run set expires_at = now() where id = $1', [archive.id]);
  expect((await archives(id))[0]?.state).toBe('expired');
  expect((await download(archive.id)).status).toBe(404);
});

test('nobody else sees or downloads a backup, and a person who lost the permission does not either', async () => {
  const known = people(server, platform);
  const keeper = await known.account('backup.keeper', 'quality-manager', 'DEMO');
  const { id } = await create();
  await makeDue([id]);
  const archive = await ended(id, 'ready');
  expect((await download(archive.id, keeper)).status).toBe(200);
  await server.pool.query(
    `delete from account_role where account_id = (select id from account where username = 'backup.keeper')`,
  );
  await vi.waitFor(async () => expect((await download(archive.id, keeper)).status).toBe(403), WAIT);
  const ward = await server.logIn('demo.keeper');
  expect((await download(archive.id, ward)).status).not.toBe(200);
});

async function backupAlarms() {
  const { rows } = await server.pool.query(
    `select a.kind, a.subject, a.end_reason, d.number as device_number
       from alarm a join channel c on c.id = a.channel_id join device d on d.id = c.device_id
      where a.kind = 'backup' order by a.id`,
  );
  return rows;
}

test('a failed backup is an alarm, and is told by e-mail and by an announcement that pops up and says why', async () => {
  const { id } = await create();
  await server.pool.query(`
    create function no_record() returns trigger language plpgsql as $$
    begin raise exception using errcode = 'P0042'; end $$;
    create trigger no_record before update on job for each row when (new.state = 'done') execute function no_record()`);
  await makeDue([id]);
  const archive = await ended(id, 'failed');
  await server.pool.query('drop trigger no_record on job; drop function no_record()');
  // Requirements §8.
  expect(archive.error).toMatch(
    /^The upload reached the third-party service but not the server, with error code P0042\./,
  );
  const [mail] = await mailed(1);
  expect(mail?.text).toMatch(/^Subject: Ward \d+: backup failed/m);
  expect(mail?.text).toContain('error code P0042');
  const { rows } = await server.pool.query(
    `select popup, state from announcement where title like '%backup failed%' and organization_id = $1`,
    [organizationId],
  );
  expect(rows).toEqual([{ popup: true, state: 'published' }]);
  const failedBackups = async () =>
    expectDone(await ask<{ failedBackups: number }>('GET', 'dashboard')).failedBackups;
  expect(await failedBackups()).toBe(1);
  const alarm = { kind: 'backup', subject: 'device', device_number: NUMBER };
  expect(await backupAlarms()).toMatchObject([{ ...alarm, end_reason: null }]);
  // The same devices in another configuration, whose backup succeeds.
  const other = await create();
  await makeDue([other.id]);
  await ended(other.id, 'ready');
  expect(await backupAlarms()).toMatchObject([{ ...alarm, end_reason: null }]);
  await makeDue([id]);
  await ended(id, 'ready');
  expect(await failedBackups()).toBe(0);
  expect(await backupAlarms()).toMatchObject([{ ...alarm, end_reason: 'backup-made' }]);
});

test('devices that were moved away are left out, and a backup without any fails', async () => {
  const { id } = await create({ devices: [NUMBER, OTHER] });
  await server.pool.query(`update device set deleted_at = now() where number = $1`, [OTHER]);
  await makeDue([id]);
  const archive = await ended(id, 'ready');
  expect([...(await unzip(await bytesOf(archive.id))).keys()]).not.toContain(`devices/${OTHER}.csv`);
  await server.pool.query(`update device set deleted_at = now() where number = $1`, [NUMBER]);
  await makeDue([id]);
  const failed = await ended(id, 'failed');
  expect(failed.error).toContain('None of the devices');
  await server.pool.query('update device set deleted_at = null where number = any($1)', [[NUMBER, OTHER]]);
  expect((await ask('POST', 'backup', form({ devices: ['99999999'] }))).status).toBe('device.not_found');
});

test('a backup whose devices were all removed does not become one of all devices', async () => {
  const removed = ['60000073', '60000074'];
  await server.provision(
    manager,
    removed.map((number) => fridge(number, { organizationCode: 'DEMO' })),
  );
  const { id } = await create({ devices: removed });
  const remove = (numbers: readonly string[]) =>
    server.pool.query('update device set deleted_at = now(), removed_at = now() where number = any($1)', [
      numbers,
    ]);
  await remove(removed.slice(0, 1));
  expect((await get(id)).devices).toEqual(removed.slice(1));
  await remove(removed.slice(1));
  expect((await get(id)).devices).toEqual(removed);
  expect((await ask('PUT', `backup/${id}`, form({ devices: removed }))).status).toBe('device.not_found');
});

test('backups are paused at the end of the trial and continue when the service is activated', async () => {
  const { id } = await create();
  const { rows } = await server.pool.query(
    `update premium_service set trial_started_at = now() - interval '8 days' where service = 'backup' returning organization_id`,
  );
  expect(rows).toHaveLength(1);
  await makeDue([id]);
  await vi.waitFor(
    async () =>
      expect(await get(id)).toMatchObject({ enabled: false, dueAt: null, pauseReason: 'backup.inactive' }),
    WAIT,
  );
  expect((await ask('POST', `backup/${id}/run`)).status).toBe('backup.inactive');
  const lastDay = new Date(Date.now() + 30 * DAY_MS).toISOString().slice(0, 10);
  expectDone(
    await ask(
      'PUT',
      `billing/premium/${organizationId}`,
      { service: 'backup', lastDay, deviceLimit: 1 },
      platform,
    ),
  );
  await server.pool.query(`select graphile_worker.add_job('backups-resume')`);
  await vi.waitFor(
    async () => expect(await get(id)).toMatchObject({ enabled: true, pauseReason: null }),
    WAIT,
  );
  const refused = await ask('POST', 'backup', form({ devices: [NUMBER, OTHER] }));
  expect(refused.status).toBe('backup.device_limit');
  // Without chosen devices all of the organisation count, also if the backup is started by hand.
  expect((await ask('POST', 'backup', form({ devices: [] }))).status).toBe('backup.device_limit');
  const { id: all } = await create({ devices: [], enabled: false });
  expect((await ask('POST', `backup/${all}/run`)).status).toBe('backup.device_limit');
});

test('backups that are due at once are made once each by two processes', async () => {
  const other = await startTestServer({ environment, databaseUrl: server.databaseUrl });
  const ids: number[] = [];
  for (let i = 0; i < 8; i++) ids.push((await create({ recipients: [`ward-${i}@example.com`] })).id);
  await makeDue(ids);
  // One after the other, as they are of one organisation.
  await vi.waitFor(() => expect(post.mails.length).toBeGreaterThanOrEqual(8), {
    timeout: 120_000,
    interval: 200,
  });
  await vi.waitFor(async () => {
    const { rows } = await server.pool.query(
      `select count(*)::int as runs, count(*) filter (where state = 'sent')::int as sent from report_run where schedule_id = any($1)`,
      [ids],
    );
    expect(rows[0]).toEqual({ runs: 8, sent: 8 });
  }, WAIT);
  await other.stop();
  expect(new Set(post.mails.map(({ to }) => to)).size).toBe(8);
  expect(post.mails).toHaveLength(8);
}, 180_000);

test.each([
  ['skipped', 'America/Asuncion', '2024-10-05T12:00:00Z', '2024-10-06T04:00:00.000Z'],
  ['repeated', 'America/Havana', '2024-11-02T12:00:00Z', '2024-11-03T04:00:00.000Z'],
])('the backup at a midnight that is %s is due once', (_, timeZone, now, due) => {
  const timing = { interval: 'day' as const, weekday: 1, monthDay: 1, at: '00:00', timeZone };
  const first = nextReport(timing, Date.parse(now));
  expect(new Date(first).toISOString()).toBe(due);
  expect(nextReport(timing, first) - first).toBeGreaterThan(22 * 3_600_000);
});

test('a report and a backup may have the same name, and neither is in the list of the other', async () => {
  const { id, title } = await create({ enabled: false });
  expect((await ask('POST', 'backup', form({ title: title.toUpperCase(), enabled: false }))).status).toBe(
    'backup.taken',
  );
  expect((await ask('GET', `report-schedule/${id}`)).status).toBe('report_schedule.not_found');
  const { data } = await server.call<{ items: { name: string }[] }>({
    path: '/api/report-schedule',
    query: { search: title },
    session: manager,
    timestamp: timestamp(),
  });
  expect(data.items).toEqual([]);
  expect((await ask('POST', 'backup', form({ fileName: '../etc', enabled: false }))).httpStatus).toBe(400);
});
