import {
  type ComplianceAsset,
  getComplianceReport,
  orderComplianceReport,
} from '@isotherm/contracts/compliance';
import { type Job, listJobs } from '@isotherm/contracts/jobs';
import { listOrganizations } from '@isotherm/contracts/organizations';
import type { ResponseOf } from '@isotherm/contracts/route';
import {
  getAlarmReport,
  getDeviceReport,
  getStatistics,
  orderAlarmReport,
} from '@isotherm/contracts/table-reports';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test, vi } from 'vitest';
import * as echarts from '../../shared/chart/echarts.ts';
import { useDownloads } from '../../shared/jobs/jobs.queries.ts';
import { anAlarmReport } from '../../shared/testing/data.ts';
import { fakeServer, Refusal } from '../../shared/testing/fake-server.ts';
import { holding, renderPage, stubFrame } from '../../shared/testing/render-page.tsx';
import ReportAlarmsPage from './report-alarms.page.tsx';
import ReportCompliancePage from './report-compliance.page.tsx';
import ReportDevicesPage from './report-devices.page.tsx';
import ReportStatisticsPage from './report-statistics.page.tsx';

const HOUR = 3_600_000;
const FROM = '2026-11-16T00:00:00.000Z';
const TO = '2026-11-18T00:00:00.000Z';
const RANGE = `from=${FROM}&to=${TO}`;
const NUMBERS = {
  channels: 1,
  coverage: 0.99,
  inside: 0.97,
  belowMs: [0, 0, 0],
  aboveMs: [2 * HOUR, 0, HOUR],
  excursions: 2,
  unhandled: 1,
  worstKinetic: 6.03,
};
const ASSET: ComplianceAsset = {
  ...NUMBERS,
  assetId: 7,
  name: 'Vaccine fridge 03',
  code: 'FR-03',
  kind: 'refrigerator',
  siteId: 4,
  site: 'Minhang',
  min: 3.1,
  max: 14,
  meanKinetic: 5.2,
  window: { days: 1, from: FROM, to: TO, coveredMs: 24 * HOUR },
  longestGapMs: 5 * 60_000,
  gapDays: 0,
  failed: ['within'],
};
let report: ResponseOf<typeof getComplianceReport>;
let fake: ReturnType<typeof fakeServer>;

beforeEach(() => {
  report = {
    from: FROM,
    to: TO,
    pack: {
      id: 'who',
      name: 'WHO',
      version: '2015.1',
      document: 'TRS 961',
      source: 'https://example.com/who',
    },
    totals: { ...NUMBERS, assets: 2, failing: 1 },
    clauses: [
      {
        id: 'within',
        reference: 'Annex 9',
        check: 'within',
        required: {},
        isConfirmed: false,
        verdict: 'not-met',
        failed: 1,
        total: 2,
        worst: 3 * HOUR,
      },
      {
        id: 'coverage',
        reference: 'Supplement 6',
        check: 'coverage',
        required: { share: 0.95 },
        isConfirmed: true,
        verdict: 'met',
        failed: 0,
        total: 2,
        worst: 0.99,
      },
    ],
    periods: [FROM],
    sites: [
      {
        ...NUMBERS,
        organizationId: 4,
        name: 'Minhang',
        assets: 2,
        failing: 1,
        periods: [{ inside: 0.97, coverage: 0.99 }],
      },
    ],
    matching: 250,
    assets: [ASSET],
  };
  useDownloads.setState({ open: false });
  fake = fakeServer();
  holding(
    fake,
    'report-compliance:view',
    'report-compliance:export',
    'report-alarms:view',
    'report-alarms:export',
    'report-devices:view',
    'report-statistics:view',
    'alarm-graded:view',
    'alarm-current:view',
    'asset:view',
  );
  fake.answer(listOrganizations, () => []);
  fake.answer(getComplianceReport, () => report);
  fake.answer(listJobs, () => ({ items: [] }));
  fake.answer(orderComplianceReport, () => ({ id: 1 }) as unknown as Job);
  fake.answer(orderAlarmReport, () => ({ id: 1 }) as unknown as Job);
});
const compliance = (query = RANGE) =>
  renderPage(<ReportCompliancePage />, { at: `/report/compliance?${query}`, path: '/report/compliance' });

