import { expect, test } from 'vitest';
import { rolloutBody, rolloutForm } from './rollout-draft.ts';

const REST = { isAutomatic: true, successPercent: 90, failurePercent: 10, offerWithinS: 86_400 };

test.each([
  ['1, 10 %, 50%', ['1 devices', '10 percent', '50 percent']],
  ['5；20％', ['5 devices', '20 percent']],
  ['', []],
  [' , ', []],
])('the text "%s" is split into waves', (typed, expected) => {
  const form = rolloutForm.parse({ ...REST, waves: typed });
  expect(form.waves.map(({ amount, unit }) => `${amount} ${unit}`)).toEqual(expected);
});

test.each(['ten', '0', '1 10', '-1', '10 percent'])('the text "%s" is not a valid wave', (typed) => {
  expect(rolloutForm.safeParse({ ...REST, waves: typed }).success).toBe(false);
});

test('percentages are sent as fractions', () => {
  const body = rolloutBody(4, rolloutForm.parse({ ...REST, waves: '1' }));
  expect(body).toMatchObject({ firmwareId: 4, successShare: 0.9, failureShare: 0.1 });
});
