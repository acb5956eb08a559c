import { expect, test } from 'vitest';
import { DATA_TIMEOUT_MS as DAY, timeoutBetween } from './data-timeout.ts';

test.each([
  ['between two readings', [DAY + 5], 0, DAY + 9, DAY + 5],
  ['at the second reading', [DAY], 0, DAY, DAY],
  ['after the last reading', [5, DAY + 5], 0, Number.POSITIVE_INFINITY, DAY + 5],
  ['before the first reading', [-5], 0, 2 * DAY, null],
  ['after the second reading', [DAY + 5], 0, DAY + 4, null],
  ['if late readings have shortened the gap', [DAY - 1], 0, 2 * DAY, null],
])('the timeout of the alarms of a channel: %s', (_name, timeouts, from, to, expected) => {
  expect(timeoutBetween(timeouts, from, to)).toBe(expected);
});
