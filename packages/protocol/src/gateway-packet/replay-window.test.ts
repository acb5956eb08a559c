import fc from 'fast-check';
import { expect, it, test } from 'vitest';
import { createReplayWindow, REPLAY_WINDOW } from './replay-window.ts';

test.each<[string, number, number[], number, string]>([
  ['the first counter of a device', 0, [], 1, 'fresh'],
  ['a counter that was used', 0, [1, 2], 2, 'seen'],
  ['a counter that a later one has overtaken', 0, [1, 3], 2, 'fresh'],
  ['the oldest counter inside the window', 0, [REPLAY_WINDOW], 1, 'fresh'],
  ['a counter just below the window', 0, [REPLAY_WINDOW + 1], 1, 'too-old'],
  [
    'a counter inside the window after a large step',
    0,
    [1, 9 * REPLAY_WINDOW],
    9 * REPLAY_WINDOW - 1,
    'fresh',
  ],
  ['a counter from before the restart, inside the window', 5_000, [], 5_000, 'fresh'],
  ['a counter from long before the restart', 5_000, [], 3_900, 'too-old'],
  ['a counter below the window that was marked', 5_000, [10], 10, 'too-old'],
])('the counter is accepted or refused correctly: %s', (_name, begin, marked, counter, freshness) => {
  const window = createReplayWindow(begin);
  for (const one of marked) window.mark(one);
  expect(window.judge(counter)).toBe(freshness);
  expect(window.highest).toBe(Math.max(begin, ...marked));
});

it('no counter is accepted twice, in any order', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 3 * REPLAY_WINDOW }), { maxLength: 300 }), (counters) => {
      const window = createReplayWindow(0);
      const taken = new Set<number>();
      for (const counter of counters) {
        const inside = counter > window.highest - REPLAY_WINDOW;
        expect(window.judge(counter)).toBe(!inside ? 'too-old' : taken.has(counter) ? 'seen' : 'fresh');
        if (inside) taken.add(counter);
        window.mark(counter);
      }
    }),
  );
});
