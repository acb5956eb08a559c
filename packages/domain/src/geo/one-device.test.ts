import { expect, it } from 'vitest';
import { ofOneDevice } from './one-device.ts';

const HOUR = 3_600_000;
const fix = (deviceId: number, hour: number) => ({ deviceId, at: hour * HOUR });

it('of two devices, the one with more positions of the day is kept', () => {
  const fixes = [fix(1, 1), fix(2, 1), fix(2, 2), fix(1, 25), fix(1, 26), fix(2, 27)];
  expect(ofOneDevice(fixes)).toEqual([fix(2, 1), fix(2, 2), fix(1, 25), fix(1, 26)]);
});

it('with equally many, the lower id is kept', () => {
  expect(ofOneDevice([fix(7, 1), fix(3, 2)])).toEqual([fix(3, 2)]);
  expect(ofOneDevice([])).toEqual([]);
});
