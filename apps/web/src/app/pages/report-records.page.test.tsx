import { getProfile } from '@isotherm/contracts/identity';
import { type Job, listJobs } from '@isotherm/contracts/jobs';
import { getRecordReport, orderRecordReport, type RecordRow } from '@isotherm/contracts/reports';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test } from 'vitest';
import { useDownloads } from '../../shared/jobs/jobs.queries.ts';
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
  low: 2,
  high: 8,
};
const RANGE = 'from=2026-11-16T00:00:00.000Z&to=2026-11-20T00:00:00.000Z';
let fake: ReturnType<typeof fakeServer>;
let rows: RecordRow[];
let total: number;

beforeEach(() => {
  rows = [ROW];
  total = 1;
  useDownloads.setState({ open: false });
  fake = fakeServer();
  holding(fake, 'report-records:view', 'report-records:export', 'asset:view');
  fake.answer(getProfile, () => ({ ReportCheckTimeRange: 31 }) as never);
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
