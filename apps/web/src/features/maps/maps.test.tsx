import {
  exportTracks,
  getTrack,
  listMapMarks,
  listTrackEvents,
  type MapMark,
} from '@isotherm/contracts/maps';
import type { ResponseOf } from '@isotherm/contracts/route';
import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { expect, it, vi } from 'vitest';
import { fakeServer, Refusal } from '../../shared/testing/fake-server.ts';
import { holding, renderPage } from '../../shared/testing/render-page.tsx';
import { LiveMap } from './live-map.tsx';
import { isMoving, isStale, matching, whereText } from './mark-words.ts';
import { Replay } from './replay.tsx';
import { pathOf, speedsOf } from './speed-curve.tsx';
import { assetTrack, eventsOf, timesOf } from './track-data.ts';
import { momentAt, placeOf } from './use-playback.ts';

// The theme asks for the system's preference when it is loaded; jsdom has no such function.
vi.hoisted(() => vi.stubGlobal('matchMedia', () => ({ matches: false })));

const NOW = Date.parse('2026-11-20T02:00:00.000Z');
const MIN = 60_000;
const mark = (changes: Partial<Omit<MapMark, 'at'>> & { at?: Partial<MapMark['at']> } = {}): MapMark => ({
  id: 8,
  kind: 'vehicle',
  name: 'Truck 1',
  place: '',
  organizationName: 'Huadong Carriers',
  state: { kind: 'normal' },
  main: null,
  ...changes,
  at: {
    latitude: 31.2,
    longitude: 121.4,
    speedKmh: 60,
    headingDeg: 90,
    measuredAt: new Date(NOW - MIN).toISOString(),
    ...changes.at,
  },
});
const text = (id: string, params?: object) => `${id}${params ? ` ${JSON.stringify(params)}` : ''}`;

it.each<[string, MapMark, boolean, boolean]>([
  ['drives', mark(), true, false],
  ['stands', mark({ at: { speedKmh: 1 } }), false, false],
  ['says no speed', mark({ at: { speedKmh: null } }), false, false],
  ['drove an hour ago', mark({ at: { measuredAt: new Date(NOW - 60 * MIN).toISOString() } }), false, true],
  ['has a fixed place', mark({ at: { measuredAt: null, speedKmh: null } }), false, false],
])('an asset that %s', (_, each, moves, stale) => {
  expect([isMoving(each, NOW), isStale(each, NOW)]).toEqual([moves, stale]);
});

it('an old position is never shown as where the asset is now', () => {
  const old = mark({ at: { measuredAt: new Date(NOW - 60 * MIN).toISOString() } });
  expect(whereText(old, NOW, text as never)).toContain('maps.stale');
  expect(whereText(mark({ place: 'Hall A', at: { measuredAt: null } }), NOW, text as never)).toBe('Hall A');
});

it('assets are found by name, place and organisation, and by type', () => {
  const all = [
    mark({ id: 1, name: 'Truck A' }),
    mark({ id: 2, kind: 'refrigerator', name: 'Fridge', place: 'Ward 3' }),
  ];
  const ids = (search: string, kind: MapMark['kind'] | null = null) =>
    matching(all, search, kind).map(({ id }) => id);
  expect([ids('truck'), ids(' ward '), ids('huadong'), ids('', 'vehicle'), ids('x')]).toEqual([
    [1],
    [2],
    [1, 2],
    [1],
    [],
  ]);
});

