import { listCarScreens, listCars, viewCarScreen, viewCarTrail } from '@isotherm/contracts/car-screens';
import { listFenceOutlines } from '@isotherm/contracts/geofences';
import { getMapOverview } from '@isotherm/contracts/map-overview';
import { getTrack, listMapMarks, type MapMark } from '@isotherm/contracts/maps';
import { listOrganizations } from '@isotherm/contracts/organizations';
import type { ResponseOf } from '@isotherm/contracts/route';
import { viewReplayTrack, viewSharedReplay } from '@isotherm/contracts/shared-replays';
import { act, screen, within } from '@testing-library/react';
import type { ReactNode } from 'react';
import { afterEach, expect, it, vi } from 'vitest';
import { fakeServer } from '../../shared/testing/fake-server.ts';
import { holding, renderPage } from '../../shared/testing/render-page.tsx';
import { CarMonitor } from './cars/car-monitor.tsx';
import { CarScreenPage } from './cars/car-screen.tsx';
import GeofencesPage from './fences/map-geofences.page.tsx';
import { LiveMap } from './live-map.tsx';
import MapOverviewPage from './overview/map-overview.page.tsx';
import { Replay } from './replay.tsx';
import { ReplayLinkPage } from './replay-links/replay-link-page.tsx';

// The theme asks for the system's preference when it is loaded; jsdom has no such function.
vi.hoisted(() => vi.stubGlobal('matchMedia', () => ({ matches: false, addEventListener: () => undefined })));

/** jsdom is like a browser without WebGL. The page shows its list and a message. */
const NOW = '2026-11-20T02:00:00.000Z';
const FROM = Date.parse(NOW) - 3_600_000;
const TOKEN = 'abcdefghijklmnopqrstuv';
const TRUCK: MapMark = {
  id: 8,
  kind: 'vehicle',
  name: 'Truck 1',
  place: '',
  organizationName: 'Huadong Carriers',
  state: { kind: 'normal' },
  main: null,
  at: { latitude: 31.2, longitude: 121.4, speedKmh: 60, headingDeg: 90, measuredAt: NOW },
};
const TRACK: ResponseOf<typeof getTrack> = {
  assetId: 8,
  name: 'Truck 1',
  at: [FROM, FROM + 60_000],
  latitude: [31, 31.01],
  longitude: [121, 121],
  speedKmh: [60, 60],
  place: [0, 1],
  lineEnds: [1],
  stops: [],
  trips: [],
  speedLimitKmh: 100,
  speedings: [],
  distanceM: 1_100,
  faulty: 0,
  toleranceM: 0,
  alarms: [],
  fenceEvents: [{ id: 4, kind: 'enter', at: new Date(FROM + 30_000).toISOString(), name: 'Depot' }],
};
const stateText = () => 'Within limits';

afterEach(() => vi.useRealTimers());

/** Each page of maps, the name of its list, and a row of it. */
const PAGES: readonly [path: string, page: ReactNode, list: string, row: string | RegExp][] = [
  ['/map/monitor?tab=all&asset=8', <LiveMap key="live" stateText={stateText} />, 'Live map', 'Truck 1'],
  ['/map/carmonitor?asset=8', <CarMonitor key="cars" stateText={stateText} />, 'Vehicles', 'Truck 1'],
  ['/map/carmonitor?screen=1', <CarMonitor key="stage" stateText={stateText} />, 'Vehicles', 'Truck 1'],
  [
    '/map/carmonitor/fullscreen',
    <CarScreenPage key="screen" token={TOKEN} stateText={stateText} />,
    'Vehicles',
    'Truck 1',
  ],
  ['/map/overview', <MapOverviewPage key="overview" />, 'Map overview', 'Truck 1'],
  [
    '/map/replay?assets=8',
    <Replay
      key="replay"
      range={{ from: FROM, to: Date.parse(NOW) }}
      isLive={false}
      chart={() => null}
      channelsOf={async () => []}
    />,
    'Events',
    'First position',
  ],
  [
    '/map/replay/shared',
    <ReplayLinkPage key="shared" token={TOKEN} chart={() => null} />,
    'Events',
    'First position',
  ],
  ['/map/geofences', <GeofencesPage key="fences" />, 'Geofences', 'Depot'],
];

it.each(PAGES)('without WebGL, %s says so and shows its list', async (path, page, list, row) => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  const fake = fakeServer();
  holding(
    fake,
    'map-monitor:view',
    'map-carmonitor:view',
    'map-overview:view',
    'map-replay:view',
    'map-geofences:view',
  );
  fake.answer(listOrganizations, () => []);
  fake.answer(listMapMarks, () => ({
    marks: [TRUCK],
    clusters: [],
    inView: 1,
    positioned: 1,
    unpositioned: 0,
    extent: [121.4, 31.2, 121.4, 31.2] as [number, number, number, number],
    serverTime: NOW,
  }));
  fake.answer(listFenceOutlines, () => ({
    fences: [
      {
        id: 7,
        name: 'Depot',
        shape: { kind: 'circle' as const, centre: { latitude: 31.2, longitude: 121.4 }, radiusM: 500 },
        inside: 2,
      },
    ],
    total: 1,
  }));
  fake.answer(listCars, () => ({ cars: [TRUCK], total: 1, serverTime: NOW }));
  fake.answer(listCarScreens, () => []);
  fake.answer(viewCarScreen, () => ({ name: 'Dispatch', intervalS: 15, cars: [TRUCK], serverTime: NOW }));
  fake.answer(getMapOverview, () => ({
    excursions: [
      {
        id: 7,
        assetId: 8,
        assetName: 'Truck 1',
        level: 4 as const,
        kind: 'high' as const,
        indicator: 'temperature' as const,
        since: NOW,
        endedAt: null,
        place: { latitude: 31, longitude: 121 },
      },
    ],
    totalExcursions: 1,
    lanes: [],
    totalTrips: 0,
  }));
  fake.answer(getTrack, () => TRACK);
  fake.answer(viewSharedReplay, () => ({
    name: 'Morning run',
    from: new Date(FROM).toISOString(),
    to: NOW,
    speed: 60 as const,
    skipsStops: true,
    assetIds: [8],
    missing: 0,
    hasChart: false,
  }));
  fake.answer(viewReplayTrack, () => TRACK);
  await renderPage(page, { at: path });
  expect(
    await screen.findByText('This browser cannot draw maps, because WebGL is not available.'),
  ).toBeTruthy();
  const region = within(await screen.findByRole('region', { name: list }));
  expect((await region.findAllByText(row)).length).toBeGreaterThan(0);
  // A trail is drawn on a map only, so that none is read: neither at first nor later.
  await act(() => vi.advanceTimersByTimeAsync(60_000));
  expect(fake.called(viewCarTrail)).toEqual([]);
  if (!path.startsWith('/map/replay')) expect(fake.called(getTrack)).toEqual([]);
  // No buttons of a map are offered.
  expect(screen.queryByRole('button', { name: 'Zoom in' })).toBeNull();
});
