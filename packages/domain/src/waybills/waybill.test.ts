import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { actionsIn, type Course, NOT_SHIPPED, type StepFault, take, type WaybillStep } from './waybill.ts';

const NOW = 1_000;
const IN_TRANSPORT: Course = { state: 'in-transport', legs: [{ assetId: 1, from: 100, until: null }] };
const ARRIVED: Course = { state: 'arrived', legs: [{ assetId: 1, from: 100, until: 200 }] };
const depart = (at: number): WaybillStep => ({ action: 'depart', at, assetId: 1 });
const deliver = (at: number): WaybillStep => ({ action: 'deliver', at });
const transship = (at: number, assetId = 2): WaybillStep => ({ action: 'transship', at, assetId });

describe('one step', () => {
  it.each<[string, Course, WaybillStep, StepFault]>([
    ['depart twice', IN_TRANSPORT, depart(200), 'state'],
    ['deliver before departing', NOT_SHIPPED, deliver(200), 'state'],
    ['transship before departing', NOT_SHIPPED, transship(200), 'state'],
    ['deliver what has arrived', ARRIVED, deliver(300), 'state'],
    ['reject what has arrived', ARRIVED, { action: 'reject', at: 300 }, 'state'],
    ['adjust what has arrived', ARRIVED, { action: 'adjust' }, 'state'],
    ['depart in the future', NOT_SHIPPED, depart(NOW + 1), 'future'],
    ['deliver before the leg', IN_TRANSPORT, deliver(99), 'before-leg'],
    ['deliver at its start', IN_TRANSPORT, deliver(100), 'before-leg'],
    ['transship onto the same asset', IN_TRANSPORT, transship(200, 1), 'same-asset'],
  ])('%s is refused', (_, course, step, fault) => {
    expect(take(course, step, NOW)).toEqual({ fault });
  });

  it('departs, is transshipped and delivered', () => {
    let course = take(NOT_SHIPPED, depart(100), NOW) as Course;
    expect(course).toEqual(IN_TRANSPORT);
    course = take(course, transship(200), NOW) as Course;
    course = take(course, deliver(300), NOW) as Course;
    expect(course).toEqual({
      state: 'arrived',
      legs: [
        { assetId: 1, from: 100, until: 200 },
        { assetId: 2, from: 200, until: 300 },
      ],
    });
    expect(actionsIn(course.state)).toEqual([]);
  });

  it('is rejected, and adjusting changes no course', () => {
    expect(take(IN_TRANSPORT, { action: 'reject', at: 200 }, NOW)).toMatchObject({ state: 'rejected' });
    expect(take(IN_TRANSPORT, { action: 'adjust' }, NOW)).toBe(IN_TRANSPORT);
    expect(actionsIn('in-transport')).toEqual(['deliver', 'reject', 'transship', 'adjust']);
  });
});

it('any history of steps leaves one chain of custody', () => {
  const at = fc.integer({ min: 0, max: 2 * NOW });
  const assetId = fc.integer({ min: 1, max: 3 });
  const step: fc.Arbitrary<WaybillStep> = fc.oneof(
    fc.record({ action: fc.constantFrom('depart' as const, 'transship' as const), at, assetId }),
    fc.record({ action: fc.constantFrom('deliver' as const, 'reject' as const), at }),
    fc.constant({ action: 'adjust' as const }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
      let course = NOT_SHIPPED;
      for (const each of steps) {
        const next = take(course, each, NOW);
        if (!('fault' in next)) course = next;
        const { legs, state } = course;
        expect(legs.filter(({ until }) => until === null)).toHaveLength(state === 'in-transport' ? 1 : 0);
        expect(legs.length > 0).toBe(state !== 'not-shipped');
        legs.forEach(({ from, until, assetId: asset }, i) => {
          const following = legs[i + 1];
          expect(until === null || (from < until && until <= NOW)).toBe(true);
          if (!following) return;
          expect(until).toBe(following.from);
          expect(following.assetId).not.toBe(asset);
        });
      }
    }),
  );
});