it('events of a track are in order of time, with stops, gaps and alarms', () => {
  const minutes = [0, 1, 2, 3, 4, 5, 30, 31];
  const track = assetTrack({
    assetId: 1,
    name: 'Truck 1',
    at: minutes.map((minute) => minute * MIN),
    latitude: minutes.map((minute) => 31 + (minute > 5 ? 0.3 : 0)),
    longitude: minutes.map(() => 121),
    speedKmh: minutes.map(() => null),
    place: minutes.map((_, index) => index),
    lineEnds: [5, 7],
    stops: [{ from: 0, to: 5 * MIN, latitude: 31, longitude: 121 }],
    trips: [{ from: 30 * MIN, to: 31 * MIN, distanceM: 900, maxSpeedKmh: 54 }],
    speedLimitKmh: 50,
    speedings: [
      { from: 30.5 * MIN, to: 31 * MIN, maxSpeedKmh: 54, distanceM: 450, latitude: 31.3, longitude: 121 },
    ],
    distanceM: 33_000,
    faulty: 0,
    toleranceM: 0,
    alarms: [
      {
        id: 9,
        level: 3,
        kind: 'high',
        indicator: 'temperature',
        since: new Date(2 * MIN).toISOString(),
        endedAt: null,
      },
    ],
    fenceEvents: [{ id: 4, kind: 'enter', at: new Date(3 * MIN).toISOString(), name: 'Depot' }],
  });
  expect(eventsOf(track).map(({ kind, at }) => [kind, at / MIN])).toEqual([
    ['start', 0],
    ['stop', 0],
    ['alarm', 2],
    ['fence', 3],
    ['gap', 5],
    ['trip', 30],
    ['speeding', 30.5],
    ['end', 31],
  ]);
  const readings = {
    doors: [{ channelId: 5, name: 'Door', from: 4 * MIN, to: null }],
    excursions: [
      {
        channelId: 6,
        name: 'Cargo',
        from: 0,
        to: 2 * MIN,
        indicator: 'temperature' as const,
        side: 'above' as const,
        limit: 8,
        peak: 9.6,
      },
    ],
    total: 2,
  };
  expect(eventsOf(track, readings).map(({ kind }) => kind)).toEqual([
    'start',
    'stop',
    'excursion',
    'alarm',
    'fence',
    'door',
    'gap',
    'trip',
    'speeding',
    'end',
  ]);
  expect(timesOf(track)).toHaveLength(8);
  const empty = { ...track, lines: [], stops: [], trips: [], speedings: [] };
  expect(eventsOf(empty, readings).map(({ kind }) => kind)).toEqual(['excursion', 'alarm', 'fence', 'door']);
});

it('a replay of a simplified track takes as long as with all positions', () => {
  const fixes = [0, 1, 5, 6].map((minute) => ({ at: minute, latitude: 31, longitude: 121, speedKmh: null }));
  expect(timesOf({ fixes, place: [0, 1, 5, 6] })).toEqual([0, 1, 2, 3, 4, 5, 6]);
  expect(timesOf({ fixes, place: [0, 1, 3, 4] })).toEqual([0, 1, 3, 5, 6]);
});

it('a replay advances from position to position', () => {
  const times = [0, 10, 100];
  expect([-5, 0, 5, 10, 55, 100, 200].map((moment) => placeOf(times, moment))).toEqual([
    0, 0, 0.5, 1, 1.5, 2, 2,
  ]);
  expect([-1, 0.5, 1.5, 2, 9].map((place) => momentAt(times, place))).toEqual([0, 5, 55, 100, 100]);
});

it('the speed curve has one line for each stretch, and shows peaks that are narrower than a pixel', () => {
  const fix = (minute: number, speedKmh: number | null, latitude = 31) => ({
    at: minute * MIN,
    latitude,
    longitude: 121,
    speedKmh,
  });
  const fixes = [fix(0, 10), fix(1, null, 31.01), fix(1.05, null, 31.01), fix(30, null), fix(60, 20)];
  const speeds = speedsOf({ fixes, lines: [[0, 1, 2], [3], [4]] });
  expect(speeds.map((line) => line.map(({ speedKmh }) => Math.round(speedKmh)))).toEqual([[10, 67], [20]]);
  const dense = [
    { at: 0, speedKmh: 0 },
    { at: 1, speedKmh: 50 },
    { at: 2, speedKmh: 0 },
    { at: 100_000, speedKmh: 100 },
  ];
  expect(pathOf([dense], 0, 100_000, 100)).toBe('M0 64.0L0 32.0L1000 0.0');
  expect(pathOf([dense, [{ at: 50_000, speedKmh: 50 }]], 0, 100_000, 100)).toContain('M500 32.0');
  expect(pathOf([], 0, 0, 60)).toBe('');
});

