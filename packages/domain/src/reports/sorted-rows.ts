export type SortOrder = 'asc' | 'desc';

/** Compares names as people do: without case, and `Fridge 9` before `Fridge 10`. */
const names = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

/** Returns the rows in the order of a value; unknown values are last in both orders, equal ones keep their places. */
export function sortedRows<Row>(
  rows: readonly Row[],
  by: (row: Row) => string | number | null,
  order: SortOrder,
): Row[] {
  const sign = order === 'asc' ? 1 : -1;
  return rows
    .map((row) => ({ row, value: by(row) }))
    .sort((a, b) => {
      if (a.value === null || b.value === null) return Number(a.value === null) - Number(b.value === null);
      return typeof a.value === 'number' && typeof b.value === 'number'
        ? sign * (a.value - b.value)
        : sign * names.compare(String(a.value), String(b.value));
    })
    .map(({ row }) => row);
}

/** Returns one page of the rows; pages are counted from 1. */
export function pageOfRows<Row>(rows: readonly Row[], page: number, size: number): Row[] {
  return rows.slice((page - 1) * size, page * size);
}
