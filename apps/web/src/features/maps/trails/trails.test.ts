import type { Trail } from '@isotherm/contracts/car-screens';
import type { MapMark } from '@isotherm/contracts/maps';
import { act, renderHook } from '@testing-library/react';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import type { ShownMap } from '../../../shared/map/use-map.ts';
import { type TrailPiece, trailPieces } from './trail-lines.ts';
import { useTrail } from './use-trail.ts';

const MIN = 60_000;
const START = Date.parse('2026-11-20T02:00:00.000Z');
/** Degrees of latitude that a truck drives in a minute, about 67 km/h. */
const STEP = 0.01;

/** A drive to the north, one position for each of these minutes, in lines. */
function drive(
  lines: readonly (readonly number[])[],
  longitude = (minute: number) => 121 + 0 * minute,
): Trail {
  const minutes = lines.flat();
  let end = -1;
  return {
    at: minutes.map((minute) => START + minute * MIN),
    latitude: minutes.map((minute) => 31 + minute * STEP),
    longitude: minutes.map(longitude),
    lineEnds: lines.map((line) => (end += line.length)),
  };
}
const markAt = (minute: number | null, changes: Partial<MapMark['at']> = {}): MapMark['at'] => ({
  latitude: 31 + (minute ?? 0) * STEP,
  longitude: 121,
  speedKmh: 60,
  headingDeg: 0,
  measuredAt: minute === null ? null : new Date(START + minute * MIN).toISOString(),
  ...changes,
});
/** Minutes of the places of each piece; a gap in brackets. */
const shape = (pieces: readonly TrailPiece[]): string =>
  pieces
    .map(({ isGap, places }) => {
      const minutes = places.map(([, latitude]) => Math.round((latitude - 31) / STEP)).join(' ');
      return isGap ? `(${minutes})` : minutes;
    })
    .join(' ');

it.each<[string, Trail, MapMark['at'], string]>([
  ['a drive ends at the mark', drive([[0, 1, 2]]), markAt(3), '0 1 2 3'],
  ['the mark is the last position', drive([[0, 1, 2]]), markAt(2), '0 1 2'],
  ['positions after the mark are left out', drive([[0, 1, 2, 3]]), markAt(1), '0 1'],
  [
    'a gap is a piece of its own',
    drive([
      [0, 1],
      [30, 31],
    ]),
    markAt(32),
    '0 1 (1 30) 30 31 32',
  ],
  [
    'a single position between two gaps',
    drive([[0, 1], [20], [40, 41]]),
    markAt(41),
    '0 1 (1 20) (20 40) 40 41',
  ],
  ['the mark came back after a silence', drive([[0, 1]]), markAt(30), '0 1 (1 30)'],
  [
    'the mark is in the gap',
    drive([
      [0, 1],
      [30, 31],
    ]),
    markAt(1),
    '0 1',
  ],
  ['only the mark is known', drive([]), markAt(5), ''],
  ['a mark to which no vehicle could have come', drive([[0, 1, 2]]), markAt(3, { latitude: 45 }), '0 1 2'],
  ['a fixed place has no trail', drive([[0, 1]]), markAt(null), ''],
])('trail: %s', (_, trail, at, expected) => {
  expect(shape(trailPieces(trail, at))).toBe(expected);
});

it('a trail across the antimeridian does not go around the earth', () => {
  const trail = drive([[0, 1, 2]], (minute) => [179.99, -180, -179.99][minute] as number);
  const [piece] = trailPieces(trail, markAt(3, { longitude: -179.98 }));
  const longitudes = piece?.places.map(([longitude]) => longitude) ?? [];
  expect(Math.max(...longitudes) - Math.min(...longitudes)).toBeLessThan(0.1);
});

it('whatever was received, the pieces meet, in order, and join all positions up to the mark', () => {
  const part = fc.record({ length: fc.integer({ min: 1, max: 5 }), pause: fc.integer({ min: 11, max: 60 }) });
  fc.assert(
    fc.property(fc.array(part, { maxLength: 6 }), fc.integer({ min: 0, max: 400 }), (parts, until) => {
      const lines: number[][] = [];
      let minute = 0;
      for (const { length, pause } of parts) {
        lines.push(Array.from({ length }, () => minute++));
        minute += pause;
      }
      const wanted = lines.flat().filter((each) => each <= until);
      if (wanted.at(-1) !== until && wanted.length > 0) wanted.push(until);
      const pieces = trailPieces(drive(lines), markAt(until));
      const joined = pieces.flatMap(({ places }, index) => (index === 0 ? places : places.slice(1)));
      expect(joined.map(([, latitude]) => Math.round((latitude - 31) / STEP))).toEqual(
        wanted.length > 1 ? wanted : [],
      );
      for (const [index, piece] of pieces.entries())
        if (index > 0) expect(piece.places[0]).toEqual(pieces[index - 1]?.places.at(-1));
      // Nothing is drawn as known over more than the ten minutes in which the way is known.
      for (const { isGap, places } of pieces) {
        const steps = places.slice(1).map(([, latitude], index) => latitude - (places[index]?.[1] as number));
        expect(steps.every((step) => Math.round(step / STEP) > 10)).toBe(isGap);
      }
    }),
  );
});

