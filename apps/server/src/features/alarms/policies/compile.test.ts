import { expect, test } from 'vitest';
import { laneOf } from '../../telemetry/index.ts';
import { portionsOf } from './compile.ts';

const opened = (deviceId: number, rules: number) =>
  Array.from({ length: rules }, (_, policyRuleId) => ({
    channelId: deviceId,
    deviceId,
    policyRuleId,
    otherChannelId: null,
    defrostChannelId: null,
    andChannelIds: null,
    productLimit: null,
  }));
const closed = (deviceId: number, rules: number) =>
  Array.from({ length: rules }, (_, ruleId) => ({
    channelId: deviceId,
    deviceId,
    ruleId,
    reason: 'rule-edited' as const,
  }));

test('devices without changes are not part of any transaction', () => {
  expect(portionsOf({ close: [], open: [] })).toEqual([]);
});

test('one transaction has at most 2,500 changes, and all changes of a lane are in one', () => {
  const devices = Array.from({ length: 1_000 }, (_, index) => index + 1);
  const portions = portionsOf({
    close: devices.flatMap((id) => closed(id, 10)),
    open: devices.flatMap((id) => opened(id, 15)),
  });
  expect(portions.every((portion) => portion.length <= 100)).toBe(true);
  for (const [index, portion] of portions.entries()) {
    const later = new Set(
      portions
        .slice(index + 1)
        .flat()
        .map(laneOf),
    );
    expect(portion.some((id) => later.has(laneOf(id)))).toBe(false);
  }
  const lanes = portions.flat().map(laneOf);
  expect(lanes).toEqual([...lanes].sort((a, b) => a - b));
  expect(portions.flat().sort((a, b) => a - b)).toEqual(devices);
});

test('a lane with more than 2,500 changes is split by device', () => {
  const devices = Array.from({ length: 30 }, (_, index) => 7 + 256 * index);
  const portions = portionsOf({ close: [], open: devices.flatMap((id) => opened(id, 100)) });
  expect(portions.map(({ length }) => length)).toEqual([25, 5]);
});

test('a device with more than 2,500 changes gets its own transaction', () => {
  expect(portionsOf({ close: [], open: [...opened(1, 3_000), ...opened(2, 1)] })).toHaveLength(2);
});
