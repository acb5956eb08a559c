import { type DeviceStats, getDeviceStats } from '@isotherm/contracts/device-stats';
import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { fakeServer } from '../../../shared/testing/fake-server.ts';
import { holding, renderPage } from '../../../shared/testing/render-page.tsx';
import DeviceStatsPage from './device-stats.page.tsx';

const connections = { online: 7, offline: 2, 'never-seen': 1 };
const STATS: DeviceStats = {
  total: 10,
  connections,
  bound: 9,
  otherModels: 3,
  otherOrganizations: 0,
  terms: { unlimited: 6, valid: 3, expiring: 1, expired: 0, lapsed: 0 },
  types: { logger: 10, gateway: 0, node: 0, tracker: 0 },
  attention: { 'battery-low': 1, 'battery-ending': 1, 'signal-weak': 2, incomplete: 3 },
  models: [{ model: 'TH-1', total: 7, connections: { online: 6, offline: 1, 'never-seen': 0 } }],
  organizations: [
    { id: 4, name: 'Hospital', isOwn: false, total: 8, connections, received: 999, due: 1_000, days: [] },
    { id: 2, name: 'Head office', isOwn: true, total: 2, connections, received: 0, due: 0, days: [] },
  ],
  completeness: {
    received: 1_999,
    due: 2_000,
    days: [
      {
        day: '2026-05-30',
        received: 1_999,
        due: 2_000,
        devices: 10,
        silent: 1,
        incomplete: 3,
        batteryLow: 0,
        signalWeak: 0,
      },
    ],
    worst: [{ number: '10000001', name: 'Logger 1', organizationName: 'Hospital', received: 719, due: 720 }],
  },
  offline: {
    groups: [1, 0, 1, 0],
    longest: [
      {
        number: '10000003',
        name: 'Logger 3',
        organizationName: 'Hospital',
        lastSeenAt: '2026-05-20T00:00:00.000Z',
      },
    ],
  },
  levels: { battery: [1, 0, 0, 4, 5], signal: [0, 0, 0, 0, 0] },
  batteries: [
    {
      number: '10000002',
      name: 'Logger 2',
      organizationName: 'Hospital',
      battery: 24,
      perDay: 2,
      daysLeft: 6.9,
    },
  ],
  signals: [],
};

async function page(stats: DeviceStats = STATS, at = '/device/stats') {
  const fake = fakeServer();
  holding(fake, 'device-stats:view');
  fake.answer(getDeviceStats, () => stats);
  const drawn = await renderPage(<DeviceStatsPage />, { at });
  await screen.findByText(stats.total === 0 ? 'No devices yet' : 'Completeness', { selector: 'h2' });
  return { ...drawn, fake };
}
const href = (name: string) => screen.getByRole('link', { name }).getAttribute('href');

it('every number links to the devices that it counts', async () => {
  await page(STATS, '/device/stats?organizationId=2');
  expect(href('Offline: 2')).toBe('/device/list?connection=offline&organizationId=2');
  expect(href('Signal −100 dBm or weaker: 2')).toBe('/device/list?attention=signal-weak&organizationId=2');
  expect(href('Bound: 9')).toBe('/device/list?bound=bound&organizationId=2');
  const models = within(screen.getByRole('region', { name: 'By model' }));
  expect(models.getByRole('link', { name: '7' }).getAttribute('href')).toBe(
    '/device/list?model=TH-1&organizationId=2',
  );
  expect(models.getByRole('link', { name: '6' }).getAttribute('href')).toBe(
    '/device/list?model=TH-1&organizationId=2&connection=online',
  );
  // A zero has no link.
  expect(screen.queryByRole('link', { name: /Expired/ })).toBeNull();
});

it('the page lists the most urgent problem first, with the most urgent device', async () => {
  await page(STATS, '/device/stats?organizationId=2');
  const first = within(screen.getByRole('region', { name: 'Do first' }));
  const rows = first.getAllByRole('listitem').map((row) => row.textContent);
  expect(rows[0]).toContain('2 devices are offline');
  expect(rows[0]).toContain('Logger 3');
  expect(rows[1]).toContain('1 battery runs out within 30 daysLogger 2 · 6 days left');
  expect(rows).toHaveLength(7);
  expect(href('Show list: 2 devices are offline')).toBe(
    '/device/list?connection=offline&sort=lastSeenAt&order=asc&organizationId=2',
  );
  expect(first.getByRole('link', { name: 'Logger 3' }).getAttribute('href')).toBe('/device/list/10000003');
});

it('if no device has a problem, the page says that there is nothing to do', async () => {
  await page({
    ...STATS,
    connections: { online: 10, offline: 0, 'never-seen': 0 },
    bound: 10,
    attention: { 'battery-low': 0, 'battery-ending': 0, 'signal-weak': 0, incomplete: 0 },
  });
  expect(screen.getByText('Nothing to do')).toBeTruthy();
});

it('the page shows how many devices had which problem each day, and the distribution of battery levels', async () => {
  await page();
  const faults = within(screen.getByRole('region', { name: 'Devices with problems' }));
  expect(faults.getByText('30 May: 3 of 10')).toBeTruthy();
  const battery = within(screen.getByRole('region', { name: 'Battery' }));
  expect(battery.getAllByRole('listitem').map((each) => each.textContent)).toEqual([
    '20 % or lower1',
    '20 % to 40 %0',
    '40 % to 60 %0',
    '60 % to 80 %4',
    'Above 80 %5',
  ]);
  expect(screen.getByText('No device reports this.')).toBeTruthy();
});

it('the tree opens level by level, and incomplete data is never rounded to 100 %', async () => {
  await page();
  expect(href('Hospital')).toBe('/device/stats?organizationId=4');
  expect(screen.getByText('Head office (direct)').closest('a')).toBeNull();
  expect(screen.getAllByText('99.9 %').length).toBeGreaterThan(0);
  expect(screen.queryByText('100.0 %')).toBeNull();
  expect(screen.getByText('The 1 largest are shown; 3 devices are in others.')).toBeTruthy();
});

it('the page forecasts when batteries will be empty, and says that no device has a weak signal', async () => {
  await page();
  const batteries = within(screen.getByRole('region', { name: 'Batteries running low' }));
  expect(batteries.getByRole('row', { name: /10000002/ }).textContent).toContain('24 %−2.0 %6');
  expect(screen.getByText('No device has a weak signal.')).toBeTruthy();
});

it('the page requests the selected period and keeps it in the address', async () => {
  const { fake } = await page();
  await userEvent.click(screen.getByText('30 days'));
  await screen.findByText('Completeness', { selector: 'h2' });
  expect(fake.calls.at(-1)?.asked.query.get('days')).toBe('30');
});

it('without devices, the page explains its purpose', async () => {
  await page({ ...STATS, total: 0 });
  expect(screen.getByText('Statistics appear here once devices are registered.')).toBeTruthy();
});
