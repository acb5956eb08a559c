import { expect, it } from 'vitest';
import { judgePassword } from './password-strength.ts';

it.each([
  ['password1', [], true],
  ['12345678', [], true],
  ['qwertyuiop', [], true],
  ['P@ssw0rd', [], true],
  ['wangfang', ['wangfang'], true],
  ['Isotherm-2026', [], false],
  ['kJ8#vLm2xQ', [], false],
] as const)(
  'the list of common passwords is applied to %s with the personal words %j: %s',
  (password, own, expected) => {
    expect(judgePassword(password, own).common).toBe(expected);
  },
);

it('the rated strength increases with the password', () => {
  const scores = ['12345678', 'sunflower7', 'kJ8#vLm2xQ', 'kJ8#vLm2xQ-warm-kettle'].map(
    (password) => judgePassword(password).score,
  );
  expect(scores).toEqual([...scores].sort());
  expect(scores[0]).toBe(0);
  expect(scores.at(-1)).toBe(4);
});

it('a long text is rated in limited time', () => {
  const begun = performance.now();
  judgePassword('ab'.repeat(5000));
  expect(performance.now() - begun).toBeLessThan(1000);
});
