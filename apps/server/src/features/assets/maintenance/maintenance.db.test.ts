import type { MaintenanceRecord } from '@isotherm/contracts/maintenance';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectDone } from '../../../testing/people.ts';
import { fridge, type Session, startTestServer, type TestServer } from '../../../testing/test-server.ts';

const NOW = Date.UTC(2026, 5, 1, 12);
let server: TestServer;
let session: Session;
let assetId: number;

beforeAll(async () => {
  server = await startTestServer({ clock: { now: () => NOW } });
  session = await server.logIn('demo.manager');
  await server.provision(session, [fridge('60000081')]);
  const { rows } = await server.pool.query<{ id: number }>(`select id from asset where code = 'F-60000081'`);
  assetId = (rows[0] as { id: number }).id;
});
afterAll(() => server.stop());

const record = (more: object) =>
  server.call<MaintenanceRecord>({
    method: 'POST',
    path: '/api/asset-maintenance',
    session,
    json: { assetId, kind: 'service', doneOn: '2026-05-01', doneBy: 'Cold Service', measured: {}, ...more },
  });
const listed = async (query: Record<string, string>) =>
  expectDone(
    await server.call<{ items: MaintenanceRecord[]; total: number }>({
      path: '/api/asset-maintenance',
      query,
      session,
    }),
  ).items.map((each) => each.doneOn);

test('assets that are out of order or due for maintenance are derived from the maintenance norms', async () => {
  const measured = { returnPressure: 0.15, dischargePressure: 1.9, defrostTime: 10 };
  const first = expectDone(
    await record({ measured, nextDueOn: '2026-06-15', cost: 1200.5, currency: 'CNY' }),
  );
  expect(first).toMatchObject({ measured, outside: ['dischargePressure'], superseded: false, cost: 1200.5 });
  expect(await listed({ shown: 'outside' })).toEqual(['2026-05-01']);
  expect(await listed({ shown: 'due' })).toEqual(['2026-05-01']);

  expectDone(
    await record({ doneOn: '2026-05-20', measured: { dischargePressure: 1.8 }, nextDueOn: '2026-12-01' }),
  );
  expect(await listed({ shown: 'due' })).toEqual([]);
  expect(await listed({ shown: 'outside' })).toEqual(['2026-05-01']);
  expect(await listed({})).toEqual(['2026-05-20', '2026-05-01']);
  expect(await listed({ sort: 'cost', order: 'desc' })).toEqual(['2026-05-01', '2026-05-20']);
  expect(await listed({ kind: 'repair' })).toEqual([]);
  expect(await listed({ search: 'cold serv' })).toHaveLength(2);
});

test('a maintenance record is changed and deleted with audit entries', async () => {
  const { id } = expectDone(await record({ doneOn: '2026-04-01' }));
  const path = `/api/asset-maintenance/${id}`;
  const form = { kind: 'repair', doneOn: '2026-04-02', doneBy: 'Cold Service', measured: { defrostTime: 2 } };
  const changed = expectDone(
    await server.call<MaintenanceRecord>({ method: 'PUT', path, session, json: form }),
  );
  expect(changed).toMatchObject({ ...form, outside: ['defrostTime'] });
  expectDone(await server.call({ method: 'DELETE', path, session, json: { reason: 'Other fridge' } }));
  expect((await server.call({ path, session })).status).toBe('maintenance.not_found');
  const { rows } = await server.pool.query<{ action: string }>(
    `select action from audit_entry where object_kind = 'maintenance' and object_id = $1 order by seq`,
    [String(id)],
  );
  expect(rows.map((row) => row.action)).toEqual(['create', 'change', 'delete']);
});

test.each([
  ['the next date is before the date of the maintenance', { nextDueOn: '2026-05-01' }],
  ['a cost without a currency', { cost: 5 }],
  ['an unknown measure', { measured: { humidity: 5 } }],
  ['a value with a misplaced decimal point', { measured: { returnPressure: 1_500 } }],
] as const)('a maintenance record is refused: %s', async (_words, more) => {
  expect((await record(more)).status).toBe('request.invalid');
});
