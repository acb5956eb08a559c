import { read, utils } from '@e965/xlsx';
import type { listAlarmMessages } from '@isotherm/contracts/alarm-messages';
import type { ResponseOf } from '@isotherm/contracts/route';
import type { getAlarmReport, getDeviceReport, getStatistics } from '@isotherm/contracts/table-reports';
import { DAY_MS } from '@isotherm/domain/readings/sealed-day';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { orderedFile } from '../../../testing/ordered-file.ts';
import { fridge, type Session, startTestServer, type TestServer } from '../../../testing/test-server.ts';

const HOUR = 3_600_000;
const TODAY = Math.floor(Date.now() / DAY_MS) * DAY_MS;
const FROM = TODAY - 3 * DAY_MS;
const [FIRST, SECOND] = ['60000151', '60000152'] as const;
let server: TestServer;
let auditor: Session;
let assets: number[];

beforeAll(async () => {
  server = await startTestServer();
  const manager = await server.logIn('demo.manager');
  const odd = fridge(FIRST);
  odd.asset.name = '=cmd|x';
  await server.provision(manager, [odd, fridge(SECOND)]);
  const { rows } = await server.pool.query<{ asset: number; device: number; channel: number }>(
    `select d.asset_id::float8 as asset, d.id::float8 as device, min(c.id) as channel from device d
       join channel c on c.device_id = d.id where d.number = any($1) group by d.id order by d.number`,
    [[FIRST, SECOND]],
  );
  assets = rows.map(({ asset }) => asset);
  // Three alarms of the first fridge: two acknowledged after one and three hours, one not; the last one after the range.
  for (const [day, level, hours] of [
    [0, 3, 1],
    [0, 4, 3],
    [1, 1, null],
    [3, 5, null],
  ] as const) {
    const raised = FROM + day * DAY_MS + 18 * HOUR + level * 60_000;
    await server.pool.query(
      `insert into alarm (channel_id, rule_id, asset_id, organization_id, kind, level, state, since, raised_at, ended_at,
                          trigger_after_ms, late, recorded_at, limit_value, peak_value, acknowledged_at,
                          acknowledged_level, acknowledged_cause, corrective_action)
       select $1, r.id, $2, a.organization_id, 'high', $3, 'ended', $4, $4, $4::timestamptz + interval '30 min', 0, false,
              now(), 8, 11, $5, case when $5::timestamptz is null then null else 5 end, 'Door', 'Closed'
         from asset a join alarm_rule r on r.channel_id = $1 and r.kind = 'high' where a.id = $2 limit 1`,
      [rows[0]?.channel, assets[0], level, new Date(raised), hours && new Date(raised + hours * HOUR)],
    );
  }
  await server.pool.query('delete from device_day where device_id = any($1)', [
    rows.map(({ device }) => device),
  ]);
  await server.pool.query(
    `insert into device_day (day, device_id, received, due, battery)
     select $1::timestamptz::date + n, d.id, case when d.id = $2 and n = 1 then 0 else 100 end, 100, 80 - n
       from generate_series(0, 2) n, unnest($3::bigint[]) d(id)`,
    [new Date(FROM), rows[1]?.device, rows.map(({ device }) => device)],
  );
  auditor = await server.logIn('demo.auditor');
});
afterAll(() => server.stop());

const range = { from: new Date(FROM).toISOString(), to: new Date(FROM + 3 * DAY_MS).toISOString() };
const show = <R>(kind: string, query: Record<string, string> = {}) =>
  server.call<R>({
    path: `/api/report/${kind}`,
    query: { assets: assets.join(','), ...range, zone: 'Asia/Shanghai', ...query },
    session: auditor,
  });

async function ordered(kind: string, format: string): Promise<Buffer> {
  const { bytes } = await orderedFile(server, auditor, `/api/report/${kind}/order`, {
    ...(kind === 'statistics' ? { group: 'site' } : { assets }),
    ...range,
    format,
    zone: 'Asia/Shanghai',
  });
  return bytes;
}

test('the report of alarms counts those raised in the range by local day, level and site', async () => {
  const { data, status } = await show<ResponseOf<typeof getAlarmReport>>('alarms');
  expect(status).toBe('1');
  expect(data).toMatchObject({ total: 3, unacknowledged: 1, medianMs: 2 * HOUR, levels: [1, 0, 1, 1, 0] });
  // 18:00 UTC is the next day in Shanghai.
  const local = (day: number) => new Date(FROM + day * DAY_MS).toISOString().slice(0, 10);
  expect(data.days).toEqual([
    { day: local(1), levels: [0, 0, 1, 1, 0] },
    { day: local(2), levels: [1, 0, 0, 0, 0] },
  ]);
  expect(data.sites).toMatchObject([{ assets: 2, total: 3, unacknowledged: 1, medianMs: 2 * HOUR }]);
  expect(data.rows.map(({ level }) => level)).toEqual([1, 4, 3]);
  expect(data.rows[1]).toMatchObject({ asset: '=cmd|x', cause: 'Door', action: 'Closed', peak: 11 });
});

