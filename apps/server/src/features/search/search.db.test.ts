import type { SearchResult } from '@isotherm/contracts/search';
import { SEARCH_KINDS, SEARCH_PERMISSION, type SearchKind } from '@isotherm/domain/search/kinds';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Db } from '../../platform/db/pool.ts';
import {
  fridge,
  type Session,
  startTestServer,
  TEST_KEY,
  type TestServer,
} from '../../testing/test-server.ts';
import { findAlarms, findAssets, findDevices, findReports, findWaybills } from './search.repo.ts';

let server: TestServer;
let manager: Session;
let alarmId: number;
const DEVICE = '50000001';
const NUMBERS = ['51000001', '51000002', '51000003', '51000004', '51000005', '51000006'];

beforeAll(async () => {
  server = await startTestServer();
  manager = await server.logIn('demo.manager');
  await server.provision(manager, [
    fridge(DEVICE, { organizationCode: 'DEMO' }),
    ...NUMBERS.map((number) => fridge(number, { organizationCode: 'DEMO' })),
  ]);
  const at = Date.now() - 600_000;
  await server.ingest(DEVICE, TEST_KEY, {
    readings: [9, 9, 9].map((value, i) => ({ channel: 'temperature-1', at: at + i * 60_000, value })),
  });
  const { pool } = server;
  await pool.query(
    `update asset set name = 'Zebra fridge', code = 'ZB-01' where id = (select asset_id from device where number = $1)`,
    [DEVICE],
  );
  const { rows } = await pool.query<{ id: number }>('select id::int from alarm');
  alarmId = rows[0]?.id as number;
  await pool.query(`
    insert into waybill (organization_id, number, state, consignor_unit, consignee_unit, asset_id, planned_departure_at, limits,
                         changed_by, changed_at)
    select organization_id, 'ZEBRA-7', 'not-shipped', 'Warehouse', 'Clinic', id, now(), '{}', 'test', now()
      from asset where code = 'ZB-01'`);
  await pool.query(`
    insert into report (number, kind, organization_id, issuer, subject_id, subject_name, sha256, size_bytes, language, created_by,
                        created_at)
    select 'RR-2026-9', 'records', organization_id, 'Demo', id, 'Zebra fridge, May', sha256('x'), 1, 'en', 'test', now()
      from asset where code = 'ZB-01'`);
  await pool.query(`
    with made as (
      insert into announcement (organization_id, title, body, summary, search_text, send_type, popup, email, state, published_at,
                                changed_by, changed_at)
      select id, 'Zebra crossing closed', '', '', 'zebra crossing closed', 'now', false, false, 'published', now(), 'test', now()
        from organization where code = 'DEMO' returning id, organization_id)
    insert into announcement_target (announcement_id, organization_id) select id, organization_id from made`);
}, 120_000);
afterAll(() => server.stop());

async function search(text: string, session: Session = manager): Promise<SearchResult> {
  const { data, status } = await server.call<SearchResult>({
    path: '/api/search',
    query: { search: text },
    session,
  });
  expect(status).toBe('1');
  return data;
}

const foundKinds = (found: SearchResult) => SEARCH_KINDS.filter((kind) => found[kind]?.items.length);

test('one request finds records of every kind', async () => {
  const found = await search(' ZEBRA ');
  expect(found).toMatchObject({
    assets: { items: [{ name: 'Zebra fridge', code: 'ZB-01' }], hasMore: false },
    devices: { items: [] },
    alarms: { items: [{ id: alarmId, assetName: 'Zebra fridge', isEnded: false }] },
    waybills: { items: [{ number: 'ZEBRA-7', state: 'not-shipped', consigneeUnit: 'Clinic' }] },
    reports: { items: [{ number: 'RR-2026-9', kind: 'records' }] },
    announcements: { items: [{ title: 'Zebra crossing closed' }] },
  });
});

test('an alarm is found by its number and by the number of the device of its asset', async () => {
  expect((await search(`#${alarmId}`)).alarms?.items).toMatchObject([{ id: alarmId }]);
  expect((await search(DEVICE)).alarms?.items).toMatchObject([{ id: alarmId }]);
  expect((await search(DEVICE)).devices?.items).toMatchObject([{ number: DEVICE }]);
});

test('each kind returns five records at most, says whether there are more, and begins with an exact match', async () => {
  const { devices } = await search('510000');
  expect(devices?.items).toHaveLength(5);
  expect(devices?.hasMore).toBe(true);
  await server.pool.query(
    `insert into asset (organization_id, kind, code, name) select id, 'container', 'Q-' || n, 'quokka ' || n
       from organization, generate_series(1, 8) n where code = 'DEMO'`,
  );
  await server.pool.query(
    `insert into asset (organization_id, kind, code, name) select id, 'container', 'Q-0', 'Quokka' from organization where code = 'DEMO'`,
  );
  await server.pool.query(
    `insert into asset (organization_id, kind, code, name) select id, 'container', 'Q-9', 'A quokka' from organization where code = 'DEMO'`,
  );
  const { assets } = await search('quokka');
  expect(assets?.items[0]?.name).toBe('Quokka');
  expect(assets?.items.map(({ name }) => name)).not.toContain('A quokka');
});

test('a subordinate organisation finds nothing of the one above, except announcements for it', async () => {
  const keeper = await server.logIn('demo.keeper');
  expect(foundKinds(await search('zebra', keeper))).toEqual(['announcements']);
  for (const text of [DEVICE, `#${alarmId}`]) expect(foundKinds(await search(text, keeper))).toEqual([]);
});

