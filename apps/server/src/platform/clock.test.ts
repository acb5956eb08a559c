import { expect, it } from 'vitest';
import { createForwardClock } from './clock.ts';

const HOUR_MS = 3_600_000;

it.each([
  ['as long as nobody touches it, it shows what it is told', [0, 0, 0], [1_000, 2_000, 3_000]],
  ['put forward, it follows', [0, HOUR_MS, HOUR_MS], [1_000, 2_000 + HOUR_MS, 3_000 + HOUR_MS]],
  ['put back, it goes on', [0, -HOUR_MS, -HOUR_MS], [1_000, 2_000, 3_000]],
  ['put back and forward again, it is where it was', [0, -HOUR_MS, 0], [1_000, 2_000, 3_000]],
  [
    'put forward and back, it goes on from there',
    [HOUR_MS, 0, 0],
    [1_000 + HOUR_MS, 2_000 + HOUR_MS, 3_000 + HOUR_MS],
  ],
])('%s', (_name, offsets, shown) => {
  let elapsed = 0;
  let offset = 0;
  const clock = createForwardClock({ now: () => elapsed + offset }, () => elapsed);
  const seen = offsets.map((each) => {
    elapsed += 1_000;
    offset = each;
    return clock.now();
  });
  expect(seen).toEqual(shown);
});
