import type { getComplianceReport } from '@isotherm/contracts/compliance';
import type { listDailyReviews, SeenDay } from '@isotherm/contracts/daily-reviews';
import type { getRecordReport, RecordDay } from '@isotherm/contracts/reports';
import type { ResponseOf } from '@isotherm/contracts/route';
import { reviewStateOf } from '@isotherm/domain/reports/daily-review';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { fridge, type Session, startTestServer, type TestServer } from '../../../testing/test-server.ts';

const NUMBER = '60000061';
const HOUR = 3_600_000;
/** Days around the end of daylight saving time in Madrid, and the last day before its beginning. */
const AUTUMN = { from: '2026-10-23T22:00:00.000Z', to: '2026-10-26T23:00:00.000Z' };
const SPRING = { from: '2026-03-28T23:00:00.000Z', to: '2026-03-29T22:00:00.000Z' };

let server: TestServer;
let manager: Session;
let keeper: Session;
let auditor: Session;
let asset: number;
let channel: number;

beforeAll(async () => {
  server = await startTestServer();
  manager = await server.logIn('demo.manager');
  keeper = await server.logIn('demo.keeper');
  auditor = await server.logIn('demo.auditor');
  await server.provision(manager, [fridge(NUMBER, { organizationCode: 'DEMO' })]);
  await server.pool.query(`update organization set time_zone = 'Europe/Madrid' where code = 'DEMO'`);
  await server.pool.query(`update alarm_rule set valid_from = '-infinity'`);
  await server.pool.query(`update binding set valid_from = '-infinity'`);
  const { rows } = await server.pool.query<{ asset: number; channel: number }>(
    `select d.asset_id as asset, c.id as channel from device d join channel c on c.device_id = d.id
      where d.number = $1 and c.indicator = 'temperature' order by c.id limit 1`,
    [NUMBER],
  );
  ({ asset, channel } = rows[0] as { asset: number; channel: number });
  for (const { from, to } of [AUTUMN, SPRING]) await measure(from, to, 5);
});
afterAll(() => server.stop());
beforeEach(() => server.pool.query('truncate daily_review'));

/** Stores a reading each minute. */
async function measure(from: string, to: string, value: number): Promise<void> {
  await server.pool.query(
    `insert into reading (channel_id, measured_at, value, delay_s)
     select $1, at, $2, 0 from generate_series($3::timestamptz, $4::timestamptz - interval '1 minute', interval '1 minute') at
     on conflict (channel_id, measured_at) do update set value = excluded.value`,
    [channel, value, from, to],
  );
}

async function days(range: { from: string; to: string }): Promise<RecordDay[]> {
  const { data, status } = await server.call<ResponseOf<typeof getRecordReport>>({
    path: '/api/report/records',
    query: { ...range, assets: String(asset) },
    session: auditor,
  });
  expect(status).toBe('1');
  const row = data.rows.find(({ channelId }) => channelId === channel);
  expect(row?.zone).toBe('Europe/Madrid');
  return row?.days ?? [];
}
const seen = ({ day, from, to, count, min, max, outsideMs }: RecordDay): SeenDay => ({
  channelId: channel,
  day,
  from,
  to,
  count,
  min,
  max,
  outsideMs,
});

async function review(session: Session, of: readonly SeenDay[], more: object = {}): Promise<string> {
  const { status, httpStatus } = await server.call({
    method: 'POST',
    path: '/api/report/records/reviews',
    json: { days: of, initials: 'LY', ...more },
    session,
  });
  return `${httpStatus} ${status}`;
}
async function reviews(range = AUTUMN) {
  const { data } = await server.call<ResponseOf<typeof listDailyReviews>>({
    path: '/api/report/records/reviews',
    query: { ...range, assets: String(asset) },
    session: auditor,
  });
  return data.reviews;
}
const stateOf = (day: RecordDay, [newest]: Awaited<ReturnType<typeof reviews>>) => {
  const numbers = (each: RecordDay | NonNullable<typeof newest>) => ({
    ...each,
    from: Date.parse(each.from),
    to: Date.parse(each.to),
  });
  return reviewStateOf(numbers(day), newest ? numbers(newest) : null, Date.now());
};

test('days are those of the time zone of the organisation, with 23 and 25 hours when clocks change', async () => {
  const autumn = await days(AUTUMN);
  expect(autumn.map(({ day, count }) => [day, count])).toEqual([
    ['2026-10-24', 24 * 60],
    ['2026-10-25', 25 * 60],
    ['2026-10-26', 24 * 60],
  ]);
  expect(autumn.map(({ from, to }) => (Date.parse(to) - Date.parse(from)) / HOUR)).toEqual([24, 25, 24]);
  expect(autumn.map(({ coverage, outsideMs, min }) => [coverage, outsideMs, min])).toEqual([
    [1, 0, 5],
    [1, 0, 5],
    // No reading follows that of the last minute.
    [1439 / 1440, 0, 5],
  ]);
  expect(
    (await days(SPRING)).map(({ day, count, from, to }) => [day, count, Date.parse(to) - Date.parse(from)]),
  ).toEqual([['2026-03-29', 23 * 60, 23 * HOUR]]);
});

test('a day is stated in full and alike in each report, also where the range cuts it', async () => {
  const whole = await days(AUTUMN);
  const cut = await days({ from: '2026-10-25T10:00:00.000Z', to: '2026-10-25T11:00:00.000Z' });
  expect(cut).toEqual([whole[1]]);
});

