import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  COLUMNS,
  clockText,
  FIRST_PAGE,
  fits,
  freePlace,
  isDim,
  layoutFault,
  overlap,
  placeTile,
  ROWS,
  SMALLEST,
  TILE_KINDS,
  type Tile,
} from './layout.ts';

const clock = (x: number, y: number, width = 2, height = 1): Tile => ({ kind: 'clock', x, y, width, height });

describe('a page', () => {
  it.each<[string, Tile[], string | null]>([
    ['without tiles', [], null],
    ['of a new screen', [...FIRST_PAGE], null],
    ['with tiles side by side', [clock(0, 0), clock(2, 0), clock(0, 1)], null],
    ['with a tile that is too small', [{ kind: 'map', x: 0, y: 0, width: 2, height: 3 }], 'place'],
    ['with a tile that is too low', [{ kind: 'map', x: 0, y: 0, width: 3, height: 2 }], 'place'],
    ['with a tile before the left edge', [clock(-1, 0)], 'place'],
    ['with a tile above the top', [clock(0, -1)], 'place'],
    ['with a tile beyond the right edge', [clock(11, 0)], 'place'],
    ['with a tile below the bottom', [clock(0, 8)], 'place'],
    ['with a tile between cells', [clock(0.5, 0)], 'place'],
    ['with tiles on each other', [clock(0, 0), clock(1, 0)], 'overlap'],
    ['with one in the other', [clock(0, 0, 6, 4), clock(2, 2)], 'overlap'],
  ])('%s', (_, tiles, fault) => {
    expect(layoutFault(tiles)).toBe(fault);
  });

  it('keeps its tiles on the grid and apart, however they are moved and resized', () => {
    const number = fc.oneof(fc.integer({ min: -5, max: 20 }), fc.double({ min: -3, max: 14, noNaN: true }));
    const change = fc.record(
      { index: fc.nat(6), x: number, y: number, width: number, height: number },
      { requiredKeys: ['index'] },
    );
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...TILE_KINDS), { maxLength: 9 }),
        fc.array(change),
        (kinds, changes) => {
          let tiles: readonly Tile[] = [];
          for (const kind of kinds) {
            const place = freePlace(tiles, kind);
            if (place) tiles = [...tiles, place];
          }
          expect(layoutFault(tiles)).toBeNull();
          for (const { index, ...wanted } of changes) {
            tiles = placeTile(tiles, index, wanted);
            expect(layoutFault(tiles)).toBeNull();
          }
        },
      ),
    );
  });

  it.each<[string, Partial<Tile>, Partial<Tile>]>([
    ['moves', { x: 3, y: 2 }, { x: 3, y: 2, width: 2, height: 1 }],
    ['stays on the grid', { x: 99, y: 99 }, { x: 10, y: 7 }],
    ['keeps its smallest size', { width: 0, height: 0 }, { width: 2, height: 1 }],
    ['grows', { width: 12, height: 7 }, { x: 0, width: 12, height: 7 }],
    ['does not move onto another tile', { x: 4, y: 7 }, { x: 0, y: 0 }],
  ])('a tile %s', (_, wanted, result) => {
    const tiles = [clock(0, 0), clock(4, 7)];
    expect(placeTile(tiles, 0, wanted)[0]).toMatchObject(result);
  });

  it('a tile that does not exist is not moved', () => {
    const tiles = [clock(0, 0)];
    expect(placeTile(tiles, 3, { x: 1 })).toBe(tiles);
  });

  it('has no room for another tile when it is full', () => {
    expect(freePlace([{ kind: 'wall', x: 0, y: 0, width: COLUMNS, height: ROWS }], 'clock')).toBeNull();
    for (const kind of TILE_KINDS) {
      const place = freePlace([], kind) as Tile;
      expect(fits(place)).toBe(true);
      expect([place.width, place.height]).toEqual(SMALLEST[kind]);
    }
    expect(overlap(clock(0, 0), clock(2, 0))).toBe(false);
  });
});

it.each<[number, number, number, boolean]>([
  [1_320, 360, 1_319, false],
  [1_320, 360, 1_320, true],
  [1_320, 360, 0, true],
  [1_320, 360, 359, true],
  [1_320, 360, 360, false],
  [60, 120, 59, false],
  [60, 120, 60, true],
  [60, 120, 120, false],
  [60, 60, 60, false],
])('from %d to %d, a screen at minute %d is dim: %s', (from, to, minute, dim) => {
  expect(isDim({ from, to }, minute)).toBe(dim);
  expect(isDim(null, minute)).toBe(false);
});

it.each([
  [0, '00:00'],
  [605, '10:05'],
  [1_439, '23:59'],
])('minute %d of the day is %s', (minute, clock) => {
  expect(clockText(minute)).toBe(clock);
});
