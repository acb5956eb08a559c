import type { ImportProgress } from '@isotherm/contracts/imports';
import { expect, it, vi } from 'vitest';
import { createImportRun, UNWATCHED } from './import-run.ts';

const ROWS = Array.from({ length: 250 }, (_, n) => n);
const counts = (told: readonly ImportProgress[]) => told.map(({ phase, done }) => `${phase} ${done}`);

it('all rows are processed in order, and progress is reported after each portion', async () => {
  const told: ImportProgress[] = [];
  const seen: number[] = [];
  const run = createImportRun(async (progress) => {
    told.push(progress);
    return false;
  });
  await run.each('checking', ROWS, (portion) => seen.push(...portion), 100);
  await run.each('writing', ROWS.slice(0, 60), () => undefined, 40);
  expect(seen).toEqual(ROWS);
  await vi.waitFor(() =>
    expect(counts(told)).toEqual([
      'checking 0',
      'checking 100',
      'checking 200',
      'checking 250',
      'writing 0',
      'writing 40',
      'writing 60',
    ]),
  );
  expect(told.map(({ total }) => total)).toEqual([250, 250, 250, 250, 60, 60, 60]);
});

it('an import does not wait for progress reports, and only the newest of those missed is sent', async () => {
  const told: ImportProgress[] = [];
  let answer: (cancelled: boolean) => void = () => undefined;
  const run = createImportRun((progress) => {
    told.push(progress);
    return new Promise((resolve) => (answer = resolve));
  });
  await run.each('checking', ROWS, () => undefined);
  expect(counts(told)).toEqual(['checking 0']);
  answer(false);
  await vi.waitFor(() => expect(counts(told)).toEqual(['checking 0', 'checking 250']));
});

it('a cancelled import ends between two portions', async () => {
  const seen: number[] = [];
  const run = createImportRun(async ({ done }) => done >= 100);
  await expect(run.each('writing', ROWS, (portion) => seen.push(...portion))).rejects.toMatchObject({
    code: 'import.cancelled',
  });
  expect(seen.length).toBeGreaterThanOrEqual(100);
  expect(seen.length).toBeLessThan(250);
  await expect(run.each('recording', [1], () => seen.push(-1))).rejects.toMatchObject({
    code: 'import.cancelled',
  });
  expect(seen).not.toContain(-1);
});

it('an import continues if progress cannot be reported', async () => {
  const seen: number[] = [];
  const run = createImportRun(() => Promise.reject(new Error('the database is away')));
  await run.each('checking', ROWS, (portion) => seen.push(...portion));
  await UNWATCHED.each('checking', ROWS, (portion) => seen.push(...portion));
  expect(seen).toHaveLength(500);
});

it('an import yields to the event loop between two portions', async () => {
  const order: string[] = [];
  const other = () => order.push('other');
  await UNWATCHED.each(
    'checking',
    [1, 2],
    ([row]) => {
      order.push(`row ${row}`);
      setImmediate(other);
    },
    1,
  );
  expect(order).toEqual(['row 1', 'other', 'row 2', 'other']);
});