test('a person with the permission reviews days, and the log has an entry', async () => {
  const some = (await days(AUTUMN)).map(seen);
  expect(await review(manager, some, { comment: 'Door checked' })).toBe('200 1');
  expect(await reviews()).toHaveLength(3);
  expect((await reviews())[0]).toMatchObject({
    channelId: channel,
    initials: 'LY',
    comment: 'Door checked',
    by: 'Lin Yue',
  });
  const { rows } = await server.pool.query<{ after: object; name: string }>(
    `select after, username as name from audit_entry where action = 'review' order by seq desc limit 1`,
  );
  expect(rows[0]).toMatchObject({
    name: 'demo.manager',
    after: { initials: 'LY', comment: 'Door checked', days: ['2026-10-24', '2026-10-25', '2026-10-26'] },
  });
});

test('auditors may not review, and channels of other organisations are not found', async () => {
  const [day] = (await days(AUTUMN)).map(seen);
  expect(await review(auditor, [day as SeenDay])).toMatch(/^403 /);
  expect(await review(keeper, [day as SeenDay])).toBe('404 channel.not_found');
  const { httpStatus, status } = await server.call({
    path: '/api/report/records/reviews',
    query: { ...AUTUMN, assets: String(asset) },
    session: keeper,
  });
  expect([httpStatus, status]).toEqual([404, 'asset.not_found']);
  expect(await reviews()).toEqual([]);
});

test('a day that is not over, has other numbers or other bounds is not reviewed, and nothing else of the call is', async () => {
  const [first, second] = (await days(AUTUMN)).map(seen) as [SeenDay, SeenDay];
  const now = Date.now();
  const [today] = (
    await days({ from: new Date(now - 1000).toISOString(), to: new Date(now).toISOString() })
  ).map(seen) as [SeenDay];
  expect(await review(manager, [today])).toBe('409 review.running');
  expect(await review(manager, [first, { ...second, max: 4.9 }])).toBe('409 review.changed');
  expect(await review(manager, [{ ...first, to: second.to }])).toBe('409 review.changed');
  expect(await review(manager, [{ ...first, day: '2026-10-25' }])).toBe('409 review.changed');
  const spring = (await days(SPRING)).map(seen);
  expect(await review(manager, [first, ...spring])).toBe('400 time.too_long');
  expect(await review(manager, [first], { initials: ' ' })).toMatch(/^400 |^422 /);
  expect(await reviews()).toEqual([]);
});

test('late readings mark a reviewed day as changed, and a correction is another entry', async () => {
  const [first] = await days(AUTUMN);
  expect(await review(manager, [seen(first as RecordDay)])).toBe('200 1');
  expect(stateOf(first as RecordDay, await reviews())).toBe('reviewed');
  await measure('2026-10-24T10:00:00.000Z', '2026-10-24T10:10:00.000Z', 9);
  await server.pool.query(
    `insert into reading (channel_id, measured_at, value, delay_s) values ($1, '2026-10-24T10:00:30Z', 9, 90000)`,
    [channel],
  );
  const [changed] = await days(AUTUMN);
  expect(changed).toMatchObject({ count: 24 * 60 + 1, max: 9, outsideMs: 10 * 60_000 });
  expect(stateOf(changed as RecordDay, await reviews())).toBe('changed');
  expect(await review(manager, [seen(first as RecordDay)])).toBe('409 review.changed');
  expect(await review(manager, [seen(changed as RecordDay)], { initials: 'CW' })).toBe('200 1');
  const entries = await reviews();
  expect(entries.map(({ initials, count }) => [initials, count])).toEqual([
    ['CW', 24 * 60 + 1],
    ['LY', 24 * 60],
  ]);
  expect(stateOf(changed as RecordDay, entries)).toBe('reviewed');
});

test('a day without readings can be reviewed', async () => {
  const [empty] = await days({ from: '2026-02-01T00:00:00.000Z', to: '2026-02-01T01:00:00.000Z' });
  expect(empty).toMatchObject({ day: '2026-02-01', count: 0, min: null, outsideMs: 0, inside: null });
  expect(await review(manager, [seen(empty as RecordDay)])).toBe('200 1');
});

test('reviews are neither changed nor deleted', async () => {
  expect(await review(manager, (await days(AUTUMN)).map(seen))).toBe('200 1');
  for (const statement of [`update daily_review set initials = 'XX'`, 'delete from daily_review'])
    await expect(server.pool.query(statement)).rejects.toThrow('daily_review is append only');
});

test('the VFC rule pack checks that each day that is over was reviewed', async () => {
  const verdict = async () => {
    const { data } = await server.call<ResponseOf<typeof getComplianceReport>>({
      path: '/api/report/compliance',
      query: { ...AUTUMN, pack: 'vfc', assets: String(asset) },
      session: auditor,
    });
    const { verdict: own, worst, failed } = data.clauses.find(({ id }) => id === 'review') ?? {};
    return [own, worst, failed];
  };
  const [first, ...others] = (await days(AUTUMN)).map(seen) as [SeenDay, ...SeenDay[]];
  expect(await verdict()).toEqual(['not-met', 3, 1]);
  expect(await review(manager, [first])).toBe('200 1');
  expect(await verdict()).toEqual(['not-met', 2, 1]);
  expect(await review(manager, others)).toBe('200 1');
  expect(await verdict()).toEqual(['met', 0, 0]);
});
