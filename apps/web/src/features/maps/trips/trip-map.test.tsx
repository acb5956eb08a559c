import type { TripRoute } from '@isotherm/contracts/waybills';
import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { beforeEach, expect, it, vi } from 'vitest';
import { renderPage } from '../../../shared/testing/render-page.tsx';
import TripMap from './trip-map.tsx';

// The theme asks for the system's preference when it is loaded; jsdom has no such function.
vi.hoisted(() => vi.stubGlobal('matchMedia', () => ({ matches: false, addEventListener: () => undefined })));
/** jsdom has no WebGL: what would be drawn on the map. */
const drawn = vi.hoisted(() => ({
  draw: vi.fn<(source: string, features: { properties: Record<string, unknown> }[]) => void>(),
  fit: vi.fn(),
}));
vi.mock('../../../shared/map/use-map.ts', () => {
  const shown = {
    map: { addSource: () => undefined, addLayer: () => undefined },
    places: drawn,
    colours: { level: () => 'red', text: '', accent: '', container: '', textSecondary: '' },
  };
  const state = { shown, failure: null, isReplaced: false, retry: () => undefined };
  return { useMap: () => state };
});
beforeEach(() => {
  drawn.draw.mockClear();
  drawn.fit.mockClear();
});

const MIN = 60_000;
const FROM = Date.parse('2026-05-01T08:00:00.000Z');
const ROUTE: TripRoute = {
  planned: {
    by: 'straight-line',
    places: [
      { latitude: 31, longitude: 121 },
      { latitude: 32, longitude: 122 },
    ],
  },
  fences: [],
  legs: [
    {
      assetId: 3,
      assetName: 'Truck 1',
      from: FROM,
      to: FROM + 60 * MIN,
      at: [FROM, FROM + 30 * MIN, FROM + 60 * MIN],
      latitude: [31, 31.5, 32],
      longitude: [121, 121.5, 122],
      speedKmh: [60, 60, 60],
      lineEnds: [2],
      stops: [{ from: FROM + 10 * MIN, to: FROM + 15 * MIN, latitude: 31.2, longitude: 121.2 }],
      distanceM: 140_000,
    },
  ],
};
const EXCURSIONS = [{ from: FROM + 20 * MIN, to: FROM + 40 * MIN, alarm: { level: 2 as const } }];
const MARKS = [{ at: FROM, name: 'Departed' }];

function FollowedMap() {
  const [cursor, setCursor] = useState<number | null>(null);
  return (
    <>
      <TripMap route={ROUTE} excursions={EXCURSIONS as never} marks={MARKS} cursor={cursor} />
      <button type="button" onClick={() => setCursor((cursor ?? FROM) + 10 * MIN)}>
        Later
      </button>
    </>
  );
}

const sources = () => drawn.draw.mock.calls.map(([source]) => source);

it('the map shows the planned and the actual route, excursions, stops and marks, and is fitted to them once', async () => {
  await renderPage(<FollowedMap />, { at: '/' });
  const last = (source: string) => drawn.draw.mock.calls.findLast(([each]) => each === source)?.[1] ?? [];
  expect(last('planned')).toHaveLength(1);
  expect(last('way').map(({ properties }) => properties.severity)).toEqual([-1, 2, -1]);
  expect(last('stops')).toHaveLength(1);
  expect(last('marks')).toHaveLength(2);
  expect(last('head')).toEqual([]);
  for (const words of [
    'Actual route',
    'Planned route (straight lines)',
    'Excursion, in the colour of its level',
  ])
    expect(screen.getByText(words)).toBeTruthy();
  expect(drawn.fit.mock.calls.map(([bounds]) => bounds)).toEqual([
    [
      [121, 31],
      [122, 32],
    ],
  ]);
});

it('a cursor that moves draws only the goods again', async () => {
  await renderPage(<FollowedMap />, { at: '/' });
  drawn.draw.mockClear();
  drawn.fit.mockClear();
  for (let step = 0; step < 3; step++) await userEvent.click(screen.getByRole('button', { name: 'Later' }));
  expect(sources()).toEqual(['head', 'head', 'head']);
  expect(drawn.draw.mock.lastCall?.[1]).toMatchObject([
    { geometry: { coordinates: [expect.closeTo(121.5, 6), expect.closeTo(31.5, 6)] } },
  ]);
  expect(drawn.fit).not.toHaveBeenCalled();
});
