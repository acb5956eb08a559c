import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { headlineOf } from './headline.ts';
import { limitTime } from './limit-time.ts';
import { arrangeTiles, moveTile, TILE_NAMES, TILES, type TileName } from './tiles.ts';

const everything = new Set<string>(Object.values(TILES).map(({ permission }) => permission));
const tiles = fc.subarray(TILE_NAMES);

describe('the arrangement of tiles', () => {
  test('without an own arrangement is the default order of what the user may see', () => {
    expect(arrangeTiles(null, everything)).toEqual({ shown: TILE_NAMES, hidden: [] });
    expect(arrangeTiles(null, new Set(['dashboard:view', 'alarm-current:view'])).shown).toEqual([
      'attention',
      'alarms',
    ]);
  });

  test('keeps the own order, leaves out what is hidden, and appends tiles that it does not know', () => {
    const own = { shown: ['devices', 'alarms'] as TileName[], hidden: ['balance'] as TileName[] };
    const { shown, hidden } = arrangeTiles(own, everything);
    expect(shown.slice(0, 2)).toEqual(['devices', 'alarms']);
    expect(shown).not.toContain('balance');
    expect(hidden).toEqual(['balance']);
    expect(shown).toHaveLength(TILE_NAMES.length - 1);
  });

  test('shows or hides each tile that the user may see exactly once, whatever is stored', () => {
    const stored = fc.record({ shown: fc.array(fc.constantFrom(...TILE_NAMES)), hidden: tiles });
    fc.assert(
      fc.property(fc.option(stored, { nil: null }), fc.subarray([...everything]), (own, held) => {
        const permissions = new Set(held);
        const { shown, hidden } = arrangeTiles(own, permissions);
        const allowed = TILE_NAMES.filter((name) => permissions.has(TILES[name].permission));
        expect([...shown, ...hidden].sort()).toEqual([...allowed].sort());
      }),
    );
  });

  test('moves a tile and keeps the others in their order', () => {
    expect(moveTile(['alarms', 'devices', 'history'], 'history', 0)).toEqual([
      'history',
      'alarms',
      'devices',
    ]);
    expect(moveTile(['alarms', 'devices'], 'alarms', 9)).toEqual(['devices', 'alarms']);
    expect(moveTile(['alarms', 'devices'], 'history', 0)).toEqual(['alarms', 'devices']);
    fc.assert(
      fc.property(
        tiles,
        fc.constantFrom(...TILE_NAMES),
        fc.integer({ min: -3, max: 15 }),
        (shown, name, to) => {
          const moved = moveTile(shown, name, to);
          expect([...moved].sort()).toEqual([...shown].sort());
          expect(moved.filter((each) => each !== name)).toEqual(shown.filter((each) => each !== name));
        },
      ),
    );
  });
});

test.each([
  [
    'an unacknowledged alarm',
    { unacknowledged: { level: 5, count: 1 }, open: 1, assets: 3, silent: 1, unwatched: 0 },
    'action',
  ],
  ['assets without data', { unacknowledged: null, open: 1, assets: 3, silent: 1, unwatched: 0 }, 'silent'],
  [
    'acknowledged alarms only',
    { unacknowledged: null, open: 2, assets: 3, silent: 0, unwatched: 0 },
    'handled',
  ],
  ['assets without alarms', { unacknowledged: null, open: 0, assets: 3, silent: 0, unwatched: 0 }, 'quiet'],
  [
    'assets without limits',
    { unacknowledged: null, open: 0, assets: 3, silent: 0, unwatched: 1 },
    'unwatched',
  ],
  ['no assets', { unacknowledged: null, open: 0, assets: 0, silent: 0, unwatched: 0 }, 'empty'],
] as const)('the headline with %s', (_name, situation, headline) => {
  expect(headlineOf(situation)).toBe(headline);
});

describe('the time within limits', () => {
  const HOUR = 3_600_000;
  test('is the share of the time of all assets without an alarm, and today counts up to now', () => {
    const now = Date.parse('2026-11-20T12:00:00Z');
    const days = [
      { day: '2026-11-19', outsideMs: 4.8 * HOUR },
      { day: '2026-11-20', outsideMs: 12 * HOUR },
      { day: '2026-11-21', outsideMs: 0 },
    ];
    expect(limitTime(days, 2, now)).toEqual({
      share: 1 - 16.8 / 72,
      days: [
        { day: '2026-11-19', share: 0.9 },
        { day: '2026-11-20', share: 0.5 },
      ],
    });
  });

  test('is unknown without assets or days', () => {
    expect(limitTime([], 3, 0)).toBeNull();
    expect(limitTime([{ day: '2026-11-19', outsideMs: 0 }], 0, Date.parse('2026-11-20'))).toBeNull();
  });

  test('stays between none and all of the time, whatever is summed', () => {
    const day = fc.record({
      day: fc.constantFrom('2026-11-18', '2026-11-19', '2026-11-20'),
      outsideMs: fc.integer({ min: -HOUR, max: 100 * HOUR }),
    });
    fc.assert(
      fc.property(
        fc.array(day),
        fc.integer({ min: 0, max: 5 }),
        fc.integer({ min: 0, max: 96 }),
        (days, assets, hours) => {
          const found = limitTime(days, assets, Date.parse('2026-11-18') + hours * HOUR);
          for (const { share } of found ? [found, ...found.days] : []) {
            expect(share).toBeGreaterThanOrEqual(0);
            expect(share).toBeLessThanOrEqual(1);
          }
        },
      ),
    );
  });
});
