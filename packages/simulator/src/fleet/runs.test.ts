import { distanceM } from '@isotherm/domain/geo/geo';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LOCAL_OFFSET_MS } from '../physics/weather.ts';
import { FLEET_ASSETS } from './catalogue.ts';
import { runAt } from './runs.ts';
import { vehicleAt } from './timetable.ts';

const VEHICLES = FLEET_ASSETS.flatMap(({ code, body }) => (body.type === 'vehicle' ? [{ code, body }] : []));

test.each(VEHICLES)(
  'at any time, the run of $code is under way or the next one, from end to end of its road',
  ({ body: { timetable, startHour } }) => {
    const placeAt = (at: number) => vehicleAt(timetable, startHour, at + LOCAL_OFFSET_MS);
    const depot = {
      latitude: timetable.latitude[0] as number,
      longitude: timetable.longitude[0] as number,
    };
    const anyTime = fc.integer({ min: Date.parse('2026-01-01'), max: Date.parse('2027-12-31') });
    fc.assert(
      fc.property(anyTime, (at) => {
        const { direction, departsAt, arrivesAt } = runAt(timetable, startHour, at);
        expect(arrivesAt).toBeGreaterThan(at);
        expect(departsAt).toBeLessThan(arrivesAt);
        expect(departsAt - at).toBeLessThan(timetable.periodS * 1000);
        const [from, to] = [placeAt(departsAt), placeAt(arrivesAt)];
        const [near, far] = direction === 'out' ? [from, to] : [to, from];
        expect([from.speedKmh, to.speedKmh]).toEqual([0, 0]);
        expect(distanceM(near, depot)).toBeLessThan(1);
        expect(distanceM(far, depot)).toBeGreaterThan(5_000);
        expect(placeAt(departsAt + 20_000).speedKmh).toBeGreaterThan(0);
        expect(placeAt(arrivesAt - 20_000).speedKmh).toBeGreaterThan(0);
        // It is the same run until it ends.
        for (const share of [0, 0.5, 0.99]) {
          const during = Math.ceil(departsAt + (arrivesAt - departsAt) * share);
          expect(runAt(timetable, startHour, during)).toEqual({ direction, departsAt, arrivesAt });
        }
      }),
    );
  },
);
