import { type DailyReview, listDailyReviews, reviewDays } from '@isotherm/contracts/daily-reviews';
import { getProfile } from '@isotherm/contracts/identity';
import { type Job, listJobs } from '@isotherm/contracts/jobs';
import {
  getRecordReport,
  orderRecordReport,
  type RecordDay,
  type RecordRow,
} from '@isotherm/contracts/reports';
import { getAlarmReport } from '@isotherm/contracts/table-reports';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test } from 'vitest';
import { useDownloads } from '../../shared/jobs/jobs.queries.ts';
import { anAlarmReport } from '../../shared/testing/data.ts';
import { fakeServer, Refusal } from '../../shared/testing/fake-server.ts';
import { holding, renderPage } from '../../shared/testing/render-page.tsx';
import ReportRecordsPage from './report-records.page.tsx';

const ROW: RecordRow = {
  channelId: 10,
  assetId: 1,
  asset: 'Vaccine fridge 03',
  code: 'F-3',
  channel: 'Air, top shelf',
  indicator: 'temperature',
  count: 1_440,
  min: 4.2,
  minAt: '2026-11-18T00:00:00.000Z',
  max: 11.1,
  maxAt: '2026-11-18T14:42:00.000Z',
  mean: 5.1,
  meanKinetic: 5.14,
  coverage: 0.996,
  outsideMs: 66 * 60_000,
  inside: 0.98,
  low: 2,
  high: 8,
  zone: 'Asia/Shanghai',
  days: [],
};
const day = (name: string, more: Partial<RecordDay> = {}): RecordDay => ({
  day: name,
  from: new Date(Date.parse(`${name}T00:00:00+08:00`)).toISOString(),
  to: new Date(Date.parse(`${name}T00:00:00+08:00`) + 86_400_000).toISOString(),
  count: 1_440,
  min: 4.2,
  minAt: `${name}T01:30:00.000Z`,
  max: 5.8,
  maxAt: `${name}T06:42:00.000Z`,
  coverage: 1,
  outsideMs: 0,
  inside: 1,
  ...more,
});
const DAYS = [
  day('2026-11-16'),
  day('2026-11-17', { max: 11.1, outsideMs: 66 * 60_000, inside: 0.95 }),
  day('2026-11-18'),
];
const review = (
  { day, from, to, count, min, max, outsideMs }: RecordDay,
  more: Partial<DailyReview> = {},
): DailyReview => ({
  channelId: 10,
  day,
  from,
  to,
  count,
  min,
  max,
  outsideMs,
  initials: 'CW',
  comment: '',
  by: 'Chen Wei',
  at: '2026-11-19T01:00:00.000Z',
  ...more,
});
const RANGE = 'from=2026-11-16T00:00:00.000Z&to=2026-11-20T00:00:00.000Z';
let fake: ReturnType<typeof fakeServer>;
let rows: RecordRow[];
let total: number;
let reviews: DailyReview[];

beforeEach(() => {
  rows = [ROW];
  total = 1;
  reviews = [];
  useDownloads.setState({ open: false });
  fake = fakeServer();
  holding(fake, 'report-records:view', 'report-records:export', 'report-records:review');
  fake.answer(getProfile, () => ({ ReportCheckTimeRange: 31, realname: 'Lin Yue' }) as never);
  fake.answer(listDailyReviews, () => ({ reviews }));
  fake.answer(getRecordReport, ({ query }) => ({
    from: query.get('from') as string,
    to: query.get('to') as string,
    total,
    rows,
  }));
  fake.answer(listJobs, () => ({ items: [] }));
  fake.answer(orderRecordReport, () => ({ id: 1 }) as unknown as Job);
});
const open = (query: string) =>
  renderPage(<ReportRecordsPage />, { at: `/report/records?${query}`, path: '/report/records' });

test('the answer comes first, then a line for each channel', async () => {
  await open(`assets=1&${RANGE}`);
  expect(await screen.findByText('1 channel was outside its limits, for 1 h 06 min.')).toBeTruthy();
  const cells = within(screen.getByRole('table')).getAllByRole('cell');
  expect(cells.map(({ textContent }) => textContent)).toEqual([
    'Vaccine fridge 03 · F-3',
    'Air, top shelf',
    expect.stringMatching(/^4\.2 °C18 Nov/),
    expect.stringMatching(/^11\.1 °C18 Nov/),
    '5.10 °C',
    '5.14 °C',
    '1 h 06 min',
    '99 %',
    '2.0–8.0 °C',
  ]);
});

