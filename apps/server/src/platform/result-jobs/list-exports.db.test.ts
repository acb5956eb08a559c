import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Job } from '@isotherm/contracts/jobs';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { fridge, type Session, startTestServer, type TestServer } from '../../testing/test-server.ts';

const NUMBERS = ['60000041', '60000042'];
const folder = mkdtempSync(join(tmpdir(), 'isotherm-lists-'));
let server: TestServer;
/** Another process, which runs the jobs and answers no calls. */
let worker: TestServer;
let manager: Session;

beforeAll(async () => {
  const environment = { ISOTHERM_FILES_FOLDER: folder };
  server = await startTestServer({ environment: { ...environment, ISOTHERM_ROLE: 'web,ingest' } });
  const { databaseUrl } = server;
  worker = await startTestServer({ environment: { ...environment, ISOTHERM_ROLE: 'worker' }, databaseUrl });
  manager = await server.logIn('demo.manager');
  await server.provision(
    manager,
    NUMBERS.map((number) => fridge(number)),
  );
});
afterAll(async () => {
  await worker.stop();
  await server.stop();
  rmSync(folder, { recursive: true });
});

const order = (list: string, query: Record<string, string> = {}, session = manager) =>
  server.call<Job>({
    method: 'POST',
    path: '/api/job/list-export',
    json: { list, subject: 'Device list', query },
    session,
  });
const jobs = async () =>
  (await server.call<{ items: Job[] }>({ path: '/api/job/list', session: manager })).data.items;
const until = (id: number, state: Job['state']) =>
  vi.waitFor(
    async () => {
      const found = (await jobs()).find((each) => each.id === id);
      expect(found?.state).toBe(state);
      return found as Job;
    },
    { timeout: 15_000, interval: 50 },
  );

test('the file of an ordered list is the one that its own route returns', async () => {
  const query = { search: NUMBERS[1] as string };
  const ordered = await order('exportDevices', query);
  expect(ordered).toMatchObject({ status: '1', data: { kind: 'list-export', subject: 'Device list' } });
  const done = await until(ordered.data.id, 'done');
  expect(done).toMatchObject({ fileName: 'device-list.xlsx', error: null });
  const direct = await server.call<{ content: string; rows: number }>({
    path: '/api/device/list/export',
    query,
    session: manager,
  });
  expect(direct.data.rows).toBe(1);
  // A workbook states when it was written, so the sizes are compared, not the bytes.
  expect(done.bytes).toBe(Buffer.from(direct.data.content, 'base64').length);
  const file = await server.call<string>({ path: `/api/job/${done.id}/file`, session: manager });
  expect(file.headers?.get('content-type')).toContain('spreadsheetml');
  expect(file.data.startsWith('PK')).toBe(true);
});

test('unknown lists, lists of one object and wrong filters are refused', async () => {
  for (const list of ['exportNothing', 'listDevices', 'exportAnnouncementReaders', 'exportLogs', '__proto__'])
    expect(await order(list)).toMatchObject({ httpStatus: 404, status: 'job.no_list' });
  expect(await order('exportDevices', { sort: 'password' })).toMatchObject({ httpStatus: 400 });
});

test('an order and its file need the permission of the list', async () => {
  const { id } = (await order('exportDevices')).data;
  await until(id, 'done');
  const { rows } = await server.pool.query<{ role_id: number }>(
    `delete from role_permission where permission = 'device-list:export'
        and role_id in (select role_id from account_role r join account a on a.id = r.account_id where a.username = 'demo.manager')
     returning role_id`,
  );
  expect(rows.length).toBeGreaterThan(0);
  const path = `/api/job/${id}/file`;
  await vi.waitFor(async () =>
    expect(await server.call({ path, session: manager })).toMatchObject({ status: 'job.forbidden' }),
  );
  expect(await order('exportDevices')).toMatchObject({ httpStatus: 403, status: 'job.forbidden' });
  // The same session may still export other lists.
  const other = await order('exportReceivers');
  expect(other.status).toBe('1');
  await until(other.data.id, 'done');
  for (const { role_id } of rows)
    await server.pool.query(`insert into role_permission values ($1, 'device-list:export')`, [role_id]);
});

test('every list that can be exported can be ordered', async () => {
  const needed: Record<string, Record<string, string>> = { exportAssets: { kind: 'cold-store' } };
  const lists = [
    'exportAssets',
    'exportUsers',
    'exportAlarms',
    'exportWaybills',
    'exportWaybillClients',
    'exportRegisteredReports',
    'exportReceivers',
    'exportRecipientGroups',
    'exportOrders',
    'exportAlarmHistory',
    'exportGeofenceEvents',
    'exportAlarmTests',
    'exportInvoices',
    'exportProductProfiles',
    'exportHolidays',
    'exportAlarmMessages',
    'exportBackupArchives',
    'exportAnnouncements',
  ];
  const admin = await server.logIn('demo.platform');
  for (const list of lists) {
    const answer = await order(list, needed[list], admin);
    expect([list, answer.status]).toEqual([list, '1']);
    await vi.waitFor(
      async () => {
        const { rows } = await server.pool.query('select state, error from job where id = $1', [
          answer.data.id,
        ]);
        expect([list, rows[0]]).toEqual([list, { state: 'done', error: null }]);
      },
      { timeout: 15_000 },
    );
  }
});
