import type { Map as GlMap } from 'maplibre-gl';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { hasPicture } from './base-map.ts';

/** A map that fires events only; `drawn` counts how often it was asked to draw. */
function fakeMap() {
  const listeners = new Map<string, (event: object) => void>();
  const fake = {
    drawn: 0,
    on: (name: string, listener: (event: object) => void) => listeners.set(name, listener),
    triggerRepaint: () => fake.drawn++,
  };
  return {
    fake,
    map: fake as unknown as GlMap,
    fire: (name: string, event: object = {}) => listeners.get(name)?.(event),
  };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const LOADED = { tile: { state: 'loaded' } };
const FAULT = { tile: { state: 'errored' }, error: new Error('503') };

test.each<[string, [string, object?][], boolean]>([
  ['all tiles are there', [['sourcedataloading', LOADED], ['sourcedata', LOADED], ['load']], true],
  [
    'one tile is missing',
    [['sourcedataloading', LOADED], ['sourcedataloading', LOADED], ['sourcedata', LOADED], ['load']],
    true,
  ],
  [
    'one tile failed',
    [['sourcedataloading', LOADED], ['error', FAULT], ['sourcedata', LOADED], ['load']],
    true,
  ],
  ['no tile exists', [['sourcedataloading', LOADED], ['load']], false],
  ['all tiles failed', [['sourcedataloading', LOADED], ['error', FAULT], ['load']], false],
  ['the source is announced without a tile', [['sourcedataloading', {}], ['sourcedata', {}], ['load']], true],
  ['a source is faulty', [['error', { error: new Error('404') }]], false],
  ['the map is removed', [['remove']], false],
])('%s', async (_, events, expected) => {
  const { map, fire } = fakeMap();
  const result = hasPicture(map);
  for (const [name, event] of events) fire(name, event);
  expect(await result).toBe(expected);
});

test.each([
  [true, [LOADED]],
  [false, []],
])('after the time for the first picture, what is there decides (%s)', async (expected, tiles) => {
  const { map, fake, fire } = fakeMap();
  const result = hasPicture(map);
  for (const tile of tiles) fire('sourcedata', tile);
  await vi.advanceTimersByTimeAsync(20_000);
  expect(await result).toBe(expected);
  // The map draws until then, so that missing tiles are noticed, and not longer.
  expect(fake.drawn).toBeGreaterThan(30);
  const drawn = fake.drawn;
  await vi.advanceTimersByTimeAsync(20_000);
  expect(fake.drawn).toBe(drawn);
});

test('a tab that is not seen waits until it is', async () => {
  const { map } = fakeMap();
  const visible = vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden');
  const result = hasPicture(map);
  const settled = vi.fn();
  void result.then(settled);
  await vi.advanceTimersByTimeAsync(100_000);
  expect(settled).not.toHaveBeenCalled();
  visible.mockReturnValue('visible');
  await vi.advanceTimersByTimeAsync(20_000);
  expect(await result).toBe(false);
});
