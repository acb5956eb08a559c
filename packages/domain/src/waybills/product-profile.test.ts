import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { definitionFault } from '../alarms/graded-policy.ts';
import { DEFAULT_ACTIVATION_KJ } from '../readings/mean-kinetic.ts';
import {
  type BudgetBand,
  isAboveRange,
  type ProductLimits,
  policyForProduct,
  profileFault,
} from './product-profile.ts';

const VACCINE: ProductLimits = {
  temperatureLow: 2,
  temperatureHigh: 8,
  humidityLow: null,
  humidityHigh: null,
  budget: [{ low: 8, high: 25, hours: 12 }],
  mktLimit: 8,
  activationKj: DEFAULT_ACTIVATION_KJ,
};
const band = (low: number | null, high: number | null): BudgetBand => ({ low, high, hours: 1 });

describe('the rules of a product profile', () => {
  it.each<[string, Partial<ProductLimits>, object | null]>([
    ['a vaccine with a budget above its range', {}, null],
    [
      'a budget below and above',
      { budget: [band(8, 25), band(-5, 2), band(25, null), band(null, -5)] },
      null,
    ],
    ['a reversed range', { temperatureLow: 9 }, { field: 'temperatureHigh', code: 'above-other' }],
    ['an empty range', { temperatureLow: 8 }, { field: 'temperatureHigh', code: 'above-other' }],
    [
      'reversed humidity',
      { humidityLow: 60, humidityHigh: 60 },
      { field: 'humidityHigh', code: 'above-other' },
    ],
    ['only an upper limit of humidity', { humidityHigh: 60 }, null],
    ['only a lower limit of humidity', { humidityLow: 60 }, null],
    [
      'a band without ends',
      { budget: [band(null, null)] },
      { field: 'budget', code: 'budget-order', band: 0 },
    ],
    ['a reversed band', { budget: [band(25, 8)] }, { field: 'budget', code: 'budget-order', band: 0 }],
    [
      'a band within the range',
      { budget: [band(7, 25)] },
      { field: 'budget', code: 'budget-inside', band: 0 },
    ],
    [
      'a band from below to above',
      { budget: [band(null, 9)] },
      { field: 'budget', code: 'budget-inside', band: 0 },
    ],
    ['an open band within', { budget: [band(5, null)] }, { field: 'budget', code: 'budget-inside', band: 0 }],
    [
      'overlapping bands',
      { budget: [band(8, 25), band(20, null)] },
      { field: 'budget', code: 'budget-overlap', band: 1 },
    ],
    [
      'a band that contains a later one',
      { budget: [band(8, null), band(9, 10)] },
      { field: 'budget', code: 'budget-overlap', band: 1 },
    ],
    [
      'a band before one that contains it',
      { budget: [band(0, 2), band(null, 1)] },
      { field: 'budget', code: 'budget-overlap', band: 1 },
    ],
    [
      'overlapping bands below',
      { budget: [band(null, 1), band(0, 2)] },
      { field: 'budget', code: 'budget-overlap', band: 1 },
    ],
  ])('%s', (_, changes, fault) => {
    expect(profileFault({ ...VACCINE, ...changes })).toEqual(fault);
  });

  it('a band is above or below the range', () => {
    expect(isAboveRange(band(8, 25), VACCINE)).toBe(true);
    expect(isAboveRange(band(null, 2), VACCINE)).toBe(false);
    expect(isAboveRange(band(-5, 2), VACCINE)).toBe(false);
  });
});

describe('the policy for a product', () => {
  it('has the limits of the product', () => {
    expect(policyForProduct({ ...VACCINE, humidityHigh: 75 }).conditions).toMatchObject([
      { quantity: 'temperature', low: 2, high: 8, recoveryMargin: 0.5 },
      { quantity: 'humidity', low: null, high: 75, recoveryMargin: 2 },
    ]);
    expect(policyForProduct({ ...VACCINE, humidityLow: 35 }).conditions).toHaveLength(2);
    expect(policyForProduct(VACCINE).conditions).toHaveLength(1);
  });

  it('is valid for every valid profile', () => {
    const temperature = fc.integer({ min: -1000, max: 1000 }).map((tenths) => tenths / 10);
    const humidity = fc.option(fc.integer({ min: 0, max: 100 }), { nil: null });
    fc.assert(
      fc.property(temperature, temperature, humidity, humidity, (low, high, humidityLow, humidityHigh) => {
        const limits: ProductLimits = {
          ...VACCINE,
          temperatureLow: low,
          temperatureHigh: high,
          humidityLow,
          humidityHigh,
          budget: [],
        };
        fc.pre(profileFault(limits) === null);
        expect(definitionFault(policyForProduct(limits))).toBeNull();
      }),
    );
  });
});
