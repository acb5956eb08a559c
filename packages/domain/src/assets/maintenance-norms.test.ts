import { describe, expect, test } from 'vitest';
import { judgeMeasure, outsideNorms } from './maintenance-norms.ts';

describe('the maintenance norms (requirements §9)', () => {
  test.each([
    ['return pressure 0.15 to 0.4 MPa', 'returnPressure', 0.14, 0.15, 0.4, 0.41],
    ['discharge 0.8 to 1.8 MPa', 'dischargePressure', 0.79, 0.8, 1.8, 1.81],
    ['defrost interval 6 to 12 hours', 'defrostInterval', 5.9, 6, 12, 12.1],
    ['defrost time 3 to 10 minutes', 'defrostTime', 2.9, 3, 10, 10.1],
    ['shutdown temperature difference 1 to 4 degrees', 'shutdownDifference', 0.9, 1, 4, 4.1],
  ] as const)('the limits of the norm are inclusive: %s', (_words, measure, below, min, max, above) => {
    expect([below, min, max, above].map((value) => judgeMeasure(measure, value))).toEqual([
      'low',
      'inside',
      'inside',
      'high',
    ]);
  });

  test('values outside their norms are named, and missing values are not', () => {
    expect(outsideNorms({})).toEqual([]);
    expect(outsideNorms({ returnPressure: 0.5, defrostTime: 5, shutdownDifference: 0 })).toEqual([
      'returnPressure',
      'shutdownDifference',
    ]);
  });
});
