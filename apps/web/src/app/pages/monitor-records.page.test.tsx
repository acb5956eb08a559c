import { getAssetTree } from '@isotherm/contracts/asset-groups';
import { listAssets } from '@isotherm/contracts/asset-registry';
import { getAsset, listMonitorCards } from '@isotherm/contracts/assets';
import { getAggregates, getCurve, orderReadingsExport } from '@isotherm/contracts/telemetry';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import * as echarts from '../../shared/chart/echarts.ts';
import { fakeServer, Refusal } from '../../shared/testing/fake-server.ts';
import { holding, renderPage, stubFrame } from '../../shared/testing/render-page.tsx';
import MonitorRecordsPage from './monitor-records.page.tsx';

let fake: ReturnType<typeof fakeServer>;
const AT = Date.UTC(2026, 10, 20, 8);

function card(id: number, name: string) {
  return {
    id,
    kind: 'refrigerator',
    name,
    code: `F-${id}`,
    place: 'Pharmacy',
    organizationId: 1,
    organizationName: 'Hospital',
    state: { kind: 'normal' },
    battery: null,
    lastSeenAt: null,
    main: {
      channelId: id * 10,
      name: 'Air',
      indicator: 'temperature',
      value: 5,
      low: 2,
      high: 8,
      measuredAt: new Date(AT).toISOString(),
    },
  };
}

beforeEach(() => {
  // jsdom does not implement canvas.
  vi.spyOn(echarts, 'init').mockReturnValue({ setOption() {}, resize() {}, dispose() {} } as never);
  fake = fakeServer();
  fake.answer(listMonitorCards, () => ({ cards: [card(1, 'Fridge 1'), card(2, 'Fridge 2')] }) as never);
  fake.answer(getAsset, ({ path }) => {
    const own = card(Number(path.split('/').at(-1)), `Fridge ${path.split('/').at(-1)}`);
    const channel = { ...own.main, sensorIndex: 1, sensorSerial: 'S', rules: [] };
    return {
      ...own,
      model: '',
      timeZone: 'UTC',
      latitude: null,
      longitude: null,
      alarms: [],
      devices: [
        {
          id: 1,
          number: '31020201',
          channels: [channel, { ...channel, channelId: own.id * 10 + 1, name: 'Door', indicator: 'door' }],
        },
      ],
    } as never;
  });
  fake.answer(getCurve, ({ query }) => ({
    from: query.get('from') as string,
    to: query.get('to') as string,
    series: [],
    alarms: [],
  }));
  fake.answer(getAggregates, ({ query }) => ({
    at: [AT, AT + 3_600_000],
    to: AT + 7_200_000,
    series: (query.get('channels') ?? '').split(',').map((id) => ({
      channelId: Number(id),
      name: 'Air',
      indicator: 'temperature' as const,
      count: [60, 0],
      min: [4.1, null],
      max: [6.3, null],
      mean: [5.25, null],
      estimated: [],
      coverage: [98.3, 0],
    })),
  }));
});

/** The first test also loads the shared modules, which takes longer. */
const PATIENTLY = { timeout: 15_000 };

const RANGE = '?from=2026-11-20T08:00:00.000Z&to=2026-11-20T22:00:00.000Z';

test('the page starts with the asset that needs most attention, and shows its values by period', async () => {
  holding(fake, 'monitor-records:view', 'monitor-records:export');
  await renderPage(<MonitorRecordsPage />, { at: `/monitor/records${RANGE}`, path: '/monitor/records' });
  expect(await screen.findByText('4.1 °C', {}, PATIENTLY)).toBeTruthy();
  expect(screen.getByText('6.3 °C')).toBeTruthy();
  expect(screen.getByText('98 %')).toBeTruthy();
  // The hour without readings has no row.
  expect(document.querySelectorAll('.ant-table-row').length).toBe(1);
  const [asked] = fake.called(getAggregates);
  expect(Object.fromEntries(asked?.asked.query ?? [])).toMatchObject({ channels: '10', period: 'hour' });
});

test('the channels of several assets are distinguishable, and the period is in the address', async () => {
  holding(fake, 'monitor-records:view');
  const { search } = await renderPage(<MonitorRecordsPage />, {
    at: `/monitor/records${RANGE}&assets=1,2`,
    path: '/monitor/records',
  });
  expect(await screen.findByText('Fridge 1 · Air', {}, PATIENTLY)).toBeTruthy();
  expect(screen.getByText('Fridge 2 · Air')).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Export CSV' })).toBeNull();
  await userEvent.click(screen.getByRole('button', { name: 'Day' }));
  expect(search().get('period')).toBe('day');
});

