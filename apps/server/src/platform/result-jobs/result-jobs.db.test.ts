import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Job } from '@isotherm/contracts/jobs';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import {
  fridge,
  type Session,
  startTestServer,
  TEST_KEY,
  type TestServer,
} from '../../testing/test-server.ts';

const NUMBER = '60000031';
const folder = mkdtempSync(join(tmpdir(), 'isotherm-jobs-'));
let server: TestServer;
let auditor: Session;
let manager: Session;
let channel: number;

beforeAll(async () => {
  server = await startTestServer({ environment: { ISOTHERM_FILES_FOLDER: folder } });
  [manager, auditor] = [await server.logIn('demo.manager'), await server.logIn('demo.auditor')];
  const item = fridge(NUMBER);
  item.asset.name = '=1+1';
  await server.provision(manager, [item]);
  await server.ingest(NUMBER, TEST_KEY, {
    readings: [5, 5.5, 6].map((value, i) => ({
      channel: 'temperature-1',
      at: Date.now() - 600_000 + i * 60_000,
      value,
    })),
  });
  const { rows } = await server.pool.query<{ id: number }>(
    `select c.id from channel c join device d on d.id = c.device_id where d.number = $1 and c.indicator = 'temperature'`,
    [NUMBER],
  );
  channel = rows[0]?.id as number;
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

const body = (over: object = {}) => ({
  channels: [channel],
  from: new Date(Date.now() - 86_400_000).toISOString(),
  to: new Date().toISOString(),
  format: 'csv',
  zone: 'Asia/Shanghai',
  ...over,
});
const post = <T = null>(path: string, session: Session, json?: object) =>
  server.call<T>({ method: 'POST', path: `/api${path}`, session, ...(json ? { json } : {}) });
const order = (session = auditor, over: object = {}) =>
  post<Job>('/telemetry/export/order', session, body(over));
const list = async (session = auditor) =>
  (await server.call<{ items: Job[] }>({ path: '/api/job/list', session })).data.items;
const download = (id: number, session = auditor) =>
  server.call<string>({ path: `/api/job/${id}/file`, session });
const until = (id: number, state: Job['state'], session = auditor) =>
  vi.waitFor(
    async () => {
      const found = (await list(session)).find((each) => each.id === id);
      expect(found?.state).toBe(state);
      return found as Job;
    },
    { timeout: 15_000, interval: 50 },
  );
const remove = (id: number, session = auditor) =>
  server.call({ method: 'DELETE', path: `/api/job/${id}`, session });
const files = async () => (await readdir(folder)).filter((name) => name !== 'spool');

test('an ordered export becomes the same file as a direct one, and is only its owner’s', async () => {
  const asked = body();
  const ordered = await post<Job>('/telemetry/export/order', auditor, asked);
  expect(ordered).toMatchObject({ status: '1', data: { kind: 'readings-export', subject: '=1+1' } });
  const done = await until(ordered.data.id, 'done');
  const direct = await server.call<string>({
    method: 'POST',
    path: '/api/telemetry/export',
    json: asked,
    session: auditor,
  });
  const { data, headers } = await download(done.id);
  expect(data).toBe(direct.data);
  // A name that starts like a formula is text in the file.
  expect(data).toContain("'=1+1");
  expect(headers?.get('content-disposition')).toContain(done.fileName);
  // Reading it as text has removed the byte order mark.
  const bytes = Buffer.from(`\ufeff${data}`);
  expect(done).toMatchObject({
    progress: 1,
    error: null,
    bytes: bytes.length,
    hash: createHash('sha256').update(bytes).digest('hex'),
  });
  expect(Date.parse(done.expiresAt as string) - Date.now()).toBeGreaterThan(6.9 * 86_400_000);
  expect((await list(manager)).map(({ id }) => id)).not.toContain(done.id);
  const asManager = [await download(done.id, manager), await remove(done.id, manager)];
  expect(asManager.map(({ status }) => status)).toEqual(['job.not_found', 'job.not_found']);
  const { rows } = await server.pool.query(
    `select after from audit_entry where object_kind = 'job' and object_id = $1 and action = 'export'`,
    [String(done.id)],
  );
  expect(rows[0]?.after).toMatchObject({ jobKind: 'readings-export', channels: [channel] });
});

test('a deleted download is deleted from the storage', async () => {
  const { id } = (await order()).data;
  await until(id, 'done');
  const before = await files();
  expect((await remove(id)).status).toBe('1');
  expect(await download(id)).toMatchObject({ status: 'job.not_found' });
  await server.pool.query(`select graphile_worker.add_job('job-files-sweep')`);
  await vi.waitFor(async () => expect(await files()).toHaveLength(before.length - 1), { timeout: 15_000 });
});

test('an expired file is deleted, and can be ordered again', async () => {
  const { id } = (await order()).data;
  await until(id, 'done');
  await server.pool.query(
    `update stored_file set delete_after = now() where key = (select file_key from job where id = $1)`,
    [id],
  );
  await server.pool.query(`update job set expires_at = now() - interval '1 minute' where id = $1`, [id]);
  expect((await until(id, 'expired')).fileName).toMatch(/^readings-.*\.csv$/);
  expect((await download(id)).status).toBe('job.no_file');
  await server.pool.query(`select graphile_worker.add_job('job-files-sweep')`);
  await vi.waitFor(async () => {
    const { rows } = await server.pool.query(
      `select 1 from stored_file s join job j on j.file_key = s.key where j.id = $1`,
      [id],
    );
    expect(rows).toEqual([]);
  });
  const again = await post<Job>(`/job/${id}/retry`, auditor);
  await until(again.data.id, 'done');
});

test('a permission that was lost after the order refuses the download', async () => {
  const { id } = (await order()).data;
  await until(id, 'done');
  const { rows } = await server.pool.query<{ role_id: number }>(
    `delete from role_permission where permission = 'monitor-records:export'
        and role_id in (select role_id from account_role r join account a on a.id = r.account_id where a.username = 'demo.auditor')
     returning role_id`,
  );
  expect(rows.length).toBeGreaterThan(0);
  await vi.waitFor(async () =>
    expect(await download(id)).toMatchObject({ httpStatus: 403, status: 'job.forbidden' }),
  );
  expect((await post(`/job/${id}/retry`, auditor)).status).toBe('job.forbidden');
  for (const { role_id } of rows)
    await server.pool.query(`insert into role_permission values ($1, 'monitor-records:export')`, [role_id]);
  await vi.waitFor(async () => expect((await download(id)).status).toBe('1'));
});

test('an asset that was moved to another organisation after the order refuses the download', async () => {
  const { id } = (await order()).data;
  await until(id, 'done');
  const move = (code: string) =>
    server.pool.query(
      `update asset set organization_id = (select id from organization where code = $1) where code = $2`,
      [code, `F-${NUMBER}`],
    );
  await move('PLATFORM');
  expect((await download(id)).status).toBe('channel.not_found');
  await move('DEMO-HOSPITAL');
  expect((await download(id)).status).toBe('1');
});

test('a job of an account that was disabled in the meantime fails without a file', async () => {
  const { rows } = await server.pool.query<{ id: number }>(
    `with gone as (update account set disabled_at = now() where username = 'demo.auditor' returning id, organization_id)
     insert into job (account_id, organization_id, kind, subject, parameters, language, ordered_at)
     select id, organization_id, 'readings-export', '', $1, 'en', now() from gone returning id`,
    [JSON.stringify(body())],
  );
  const id = rows[0]?.id;
  await vi.waitFor(
    async () => {
      const found = await server.pool.query('select state, error from job where id = $1', [id]);
      expect(found.rows[0]).toEqual({ state: 'failed', error: 'job.forbidden' });
    },
    { timeout: 15_000 },
  );
  await server.pool.query(`update account set disabled_at = null where username = 'demo.auditor'`);
});

test('the number of open jobs of a user is limited, and waiting ones can be cancelled', async () => {
  const { rows } = await server.pool.query<{ id: number }>(
    `insert into job (account_id, organization_id, kind, subject, parameters, language, ordered_at, state, lease_until)
     select a.id, a.organization_id, 'readings-export', '', '{}', 'en', now(), case n when 1 then 'running' else 'waiting' end,
            case n when 1 then now() + interval '1 hour' end
       from account a, generate_series(1, 20) n where a.username = 'demo.auditor' returning id`,
  );
  const ids = rows.map(({ id }) => id);
  expect(await order()).toMatchObject({ httpStatus: 429, status: 'job.too_many' });
  for (const id of ids.slice(1)) expect((await post(`/job/${id}/cancel`, auditor)).status).toBe('1');
  expect((await post(`/job/${ids[1]}/cancel`, auditor)).status).toBe('job.ended');
  // The running one is asked to end; nobody runs it.
  expect((await post(`/job/${ids[0]}/cancel`, auditor)).status).toBe('1');
  const [running] = (await list()).filter(({ id }) => id === ids[0]);
  expect(running).toMatchObject({ state: 'running', isCancelling: true });
  expect((await remove(ids[0] as number)).status).toBe('job.not_ended');
  expect((await post(`/job/${ids[0]}/retry`, auditor)).status).toBe('job.not_ended');
  await server.pool.query('delete from job where id = any($1)', [ids]);
});