test.each([
  ['all within the limits', [{ ...ROW, outsideMs: 0 }], /1 channel with limits: all readings within them/],
  ['no limits', [{ ...ROW, outsideMs: null, low: null, high: null }], /No limits were set/],
  ['no readings', [{ ...ROW, count: 0, min: null, mean: null }], /No readings in this range/],
])('the answer for channels with %s', async (_case, given, answer) => {
  rows = given;
  await open(`assets=1&${RANGE}`);
  expect(await screen.findByText(answer)).toBeTruthy();
});

test('the alarms of the range are listed for an account that wants them', async () => {
  fake.answer(getAlarmReport, () => anAlarmReport());
  holding(fake, 'report-records:view', 'report-alarms:view');
  await open(`assets=1,2&${RANGE}`);
  await screen.findByText('1 channel was outside its limits, for 1 h 06 min.');
  expect(fake.called(getAlarmReport)).toHaveLength(0);
  fake.answer(getProfile, () => ({ ReportCheckTimeRange: 31, ShowReportWarningInfo: true }) as never);
  await open(`assets=1,2&${RANGE}`);
  expect(await screen.findByRole('heading', { name: 'Alarms' })).toBeTruthy();
  expect(screen.getByText('Vaccine fridge 03 · FR-03')).toBeTruthy();
  expect(Object.fromEntries(fake.called(getAlarmReport)[0]?.asked.query ?? [])).toMatchObject({
    assets: '1,2',
    from: '2026-11-16T00:00:00.000Z',
    to: '2026-11-20T00:00:00.000Z',
  });
});

test('a list that is cut off says how many channels there are', async () => {
  total = 240;
  await open(`assets=1&${RANGE}`);
  expect(await screen.findByText(/The first 1 of 240 channels are shown/)).toBeTruthy();
});

test.each([
  ['from=none&to=2026-11-20T00:00:00.000Z', 'Enter a start and an end.'],
  ['from=none&to=none', 'Enter a start and an end.'],
  ['from=soon&to=2026-11-20T00:00:00.000Z', /^Request timestamp format error/],
  ['from=2026-11-20T00:00:00.000Z&to=2026-11-16T00:00:00.000Z', /^The start is after the end/],
  ['from=2026-09-01T00:00:00.000Z&to=2026-11-16T00:00:00.000Z', /^A report covers up to 31 days/],
])('the range %s is refused in its own words, and nothing is ordered', async (range, message) => {
  await open(`assets=1&${range}`);
  expect((await screen.findByRole('alert')).textContent).toMatch(message);
  await userEvent.click(await screen.findByRole('button', { name: 'CSV, every reading' }));
  await waitFor(() => expect(screen.getAllByText(message).length).toBe(2));
  expect([fake.called(getRecordReport), fake.called(orderRecordReport)]).toEqual([[], []]);
});

test('an order opens the downloads; a refused one does not', async () => {
  await open(`assets=1,2&${RANGE}`);
  await userEvent.click(await screen.findByRole('button', { name: 'PDF, summary' }));
  await waitFor(() => expect(useDownloads.getState().open).toBe(true));
  expect(fake.called(orderRecordReport)[0]?.asked.json).toMatchObject({
    assets: [1, 2],
    format: 'pdf',
    from: '2026-11-16T00:00:00.000Z',
    to: '2026-11-20T00:00:00.000Z',
  });
  useDownloads.setState({ open: false });
  fake.answer(orderRecordReport, () => new Refusal('job.too_many', 'You have 20 files in progress.', 429));
  await userEvent.click(screen.getByRole('button', { name: 'XLSX, every reading' }));
  await waitFor(() => expect(fake.called(orderRecordReport)).toHaveLength(2));
  expect(useDownloads.getState().open).toBe(false);
});

test('without assets, the page says what to do, and the range is the last seven days', async () => {
  await open('');
  expect(await screen.findByRole('heading', { name: 'No assets chosen' })).toBeTruthy();
  const button = await screen.findByRole('button', { name: 'CSV, every reading' });
  expect((button as HTMLButtonElement).disabled).toBe(true);
});

const daysTable = async () => {
  const [section] = await screen.findAllByRole('region', { name: 'Daily review' });
  return within(await within(section as HTMLElement).findByRole('table'));
};