it('the highest speed is that of all positions, also of those that were left out', async () => {
  const fake = fakeServer();
  fake.answer(listTrackEvents, () => NO_EVENTS);
  fake.answer(getTrack, () => ({
    ...trackOf(8),
    trips: [{ from: NOW, to: NOW + 59 * MIN, distanceM: 65_600, maxSpeedKmh: 131 }],
  }));
  await renderPage(<Replayed />, { at: '/map/replay?assets=8' });
  await screen.findByText('Up to 131 km/h');
});

/** A track of an hour at 70 km/h. */
const trackOf = (assetId: number, speedLimitKmh = 100): ResponseOf<typeof getTrack> => {
  const minutes = Array.from({ length: 60 }, (_, index) => index);
  return {
    assetId,
    name: `Truck ${assetId}`,
    at: minutes.map((minute) => NOW + minute * MIN),
    latitude: minutes.map((minute) => 31 + minute / 100),
    longitude: minutes.map(() => 121),
    speedKmh: minutes.map(() => 70),
    place: minutes,
    lineEnds: [59],
    stops: [],
    trips: [{ from: NOW, to: NOW + 59 * MIN, distanceM: 65_600, maxSpeedKmh: 70 }],
    speedLimitKmh,
    speedings: [],
    distanceM: 65_600,
    faulty: 0,
    toleranceM: 0,
    alarms: [],
    fenceEvents: [],
  };
};
const NO_EVENTS: ResponseOf<typeof listTrackEvents> = { doors: [], excursions: [], total: 0 };
const doorOf = (name: string) => ({
  doors: [{ channelId: 5, name, from: NOW + 10 * MIN, to: NOW + 16 * MIN }],
  excursions: [],
  total: 1,
});
const Replayed = () => (
  <Replay
    range={{ from: NOW, to: NOW + 60 * MIN }}
    isLive={false}
    chart={({ assetId }) => <p>Chart of {assetId}</p>}
    channelsOf={async () => []}
  />
);

it('door openings are those of the first asset, whichever answer comes first, and when it is removed', async () => {
  const fake = fakeServer();
  let release: () => void = () => undefined;
  const first = new Promise<void>((done) => (release = done));
  fake.answer(getTrack, async ({ path }) => {
    const assetId = Number(path.split('/').at(-1));
    if (assetId === 8) await first;
    return trackOf(assetId);
  });
  let releaseEvents: () => void = () => undefined;
  const events = new Promise<void>((done) => (releaseEvents = done));
  fake.answer(listTrackEvents, async ({ path }) => {
    const assetId = Number(path.split('/').at(-2));
    if (assetId === 9) await events;
    return doorOf(`Door of ${assetId}`);
  });
  const user = userEvent.setup();
  await renderPage(<Replayed />, { at: '/map/replay?assets=8,9' });
  await screen.findByText('Chart of 9');
  await vi.waitFor(() => expect(fake.called(listTrackEvents)).toHaveLength(1));
  expect(screen.queryByText(/Door of/)).toBeNull();
  release();
  await screen.findByText('Door of 8: open, 6 min');
  await user.click(screen.getByRole('button', { name: 'Remove Truck 8' }));
  await screen.findByText('Chart of 9');
  expect(screen.queryByText(/Door of/)).toBeNull();
  releaseEvents();
  await screen.findByText('Door of 9: open, 6 min');
});

it('door openings that cannot be loaded are not taken for none, and are loaded again', async () => {
  const fake = fakeServer();
  fake.answer(getTrack, () => trackOf(8));
  fake.answer(listTrackEvents, () => new Refusal('request.too_many', 'Too many requests', 429));
  const user = userEvent.setup();
  await renderPage(<Replayed />, { at: '/map/replay?assets=8' });
  const notice = await screen.findByText('Door openings and excursions could not be loaded.');
  fake.answer(listTrackEvents, () => ({ ...doorOf('Rear door'), total: 1_200 }));
  await user.click(within(notice).getByRole('button', { name: 'Retry' }));
  await screen.findByText('Rear door: open, 6 min');
  expect(screen.queryByText('Door openings and excursions could not be loaded.')).toBeNull();
  expect(screen.getByText('Door openings and excursions: the first 1 of 1,200')).toBeDefined();
});

