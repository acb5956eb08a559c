import { expect, test } from 'vitest';
import { laneOf } from '../../telemetry/index.ts';
import { lanesAtOnce, portionsByLane } from './compile.ts';

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
  expect(portionsByLane({ close: [], open: [] })).toEqual(new Map());
});

test('all changes of a lane are one portion, and a transaction takes as many lanes as 2,500 changes allow', () => {
  const devices = Array.from({ length: 1_000 }, (_, index) => index + 1);
  const lanes = portionsByLane({
    close: devices.flatMap((id) => closed(id, 10)),
    open: devices.flatMap((id) => opened(id, 15)),
  });
  expect([...lanes.values()].every(({ length }) => length === 1)).toBe(true);
  for (const [lane, [portion]] of lanes) {
    expect(portion?.deviceIds.map(laneOf)).toEqual(portion?.deviceIds.map(() => lane));
    expect(portion?.changes).toBe((portion?.deviceIds.length ?? 0) * 25);
  }
  // Four devices in a lane have 100 changes.
  expect(lanesAtOnce(lanes)).toBe(25);
  expect([...lanes.values()].flatMap(([portion]) => portion?.deviceIds ?? []).sort((a, b) => a - b)).toEqual(
    devices,
  );
});

test('a lane with more than 2,500 changes is split by device, and is changed on its own', () => {
  const devices = Array.from({ length: 30 }, (_, index) => 7 + 256 * index);
  const lanes = portionsByLane({
    close: [],
    open: [...devices.flatMap((id) => opened(id, 100)), ...opened(8, 1)],
  });
  expect(lanes.get(7)?.map(({ deviceIds }) => deviceIds.length)).toEqual([25, 5]);
  expect(lanes.get(8)).toEqual([{ deviceIds: [8], changes: 1 }]);
  expect(lanesAtOnce(lanes)).toBe(1);
});

test('a device with more than 2,500 changes gets its own transaction', () => {
  const lanes = portionsByLane({ close: [], open: [...opened(1, 3_000), ...opened(257, 1)] });
  expect(lanes.get(1)?.map(({ deviceIds }) => deviceIds)).toEqual([[1], [257]]);
  expect(lanesAtOnce(lanes)).toBe(1);
});
