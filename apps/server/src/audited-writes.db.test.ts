import { afterAll, beforeAll, expect, it } from 'vitest';
import { fridge, type Session, startTestServer, TEST_KEY, type TestServer } from './testing/test-server.ts';

/** Checks that every change made by a feature has an entry in the audit log (docs/audit.md). */
let server: TestServer;
let manager: Session;

const NUMBER = '40000901';

beforeAll(async () => {
  server = await startTestServer();
  manager = await server.logIn('demo.manager');
  await server.provision(manager, [fridge(NUMBER)]);
});
afterAll(() => server.stop());

async function entries(action: string) {
  const { rows } = await server.pool.query(
    `select username, session_id is not null as signed_in, address, object_kind, object_id, object_name, before, after,
            reason, organization_path
       from audit_entry where action = $1 order by seq`,
    [action],
  );
  return rows;
}

it('a provisioned device is logged with its asset and sensors, under its organisation', async () => {
  const [entry, ...others] = await entries('provision');
  const { rows } = await server.pool.query(`select path from organization where code = 'DEMO-HOSPITAL'`);
  expect(others).toEqual([]);
  expect(entry).toMatchObject({
    username: 'demo.manager',
    signed_in: true,
    object_kind: 'device',
    object_id: NUMBER,
    object_name: `Logger ${NUMBER}`,
    before: null,
    organization_path: rows[0].path,
  });
  expect(entry.after.asset.code).toBe(`F-${NUMBER}`);
  expect(JSON.stringify(entry.after)).not.toContain(TEST_KEY);
});

it('a device that already exists is not logged again', async () => {
  await server.provision(manager, [fridge(NUMBER)]);
  expect(await entries('provision')).toHaveLength(1);
});

it('an acknowledged alarm is logged once with the reason', async () => {
  const at = Date.now() - 600_000;
  await server.ingest(NUMBER, TEST_KEY, {
    readings: [9, 9, 9].map((value, i) => ({ channel: 'temperature-1', at: at + i * 60_000, value })),
  });
  const { rows } = await server.pool.query('select id from alarm');
  const acknowledge = () =>
    server.call({
      method: 'PUT',
      path: `/api/alarm/${rows[0].id}/acknowledge`,
      json: { reason: 'door-open', correctiveAction: 'Door seal cleared' },
      session: manager,
    });
  expect(await acknowledge()).toMatchObject({ status: '1' });
  expect(await acknowledge()).toMatchObject({ status: 'alarm.already_acknowledged' });
  expect(await entries('acknowledge-alarm')).toMatchObject([
    {
      username: 'demo.manager',
      object_kind: 'alarm',
      object_id: String(rows[0].id),
      object_name: `Fridge ${NUMBER}`,
      reason: 'Door seal cleared',
    },
  ]);
});
