import { read, utils } from '@e965/xlsx';
import type { Job } from '@isotherm/contracts/jobs';
import type { getRecordReport } from '@isotherm/contracts/reports';
import type { ResponseOf } from '@isotherm/contracts/route';
import { DAY_MS } from '@isotherm/domain/readings/sealed-day';
import { getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { clockIn } from '../../platform/local-time.ts';
import { lastClockChange } from '../../testing/clock-change.ts';
import {
  fridge,
  type Session,
  startTestServer,
  TEST_KEY,
  type TestServer,
} from '../../testing/test-server.ts';

const MINUTE = 60_000;
/** Two days ago at 16:00 UTC, which is midnight in Shanghai. */
const START = Math.floor(Date.now() / DAY_MS) * DAY_MS - 2 * DAY_MS + 16 * 3_600_000;
const LENGTH = 100;
const [FIRST, SECOND] = ['60000041', '60000042'] as const;
let server: TestServer;
let auditor: Session;
let assets: number[];
/** Values of the first fridge, one a minute; the second has them half a minute later and 1 K colder. */
const values = Array.from({ length: LENGTH }, (_, minute) =>
  minute >= 40 && minute < 50 ? 9 : 5 + (minute % 3) / 2,
);

beforeAll(async () => {
  server = await startTestServer();
  const manager = await server.logIn('demo.manager');
  const odd = fridge(FIRST);
  odd.asset.name = '=cmd|x';
  await server.provision(manager, [odd, fridge(SECOND)]);
  // The rules were in force before the readings.
  await server.pool.query(`update alarm_rule set valid_from = '-infinity'`);
  for (const [number, offset, shift] of [
    [FIRST, 0, 0],
    [SECOND, 30_000, -1],
  ] as const)
    await server.ingest(number, TEST_KEY, {
      readings: values.map((value, minute) => ({
        channel: 'temperature-1',
        at: START + minute * MINUTE + offset,
        value: value + shift,
      })),
    });
  const { rows } = await server.pool.query<{ asset_id: number }>(
    'select asset_id from device where number = any($1) order by number',
    [[FIRST, SECOND]],
  );
  assets = rows.map(({ asset_id }) => asset_id);
  auditor = await server.logIn('demo.auditor');
});
afterAll(() => server.stop());

const range = (minutes = LENGTH) => ({
  from: new Date(START).toISOString(),
  to: new Date(START + minutes * MINUTE).toISOString(),
});
type Report = ResponseOf<typeof getRecordReport>;
const show = (query: Record<string, string>) =>
  server.call<Report>({ path: '/api/report/records', query, session: auditor });

/** Orders a report and returns its bytes. */
async function ordered(format: string, more: object = {}): Promise<{ job: Job; bytes: Buffer }> {
  const { data, status, message } = await server.call<Job>({
    method: 'POST',
    path: '/api/report/records/order',
    json: { assets, ...range(), format, zone: 'Asia/Shanghai', ...more },
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
  const { url, headers } = server.signed({ path: `/api/job/${job.id}/file`, session: auditor });
  return { job, bytes: Buffer.from(await (await fetch(url, { headers })).arrayBuffer()) };
}

test('the summary states extremes, weighted means, completeness and time outside the limits', async () => {
  const { data } = await show({ ...range(), assets: assets.join(',') });
  const mean = values.reduce((sum, value) => sum + value, 0) / LENGTH;
  const [first, second] = ['=cmd|x', `Fridge ${SECOND}`].map((name) =>
    data.rows.find(({ asset, indicator }) => asset === name && indicator === 'temperature'),
  );
  expect(data.total).toBe(2);
  expect(first).toMatchObject({
    count: LENGTH,
    min: 5,
    minAt: new Date(START).toISOString(),
    max: 9,
    maxAt: new Date(START + 40 * MINUTE).toISOString(),
    mean: expect.closeTo(mean, 9),
    coverage: 1,
    outsideMs: 10 * MINUTE,
    low: 2,
    high: 8,
  });
  expect(first?.meanKinetic).toBeGreaterThan(mean);
  expect(second).toMatchObject({
    max: 8,
    outsideMs: 0,
    coverage: expect.closeTo((LENGTH - 0.5) / LENGTH, 9),
  });
});

test('the limits of a report are those in force at the time of each reading', async () => {
  const change = new Date(START + 45 * MINUTE);
  await server.pool.query(
    `with ended as (
       update alarm_rule r set valid_until = $1 from channel c join device d on d.id = c.device_id
        where r.channel_id = c.id and d.number = $2 and r.kind = 'high' returning r.*)
     insert into alarm_rule (channel_id, kind, level, limit_value, trigger_after_ms, valid_from)
     select channel_id, kind, level, 10, trigger_after_ms, $1 from ended`,
    [change, FIRST],
  );
  const { data } = await show({ ...range(), assets: String(assets[0]) });
  expect(data.rows[0]).toMatchObject({ outsideMs: 5 * MINUTE, high: 10 });
  await server.pool.query(`delete from alarm_rule where limit_value = 10`);
  await server.pool.query(`update alarm_rule set valid_until = null where valid_until = $1`, [change]);
});

test('each fault of a range has its own message, the missing time first', async () => {
  const { from, to } = range();
  const ask = async (query: Record<string, string>) => {
    const { httpStatus, status } = await show({ assets: String(assets[0]), ...query });
    return `${httpStatus} ${status}`;
  };
  expect(await ask({})).toBe('400 time.selInput');
  expect(await ask({ from })).toBe('400 time.selInput');
  expect(await ask({ from: 'yesterday', to })).toBe('400 time.format');
  expect(await ask({ from: to, to: from })).toBe('400 time.order');
  expect(await ask({ from: new Date(START - 32 * DAY_MS).toISOString(), to })).toBe('400 time.too_long');
  // Timestamps in seconds are accepted.
  expect(await ask({ from: String(START / 1000), to: String(START / 1000 + 60) })).toBe('200 1');
  const empty = await show({ assets: String(assets[0]), from, to: from });
  expect(empty.data.rows[0]).toMatchObject({ count: 0, mean: null, coverage: null, outsideMs: null });
});

test('assets of other organisations are not found', async () => {
  const { rows } = await server.pool.query<{ id: number }>(
    `insert into asset (organization_id, kind, code, name)
     select id, 'refrigerator', 'ELSEWHERE', 'Elsewhere' from organization where code = 'PLATFORM' returning id`,
  );
  expect(await show({ ...range(), assets: `${assets[0]},${rows[0]?.id}` })).toMatchObject({
    httpStatus: 404,
    status: 'asset.not_found',
  });
});

test('the CSV file contains every reading with a column for each channel, and no formulas', async () => {
  const { job, bytes } = await ordered('csv');
  expect(job).toMatchObject({ kind: 'record-report', subject: `=cmd|x, Fridge ${SECOND}` });
  const lines = bytes.toString('utf8').slice(1).split('\r\n');
  const day = new Date(START + DAY_MS / 2).toISOString().slice(0, 10);
  expect(job.fileName).toBe(`records-${day}-${day}.csv`);
  expect(lines[0]).toBe('Records report');
  expect(lines).toContain('Time zone,Asia/Shanghai');
  expect(lines).toContain('Data completeness,99 %');
  expect(lines.find((line) => line.startsWith('Created by,'))).toMatch(/^Created by,\S/);
  const head = lines.findIndex((line) => line.startsWith('Time,'));
  expect(lines[head]).toBe(
    `Time,"'=cmd|x (F-${FIRST}) · Air, top shelf (°C)","Fridge ${SECOND} (F-${SECOND}) · Air, top shelf (°C)"`,
  );
  expect(lines.slice(head + 1, head + 1 + LENGTH)).toEqual(
    values.map((value, minute) => {
      const local = new Date(START + 8 * 3_600_000 + minute * MINUTE).toISOString().slice(0, 16);
      return `${local}+08:00,${value},${value - 1}`;
    }),
  );
  expect(lines.slice(head + 1 + LENGTH)).toEqual(['']);
});

test('the workbook has a summary and every reading, with times as dates', async () => {
  const { bytes } = await ordered('xlsx');
  const book = read(bytes, { cellDates: true });
  expect(book.SheetNames).toEqual(['Summary', 'Daily review', 'Readings']);
  const summary = utils.sheet_to_json<string[]>(book.Sheets.Summary as never, { header: 1 });
  const head = summary.findIndex(([first]) => first === 'Asset');
  expect(summary[head + 1]).toEqual(
    expect.arrayContaining(['=cmd|x', '5.0', '9.0', '10 min', '100 %', '2.0–8.0']),
  );
  expect(summary[head + 1]?.join()).toMatch(/#\d+, #\d+/);
  const readings = utils.sheet_to_json<unknown[]>(book.Sheets.Readings as never, { header: 1 });
  expect(readings).toHaveLength(LENGTH + 1);
  expect(readings[0]).not.toContain('UTC offset');
  expect(readings[41]?.slice(1)).toEqual([9, 8]);
  expect(book.Sheets.Summary?.A2?.f).toBeUndefined();
  const days = utils.sheet_to_json<string[]>(book.Sheets['Daily review'] as never, { header: 1 });
  expect(days).toHaveLength(1 + 2);
  // The day of the organisation begins at the start of the readings.
  expect(days[1]?.slice(4, 13)).toEqual([
    'Asia/Shanghai',
    new Date(START + 8 * 3_600_000).toISOString().slice(0, 10),
    '5.0',
    '00:00',
    '9.0',
    '00:40',
    // Of the 99 minutes that are covered, as no reading follows the last one.
    '10 min (10.10 %)',
    'Not reviewed',
    '–',
  ]);
});

/** Returns the text of a PDF, with single spaces. */
async function textOf(bytes: Buffer): Promise<string> {
  const document = await getDocument({ data: new Uint8Array(bytes), useSystemFonts: false }).promise;
  let text = '';
  for (let page = 1; page <= document.numPages; page++) {
    const { items } = await (await document.getPage(page)).getTextContent();
    text += items.map((item) => ('str' in item ? item.str : '')).join(' ');
  }
  return text.replace(/\s+/g, ' ');
}

test('the PDF states the answer first, with range, zone, completeness and author', async () => {
  const { bytes } = await ordered('pdf');
  const plain = await textOf(bytes);
  expect(plain).toContain('1 channel was outside its limits, for 10 min.');
  expect(plain).toMatch(/Asia\/ ?Shanghai/);
  expect(plain).toContain('99 %');
  expect(plain).toMatch(/Excursions Level Asset/);
});

test('the PDF has a chart for each asset, the days with their reviews, and lines for signatures', async () => {
  const plain = await textOf((await ordered('pdf')).bytes);
  expect(plain).toMatch(/Charts =cmd\| ?x \(F-60000041\) · Air, top shelf · °C/);
  expect(plain).toContain('Upper limit 8.0 °C');
  expect(plain).toMatch(/Daily review: =cmd\| ?x · Air, top shelf, °C \(Asia\/ ?Shanghai\)/);
  expect(plain).toMatch(/5\.0 00:00 9\.0 00:40 10 min \(10\.10 %\) Not reviewed/);
  expect(plain).toMatch(/Prepared by .*Reviewed by .*Approved by/);
  expect(plain).not.toContain('Comparison');
});

test('a report can be compared with an earlier range of the same length', async () => {
  const earlierFrom = new Date(START - LENGTH * MINUTE).toISOString();
  const plain = await textOf((await ordered('pdf', { earlierFrom })).bytes);
  expect(plain).toMatch(/Comparison: \d{4}-\d\d-\d\d 22:20 – \d{4}-\d\d-\d\d 00:00 → this range/);
  expect(plain).toMatch(/– → 5\.0 – → 9\.0/);
  expect(plain).toContain('– → 90.00 %');
  const book = read((await ordered('xlsx', { earlierFrom })).bytes);
  const rows = utils.sheet_to_json<string[]>(book.Sheets.Comparison as never, { header: 1 });
  expect(rows[0]?.slice(4, 6)).toEqual(['Lowest: earlier period', 'Lowest']);
  expect(rows[1]?.slice(4, 6)).toEqual(['–', '5.0']);
});

test('a range across the end of daylight saving time may be a whole month', async () => {
  const { data, status } = await show({
    assets: String(assets[0]),
    from: '2026-10-01T00:00:00+02:00',
    to: '2026-11-01T00:00:00+01:00',
  });
  expect(status).toBe('1');
  expect(Date.parse(data.to) - Date.parse(data.from)).toBe(31 * DAY_MS + 3_600_000);
});

test.each([
  ['Europe/Madrid', 'back'],
  ['Europe/Madrid', 'forward'],
  ['Australia/Lord_Howe', 'back'],
  ['America/Santiago', 'back'],
] as const)('when the clock of %s goes %s, each time in a file is unambiguous', async (zone, direction) => {
  const { at, shiftMs } = lastClockChange(zone, direction, Date.now() - DAY_MS);
  // When the clock goes back, these are the same on the clock.
  const moments = [at - shiftMs / 2, at + shiftMs / 2];
  await server.ingest(SECOND, TEST_KEY, {
    readings: moments.map((moment, index) => ({ channel: 'temperature-1', at: moment, value: 4 + index })),
  });
  const [from, to] = [at - 2 * 3_600_000, at + 2 * 3_600_000].map((moment) => new Date(moment).toISOString());
  const order = { assets: [assets[1]], from, to, zone };
  const local = moments.map((moment) => clockIn(zone)(new Date(moment)));
  const { bytes: csv } = await ordered('csv', order);
  const lines = csv.toString().split('\r\n');
  const head = lines.findLastIndex((line) => line.startsWith('Time,'));
  expect(lines.slice(head + 1, head + 3).map((line) => line.split(',')[0])).toEqual(
    local.map((time) => time.slice(0, 16) + time.slice(19)),
  );
  const { bytes: xlsx } = await ordered('xlsx', order);
  const sheet = Object.values(read(xlsx, { cellDates: true, UTC: true }).Sheets).at(-1);
  const [titles, ...rows] = utils.sheet_to_json<(string | number | Date)[]>(sheet as never, {
    header: 1,
    UTC: true,
  });
  expect(titles?.slice(0, 2)).toEqual([`Time (${zone})`, 'UTC offset']);
  expect(rows.map(([time, offset]) => (time as Date).toISOString().slice(0, 16) + offset)).toEqual(
    local.map((time) => time.slice(0, 16) + time.slice(19)),
  );
});
