import { listGeofences } from '@isotherm/contracts/geofences';
import { listProductProfiles } from '@isotherm/contracts/product-profiles';
import type { RouteContract } from '@isotherm/contracts/route';
import { createWaybill, departWaybill, listWaybills } from '@isotherm/contracts/waybills';
import { distanceToFenceM, prepareFence } from '@isotherm/domain/geo/fence';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ApiClient } from '../client/api-client.ts';
import { FLEET_ASSETS } from '../fleet/catalogue.ts';
import { vehicleAt } from '../fleet/timetable.ts';
import { LOCAL_OFFSET_MS } from '../physics/weather.ts';
import { registerAutomaticWaybills, SERVICES, type Service, tripAt } from './automatic-waybills.ts';
import { FENCES } from './geofences.ts';

/** Metres of the truck of a service from the edge of a geofence at a time; negative inside. */
function metresOutside({ asset }: Service, name: string, at: number): number {
  const fence = FENCES.find((each) => each.name === name);
  const body = FLEET_ASSETS.find(({ code }) => code === asset)?.body;
  if (!fence || body?.type !== 'vehicle') throw new Error(`${name} or ${asset} is missing`);
  return distanceToFenceM(
    prepareFence(fence.shape, 0),
    vehicleAt(body.timetable, body.startHour, at + LOCAL_OFFSET_MS),
  );
}

test.each(SERVICES)(
  'the truck of $number departs in one of its geofences and arrives in the other one, in both directions',
  (service) => {
    const { depot, end } = service;
    const seen = new Set<string>();
    const anyTime = fc.integer({ min: Date.parse('2026-01-01'), max: Date.parse('2027-12-31') });
    fc.assert(
      fc.property(anyTime, (at) => {
        const { from, to, departsAt, arrivesAt } = tripAt(service, at);
        seen.add(from.fence);
        expect([
          [depot, end],
          [end, depot],
        ]).toContainEqual([from, to]);
        expect(metresOutside(service, from.fence, departsAt)).toBeLessThan(0);
        expect(metresOutside(service, to.fence, departsAt)).toBeGreaterThan(1_000);
        expect(metresOutside(service, to.fence, arrivesAt)).toBeLessThan(0);
        expect(metresOutside(service, from.fence, arrivesAt)).toBeGreaterThan(1_000);
      }),
    );
    expect([...seen].sort()).toEqual([depot.fence, end.fence].sort());
  },
);

/** Registers the waybills with a server that has these numbers; returns what was created, and how many departed. */
async function register(known: readonly string[], startMs: number) {
  const created: Record<string, unknown>[] = [];
  let departed = 0;
  const answers = new Map<RouteContract, (request: { query?: object; body?: object }) => unknown>([
    [listGeofences, () => ({ items: FENCES.map(({ name }, id) => ({ id, name })) })],
    [listProductProfiles, () => ({ items: [{ id: 5, code: 'FLU' }] })],
    [
      listWaybills,
      ({ query }) => {
        const { search } = query as { search: string };
        return { total: known.filter((number) => number.includes(search)).length };
      },
    ],
    [createWaybill, ({ body }) => ({ id: created.push(body as Record<string, unknown>) })],
    [departWaybill, () => departed++],
  ]);
  const call = async (route: RouteContract, request = {}) => answers.get(route)?.(request);
  await registerAutomaticWaybills({
    client: { call, server: '', username: '' } as unknown as ApiClient,
    organization: () => 1,
    asset: () => 2,
    startMs,
  });
  return { created, departed };
}
const NUMBERS = SERVICES.map(({ number }) => number);
const START = Date.parse('2026-11-27T02:00:00.000Z');

test('only waybills that are missing are created, also after the demo was interrupted between two of them', async () => {
  for (let count = 0; count <= NUMBERS.length; count++) {
    const { created } = await register(['W-2026-88213', ...NUMBERS.slice(0, count)], START);
    expect(created.map(({ number }) => number)).toEqual(NUMBERS.slice(count));
  }
});

test('a waybill goes from the site where its truck departs to the other one, and has departed if the truck is on the road', async () => {
  for (let hour = 0; hour < 24; hour++) {
    const startMs = START + hour * 3_600_000;
    const { created, departed } = await register([], startMs);
    const trips = SERVICES.map((service) => tripAt(service, startMs));
    expect(
      created.map(({ consignorUnit, consigneeUnit, consigneeContact }) => [
        consignorUnit,
        consigneeUnit,
        consigneeContact,
      ]),
    ).toEqual(trips.map(({ from, to }) => [from.unit, to.unit, to.contact]));
    expect(departed).toBe(trips.filter(({ departsAt }) => departsAt <= startMs).length);
    // Units are not named like geofences.
    for (const { from } of trips) expect(FENCES.map(({ name }) => name)).not.toContain(from.unit);
  }
});