test('the compliance report says first how many clauses are not met, and each number leads to what is behind it', async () => {
  await compliance(`pack=who&${RANGE}`);
  expect(await screen.findByText('1 of 2 clauses is not met.')).toBeTruthy();
  const clauses = within(screen.getAllByRole('region', { name: 'Clauses' })[0] as HTMLElement);
  expect(clauses.getByText('Not met')).toBeTruthy();
  expect(clauses.getByText('Readings cover at least 95 % of the time')).toBeTruthy();
  expect(screen.getByTitle('5')).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: 'Coverage' }));
  await waitFor(() =>
    expect(fake.called(getComplianceReport).at(-1)?.asked.query.get('sort')).toBe('coverage'),
  );
  const alarms = (await screen.findAllByRole('link', { name: '2' })).map((link) => link.getAttribute('href'));
  expect(alarms).toEqual([
    `/alarm/graded?${new URLSearchParams({ from: FROM, to: TO, organizationId: '4' })}`,
    `/alarm/graded?${new URLSearchParams({ from: FROM, to: TO, assetId: '7' })}`,
  ]);
  await userEvent.click(
    screen.getByRole('button', { name: /Show the assets that do not meet Within limits$/ }),
  );
  await waitFor(() =>
    expect(fake.called(getComplianceReport).at(-1)?.asked.query.get('failing')).toBe('within'),
  );
});

test('a compliance report is ordered with its pack and range', async () => {
  await compliance(`pack=who&${RANGE}`);
  await screen.findByText('1 of 2 clauses is not met.');
  await userEvent.click(screen.getByRole('button', { name: 'PDF' }));
  await waitFor(() => expect(fake.called(orderComplianceReport)).toHaveLength(1));
  expect(fake.called(orderComplianceReport)[0]?.asked.json).toMatchObject({
    pack: 'who',
    format: 'pdf',
    from: FROM,
    to: TO,
  });
});

test.each([
  [`from=none&to=${TO}`, 'Enter a start and an end.'],
  [`from=${TO}&to=${FROM}`, 'The start is after the end. Choose an earlier start.'],
  ['from=2024-01-01T00:00:00.000Z&to=2026-01-01T00:00:00.000Z', /^A report covers up to 366 days/],
])('the range %s is refused in its own words', async (query, words) => {
  await compliance(query);
  expect((await screen.findByRole('alert')).textContent).toMatch(words);
  expect(fake.called(getComplianceReport)).toHaveLength(0);
});

test('without assets the page says what to do, and a refusal is shown with a retry', async () => {
  report = { ...report, totals: { ...report.totals, assets: 0 } };
  await compliance();
  expect(await screen.findByText('There are no assets in this selection.')).toBeTruthy();
  fake.answer(
    getComplianceReport,
    () => new Refusal('report.too_many_assets', 'This organisation has 20,000 assets.', 400),
  );
  await compliance(`pack=vfc&${RANGE}`);
  expect(await screen.findByText('This organisation has 20,000 assets.')).toBeTruthy();
});

test('the report of alarms shows days, sites and alarms, and orders its files', async () => {
  fake.answer(getAlarmReport, () => anAlarmReport());
  await renderPage(<ReportAlarmsPage />, { at: `/report/alarms?${RANGE}`, path: '/report/alarms' });
  expect(await screen.findByText('120 alarms, 1 not acknowledged.')).toBeTruthy();
  await userEvent.click(screen.getByTitle('3'));
  await waitFor(() => expect(fake.called(getAlarmReport).at(-1)?.asked.query.get('page')).toBe('3'));
  await userEvent.click(screen.getByRole('button', { name: 'Duration' }));
  await waitFor(() =>
    expect(Object.fromEntries(fake.called(getAlarmReport).at(-1)?.asked.query ?? [])).toMatchObject({
      sort: 'duration',
      order: 'desc',
      page: '1',
    }),
  );
  expect(screen.getByText('11.1 °C')).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: 'CSV' }));
  await waitFor(() => expect(fake.called(orderAlarmReport)[0]?.asked.json).toMatchObject({ format: 'csv' }));
});

