import { REPLAY_SPEEDS } from '@isotherm/contracts/shared-replays';
import { act, renderHook } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { usePlayback } from './use-playback.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['requestAnimationFrame', 'cancelAnimationFrame', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** One position a minute. */
const TIMES = Array.from({ length: 2_000 }, (_, minute) => minute * 60_000);
const NO_SPANS: readonly never[] = [];
const SECONDS = 5;

it.each(REPLAY_SPEEDS)('a replay advances by the chosen number of points in each second: %d', (perSecond) => {
  const { result } = renderHook(() => usePlayback(TIMES, perSecond, NO_SPANS));
  let shown = 0;
  result.current.subscribe((moment) => {
    shown = moment;
  });
  act(() => result.current.play());
  for (let second = 1; second <= SECONDS; second++) {
    act(() => vi.advanceTimersByTime(1_000));
    // Frames are at most 16 ms before the second is over.
    const points = shown / 60_000;
    expect(points).toBeGreaterThan(perSecond * (second - 0.02));
    expect(points).toBeLessThanOrEqual(perSecond * second + 1e-6);
  }
  act(() => result.current.pause());
  const paused = shown;
  act(() => vi.advanceTimersByTime(1_000));
  expect([shown, result.current.isPlaying]).toEqual([paused, false]);
});