/** A map of which a pixel has this many metres, and what happens when it is zoomed. */
function fakeMap(pixelM: number) {
  const listeners = new Set<() => void>();
  const state = { pixelM };
  const shown = {
    map: {
      on: (_: string, listener: () => void) => listeners.add(listener),
      off: (_: string, listener: () => void) => listeners.delete(listener),
    },
    places: { pixelM: () => state.pixelM },
  } as unknown as ShownMap;
  return {
    shown,
    listeners,
    zoom(next: number) {
      state.pixelM = next;
      for (const listener of listeners) listener();
    },
  };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());
const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));

it('a trail is read for the selected asset only, again each half minute, and in more detail when zoomed in', async () => {
  const { shown, zoom, listeners } = fakeMap(100);
  const asked: [number, number][] = [];
  let isAway = false;
  const source = {
    async read(id: number, toleranceM: number) {
      asked.push([id, toleranceM]);
      if (isAway) throw new Error('away');
      return drive([[0, 1, 2]]);
    },
  };
  const { result, rerender, unmount } = renderHook(
    ({ id, at }: { id: number; at: MapMark['at'] }) => useTrail(shown, source, { id, at }),
    { initialProps: { id: 1, at: markAt(2) } },
  );
  expect(result.current).toEqual([]);
  await pass(0);
  expect(asked).toEqual([[1, 64]]);
  expect(shape(result.current)).toBe('0 1 2');
  // It follows the mark without a request.
  rerender({ id: 1, at: markAt(3) });
  expect(shape(result.current)).toBe('0 1 2 3');
  await pass(30_000);
  expect(asked).toHaveLength(2);
  zoom(500);
  zoom(20);
  await pass(0);
  expect(asked.slice(2)).toEqual([[1, 16]]);
  // After a failure the last trail stays, and is read again.
  isAway = true;
  await pass(30_000);
  expect(shape(result.current)).toBe('0 1 2 3');
  isAway = false;
  await pass(30_000);
  expect(asked).toHaveLength(5);
  // The trail of another asset is never shown with this one.
  rerender({ id: 2, at: markAt(2) });
  expect(result.current).toEqual([]);
  await pass(0);
  expect(asked.at(-1)).toEqual([2, 16]);
  rerender({ id: 3, at: markAt(null) });
  await pass(60_000);
  expect([asked.length, result.current, listeners.size]).toEqual([6, [], 0]);
  unmount();
});

it('a trail that arrives after another asset was selected is not shown', async () => {
  const { shown } = fakeMap(100);
  const answers: (() => void)[] = [];
  const source = {
    read: (id: number) =>
      new Promise<Trail>((resolve) => answers.push(() => resolve(drive(id === 1 ? [[0, 1]] : [[1, 2]])))),
  };
  const { result, rerender } = renderHook(({ id }) => useTrail(shown, source, { id, at: markAt(2) }), {
    initialProps: { id: 1 },
  });
  await pass(0);
  rerender({ id: 2 });
  await pass(0);
  answers[1]?.();
  answers[0]?.();
  await pass(0);
  expect(shape(result.current)).toBe('1 2');
});

it('a hidden page reads no trail, and one that becomes visible reads it at once', async () => {
  const { shown } = fakeMap(100);
  let reads = 0;
  let isHidden = false;
  const hidden = vi.spyOn(document, 'hidden', 'get').mockImplementation(() => isHidden);
  onTestFinished(() => hidden.mockRestore());
  const hide = (next: boolean) => {
    isHidden = next;
    document.dispatchEvent(new Event('visibilitychange'));
  };
  const source = {
    read: async () => {
      reads += 1;
      return drive(reads === 1 ? [[0, 1]] : [[1, 2]]);
    },
  };
  const { result, unmount } = renderHook(() => useTrail(shown, source, { id: 1, at: markAt(2) }));
  await pass(0);
  expect([reads, shape(result.current)]).toEqual([1, '0 1 2']);
  hide(true);
  await pass(120_000);
  expect(reads).toBe(1);
  hide(false);
  await pass(0);
  expect([reads, shape(result.current)]).toEqual([2, '1 2']);
  // The interval begins again.
  await pass(29_999);
  expect(reads).toBe(2);
  await pass(1);
  expect(reads).toBe(3);
  unmount();
  hide(true);
  hide(false);
  await pass(60_000);
  expect(reads).toBe(3);
});