/** Logs in as a new user of the organisation with all permissions of kinds except those of one. */
async function loggedInWithout(kind: SearchKind): Promise<Session> {
  const name = `without-${kind}`;
  await server.pool.query(
    `with made as (
       insert into role (name, organization_id) select $1, id from organization where code = 'DEMO' returning id
     ), granted as (insert into role_permission select made.id, unnest($2::text[]) from made), person as (
       insert into account (organization_id, username, realname, password_hash, account_type)
       select o.id, $1, $1, a.password_hash, 'staff' from organization o, account a
        where o.code = 'DEMO' and a.username = 'demo.manager' returning id
     ) insert into account_role select person.id, made.id from person, made`,
    [name, SEARCH_KINDS.filter((each) => each !== kind).map((each) => SEARCH_PERMISSION[each])],
  );
  // Announcements published before the account was created are found, too.
  return server.logIn(name);
}

test.each([...SEARCH_KINDS])('without the permission for %s, only this kind is left out', async (kind) => {
  const session = await loggedInWithout(kind);
  const found = await search('zebra', session);
  expect(found[kind]).toBeNull();
  const others = SEARCH_KINDS.filter((each) => each !== kind && each !== 'devices');
  expect(foundKinds(found)).toEqual(others);
  const { data } = await server.call<{ permissions: string[] }>({ path: '/api/search/permission', session });
  expect(data.permissions).not.toContain(SEARCH_PERMISSION[kind]);
  expect(data.permissions).toHaveLength(SEARCH_KINDS.length - 1);
});

test.each(['', ' ', 'x', '\u0001\u0002', '%', '_'])(
  'the text %j is too short, and finds nothing',
  async (text) => {
    expect(foundKinds(await search(text))).toEqual([]);
  },
);

test.each([
  '%%',
  '__',
  '\\\\',
  "'; drop table asset; --",
  'a\u0001b',
  '\u202e\u202e',
  'ze%ra',
  'zebr_',
  'z'.repeat(1000),
])('the text %j is searched literally', async (text) => {
  expect(foundKinds(await search(text))).toEqual([]);
});

test('a text that is longer than the limit is refused, and NUL finds nothing', async () => {
  const refused = await server.call({
    path: '/api/search',
    query: { search: 'z'.repeat(1001) },
    session: manager,
  });
  expect(refused.httpStatus).toBe(400);
  expect(foundKinds(await search('ze\u0000bra'))).toEqual([]);
});

/** Adds this many records of each kind to the organisation; one in a thousand contains the word `okapi`. */
async function addMany(count: number): Promise<void> {
  const { pool } = server;
  const name = `case when n % 1000 = 0 then 'Okapi ' else 'Fridge ' end || n`;
  const from = `from organization o, generate_series(1, ${count}) n where o.code = 'DEMO'`;
  await pool.query(
    `insert into asset (organization_id, kind, code, name) select o.id, 'refrigerator', 'M-' || n, ${name} ${from}`,
  );
  await pool.query(
    `insert into device (organization_id, number, name, key_hash) select o.id, (60000000 + n)::text, ${name}, '\\x00' ${from}`,
  );
  await pool.query(
    `insert into alarm (channel_id, rule_id, asset_id, organization_id, kind, level, peak_level, state, since, raised_at, ended_at,
                        end_reason, trigger_after_ms, late, recorded_at, limit_value)
     select c.id, 0, s.id, s.organization_id, 'high', 3, 3, 'ended', at, at, at, 'recovered', 0, false, at, 8
       from (select id from channel limit 1) c, asset s, lateral (select now() - make_interval(mins => s.id::int) as at) t
      where s.code like 'M-%'`,
  );
  await pool.query(
    `insert into waybill (organization_id, number, consignor_unit, consignee_unit, asset_id, planned_departure_at, limits,
                          changed_by, changed_at)
     select o.id, 'W-' || n, 'Warehouse', ${name}, (select max(id) from asset), now(), '{}', 'test', now() ${from}`,
  );
  await pool.query(
    `insert into report (number, kind, organization_id, issuer, subject_id, subject_name, sha256, size_bytes, language,
                         created_by, created_at)
     select 'RR-2025-' || n, 'records', o.id, 'Demo', 1, ${name}, sha256('x'), 1, 'en', 'test', now() ${from}`,
  );
  await pool.query('analyze asset, device, alarm, waybill, report');
}

test('among many records, each kind is found by an index, a rare text and a common one alike', async () => {
  await addMany(20_000);
  const found = await search('okapi');
  expect(foundKinds(found)).toEqual(['assets', 'devices', 'alarms', 'waybills', 'reports']);
  expect(found.assets?.hasMore).toBe(true);
  expect(foundKinds(await search('fridge'))).toEqual(['assets', 'devices', 'alarms', 'waybills', 'reports']);
  const asked = { scope: '/', text: 'okapi', limit: 6 };
  const plans: string[] = [];
  // Explains what the functions ask, with their values.
  const explaining = {
    query: async (text: string, values: unknown[]) => {
      const { rows } = await server.pool.query<{ 'QUERY PLAN': string }>(`explain ${text}`, values);
      plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'));
      return { rows: [] };
    },
  } as unknown as Db;
  await findAssets(explaining, asked);
  await findDevices(explaining, asked);
  await findAlarms(explaining, asked, null);
  await findWaybills(explaining, asked);
  await findReports(explaining, asked);
  const indexes = ['asset_search', 'device_search', 'alarm_asset', 'waybill_search', 'report_search'];
  for (const [i, index] of indexes.entries()) {
    expect(plans[i]).toContain(index);
    expect(plans[i]).not.toMatch(/Seq Scan on (asset|device|alarm|waybill|report)\b/);
  }
}, 120_000);
