import { expect, it } from 'vitest';
import { probesAcrossLegs, worstFirst } from './probes.ts';

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

it('the worst verdict comes first', () => {
  const verdicts = [
    { proposal: 'release' as const, outsideMs: 0, meanKinetic: null },
    { proposal: 'release' as const, outsideMs: 0, meanKinetic: 5 },
    { proposal: 'release' as const, outsideMs: 0, meanKinetic: 6 },
    { proposal: 'within-budget' as const, outsideMs: 5, meanKinetic: 9 },
    { proposal: 'within-budget' as const, outsideMs: 9, meanKinetic: 5 },
    { proposal: 'insufficient' as const, outsideMs: 0, meanKinetic: 5 },
    { proposal: 'reject' as const, outsideMs: 1, meanKinetic: 5 },
    { proposal: 'release' as const, outsideMs: 0, meanKinetic: null },
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
    ['release', 0, 6],
    ['release', 0, 5],
    ['release', 0, null],
    ['release', 0, null],
  ]);
});
