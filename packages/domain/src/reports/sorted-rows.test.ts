import { expect, it } from 'vitest';
import { pageOfRows, sortedRows } from './sorted-rows.ts';

const value = (each: string | number | null) => each;

it.each([
  [[3, 1, null, 2], 'asc', [1, 2, 3, null]],
  [[3, 1, null, 2, null], 'desc', [3, 2, 1, null, null]],
  [['Fridge 10', 'fridge 9', 'Box'], 'asc', ['Box', 'fridge 9', 'Fridge 10']],
  [['a', 'B'], 'desc', ['B', 'a']],
] as const)('%j in the order %s is %j', (rows, order, sorted) => {
  expect(sortedRows<string | number | null>(rows, value, order)).toEqual(sorted);
});

it('equal values keep their places in both orders', () => {
  const rows = [
    { id: 1, of: 5 },
    { id: 2, of: 5 },
  ];
  for (const order of ['asc', 'desc'] as const)
    expect(sortedRows(rows, ({ of }) => of, order).map(({ id }) => id)).toEqual([1, 2]);
});

it('a page has the rows after those of the pages before', () => {
  expect(pageOfRows([1, 2, 3, 4, 5], 2, 2)).toEqual([3, 4]);
  expect(pageOfRows([1, 2, 3, 4, 5], 4, 2)).toEqual([]);
});
