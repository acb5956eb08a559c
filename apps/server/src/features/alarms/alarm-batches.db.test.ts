import type { Alarm } from '@isotherm/contracts/alarms';
import type { BatchResult } from '@isotherm/contracts/batches';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Asking, asking } from '../../testing/asking.ts';
import { people } from '../../testing/people.ts';
import {
  fridge,
  type Session,
  startTestServer,
  TEST_KEY,
  type TestServer,
} from '../../testing/test-server.ts';

const NUMBERS = ['34000001', '34000002', '34000003'];
let server: TestServer;
let manager: Session;
let asked: Asking;
let ids: number[];

beforeAll(async () => {
  server = await startTestServer();
  manager = await server.logIn('demo.manager');
  asked = asking(server, manager);
  await server.provision(
    manager,
    NUMBERS.map((number) => fridge(number)),
  );
  const at = Date.now() - 600_000;
  for (const number of NUMBERS)
    await server.ingest(number, TEST_KEY, {
      readings: [9, 9.4, 9].map((value, i) => ({ channel: 'temperature-1', at: at + i * 60_000, value })),
    });
  ids = (await list('sort=asset&order=asc')).map(({ id }) => id);
});
afterAll(() => server.stop());

async function list(query: string): Promise<Alarm[]> {
  const { items } = await asked.ask<{ items: Alarm[] }>({
    path: '/api/alarm/current',
    query: Object.fromEntries(new URLSearchParams(query)),
  });
  return items;
}

const acknowledge = (some: number[], session = manager) =>
  server.call<BatchResult>({
    method: 'PUT',
    path: '/api/alarm/acknowledge',
    json: { ids: some, reason: 'door-open', correctiveAction: 'Doors closed' },
    session,
  });

test('one request acknowledges several alarms, each with an audit entry, and reports those that failed', async () => {
  const [first, second] = ids as [number, number];
  expect(await acknowledge([first])).toMatchObject({ status: '1', data: { success: 1, fail: 0 } });
  expect((await acknowledge([first, second, second, 999_999])).data).toEqual({
    success: 1,
    fail: 2,
    failures: [
      { id: first, name: 'Fridge 34000001', message: expect.stringContaining('acknowledged') },
      { id: 999_999, name: '999999', message: expect.any(String) },
    ],
  });
  for (const id of [first, second])
    expect(await asked.audited('alarm', id)).toMatchObject([{ action: 'acknowledge-alarm' }]);
  expect(
    (await list('show=acknowledged')).map(({ acknowledgement }) => acknowledgement?.correctiveAction),
  ).toEqual(['Doors closed', 'Doors closed']);
});

test('the filtered alarms are exported in list order, in the language of the caller, with an audit entry', async () => {
  const { content, rows, limited } = await asked.ask<{ content: string; rows: number; limited: boolean }>({
    path: '/api/alarm/export',
    query: { search: '3400000', show: 'all', sort: 'asset', order: 'desc' },
  });
  expect([rows, limited]).toEqual([3, false]);
  expect(content.length).toBeGreaterThan(1000);
  const { rows: entries } = await server.pool.query(
    `select object_name, after from audit_entry where action = 'export' and object_kind = 'alarm'`,
  );
  expect(entries).toEqual([{ object_name: 'alarm-list.xlsx', after: { rows: 3 } }]);
});

test('a filter by organisation includes subordinate organisations, but never alarms that the caller may not see', async () => {
  const platform = await server.logIn('demo.platform');
  const idOf = (await people(server, platform)).organizationId;
  const [top, hospital] = [await idOf('DEMO'), await idOf('DEMO-HOSPITAL')];
  expect(await list(`organizationId=${top}`)).toHaveLength(3);
  expect(await list(`organizationId=${hospital}`)).toHaveLength(3);
  const keeper = await server.logIn('demo.keeper');
  const seen = await server.call<{ total: number }>({
    path: '/api/alarm/current',
    query: { organizationId: String(top) },
    session: keeper,
  });
  const { rows } = await server.pool.query(
    `select count(*)::int as count from alarm a join organization o on o.id = a.organization_id
      where o.path like (select path from organization where code = 'DEMO-HOSPITAL') || '%'`,
  );
  expect(seen.data.total).toBe(rows[0].count);
});