test('the report of devices states what was received of what was expected, the least complete first', async () => {
  const { data, status } = await show<ResponseOf<typeof getDeviceReport>>('devices');
  expect(status).toBe('1');
  expect(data).toMatchObject({
    total: 2,
    received: 500,
    due: 600,
    deviceDays: 6,
    silentDays: 1,
    silentDevices: 1,
  });
  expect(data.days.map(({ silent }) => silent)).toEqual([0, 1, 0]);
  expect(data.rows).toMatchObject([
    { number: SECOND, received: 200, due: 300, days: 3, silentDays: 1, battery: 78, alarms: 0 },
    { number: FIRST, received: 300, silentDays: 0, alarms: 3 },
  ]);
  expect(data.sites).toMatchObject([{ devices: 2, silentDays: 1, alarms: 3 }]);
});

test.each(['alarms', 'devices'])('the %s report checks range, assets and organisation', async (kind) => {
  const ask = async (query: Record<string, string>) => {
    const { httpStatus, status } = await server.call({
      path: `/api/report/${kind}`,
      query,
      session: auditor,
    });
    return `${httpStatus} ${status}`;
  };
  const { rows } = await server.pool.query<{ id: number }>(
    `select id from organization where code = 'PLATFORM'`,
  );
  expect(await ask({})).toBe('400 time.selInput');
  expect(await ask({ from: range.to, to: range.from })).toBe('400 time.order');
  expect(await ask({ from: new Date(FROM - 100 * DAY_MS).toISOString(), to: range.to })).toBe(
    '400 time.too_long',
  );
  expect(await ask({ ...range, assets: '999999999' })).toBe('404 asset.not_found');
  expect(await ask({ ...range, organizationId: String(rows[0]?.id) })).toBe('404 organization.not_found');
  expect(await ask(range)).toBe('200 1');
});

test('statistics by site, model and day agree with the reports behind them', async () => {
  const stats = async (group: string) => {
    const { data, status } = await server.call<ResponseOf<typeof getStatistics>>({
      path: '/api/report/statistics',
      query: { ...range, zone: 'Asia/Shanghai', group },
      session: auditor,
    });
    expect(status).toBe('1');
    return data;
  };
  const { data: alarms } = await server.call<ResponseOf<typeof getAlarmReport>>({
    path: '/api/report/alarms',
    query: { ...range, zone: 'Asia/Shanghai' },
    session: auditor,
  });
  for (const group of ['site', 'model', 'day']) {
    const { total, rows } = await stats(group);
    expect(total).toMatchObject({ alarms: alarms.total, medianMs: alarms.medianMs });
    expect(rows.reduce((sum, each) => sum + each.alarms, 0)).toBe(alarms.total);
    expect(total.rate).toBeCloseTo((alarms.total / total.assets / 72) * 1000, 9);
  }
  const { rows } = await stats('day');
  const second = new Date(FROM + DAY_MS).toISOString().slice(0, 10);
  expect(rows.find(({ key }) => key === second)).toMatchObject({
    alarms: 2,
    medianMs: 2 * HOUR,
    messages: 0,
    units: 0,
  });
  expect((await stats('model')).rows[0]).toMatchObject({ messages: null, failed: null, units: null });
});