test('the shown readings are ordered as a file, and a refused order can be repeated', async () => {
  holding(fake, 'monitor-records:view', 'monitor-records:export');
  fake.answer(orderReadingsExport, () => new Refusal('channel.not_found', 'There is no such channel.', 404));
  await renderPage(<MonitorRecordsPage />, { at: `/monitor/records${RANGE}`, path: '/monitor/records' });
  await screen.findByText('4.1 °C', {}, PATIENTLY);
  await userEvent.click(await screen.findByRole('button', { name: 'Export XLSX' }));
  await waitFor(() => expect(fake.called(orderReadingsExport).length).toBe(1));
  expect(fake.called(orderReadingsExport)[0]?.asked.json).toMatchObject({
    channels: [10],
    format: 'xlsx',
    from: '2026-11-20T08:00:00.000Z',
    to: '2026-11-20T22:00:00.000Z',
  });
  expect(await screen.findByRole('button', { name: 'Export XLSX' })).toBeTruthy();
});

test('a time range that is too long for a file has no export, and a table that would be too long shows a message', async () => {
  holding(fake, 'monitor-records:view', 'monitor-records:export');
  await renderPage(<MonitorRecordsPage />, {
    at: '/monitor/records?from=2026-01-01T00:00:00.000Z&to=2026-11-20T00:00:00.000Z&period=5-minutes',
    path: '/monitor/records',
  });
  expect(
    await screen.findByText(/With this period the table covers up to 31 days/, {}, PATIENTLY),
  ).toBeTruthy();
  const button = await screen.findByRole('button', { name: 'Export CSV' });
  expect((button as HTMLButtonElement).disabled).toBe(true);
});

test.each([
  ['the quantities, doors and mains power of one asset', '1', '10,11'],
  ['only the quantities of several assets', '1,2', '10,20'],
])('the chart shows %s', async (_what, assets, channels) => {
  holding(fake, 'monitor-records:view');
  // The width of the chart determines how many points are requested.
  stubFrame(1_000, 400);
  const canvas = vi.spyOn(HTMLCanvasElement.prototype, 'getContext').mockReturnValue(null);
  onTestFinished(() => canvas.mockRestore());
  await renderPage(<MonitorRecordsPage />, {
    at: `/monitor/records${RANGE}&assets=${assets}`,
    path: '/monitor/records',
  });
  await waitFor(() => expect(fake.called(getCurve)).not.toHaveLength(0), PATIENTLY);
  expect(fake.called(getCurve)[0]?.asked.query.get('channels')).toBe(channels);
});

test('assets are chosen from the tree, and a selection can be saved under a name', async () => {
  holding(fake, 'monitor-records:view');
  const listed = (id: number) => ({ ...card(id, `Fridge ${id}`), type: '', devices: [] });
  fake.answer(listAssets, () => ({ items: [listed(2)], total: 1 }) as never);
  fake.answer(getAssetTree, () => []);
  const { search } = await renderPage(<MonitorRecordsPage />, {
    at: `/monitor/records${RANGE}&assets=1`,
    path: '/monitor/records',
  });
  await screen.findByText('4.1 °C', {}, PATIENTLY);
  await userEvent.click(screen.getByRole('button', { name: 'Choose assets' }));
  const picker = within(await screen.findByRole('dialog'));
  await userEvent.type(picker.getByPlaceholderText(/Name, code/), 'Fridge 2');
  await userEvent.click(await picker.findByText('Fridge 2'));
  await userEvent.click(picker.getByRole('button', { name: 'Save selection' }));
  await userEvent.type(await screen.findByLabelText('Name'), 'Both{Enter}');
  expect(await picker.findByRole('button', { name: 'Both' })).toBeTruthy();
  await userEvent.click(picker.getByRole('button', { name: 'Show 2 assets' }));
  await waitFor(() => expect(search().get('assets')).toBe('1,2'));
  await userEvent.click(await screen.findByRole('button', { name: 'Remove Fridge 1' }));
  await waitFor(() => expect(search().get('assets')).toBe('2'));
});
