import { read, utils } from '@e965/xlsx';
import type { getComplianceReport } from '@isotherm/contracts/compliance';
import type { Job } from '@isotherm/contracts/jobs';
import type { ResponseOf } from '@isotherm/contracts/route';
import { DAY_MS } from '@isotherm/domain/readings/sealed-day';
import { getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createLog } from '../../../platform/log.ts';
import { fridge, type Session, startTestServer, type TestServer } from '../../../testing/test-server.ts';
import { sealClosedDays } from '../../telemetry/seal.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const TODAY = Math.floor(Date.now() / DAY_MS) * DAY_MS;
/** Three UTC days that are over. */
const FROM = TODAY - 4 * DAY_MS;
const TO = TODAY - DAY_MS;
const STEP = 5 * MINUTE;
const [WARM, COLD] = ['60000141', '60000142'] as const;

type Report = ResponseOf<typeof getComplianceReport>;
let server: TestServer;
let auditor: Session;
let assets: Map<string, number>;

/** The first fridge was at 9 °C for two hours of the second day, and at 14 °C for one; the other one is always at 5 °C. */
function readingOf(number: string, at: number): number {
  const since = at - FROM - DAY_MS;
  if (number !== WARM || since < 0 || since >= 3 * HOUR) return 5;
  return since < 2 * HOUR ? 9 : 14;
}

beforeAll(async () => {
  server = await startTestServer();
  const manager = await server.logIn('demo.manager');
  const odd = fridge(WARM);
  odd.asset.name = '=cmd|x';
  await server.provision(manager, [odd, fridge(COLD)]);
  await server.pool.query(`update alarm_rule set valid_from = '-infinity'`);
  const { rows } = await server.pool.query<{ number: string; asset: number; channel: number }>(
    `select d.number, d.asset_id::float8 as asset, c.id as channel from device d join channel c on c.device_id = d.id
      where d.number = any($1) and c.indicator = 'temperature'`,
    [[WARM, COLD]],
  );
  assets = new Map(rows.map(({ number, asset }) => [number, asset]));
  for (const { number, channel } of rows)
    await server.pool.query(
      `insert into reading (channel_id, delay_s, measured_at, value)
       select $1, 0, t, v from unnest($2::timestamptz[], $3::real[]) as r(t, v)`,
      [
        channel,
        Array.from({ length: (TO - FROM) / STEP }, (_, i) => new Date(FROM + i * STEP)),
        Array.from({ length: (TO - FROM) / STEP }, (_, i) => readingOf(number, FROM + i * STEP)),
      ],
    );
  await server.pool.query(`update binding set valid_from = $1 where channel_id = any($2)`, [
    new Date(FROM),
    rows.map(({ channel }) => channel),
  ]);
  await server.pool.query(`update device set acquisition_interval_ms = $1 where number = any($2)`, [
    STEP,
    [WARM, COLD],
  ]);
  await server.pool.query(
    `insert into alarm (channel_id, rule_id, asset_id, organization_id, kind, level, state, since, raised_at, ended_at,
                        trigger_after_ms, late, recorded_at, limit_value, peak_value)
     select c.id, r.id, c.asset_id, a.organization_id, 'high', 3, 'ended', $2, $2, $3, 0, false, now(), 8, 14
       from channel c join alarm_rule r on r.channel_id = c.id and r.kind = 'high' join asset a on a.id = c.asset_id
       join device d on d.id = c.device_id where d.number = $1 limit 1`,
    [WARM, new Date(FROM + DAY_MS), new Date(FROM + DAY_MS + 3 * HOUR)],
  );
  auditor = await server.logIn('demo.auditor');
});
afterAll(() => server.stop());

const range = { from: new Date(FROM).toISOString(), to: new Date(TO).toISOString() };
const show = async (query: Record<string, string> = {}) =>
  server.call<Report>({
    path: '/api/report/compliance',
    query: { assets: [...assets.values()].join(','), ...range, ...query },
    session: auditor,
  });

async function ordered(format: string): Promise<Buffer> {
  const { data, status, message } = await server.call<Job>({
    method: 'POST',
    path: '/api/report/compliance/order',
    json: { assets: [...assets.values()], ...range, pack: 'who', format, zone: 'Asia/Shanghai' },
    session: auditor,
  });
  expect([status, message]).toEqual(['1', '']);
  const job = await vi.waitFor(
    async () => {
      const list = await server.call<{ items: Job[] }>({ path: '/api/job/list', session: auditor });
      const own = list.data.items.find(({ id }) => id === data.id) as Job;
      expect(own.state, own.error ?? '').toBe('done');
      return own;
    },
    { timeout: 20_000, interval: 50 },
  );
  expect(job.fileName).toMatch(new RegExp(`^compliance-who-.*\\.${format}$`));
  const { url, headers } = server.signed({ path: `/api/job/${job.id}/file`, session: auditor });
  return Buffer.from(await (await fetch(url, { headers })).arrayBuffer());
}

