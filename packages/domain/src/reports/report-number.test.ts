import { expect, test } from 'vitest';
import { REPORT_KINDS, REPORT_LETTERS, reportNumber } from './report-number.ts';

const AT = Date.UTC(2026, 10, 26);

test.each([
  ['trip', 318, 'TR-2026-000318'],
  ['validation-study', 1, 'VR-2026-000001'],
  ['waybill', 12_345_678, 'WB-2026-12345678'],
] as const)('the number of a %s with id %d is %s', (kind, id, number) => {
  expect(reportNumber(kind, id, AT)).toBe(number);
});

test('no two kinds of reports have the same letters', () => {
  expect(new Set(Object.values(REPORT_LETTERS)).size).toBe(REPORT_KINDS.length);
});
