import { expect, test } from 'vitest';
import { statementLines } from './statement.ts';

test.each([
  [100, [], [], 100],
  [100, [50, -20], [150, 130], 130],
  [0, [-5], [-5], -5],
])('a statement that opens with %d and has the changes %j', (opening, changes, balances, closing) => {
  const { lines, closing: last } = statementLines(
    opening,
    changes.map((change) => ({ change })),
  );
  expect(lines.map(({ balance }) => balance)).toEqual(balances);
  expect(last).toBe(closing);
});