/** Mean kinetic temperature by its definition (USP <1079.2>), of hours at temperatures. */
function mktOf(...parts: [hours: number, celsius: number][]): number {
  const activation = 83_144 / 8.314_472;
  const hours = parts.reduce((sum, [each]) => sum + each, 0);
  const sum = parts.reduce(
    (all, [each, celsius]) => all + each * Math.exp(-activation / (celsius + 273.15)),
    0,
  );
  return activation / -Math.log(sum / hours) - 273.15;
}

const verdicts = ({ clauses }: Report) =>
  Object.fromEntries(clauses.map(({ id, verdict, failed, total }) => [id, `${verdict} ${failed}/${total}`]));

test('each clause has a verdict with the assets that fail it, before and after the days are sealed', async () => {
  const before = await show({ pack: 'who' });
  expect(before.status).toBe('1');
  expect(verdicts(before.data)).toEqual({
    within: 'not-met 1/2',
    limits: 'met 0/2',
    interval: 'met 0/2',
    coverage: 'met 0/2',
    freezing: 'met 0/2',
    heat: 'met 0/2',
    handled: 'not-met 1/1',
    mapping: 'not-met 2/2',
    calibration: 'not-met 2/2',
  });
  const worst = Object.fromEntries(before.data.clauses.map(({ id, worst }) => [id, worst]));
  expect(worst).toMatchObject({ within: 3 * HOUR, interval: STEP, freezing: 0, heat: 3 * HOUR });
  const [first, second] = before.data.assets;
  expect(first).toMatchObject({
    name: '=cmd|x',
    failed: ['within', 'handled', 'mapping', 'calibration'],
    belowMs: [0, 0, 0],
    aboveMs: [2 * HOUR, 0, HOUR],
    excursions: 1,
    unhandled: 1,
    coverage: 1,
    inside: expect.closeTo(69 / 72, 9),
    min: 5,
    max: 14,
    longestGapMs: STEP,
    gapDays: 0,
    worstKinetic: expect.closeTo(mktOf([21, 5], [2, 9], [1, 14]), 9),
    window: {
      days: 1,
      from: new Date(FROM + DAY_MS).toISOString(),
      to: new Date(FROM + 2 * DAY_MS).toISOString(),
      coveredMs: DAY_MS,
    },
  });
  expect(second).toMatchObject({ worstKinetic: expect.closeTo(5, 6), inside: 1 });
  expect(before.data.totals).toMatchObject({
    assets: 2,
    channels: 2,
    failing: 2,
    excursions: 1,
    unhandled: 1,
  });
  expect(before.data.sites).toHaveLength(1);
  expect(before.data.sites[0]?.periods[0]).toMatchObject({ coverage: 1 });

  await sealClosedDays({
    pool: server.pool,
    owner: server.pool,
    clock: { now: () => Date.now() },
    log: createLog('silent', false),
    sealAfterMs: 0,
  });
  const { data } = await show({ pack: 'who' });
  const close = (report: Report) =>
    JSON.parse(JSON.stringify(report), (_, value) =>
      typeof value === 'number' ? Number(value.toFixed(6)) : value,
    );
  expect(close(data)).toEqual(close(before.data));
});

test('the list of assets is filtered by clause, site and name', async () => {
  const names = async (query: Record<string, string>) => {
    const { data } = await show(query);
    return [data.matching, ...data.assets.map(({ name }) => name)];
  };
  expect(await names({ failing: 'within' })).toEqual([1, '=cmd|x']);
  expect(await names({ search: COLD })).toEqual([1, `Fridge ${COLD}`]);
  expect(await names({ site: '999999' })).toEqual([0]);
});

