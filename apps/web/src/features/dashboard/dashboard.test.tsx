import { arrangeDashboard, type Dashboard, getDashboard } from '@isotherm/contracts/dashboard';
import { TILE_NAMES } from '@isotherm/domain/dashboard/tiles';
import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { anAlarm } from '../../shared/testing/data.ts';
import { fakeServer } from '../../shared/testing/fake-server.ts';
import { holding, renderPage } from '../../shared/testing/render-page.tsx';
import DashboardPage from './dashboard.page.tsx';

const WORST = anAlarm({ id: 7, level: 5, assetName: 'Vaccine fridge 03', acknowledgement: null });

const DASHBOARD: Dashboard = {
  organizationName: 'Minhang District Centre',
  headline: 'action',
  assets: { total: 168, calm: 161, silent: 1, unwatched: 2 },
  arrangement: { shown: [...TILE_NAMES], hidden: [] },
  isArranged: false,
  alarms: {
    open: 5,
    unacknowledged: 1,
    worst: { level: 5, count: 1 },
    levels: [1, 1, 1, 1, 1],
    items: [WORST],
    waiting: [WORST],
  },
  devices: {
    total: 486,
    bound: 480,
    connections: { online: 463, offline: 9, 'never-seen': 14 },
    terms: { unlimited: 400, valid: 70, expiring: 8, expired: 6, lapsed: 2 },
    attention: { 'battery-low': 3, 'battery-ending': 0, 'signal-weak': 0, incomplete: 0 },
  },
  completeness: {
    received: 992,
    due: 1000,
    organizations: [
      {
        id: 2,
        name: 'Clinic',
        received: 992,
        due: 1000,
        days: [{ day: '2026-11-19', received: 9, due: 10 }],
      },
    ],
  },
  history: {
    from: '2026-10-21T00:00:00.000Z',
    to: '2026-11-20T00:00:00.000Z',
    total: 88,
    totalBefore: 70,
    levels: [47, 19, 15, 5, 2],
    steps: [{ from: '2026-10-21T00:00:00.000Z', levels: [1, 0, 0, 0, 2] }],
    stepDays: 1,
    acknowledgement: [{ level: 5, acknowledged: 2, open: 0, medianS: 360 }],
  },
  limitTime: { share: 0.99629, before: 1, days: [{ day: '2026-11-19', share: 0.99629 }] },
  balances: [
    {
      commodity: 'sms',
      available: 2140,
      reserved: 0,
      overdraft: 0,
      usedIn30Days: 5800,
      lastsDays: 11,
      outageUnits: 240,
    },
    {
      commodity: 'voice',
      available: 0,
      reserved: 0,
      overdraft: 0,
      usedIn30Days: 0,
      lastsDays: null,
      outageUnits: null,
    },
  ],
  expiringByWeek: [3, 0, 1, 0, 4, 0, 0, 0, 0, 0, 0, 0, 1],
  calibrations: { dueSoon: 2, overdue: 0 },
  failedBackups: 1,
  releasedDevices: 2,
};

async function page(more: Partial<Dashboard> = {}) {
  const fake = fakeServer();
  holding(fake, 'dashboard:view');
  fake.answer(getDashboard, () => ({ ...DASHBOARD, ...more }));
  fake.answer(arrangeDashboard, () => DASHBOARD.arrangement);
  await renderPage(<DashboardPage />, { at: '/dashboard' });
  await screen.findByRole('status');
  return fake;
}
const tile = (name: string) => within(screen.getByRole('region', { name }));

it('the first sentence names the unacknowledged alarms and links to the worst one', async () => {
  await page();
  expect(screen.getByRole('status').textContent).toBe(
    'Action needed: 1 alarm at level 5 is not acknowledged.',
  );
  expect(screen.getByText(/161 of 168 assets have no open alarm/)).toBeDefined();
  expect(screen.getByRole('link', { name: 'Open alarm' }).getAttribute('href')).toBe('/alarm/7');
});

it.each([
  ['quiet', 'Everything is in order.'],
  ['handled', '5 alarms are open and acknowledged.'],
  ['silent', '1 asset sends no data.'],
  ['unwatched', '2 assets have no limits set.'],
  ['empty', 'Start by creating your first asset.'],
] as const)('the sentence of the state %s', async (headline, sentence) => {
  const alarms = { ...(DASHBOARD.alarms as NonNullable<Dashboard['alarms']>), worst: null };
  await page({ headline, alarms });
  expect(screen.getByRole('status').textContent).toBe(sentence);
});

it('what needs attention is listed with its action, the alarms first', async () => {
  await page();
  const rows = tile('Needs attention today').getAllByRole('listitem');
  expect(rows[0]?.textContent).toContain('Vaccine fridge 03');
  expect(rows.map((row) => row.textContent).join(' | ')).toContain('SMS: balance is low lasts about 11 days');
  expect(rows.map((row) => row.textContent).join(' | ')).toContain('4 devices expire within 4 weeks');
  expect(rows.map((row) => row.textContent).join(' | ')).toContain('1 backup failed');
  expect(rows.map((row) => row.textContent).join(' | ')).toContain(
    'Data of 2 expired devices will be deleted',
  );
  expect(
    tile('Needs attention today')
      .getByRole('link', { name: /Recharge: SMS/ })
      .getAttribute('href'),
  ).toBe('/recharge/sms');
});

it('each number leads to its list, and a share is never rounded up to 100 %', async () => {
  await page({ limitTime: { share: 0.999999, before: null, days: [] } });
  expect(tile('Devices').getByRole('link', { name: 'Offline: 9' }).getAttribute('href')).toBe(
    '/device/list?connection=offline',
  );
  expect(tile('Time without limit alarms').getByText('99.99 %')).toBeDefined();
  expect(tile('Time to acknowledge').getByText('6 min')).toBeDefined();
  // A balance that nobody uses takes no row.
  expect(tile('Balance').getAllByRole('listitem')).toHaveLength(1);
});

it('tiles are moved, hidden, shown again and saved', async () => {
  const fake = await page();
  const person = userEvent.setup();
  await person.click(screen.getByRole('button', { name: 'Arrange tiles' }));
  await person.click(screen.getByRole('button', { name: 'Move later: Needs attention today' }));
  await person.click(screen.getByRole('button', { name: 'Hide tile: Balance' }));
  await person.click(screen.getByRole('button', { name: 'Hide tile: Devices' }));
  await person.click(screen.getByRole('button', { name: 'Show: Devices' }));
  await person.click(screen.getByRole('button', { name: 'Save layout' }));
  await screen.findByRole('button', { name: 'Arrange tiles' });
  expect(fake.called(arrangeDashboard)).toMatchObject([
    {
      asked: {
        json: {
          arrangement: {
            shown: [
              'alarms',
              'attention',
              'limit-time',
              'history',
              'completeness',
              'expiring',
              'acknowledgement',
              'devices',
            ],
            hidden: ['balance'],
          },
        },
      },
    },
  ]);
});
