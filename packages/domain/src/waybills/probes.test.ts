import fc from 'fast-check';
import { expect, it } from 'vitest';
import { probesAcrossLegs, probesInTurn, worstFirst } from './probes.ts';

it.each<[string, number[][], number[][]]>([
  ['no leg', [], []],
  ['one leg', [[1, 2]], [[1], [2]]],
  [
    'a second leg with fewer probes repeats its last one',
    [
      [1, 2, 3],
      [4, 5],
    ],
    [
      [1, 4],
      [2, 5],
      [3, 5],
    ],
  ],
  ['a leg without probes is left out', [[1], [], [2]], [[1, 2]]],
])('%s', (_, legs, probes) => {
  expect(probesAcrossLegs(legs)).toEqual(probes);
});

const channel = (name: string, from: number, until: number) => ({ name, from, until });

it.each<[string, ReturnType<typeof channel>[], string[][]]>([
  ['no channel', [], []],
  [
    'channels at the same time are probes of their own',
    [channel('a', 0, 9), channel('b', 0, 9)],
    [['a'], ['b']],
  ],
  ['a channel after another one continues it', [channel('a', 0, 5), channel('b', 5, 9)], [['a', 'b']]],
  ['in whatever order they are given', [channel('b', 6, 9), channel('a', 0, 5)], [['a', 'b']]],
  [
    'a channel that began before the other one ended does not',
    [channel('a', 0, 5), channel('b', 4, 9)],
    [['a'], ['b']],
  ],
  [
    'it continues the one that ended last, and stays beside the one that goes on',
    [channel('a', 0, 3), channel('b', 0, 9), channel('c', 0, 5), channel('d', 6, 9)],
    [['a'], ['b'], ['c', 'd']],
  ],
  [
    'two that were taken off are continued by two others',
    [channel('a', 0, 4), channel('b', 0, 5), channel('c', 5, 9), channel('d', 6, 9)],
    [
      ['a', 'd'],
      ['b', 'c'],
    ],
  ],
])('of one asset: %s', (_, channels, expected) => {
  expect(probesInTurn(channels).map((probe) => probe.map(({ name }) => name))).toEqual(expected);
});

it('each channel is in one probe, whose channels follow each other', () => {
  const drawn = fc.array(fc.tuple(fc.nat(20), fc.integer({ min: 1, max: 10 })), { maxLength: 8 });
  fc.assert(
    fc.property(drawn, (rows) => {
      const channels = rows.map(([from, lasts], at) => channel(String(at), from, from + lasts));
      const probes = probesInTurn(channels);
      const names = probes.flatMap((probe) => probe.map(({ name }) => name));
      expect(names.sort()).toEqual(channels.map(({ name }) => name).sort());
      for (const probe of probes)
        for (const [at, next] of probe.slice(1).entries())
          expect(next.from).toBeGreaterThanOrEqual(probe[at]?.until as number);
    }),
  );
});

it('the worst verdict comes first', () => {
  const window = (value: number) => ({ windowMs: 9, value, from: 0, to: 9, readings: 1, coverage: 1 });
  const verdicts = [
    { proposal: 'release' as const, outsideMs: 0, meanKinetic: null, mktWindow: null },
    { proposal: 'release' as const, outsideMs: 0, meanKinetic: -20, mktWindow: null },
    { proposal: 'release' as const, outsideMs: 0, meanKinetic: 5, mktWindow: window(7) },
    { proposal: 'release' as const, outsideMs: 0, meanKinetic: 6, mktWindow: window(6) },
    { proposal: 'within-budget' as const, outsideMs: 5, meanKinetic: 9, mktWindow: null },
    { proposal: 'within-budget' as const, outsideMs: 9, meanKinetic: 5, mktWindow: null },
    { proposal: 'insufficient' as const, outsideMs: 0, meanKinetic: 5, mktWindow: null },
    { proposal: 'reject' as const, outsideMs: 1, meanKinetic: 5, mktWindow: null },
    { proposal: 'release' as const, outsideMs: 0, meanKinetic: null, mktWindow: null },
  ];
  expect(
    verdicts
      .sort(worstFirst)
      .map(({ proposal, outsideMs, meanKinetic }) => [proposal, outsideMs, meanKinetic]),
  ).toEqual([
    ['reject', 1, 5],
    ['insufficient', 0, 5],
    ['within-budget', 9, 5],
    ['within-budget', 5, 9],
    ['release', 0, 5],
    ['release', 0, 6],
    ['release', 0, -20],
    ['release', 0, null],
    ['release', 0, null],
  ]);
});
