import {
  type Excursion,
  getMapOverview,
  type Lane,
  listTripExcursions,
} from '@isotherm/contracts/map-overview';
import { listOrganizations } from '@isotherm/contracts/organizations';
import { act, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { fakeServer } from '../../../shared/testing/fake-server.ts';
import { holding, renderPage } from '../../../shared/testing/render-page.tsx';
import MapOverviewPage from './map-overview.page.tsx';
import { assetsOf, excursionsIn, isInRegion, laneFigures, lanesIn } from './overview-data.ts';

// The theme asks for the system's preference when it is loaded; jsdom has no such function.
vi.hoisted(() => vi.stubGlobal('matchMedia', () => ({ matches: false })));

const EXCURSION: Excursion = {
  id: 7,
  assetId: 8,
  assetName: 'Truck 1',
  level: 4,
  kind: 'high',
  indicator: 'temperature',
  since: '2026-11-20T02:00:00.000Z',
  endedAt: null,
  place: { latitude: 31, longitude: 121 },
};
const LANE: Lane = {
  from: 'Depot',
  to: 'Clinic',
  start: { latitude: 31, longitude: 121 },
  end: null,
  trips: [
    { id: 3, number: 'W-3', departedAt: '2026-11-20T02:00:00.000Z', endedAt: null, excursions: 0 },
    {
      id: 2,
      number: 'W-2',
      departedAt: '2026-11-19T02:00:00.000Z',
      endedAt: '2026-11-19T04:00:00.000Z',
      excursions: 2,
    },
    {
      id: 1,
      number: 'W-1',
      departedAt: '2026-11-18T02:00:00.000Z',
      endedAt: '2026-11-18T04:00:00.000Z',
      excursions: 0,
    },
  ],
};

it.each([
  ['inside', 31, 121, [120, 30, 122, 32], true],
  ['north of it', 33, 121, [120, 30, 122, 32], false],
  ['across the antimeridian', -17, -179, [170, -20, 190, -10], true],
  ['a turn further', -17, -179, [-190, -20, -170, -10], true],
  ['the whole world', 10, 10, [-250, -80, 250, 80], true],
] as const)('a place in a region: %s', (_, latitude, longitude, region, expected) => {
  expect(isInRegion({ latitude, longitude }, region)).toBe(expected);
});

it('a region has what began in it; a place that nobody knows is in none', () => {
  const lost = { ...EXCURSION, id: 9, place: null };
  const here = [120, 30, 122, 32] as const;
  expect(excursionsIn([EXCURSION, lost], here)).toEqual([EXCURSION]);
  expect(excursionsIn([EXCURSION, lost], null)).toHaveLength(2);
  expect(lanesIn([LANE], [0, 0, 1, 1])).toEqual([]);
  expect(lanesIn([LANE], here)).toEqual([LANE]);
});

it('a trip in transport counts neither as good nor as bad', () => {
  expect(laneFigures(LANE)).toEqual({ ended: 2, good: 1, open: 1 });
});

it('one organisation can be chosen', async () => {
  const fake = fakeServer();
  holding(fake, 'map-overview:view');
  const node = (id: number, name: string, parentId: number | null) => ({
    id,
    parentId,
    code: name,
    name,
    level: 'unit' as const,
  });
  fake.answer(listOrganizations, () => [node(1, 'HQ', null), node(5, 'Carriers', 1)]);
  fake.answer(getMapOverview, () => ({ excursions: [], totalExcursions: 0, lanes: [], totalTrips: 0 }));
  await renderPage(<MapOverviewPage />, { at: '/map/overview?organizationId=5' });
  expect(await screen.findByRole('combobox', { name: 'Organisation' })).toBeTruthy();
  await vi.waitFor(() => expect(fake.called(getMapOverview)).not.toEqual([]));
  expect(fake.called(getMapOverview)[0]?.asked.query.get('organizationId')).toBe('5');
});

it('each number leads to its list: excursions to their alarms, lanes to their trips', async () => {
  const fake = fakeServer();
  holding(fake, 'map-overview:view', 'waybill-list:view', 'alarm-current:view');
  fake.answer(listOrganizations, () => []);
  fake.answer(getMapOverview, () => ({
    excursions: [EXCURSION],
    totalExcursions: 1,
    lanes: [LANE],
    totalTrips: 3,
  }));
  await renderPage(<MapOverviewPage />, { at: '/map/overview' });
  const list = within(await screen.findByRole('region', { name: 'Map overview' }));
  expect(await list.findByText('1 excursion, 1 asset')).toBeTruthy();
  // Without a map there is nothing to explain, and with a single organisation nothing to choose.
  expect(screen.queryByText('All trips without excursion')).toBeNull();
  expect(screen.queryByRole('combobox', { name: 'Organisation' })).toBeNull();
  expect((await list.findByRole('link', { name: 'Truck 1' })).getAttribute('href')).toBe('/alarm/7');
  await userEvent.click(list.getByRole('button', { name: /^Lanes/ }));
  expect(list.getAllByText(/^1 of 2 without excursion/)).toHaveLength(2);
  await userEvent.click(list.getByRole('button', { name: /^Depot → Clinic/ }));
  expect(list.getByRole('link', { name: 'W-2' }).getAttribute('href')).toBe('/waybill/list/2');
  expect(list.getAllByText(/in transport · no excursion$/)).toHaveLength(1);
});

it('assets are listed with their excursions, that with the most first', () => {
  const of = (id: number, assetId: number, level: Excursion['level'], assetName = `Truck ${assetId}`) => ({
    ...EXCURSION,
    id,
    assetId,
    assetName,
    level,
  });
  const rows = assetsOf([of(1, 1, 2), of(2, 2, 4), of(3, 3, 4, 'A truck'), of(4, 1, 3), of(5, 4, 5)]);
  expect(rows.map(({ id, count, level }) => [id, count, level])).toEqual([
    [1, 2, 3],
    [4, 1, 5],
    [3, 1, 4],
    [2, 1, 4],
  ]);
  expect(assetsOf([])).toEqual([]);
});

function overviewOf(excursions: Excursion[], lanes: Lane[] = [LANE], totalTrips = 3) {
  const fake = fakeServer();
  holding(fake, 'map-overview:view', 'waybill-list:view', 'alarm-current:view');
  fake.answer(listOrganizations, () => []);
  fake.answer(getMapOverview, () => ({
    excursions,
    totalExcursions: excursions.length,
    lanes,
    totalTrips,
  }));
  return fake;
}
const list = async () => within(await screen.findByRole('region', { name: 'Map overview' }));

it('the number of assets leads to the assets, and the number of each to its excursions', async () => {
  overviewOf([EXCURSION, { ...EXCURSION, id: 8 }, { ...EXCURSION, id: 9, assetId: 9, assetName: 'Truck 2' }]);
  await renderPage(<MapOverviewPage />, { at: '/map/overview' });
  const shown = await list();
  await userEvent.click(await shown.findByRole('button', { name: 'Assets 2' }));
  const assets = shown.getAllByRole('listitem').map(({ textContent }) => textContent);
  expect(assets).toEqual([
    expect.stringMatching(/Truck 1.*2 excursions/),
    expect.stringMatching(/Truck 2.*1 excursion/),
  ]);
  await userEvent.click(shown.getByRole('button', { name: /Truck 1/ }));
  const links = () => shown.getAllByRole('link').map((link) => link.getAttribute('href'));
  expect(links()).toEqual(['/alarm/7', '/alarm/8']);
  await userEvent.click(shown.getByRole('button', { name: 'All excursions' }));
  expect(links()).toEqual(['/alarm/7', '/alarm/8', '/alarm/9']);
});

it('the number of excursions of a trip leads to these excursions, also to those that began before the period', async () => {
  const fake = overviewOf([EXCURSION]);
  fake.answer(listTripExcursions, () => ({
    number: 'W-2',
    excursions: [
      { ...EXCURSION, id: 70, since: '2026-11-19T03:00:00.000Z' },
      { ...EXCURSION, id: 71, since: '2026-09-01T03:00:00.000Z' },
    ],
  }));
  await renderPage(<MapOverviewPage />, { at: '/map/overview?tab=lanes' });
  const shown = await list();
  await userEvent.click(await shown.findByRole('button', { name: /^Depot → Clinic/ }));
  await userEvent.click(shown.getByRole('button', { name: '2 excursions' }));
  expect(await shown.findByText('Waybill W-2')).toBeTruthy();
  expect(fake.called(listTripExcursions).map(({ asked }) => asked.path)).toEqual([
    '/api/map/overview/trip/2',
  ]);
  expect(shown.getAllByRole('link').map((link) => link.getAttribute('href'))).toEqual([
    '/alarm/70',
    '/alarm/71',
  ]);
});

it.each([
  ['excursions', 301, 'Excursions 301'],
  ['lanes', 601, 'Lanes 601'],
] as const)('a list of many %s says how many rows are shown, and shows more', async (tab, total, title) => {
  const numbers = Array.from({ length: total }, (_, n) => n);
  overviewOf(
    tab === 'excursions' ? numbers.map((id) => ({ ...EXCURSION, id })) : [],
    tab === 'lanes' ? numbers.map((n) => ({ ...LANE, from: `Depot ${n}` })) : [],
  );
  await renderPage(<MapOverviewPage />, { at: `/map/overview?tab=${tab}` });
  const region = await screen.findByRole('region', { name: 'Map overview' });
  // Roles of hundreds of rows are slow to look up.
  const rows = () => region.querySelectorAll('.maps-rows > li').length;
  for (let most = 300; most < total; most += 300) {
    await within(region).findByText(`Showing ${most} of ${total}`);
    expect(rows()).toBe(most + 1);
    await userEvent.click(within(region).getByText('Show more'));
  }
  expect(rows()).toBe(total);
  expect(within(region).queryByText(/^Showing/)).toBeNull();
  expect(region.querySelector('[aria-pressed="true"]')?.textContent).toBe(title);
});

it.each([
  ['excursions', 'Only the newest 1 of 2,400 are shown.'],
  ['assets', 'Only the newest 1 of 2,400 excursions are counted.'],
  ['lanes', 'Only the newest 2,000 of 2,400 trips are counted.'],
] as const)('the list of %s says what is counted if there are more', async (tab, expected) => {
  const fake = overviewOf([EXCURSION]);
  fake.answer(getMapOverview, () => ({
    excursions: [EXCURSION],
    totalExcursions: 2_400,
    lanes: [LANE],
    totalTrips: 2_400,
  }));
  await renderPage(<MapOverviewPage />, { at: `/map/overview?tab=${tab}` });
  const shown = await list();
  expect(await shown.findByText(expected)).toBeTruthy();
  expect(shown.getAllByText(/newest/)).toHaveLength(1);
});

it('the excursions of an asset are headed by its name, also if it has none in the region or the period', async () => {
  const fake = overviewOf([EXCURSION]);
  const { router } = await renderPage(<MapOverviewPage />, { at: '/map/overview?asset=8' });
  const shown = await list();
  expect(await shown.findByText('Truck 1', { selector: '.maps-list-head > span' })).toBeTruthy();
  fake.answer(getMapOverview, () => ({ excursions: [], totalExcursions: 0, lanes: [], totalTrips: 0 }));
  await act(() => router.navigate('/map/overview?asset=8&days=7'));
  expect(await shown.findByText('Selected asset')).toBeTruthy();
  expect(shown.getByRole('button', { name: 'All excursions' })).toBeTruthy();
});

it('the excursions of a trip have no head until the trip is loaded', async () => {
  const fake = overviewOf([EXCURSION]);
  let answer: (trip: { number: string; excursions: Excursion[] }) => void = () => undefined;
  fake.answer(listTripExcursions, () => new Promise((resolve) => (answer = resolve)));
  await renderPage(<MapOverviewPage />, { at: '/map/overview?trip=2' });
  const shown = await list();
  await vi.waitFor(() => expect(fake.called(listTripExcursions)).toHaveLength(1));
  expect(await shown.findByRole('button', { name: 'All excursions' })).toBeTruthy();
  expect(shown.queryByText(/^Waybill/)).toBeNull();
  answer({ number: 'W-2', excursions: [] });
  expect(await shown.findByText('Waybill W-2')).toBeTruthy();
});
