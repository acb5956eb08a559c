import { describe, expect, it } from 'vitest';
import { sparkGeometry } from './spark-geometry.ts';

const line = (values: (number | null)[], low: number | null = 2, high: number | null = 8) =>
  sparkGeometry({ min: values, max: values, low, high, width: 100, height: 44 });

describe('the geometry of a sparkline', () => {
  it('the vertical range contains the limits with a margin on both sides', () => {
    const shape = line([4, 5, 6, 5]);
    expect(shape?.bandTop).toBeGreaterThan(3);
    expect(shape?.bandBottom).toBeLessThan(41);
    expect(shape?.bandTop).toBeLessThan(shape?.bandBottom ?? 0);
    expect(shape?.isOutside).toBe(false);
  });

  it('the line never crosses a gap', () => {
    const shape = line([4, 5, null, null, 6, 5]);
    expect(shape?.line.match(/M/g)).toHaveLength(2);
    expect(shape?.envelope.match(/Z/g)).toHaveLength(2);
    expect(shape?.gaps).toEqual([{ x: 20, width: 60 }]);
  });

  it('a single empty bucket at the end is not a gap, but two empty ones are', () => {
    expect(line([4, 5, 6, null])?.gaps).toEqual([]);
    expect(line([4, 5, null, null])?.gaps).toHaveLength(1);
  });

  it('the vertical range contains the only limit even if all values are beyond it', () => {
    const shape = line([11, 10, 9, 9], 15, null);
    expect(shape?.bandBottom).toBeGreaterThanOrEqual(0);
    expect(shape?.bandTop).toBe(0);
    expect(shape?.isOutside).toBe(true);
  });

  it('a single bucket is drawn as a dot', () => {
    expect(line([null, 5, null, null])?.line).toMatch(/^M[\d. ]+h\.1$/);
  });

  it('a switch channel is drawn in steps without a range of minimum and maximum', () => {
    const shape = sparkGeometry({
      min: [1, 1, 0, 0, 1],
      max: [1, 1, 1, 0, 1],
      low: null,
      high: null,
      width: 100,
      height: 46,
      stepped: true,
    });
    expect(shape?.line).toBe('M0.0 3.0H25.0H50.0V43.0H75.0H100.0V3.0');
    expect(shape?.envelope).toBe('');
  });

  it('there is no geometry without values', () => {
    expect(line([null, null, null])).toBeNull();
  });
});
