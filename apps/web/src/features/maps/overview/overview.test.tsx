import { type Excursion, getMapOverview, type Lane } from '@isotherm/contracts/map-overview';
import { listOrganizations } from '@isotherm/contracts/organizations';
import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { fakeServer } from '../../../shared/testing/fake-server.ts';
import { holding, renderPage } from '../../../shared/testing/render-page.tsx';
import MapOverviewPage from './map-overview.page.tsx';
import { excursionsIn, isInRegion, laneFigures, lanesIn } from './overview-data.ts';

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
