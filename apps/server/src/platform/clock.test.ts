import { expect, it } from 'vitest';
import { createForwardClock } from './clock.ts';

const HOUR_MS = 3_600_000;

it.each([
  ['an unchanged source clock is followed', [0, 0, 0], [1_000, 2_000, 3_000]],
  [
    'a source clock that is set forward is followed',
    [0, HOUR_MS, HOUR_MS],
    [1_000, 2_000 + HOUR_MS, 3_000 + HOUR_MS],
  ],
  ['a source clock that is set back does not stop it', [0, -HOUR_MS, -HOUR_MS], [1_000, 2_000, 3_000]],
  [
    'after being set back and forward again it shows the source time',
    [0, -HOUR_MS, 0],
    [1_000, 2_000, 3_000],
  ],
  [
    'after being set forward and back it continues from the highest time',
    [HOUR_MS, 0, 0],
    [1_000 + HOUR_MS, 2_000 + HOUR_MS, 3_000 + HOUR_MS],
  ],
])('the forward clock never runs backwards: %s', (_name, offsets, shown) => {
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
