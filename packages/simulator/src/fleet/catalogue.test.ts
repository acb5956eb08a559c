import { assetForms } from '@isotherm/contracts/asset-registry';
import { provisionDevices } from '@isotherm/contracts/devices';
import { distanceM } from '@isotherm/domain/geo/geo';
import { expect, test } from 'vitest';
import { FLEET_ASSETS } from './catalogue.ts';
import { deviceKey, provisionItemOf } from './provision.ts';
import { vehicleAt } from './timetable.ts';

test('the fleet has 24 assets: 6 stores, 8 refrigerators, 4 boxes, 5 vehicles, 1 container', () => {
  const count = (kind: string) => FLEET_ASSETS.filter((asset) => asset.kind === kind).length;
  expect(['cold-store', 'refrigerator', 'cold-box', 'vehicle', 'container'].map(count)).toEqual([
    6, 8, 4, 5, 1,
  ]);
  expect(new Set(FLEET_ASSETS.map((asset) => asset.code)).size).toBe(24);
  expect(new Set(FLEET_ASSETS.map((asset) => asset.deviceNumber)).size).toBe(24);
});

test('the server accepts every item of the fleet', () => {
  const items = FLEET_ASSETS.map((asset) => provisionItemOf(asset, 'x'.repeat(64), 60_000));
  expect(provisionDevices.body.safeParse({ items }).error).toBeUndefined();
});

test('every asset is valid for the forms of the registry, so that an export can be imported again', () => {
  const wrong = FLEET_ASSETS.flatMap((asset) => {
    const { organizationCode: _, ...form } = provisionItemOf(asset, 'x'.repeat(64), 60_000).asset;
    const { error } = assetForms[asset.kind].safeParse({ ...form, organizationId: 1 });
    return error ? [`${asset.code}: ${error.message}`] : [];
  });
  expect(wrong).toEqual([]);
});

test('device keys differ between devices and between fleets', () => {
  expect(deviceKey('secret a', '31010101')).toMatch(/^[0-9a-f]{64}$/);
  expect(deviceKey('secret a', '31010101')).not.toBe(deviceKey('secret a', '31010102'));
  expect(deviceKey('secret a', '31010101')).not.toBe(deviceKey('secret b', '31010101'));
});

test('vehicles drive at realistic speeds, never jump, and return', () => {
  for (const asset of FLEET_ASSETS) {
    if (asset.body.type !== 'vehicle') continue;
    const { timetable, startHour } = asset.body;
    let before = vehicleAt(timetable, startHour, 0);
    let moving = 0;
    for (let second = 10; second <= timetable.periodS; second += 10) {
      const moment = vehicleAt(timetable, startHour, second * 1000);
      const hop = distanceM(before, moment);
      expect(hop, `${asset.code} at ${second} s`).toBeLessThan(350);
      // It goes as far as it says that it drives; a chord of a curve is shorter.
      const driven = (moment.speedKmh * 10_000) / 3600;
      if (moment.speedKmh > 30)
        expect(hop, `${asset.code} at ${second} s`).toBeGreaterThan(0.7 * driven - 10);
      expect(moment.speedKmh).toBeLessThan(105);
      if (moment.doorOpen) expect(moment.speedKmh).toBe(0);
      if (moment.speedKmh > 5) moving++;
      before = moment;
    }
    expect((moving * 10) / timetable.periodS, asset.code).toBeGreaterThan(0.25);
  }
});

test('at any hour at least one vehicle is on the road', () => {
  for (let minute = 0; minute < 24 * 60; minute += 10) {
    const moving = FLEET_ASSETS.filter(
      ({ body }) =>
        body.type === 'vehicle' && vehicleAt(body.timetable, body.startHour, minute * 60_000).speedKmh > 5,
    );
    expect(moving.length, `minute ${minute}`).toBeGreaterThan(0);
  }
});