test('the messages of the statistics are those that the list of messages shows', async () => {
  const sent = await server.pool.query<{ id: string }>(
    `insert into alarm_notification (alarm_id, policy_id, kind, step_level, channel, recipient_type, recipient_id, url, facts,
                                     first_due_at, due_at, state, error, nth)
     select a.id, 1, 'raised', 3, x.channel, 'url', 0, '', alarm_facts(a.id), $1, $1, x.state, x.error, x.nth
       from (select id from alarm where raised_at >= $2 order by id limit 1) a
      cross join (values ('email', 'sent', '', 1), ('sms', 'sent', '', 1), ('voice', 'failed', 'not answered', 1),
                         ('sms', 'failed', 'balance', 2), ('email', 'cancelled', 'suppressed', 2), ('email', 'cancelled', '', 3),
                         ('push', 'sending', '', 1), ('escalation', 'sent', '', 1)) x(channel, state, error, nth)
     returning id`,
    [new Date(FROM + DAY_MS + HOUR), new Date(FROM)],
  );
  onTestFinished(async () => {
    await server.pool.query('delete from alarm_notification where id = any($1::bigint[])', [
      sent.rows.map(({ id }) => id),
    ]);
  });
  const listed = async (state: string) => {
    const { data } = await server.call<ResponseOf<typeof listAlarmMessages>>({
      path: '/api/alarm/message',
      query: { ...range, state },
      session: auditor,
    });
    return data.total;
  };
  const stats = async (group: string) =>
    (
      await server.call<ResponseOf<typeof getStatistics>>({
        path: '/api/report/statistics',
        query: { ...range, zone: 'Asia/Shanghai', group },
        session: auditor,
      })
    ).data;
  const figures = { messages: await listed('success'), failed: await listed('failed') };
  expect(figures).toEqual({ messages: 2, failed: 1 });
  const day = new Date(FROM + DAY_MS).toISOString().slice(0, 10);
  for (const group of ['site', 'day']) {
    const { total, rows } = await stats(group);
    expect(total).toMatchObject(figures);
    expect(
      rows.filter(({ messages }) => messages).map(({ messages, failed }) => ({ messages, failed })),
    ).toEqual([figures]);
    if (group === 'day') expect(rows.find(({ key }) => key === day)).toMatchObject(figures);
  }
});

test('the rows of the alarms and devices are sorted and paged by the server, unknown values last', async () => {
  const levels = async (query: Record<string, string>) =>
    (await show<ResponseOf<typeof getAlarmReport>>('alarms', query)).data.rows.map(({ level }) => level);
  expect(await levels({})).toEqual([1, 4, 3]);
  expect(await levels({ sort: 'level', order: 'desc' })).toEqual([4, 3, 1]);
  expect(await levels({ sort: 'level', order: 'asc' })).toEqual([1, 3, 4]);
  // One alarm is not acknowledged.
  expect(await levels({ sort: 'acknowledgedAt', order: 'asc' })).toEqual([3, 4, 1]);
  expect(await levels({ sort: 'acknowledgedAt', order: 'desc' })).toEqual([4, 3, 1]);
  expect(await levels({ page: '2' })).toEqual([]);
  const numbers = async (query: Record<string, string>) =>
    (await show<ResponseOf<typeof getDeviceReport>>('devices', query)).data.rows.map(({ number }) => number);
  expect(await numbers({})).toEqual([SECOND, FIRST]);
  expect(await numbers({ sort: 'alarms', order: 'desc' })).toEqual([FIRST, SECOND]);
  expect(await numbers({ sort: 'silentDays', order: 'asc' })).toEqual([FIRST, SECOND]);
  expect((await show('alarms', { sort: 'secret' })).status).toBe('request.invalid');
});

test('statistics have what was counted in the period of the same length before', async () => {
  const stats = async (query: Record<string, string>) =>
    (
      await server.call<ResponseOf<typeof getStatistics>>({
        path: '/api/report/statistics',
        query: { zone: 'Asia/Shanghai', group: 'site', ...query },
        session: auditor,
      })
    ).data;
  const next = { from: range.to, to: new Date(FROM + 6 * DAY_MS).toISOString() };
  const [earlier, later] = [await stats(range), await stats(next)];
  expect(later.before).toMatchObject({ ...range, total: earlier.total, rows: earlier.rows });
  expect(earlier.before.total.alarms).toBe(0);
  const days = await stats({ ...next, group: 'day' });
  expect(days.before.total).toEqual(earlier.total);
  expect(days.before.rows).toEqual([]);
});

test('files contain the same, registered as PDF, and no formulas', async () => {
  const csv = (await ordered('alarms', 'csv')).toString('utf8');
  expect(csv).toContain('"3 alarms, 1 not acknowledged."');
  expect(csv).toContain("'=cmd|x");
  const book = read(await ordered('devices', 'xlsx'));
  expect(book.SheetNames).toEqual(['Summary', 'Sites', 'Completeness by day', 'Devices']);
  const rows = utils.sheet_to_json<string[]>(book.Sheets.Devices as never, { header: 1 });
  expect(rows[1]?.slice(0, 6)).toEqual([
    SECOND,
    expect.any(String),
    expect.any(String),
    expect.any(String),
    `Fridge ${SECOND}`,
    '66 %',
  ]);
  for (const kind of ['alarms', 'devices', 'statistics'])
    expect((await ordered(kind, 'pdf')).subarray(0, 4).toString()).toBe('%PDF');
  const { rows: kinds } = await server.pool.query<{ kind: string }>('select kind from report order by kind');
  expect(kinds.map(({ kind }) => kind)).toEqual(['alarms', 'devices', 'statistics']);
});