it('door openings are listed also without any position', async () => {
  const fake = fakeServer();
  fake.answer(getTrack, () => ({
    ...trackOf(8),
    at: [],
    latitude: [],
    longitude: [],
    speedKmh: [],
    place: [],
    lineEnds: [],
    trips: [],
  }));
  fake.answer(listTrackEvents, () => doorOf('Rear door'));
  await renderPage(<Replayed />, { at: '/map/replay?assets=8' });
  await screen.findByText('No positions in this period.');
  await screen.findByText('Rear door: open, 6 min');
});

it('times above the limit name the limit by which they were found, until those of the new one are loaded', async () => {
  const fake = fakeServer();
  fake.answer(listTrackEvents, () => NO_EVENTS);
  fake.answer(getTrack, async ({ query }) => {
    const limit = Number(query.get('speedLimitKmh'));
    if (limit !== 100) await new Promise(() => undefined);
    const speeding = {
      from: NOW,
      to: NOW + 8 * MIN,
      maxSpeedKmh: 118,
      distanceM: 1,
      latitude: 31,
      longitude: 121,
    };
    return { ...trackOf(8, limit), speedings: [speeding] };
  });
  const user = userEvent.setup();
  await renderPage(<Replayed />, { at: '/map/replay?assets=8' });
  await screen.findByText('Faster than 100 km/h, 8 min, up to 118 km/h');
  await user.click(screen.getByRole('combobox', { name: 'Speed limit' }));
  await user.click(await screen.findByTitle('120 km/h'));
  await vi.waitFor(() => expect(fake.called(getTrack)).toHaveLength(2));
  expect(screen.getByText('Faster than 100 km/h, 8 min, up to 118 km/h')).toBeDefined();
});

it('the replay lists trips, speeding, doors and excursions, jumps to them, and saves all assets', async () => {
  const fake = fakeServer();
  const minutes = Array.from({ length: 60 }, (_, index) => index);
  const limits: (string | null)[] = [];
  fake.answer(getTrack, ({ path, query }) => {
    const assetId = Number(path.split('/').at(-1));
    limits.push(query.get('speedLimitKmh'));
    return {
      assetId,
      name: `Truck ${assetId}`,
      at: minutes.map((minute) => NOW + minute * MIN),
      latitude: minutes.map((minute) => 31 + minute / 100),
      longitude: minutes.map(() => 121),
      speedKmh: minutes.map((minute) => (minute > 30 && minute < 40 ? 118 : 70)),
      place: minutes,
      lineEnds: [59],
      stops: [],
      trips: [{ from: NOW, to: NOW + 59 * MIN, distanceM: 65_600, maxSpeedKmh: 118 }],
      speedLimitKmh: 100,
      speedings: [
        {
          from: NOW + 31 * MIN,
          to: NOW + 39 * MIN,
          maxSpeedKmh: 118,
          distanceM: 15_000,
          latitude: 31.3,
          longitude: 121,
        },
      ],
      distanceM: 65_600,
      faulty: 0,
      toleranceM: 0,
      alarms: [],
      fenceEvents: [],
    };
  });
  fake.answer(listTrackEvents, () => ({
    doors: [{ channelId: 5, name: 'Rear door', from: NOW + 10 * MIN, to: NOW + 16 * MIN }],
    excursions: [
      {
        channelId: 6,
        name: 'Cargo',
        from: NOW + 20 * MIN,
        to: null,
        indicator: 'temperature' as const,
        side: 'above' as const,
        limit: 8,
        peak: 9.6,
      },
    ],
    total: 2,
  }));
  fake.answer(exportTracks, () => new Refusal('permission.denied', 'Not allowed', 403));
  const user = userEvent.setup();
  holding(fake, 'map-replay:export');
  const seen: (number | null)[] = [];
  await renderPage(
    <Replay
      range={{ from: NOW, to: NOW + 60 * MIN }}
      isLive={false}
      chart={({ playhead }) => {
        seen.push(playhead);
        return null;
      }}
      channelsOf={async () => []}
    />,
    { at: '/map/replay?assets=8,9' },
  );
  await screen.findByText('Drive, 65.6 km, 59 min, up to 118 km/h');
  await screen.findByText('Faster than 100 km/h, 8 min, up to 118 km/h');
  expect(limits).toEqual(['100', '100']);
  await user.click(await screen.findByText('Rear door: open, 6 min'));
  expect(seen.at(-1)).toBe(NOW + 10 * MIN);
  await user.click(screen.getByText('Cargo: above 8.0 °C, up to 9.6 °C'));
  expect(seen.at(-1)).toBe(NOW + 20 * MIN);
  expect(
    screen.getByRole('img', { name: 'Speed of Truck 8' }).querySelector('.maps-speed-playhead'),
  ).not.toBeNull();
  await user.click(screen.getByRole('button', { name: 'Export track' }));
  await user.click(await screen.findByText('GPX'));
  await vi.waitFor(() =>
    expect(fake.called(exportTracks)[0]?.asked.json).toMatchObject({ assetIds: [8, 9], format: 'gpx' }),
  );
});

