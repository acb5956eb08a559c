import fc from 'fast-check';
import { expect, test } from 'vitest';
import { counterparts, type SettingsChannel } from './copied-settings.ts';

const at = (
  channelId: number,
  sensor: number,
  indicator: SettingsChannel['indicator'] = 'temperature',
): SettingsChannel => ({ channelId, sensor, indicator });

test.each([
  ['one sensor to one', [at(1, 1)], [at(10, 1)], [[10, 1]]],
  [
    'two sensors in the order of their numbers',
    [at(2, 2), at(1, 1)],
    [at(10, 5), at(11, 4)],
    [
      [10, 2],
      [11, 1],
    ],
  ],
  [
    'channels of sensors with the same number in the order of their ids',
    [at(1, 1), at(2, 1)],
    [at(11, 1), at(10, 1)],
    [
      [10, 1],
      [11, 2],
    ],
  ],
  [
    'a further sensor gets the settings of the first',
    [at(1, 1), at(2, 2)],
    [at(10, 1), at(11, 2), at(12, 3)],
    [
      [10, 1],
      [11, 2],
      [12, 1],
    ],
  ],
  ['a quantity that the source does not have is left out', [at(1, 1)], [at(10, 1, 'humidity')], []],
  ['an asset without channels gets nothing', [at(1, 1)], [], []],
])('settings are copied: %s', (_name, source, target, expected) => {
  expect([...counterparts(source, target)].sort(([a], [b]) => (a ?? 0) - (b ?? 0))).toEqual(expected);
});

const channels = fc.uniqueArray(
  fc.record({
    channelId: fc.integer({ min: 1, max: 500 }),
    sensor: fc.integer({ min: 1, max: 8 }),
    indicator: fc.constantFrom('temperature' as const, 'humidity' as const, 'door' as const),
  }),
  { selector: ({ channelId }) => channelId, maxLength: 12 },
);

test('a counterpart has the same quantity, and a channel has one whenever the source has its quantity', () => {
  fc.assert(
    fc.property(channels, channels, (source, target) => {
      const found = counterparts(source, target);
      for (const { channelId, indicator } of target) {
        const from = source.find((each) => each.channelId === found.get(channelId));
        expect(from?.indicator).toBe(
          source.some((each) => each.indicator === indicator) ? indicator : undefined,
        );
      }
    }),
  );
});

test('copying the settings of an asset to itself leaves each channel its own', () => {
  fc.assert(
    fc.property(channels, (own) => {
      for (const [to, from] of counterparts(own, own)) expect(from).toBe(to);
    }),
  );
});