test('the days that still need a review are listed first, with extremes in the time zone of the organisation', async () => {
  rows = [{ ...ROW, days: DAYS }];
  reviews = [review(DAYS[0] as RecordDay), review(DAYS[2] as RecordDay, { max: 5.7 })];
  await open(`assets=1&${RANGE}`);
  const table = await daysTable();
  const lines = table.getAllByRole('row').map(({ textContent }) => textContent);
  expect(lines).toHaveLength(1 + 2);
  expect(lines[1]).toMatch(/^18 Nov 2026Asia\/Shanghai.*4\.2 °C09:30.*CW.*Changed since review/);
  expect(lines[2]).toMatch(/^17 Nov 2026.*11\.1 °C14:42.*1 h 06 min5\.00 %Not reviewed/);
  await userEvent.click(screen.getByText('All days (3)'));
  await waitFor(() => expect(table.getAllByRole('row')).toHaveLength(1 + 3));
});

test('a day is reviewed with the numbers that were seen, and initials are proposed', async () => {
  rows = [{ ...ROW, days: [DAYS[1] as RecordDay] }];
  fake.answer(reviewDays, () => ({ reviewed: 1 }));
  await open(`assets=1&${RANGE}`);
  await userEvent.click(
    await screen.findByRole('button', { name: /^Review ?2026-11-17 Vaccine fridge 03 · Air, top shelf$/ }),
  );
  const dialog = within(await screen.findByRole('dialog'));
  expect(dialog.getByText('1 day was outside its limits.')).toBeTruthy();
  const initials = dialog.getByLabelText('Initials');
  expect((initials as HTMLInputElement).value).toBe('LY');
  await userEvent.clear(initials);
  await userEvent.click(dialog.getByRole('button', { name: 'Review 1 day' }));
  expect(await dialog.findByText('Enter your initials.')).toBeTruthy();
  expect(fake.called(reviewDays)).toEqual([]);
  await userEvent.type(initials, 'CW');
  await userEvent.type(dialog.getByLabelText('Comment'), 'Door was open');
  await userEvent.click(dialog.getByRole('button', { name: 'Review 1 day' }));
  await waitFor(() => expect(fake.called(reviewDays)).toHaveLength(1));
  const { from, to } = DAYS[1] as RecordDay;
  expect(fake.called(reviewDays)[0]?.asked.json).toEqual({
    initials: 'CW',
    comment: 'Door was open',
    days: [
      {
        channelId: 10,
        day: '2026-11-17',
        from,
        to,
        count: 1_440,
        min: 4.2,
        max: 11.1,
        outsideMs: 66 * 60_000,
      },
    ],
  });
  await screen.findByText('1 day reviewed');
});

test('all shown days are reviewed at once, and a refusal keeps the dialog', async () => {
  rows = [{ ...ROW, days: DAYS }];
  fake.answer(reviewDays, () => new Refusal('review.changed', 'The readings have changed.', 409));
  await open(`assets=1&${RANGE}`);
  await userEvent.click(await screen.findByRole('button', { name: 'Review 3 days' }));
  const dialog = within(await screen.findByRole('dialog'));
  await userEvent.click(dialog.getByRole('button', { name: 'Review 3 days' }));
  expect(await dialog.findByText('The readings have changed.')).toBeTruthy();
  // The values are read again.
  await waitFor(() => expect(fake.called(getRecordReport)).toHaveLength(2));
});

test('without the permission, days are shown and cannot be reviewed', async () => {
  holding(fake, 'report-records:view');
  rows = [{ ...ROW, days: DAYS }];
  await open(`assets=1&${RANGE}`);
  expect((await daysTable()).getAllByRole('row')).toHaveLength(1 + 3);
  expect(screen.queryByRole('button', { name: /^Review/ })).toBeNull();
});

test('an earlier period of the same length is compared line by line, and its beginning is ordered with the file', async () => {
  fake.answer(getRecordReport, ({ query }) => {
    const isEarlier = query.get('from') === '2026-11-12T00:00:00.000Z';
    return {
      from: query.get('from') as string,
      to: query.get('to') as string,
      total,
      rows: [isEarlier ? { ...ROW, min: 3.9, inside: 1 } : ROW],
    };
  });
  await open(`assets=1&${RANGE}&compare=before`);
  const [section] = await screen.findAllByRole('region', { name: 'Comparison' });
  const lines = (await within(section as HTMLElement).findAllByRole('row')).map(
    ({ textContent }) => textContent,
  );
  expect(lines[1]).toMatch(/3\.9 °C11\.1 °C5\.10 °C5\.14 °C100\.00 %$/);
  expect(lines[2]).toMatch(/4\.2 °C11\.1 °C5\.10 °C5\.14 °C98\.00 %$/);
  await userEvent.click(screen.getByRole('button', { name: 'PDF, summary' }));
  await waitFor(() =>
    expect(fake.called(orderRecordReport)[0]?.asked.json).toMatchObject({
      earlierFrom: '2026-11-12T00:00:00.000Z',
    }),
  );
});
