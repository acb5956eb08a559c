import type { Dashboard } from '@isotherm/contracts/dashboard';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  fridge,
  type Session,
  startTestServer,
  TEST_KEY,
  type TestServer,
} from '../../testing/test-server.ts';

let server: TestServer;
let manager: Session;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

beforeAll(async () => {
  server = await startTestServer();
  manager = await server.logIn('demo.manager');
});
afterAll(() => server.stop());

async function dashboard(session: Session, query?: { days: string }): Promise<Dashboard> {
  const { data } = await server.call<Dashboard>({
    path: '/api/dashboard',
    session,
    ...(query ? { query } : {}),
  });
  return data;
}

test('the dashboard of an installation without devices says so, and its figures are zero', async () => {
  const found = await dashboard(manager);
  expect(found).toMatchObject({
    headline: 'empty',
    assets: { total: 0, calm: 0, silent: 0 },
    isArranged: false,
    alarms: { open: 0, worst: null, levels: [0, 0, 0, 0, 0], items: [] },
    devices: { total: 0 },
    limitTime: null,
    history: { total: 0 },
  });
  expect(found.expiringByWeek).toHaveLength(13);
});

test('an alarm makes the headline, and its time outside is counted for its day', async () => {
  await server.provision(manager, [
    fridge('50000001', { organizationCode: 'DEMO' }),
    fridge('50000002', { organizationCode: 'DEMO' }),
  ]);
  const at = Date.now() - HOUR;
  await server.ingest('50000001', TEST_KEY, {
    readings: [9, 9, 9, 9].map((value, i) => ({ channel: 'temperature-1', at: at + i * MINUTE, value })),
  });
  await server.ingest('50000002', TEST_KEY, { readings: [{ channel: 'temperature-1', at, value: 5 }] });
  const found = await dashboard(manager, { days: '7' });
  expect(found).toMatchObject({
    headline: 'action',
    assets: { total: 2, calm: 1, silent: 0 },
    alarms: { open: 1, unacknowledged: 1, worst: { count: 1 } },
    devices: { total: 2, bound: 2 },
    history: { total: 1 },
  });
  expect(found.alarms?.items).toHaveLength(1);
  const days = found.limitTime?.days ?? [];
  expect(days).toHaveLength(7);
  // One of two assets is outside since an hour ago, which may have been yesterday.
  const outsideH = days.reduce((sum, { day, share }) => {
    const hours = Math.min(24, (Date.now() - Date.parse(day)) / HOUR);
    return sum + (1 - share) * hours * 2;
  }, 0);
  expect(outsideH).toBeCloseTo(1, 1);
  expect(found.limitTime?.before).toBe(1);
});

test('a subordinate organisation sees its own figures only', async () => {
  const keeper = await server.logIn('demo.keeper');
  expect(await dashboard(keeper)).toMatchObject({ assets: { total: 0 }, alarms: { open: 0 } });
});

test('a user who may see little gets little, and the tiles that they may see', async () => {
  await server.pool.query(
    `update account_role set role_id = (select id from role where code = 'driver')
      where account_id = (select id from account where username = 'demo.auditor')`,
  );
  const driver = await server.logIn('demo.auditor');
  const found = await dashboard(driver);
  expect(found).toMatchObject({ balances: null, devices: null, expiringByWeek: null });
  expect(found.arrangement.shown).not.toContain('balance');
});

test('the arrangement of tiles is kept for each user until it is reset', async () => {
  const arrange = (arrangement: unknown, session: Session) =>
    server.call({ method: 'PUT', path: '/api/dashboard/arrangement', json: { arrangement }, session });
  await arrange({ shown: ['devices', 'alarms'], hidden: ['balance'] }, manager);
  const own = await dashboard(manager);
  expect(own.isArranged).toBe(true);
  expect(own.arrangement.shown.slice(0, 2)).toEqual(['devices', 'alarms']);
  expect(own.arrangement.hidden).toEqual(['balance']);
  const platform = await server.logIn('demo.platform');
  expect((await dashboard(platform)).isArranged).toBe(false);
  expect(await arrange({ shown: ['no-tile'], hidden: [] }, manager)).toMatchObject({ httpStatus: 400 });
  await arrange(null, manager);
  expect((await dashboard(manager)).isArranged).toBe(false);
});