test('the report of devices shows what was received of what was expected', async () => {
  fake.answer(getDeviceReport, () => ({
    from: FROM,
    to: TO,
    total: 1,
    received: 90,
    due: 100,
    deviceDays: 2,
    silentDays: 1,
    silentDevices: 1,
    days: [{ day: '2026-11-16', received: 90, due: 100, devices: 1, silent: 0 }],
    sites: [
      {
        organizationId: 4,
        name: 'Minhang',
        devices: 1,
        received: 90,
        due: 100,
        deviceDays: 2,
        silentDays: 1,
        silentDevices: 1,
        alarms: 3,
      },
    ],
    rows: [
      {
        id: 1,
        number: '60000001',
        name: 'Logger 1',
        model: 'A1',
        site: 'Minhang',
        assetId: 7,
        asset: 'Vaccine fridge 03',
        received: 90,
        due: 100,
        days: 2,
        silentDays: 1,
        battery: 78,
        alarms: 3,
        expiresAt: null,
      },
    ],
  }));
  await renderPage(<ReportDevicesPage />, { at: `/report/devices?${RANGE}`, path: '/report/devices' });
  expect(
    await screen.findByText(
      '1 device, 90 % of the expected readings received; 1 had a day without readings.',
    ),
  ).toBeTruthy();
  expect(screen.getByText('78 %')).toBeTruthy();
});

/** Draws the statistics with a chart that remembers its options and its listener. */
async function statistics(query: string, rows: StatisticsRow[]) {
  stubFrame(900, 240);
  const setOption = vi.fn();
  let click: (event: { dataIndex: number }) => void = () => undefined;
  vi.spyOn(echarts, 'init').mockReturnValue({
    setOption,
    resize() {},
    dispose() {},
    on: (_event: string, listener: typeof click) => {
      click = listener;
    },
  } as never);
  const before = rows.map((row) => ({ ...row, alarms: row.alarms + 2 }));
  fake.answer(getStatistics, () => ({
    from: FROM,
    to: TO,
    total: { ...STATISTIC, key: '', name: '', alarms: 5 },
    rows,
    before: {
      from: '2026-11-14T00:00:00.000Z',
      to: FROM,
      total: { ...STATISTIC, key: '', name: '', alarms: 8 },
      rows: before,
    },
  }));
  const drawn = await renderPage(<ReportStatisticsPage />, {
    at: `/report/statistics?${query}&${RANGE}`,
    path: '/report/statistics',
  });
  await screen.findByText('5 alarms in 2 assets.');
  // The chart is loaded when it is needed.
  await waitFor(() => expect(setOption).toHaveBeenCalled(), { timeout: 15_000 });
  return { ...drawn, setOption, clickBar: (dataIndex: number) => click({ dataIndex }) };
}
const STATISTIC = {
  assets: 2,
  rate: 1,
  medianMs: HOUR,
  availability: 1,
  completeness: 0.98,
  messages: 4,
  failed: 1,
  units: 2,
};
type StatisticsRow = ResponseOf<typeof getStatistics>['rows'][number];

test('statistics lead to the alarms of their day, from the table and from the chart', async () => {
  const { router, clickBar } = await statistics('group=day', [
    { ...STATISTIC, key: '2026-11-16', name: '2026-11-16', alarms: 3 },
  ]);
  const address = /^\/alarm\/graded\?from=2026-11-16/;
  expect((await screen.findByRole('link', { name: '3' })).getAttribute('href')).toMatch(address);
  clickBar(0);
  await waitFor(() => expect(router.state.location.pathname + router.state.location.search).toMatch(address));
});

test('statistics are compared with the period before, sorted and paged', async () => {
  const rows = Array.from({ length: 45 }, (_, index) => ({
    ...STATISTIC,
    key: String(index + 1),
    name: `Site ${index + 1}`,
    alarms: index,
  }));
  const { setOption } = await statistics('group=site', rows);
  const names = () =>
    screen
      .getAllByRole('row')
      .slice(1)
      .map((row) => row.querySelector('td')?.textContent);
  expect(names().slice(0, 3)).toEqual(['All', 'Site 45', 'Site 44']);
  expect(names()).toHaveLength(21);
  expect(screen.getByText('before: 8')).toBeTruthy();
  expect(screen.getByText('before: 46')).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: 'Site' }));
  expect(names().slice(0, 4)).toEqual(['All', 'Site 1', 'Site 2', 'Site 3']);
  await userEvent.click(screen.getByTitle('3'));
  expect(names()).toEqual(['All', 'Site 41', 'Site 42', 'Site 43', 'Site 44', 'Site 45']);
  await userEvent.click(screen.getByTitle('Alarms per asset and 1,000 h'));
  expect(await screen.findByRole('img', { name: /^Chart: Alarms per asset and 1,000 h by/ })).toBeTruthy();
  await waitFor(() => expect(setOption.mock.lastCall?.[0].series[0].data[0].value).toBe(1));
});