test('a clause is met once its record exists', async () => {
  const warm = assets.get(WARM);
  await server.pool.query(
    `update alarm set acknowledged_at = now(), acknowledged_level = 5, acknowledged_cause = 'Door', corrective_action = 'Closed'
      where asset_id = $1`,
    [warm],
  );
  await server.pool.query(
    `insert into calibration (sensor_id, serial, certificate, laboratory, calibrated_on, due_on, changed_by, changed_at)
     select s.id, s.serial, 'C-' || s.id, 'Lab', current_date - 30, current_date + 300, 'test', now()
       from sensor s join device d on d.id = s.device_id where d.number = any($1)`,
    [[WARM, COLD]],
  );
  await server.pool.query(
    `insert into validation_study (asset_id, name, type, zone_min, zone_max, from_at, to_at, channel_ids, judged_by,
                                   judged_at, changed_by, changed_at)
     select id, 'Mapping', 'empty', 2, 8, $2::timestamptz - interval '2 days', $2, '{}', 'test', now(), 'test', now()
       from unnest($1::bigint[]) id`,
    [[...assets.values()], new Date(FROM)],
  );
  const { data } = await show({ pack: 'gsp' });
  expect(verdicts(data)).toEqual({
    limits: 'met 0/2',
    within: 'not-met 1/2',
    interval: 'met 0/2',
    coverage: 'met 0/2',
    handled: 'met 0/1',
    points: 'met 0/2',
    calibration: 'met 0/2',
    mapping: 'met 0/2',
  });
  const gdp = await show({ pack: 'eu-gdp' });
  expect(verdicts(gdp.data)).toMatchObject({ 'alarm-test': 'not-met 2/2', mapping: 'met 0/2' });
});

test('without assets, the report is about the organisation of the caller', async () => {
  const { data, status } = await server.call<Report>({
    path: '/api/report/compliance',
    query: { ...range, pack: 'vfc' },
    session: auditor,
  });
  expect(status).toBe('1');
  expect(data.totals.assets).toBeGreaterThanOrEqual(2);
  expect(verdicts(data)).toMatchObject({ review: 'not-met 2/2' });
});

test('foreign assets and organisations are not found, and ranges are checked in order', async () => {
  const { rows } = await server.pool.query<{ id: number }>(
    `select id from organization where code = 'PLATFORM'`,
  );
  const ask = async (query: Record<string, string>) => {
    const { httpStatus, status } = await server.call({
      path: '/api/report/compliance',
      query,
      session: auditor,
    });
    return `${httpStatus} ${status}`;
  };
  expect(await ask({ ...range, organizationId: String(rows[0]?.id) })).toBe('404 organization.not_found');
  expect(await ask({ ...range, assets: '999999999' })).toBe('404 asset.not_found');
  expect(await ask({})).toBe('400 time.selInput');
  expect(await ask({ from: new Date(FROM - 400 * DAY_MS).toISOString(), to: range.to })).toBe(
    '400 time.too_long',
  );
  expect(await ask({ from: range.to, to: range.from })).toBe('400 time.order');
});

test('the CSV and the workbook contain clauses, sites, assets and excursions, and no formulas', async () => {
  const lines = (await ordered('csv')).toString('utf8').slice(1).split('\r\n');
  expect(lines[0]).toBe('Compliance report');
  expect(lines).toContain('Rule pack,WHO 2015.1');
  expect(lines.some((line) => line.startsWith("'=cmd|x,F-"))).toBe(true);
  expect(lines.some((line) => line.includes('Door Closed'))).toBe(true);

  const book = read(await ordered('xlsx'));
  expect(book.SheetNames).toEqual(['Summary', 'Clauses', 'Sites', 'Assets', 'Excursions']);
  const clauses = utils.sheet_to_json<string[]>(book.Sheets.Clauses as never, { header: 1 });
  expect(clauses[1]?.slice(1)).toEqual([
    'No reading is outside the limits in force',
    'Not met',
    '1 of 2',
    '3 h 00 min',
  ]);
  expect(book.Sheets.Assets?.A2?.f).toBeUndefined();
});

test('the PDF has a number, the answer, the source and the method', async () => {
  const document = await getDocument({ data: new Uint8Array(await ordered('pdf')), useSystemFonts: false })
    .promise;
  let text = '';
  for (let page = 1; page <= document.numPages; page++) {
    const { items } = await (await document.getPage(page)).getTextContent();
    text += items.map((item) => ('str' in item ? item.str : '')).join(' ');
  }
  const plain = text.replace(/\s+/g, ' ');
  expect(plain).toMatch(/CR-\d{4}-\d{6}/);
  expect(plain).toContain('1 of 9 clauses is not met.');
  expect(plain).toMatch(/ΔH = 83\.144 kJ\/ ?mol/);
  const { rows } = await server.pool.query<{ kind: string }>(
    `select kind from report where kind = 'compliance'`,
  );
  expect(rows).toHaveLength(1);
});