it('without WebGL the page says so, and the list still shows and selects the assets', async () => {
  const fake = fakeServer();
  fake.answer(listMapMarks, () => ({
    marks: [mark(), mark({ id: 9, name: 'Cold store 2', state: { kind: 'unset' }, at: { speedKmh: 0 } })],
    clusters: [],
    inView: 2,
    positioned: 2,
    unpositioned: 3,
    extent: [121.4, 31.2, 121.4, 31.2] as [number, number, number, number],
    serverTime: new Date().toISOString(),
  }));
  const user = userEvent.setup();
  holding(fake, 'map-monitor:view');
  await renderPage(<LiveMap stateText={() => 'state'} />, { at: '/map/monitor?tab=all' });
  const row = await screen.findByRole('button', { name: /Cold store 2/ });
  await user.click(row);
  expect(row.getAttribute('aria-current')).toBe('true');
  await screen.findByText(/This browser cannot draw maps/);
  expect(screen.getByText('3 assets without a position')).toBeDefined();
  const tabs = screen.getByRole('group', { name: 'Live map' });
  expect(within(tabs).getByRole('button', { name: 'All 2' })).toBeDefined();
});

it('a replay goes on while its live range moves to the next minute', async () => {
  const fake = fakeServer();
  fake.answer(listTrackEvents, () => ({ doors: [], excursions: [], total: 0 }));
  const minutes = Array.from({ length: 600 }, (_, index) => index);
  let release: (() => void) | undefined;
  fake.answer(getTrack, async ({ query }) => {
    if (query.get('to') !== new Date(NOW).toISOString()) await new Promise<void>((done) => (release = done));
    return {
      assetId: 8,
      name: 'Truck 1',
      at: minutes.map((minute) => NOW - (600 - minute) * MIN),
      latitude: minutes.map((minute) => 31 + minute / 1000),
      longitude: minutes.map(() => 121),
      speedKmh: minutes.map(() => null),
      place: minutes,
      lineEnds: [599],
      stops: [],
      trips: [],
      speedLimitKmh: 100,
      speedings: [],
      distanceM: 66_000,
      faulty: 0,
      toleranceM: 0,
      alarms: [],
      fenceEvents: [],
    };
  });
  const user = userEvent.setup();
  function Moving() {
    const [to, setTo] = useState(NOW);
    return (
      <>
        <button type="button" onClick={() => setTo(NOW + MIN)}>
          next minute
        </button>
        <Replay
          range={{ from: to - 12 * 60 * MIN, to }}
          isLive
          chart={() => null}
          channelsOf={async () => []}
        />
      </>
    );
  }
  await renderPage(<Moving />, { at: '/map/replay?assets=8' });
  await user.click(await screen.findByRole('button', { name: 'Play' }));
  const pause = screen.getByRole('button', { name: 'Pause' });
  await user.click(screen.getByRole('button', { name: 'next minute' }));
  await vi.waitFor(() => expect(release).toBeDefined());
  expect(screen.getByRole('button', { name: 'Pause' })).toBe(pause);
  release?.();
});
