import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { followTrip, joinTrip, leaveTrip, type TripDevice } from './trip-devices.ts';

const OURS = 1;
const TRUCK = { id: 10, organizationId: OURS };
const OTHER_TRUCK = { id: 11, organizationId: OURS };
const FOREIGN_TRUCK = { id: 12, organizationId: 2 };
const STORE = { id: 20, organizationId: OURS };
const SPARE: TripDevice = { organizationId: OURS, isDeleted: false, isOnOtherTrip: false, assetId: null };
const onTruck = { ...SPARE, assetId: TRUCK.id };

describe('a device joins a trip', () => {
  it.each([
    ['one that is bound to nothing', SPARE, TRUCK, { kind: 'bind', assetId: TRUCK.id }],
    ['one of a store', { ...SPARE, assetId: STORE.id }, TRUCK, { kind: 'bind', assetId: TRUCK.id }],
    ['one that is on the truck already', onTruck, TRUCK, { kind: 'stay' }],
    ['a deleted one', { ...SPARE, isDeleted: true }, TRUCK, { fault: 'gone' }],
    ['one of another trip', { ...onTruck, isOnOtherTrip: true }, TRUCK, { fault: 'on-trip' }],
    ['one of another organisation', SPARE, FOREIGN_TRUCK, { fault: 'elsewhere' }],
  ])('%s', (_, device, asset, expected) => {
    expect(joinTrip(device, asset)).toEqual(expected);
  });
});

describe('a device follows the goods', () => {
  it.each([
    ['to another truck', onTruck, OTHER_TRUCK, { kind: 'bind', assetId: OTHER_TRUCK.id }],
    ['not if it was bound elsewhere', { ...SPARE, assetId: STORE.id }, OTHER_TRUCK, { kind: 'stay' }],
    ['not if it was deleted', { ...onTruck, isDeleted: true }, OTHER_TRUCK, { kind: 'stay' }],
    ['not to another organisation', onTruck, FOREIGN_TRUCK, { fault: 'elsewhere' }],
  ])('%s', (_, device, to, expected) => {
    expect(followTrip(device, TRUCK.id, to)).toEqual(expected);
  });
});

describe('a device leaves a trip', () => {
  it.each([
    ['to its store', onTruck, STORE, { kind: 'bind', assetId: STORE.id }],
    ['to nothing without a home', onTruck, null, { kind: 'unbind' }],
    ['to nothing if its store moved', onTruck, { ...STORE, organizationId: 2 }, { kind: 'unbind' }],
    ['not if the truck is its home', onTruck, TRUCK, { kind: 'stay' }],
    ['not if it was bound elsewhere', { ...SPARE, assetId: 99 }, STORE, { kind: 'stay' }],
    ['not if it was unbound', SPARE, STORE, { kind: 'stay' }],
    ['not if it was deleted', { ...onTruck, isDeleted: true }, STORE, { kind: 'stay' }],
  ])('%s', (_, device, home, expected) => {
    expect(leaveTrip(device, TRUCK.id, home)).toEqual(expected);
  });
});

it('after any number of trucks, a device is where it was before the trip', () => {
  const places = [TRUCK, OTHER_TRUCK, STORE, { id: 21, organizationId: OURS }];
  const placeOf = (id: number | null) => places.find((place) => place.id === id) ?? null;
  fc.assert(
    fc.property(
      fc.option(fc.constantFrom(...places)),
      fc.array(fc.constantFrom(...places), { minLength: 1, maxLength: 6 }),
      (home, trucks) => {
        const device = { ...SPARE, assetId: home?.id ?? null };
        const apply = (move: ReturnType<typeof joinTrip>) => {
          expect(move).not.toHaveProperty('fault');
          if ('kind' in move && move.kind === 'bind') device.assetId = move.assetId;
          if ('kind' in move && move.kind === 'unbind') device.assetId = null;
        };
        let on = trucks[0] as (typeof places)[number];
        apply(joinTrip(device, on));
        for (const next of trucks.slice(1)) {
          apply(followTrip(device, on.id, next));
          expect(device.assetId).toBe(next.id);
          on = next;
        }
        apply(leaveTrip(device, on.id, placeOf(home?.id ?? null)));
        expect(device.assetId).toBe(home?.id ?? null);
      },
    ),
  );
});
