import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { centredOn, detailAt, fitted, fractionAt, held, nudged, spacing, zoomed } from './plan-view.ts';

const length = fc.integer({ min: 200, max: 4000 });
const size = fc.record({ width: length, height: length });
const fraction = fc.double({ min: 0, max: 1, noNaN: true });
const spot = fc.record({ x: fraction, y: fraction });

describe('the view of a plan', () => {
  it('an image that fits is centred as a whole', () => {
    expect(fitted({ width: 1000, height: 500 }, { width: 572, height: 572 })).toEqual({
      scale: 0.5,
      x: 36,
      y: 161,
    });
  });

  it('zooming keeps the position under the pointer while the image is larger than the frame', () => {
    const [picture, frame] = [
      { width: 1000, height: 1000 },
      { width: 600, height: 600 },
    ];
    const near = centredOn({ x: 0.5, y: 0.5 }, 6, picture, frame);
    fc.assert(
      fc.property(
        fc.record({ x: fc.integer({ min: 100, max: 500 }), y: fc.integer({ min: 100, max: 500 }) }),
        fc.double({ min: 1.01, max: 2, noNaN: true }),
        (around, factor) => {
          const under = fractionAt(near, picture, around);
          const after = fractionAt(zoomed(near, factor, around, picture, frame), picture, around);
          expect(after?.x).toBeCloseTo(under?.x as number, 9);
          expect(after?.y).toBeCloseTo(under?.y as number, 9);
        },
      ),
    );
  });

  it('the image is never smaller than its fitted size, and a part of it is always visible', () => {
    fc.assert(
      fc.property(
        ...([size, size, spot, fc.double({ min: 0.01, max: 100, noNaN: true })] as const),
        fc.record({ x: fc.integer({ min: -9999, max: 9999 }), y: fc.integer({ min: -9999, max: 9999 }) }),
        (picture, frame, around, factor, away) => {
          const fit = fitted(picture, frame);
          const place = { x: around.x * frame.width, y: around.y * frame.height };
          const view = zoomed(fit, factor, place, picture, frame);
          expect(view.scale).toBeGreaterThanOrEqual(fit.scale);
          const lost = held({ ...view, x: away.x, y: away.y }, picture, frame);
          expect(lost.x).toBeLessThan(frame.width);
          expect(lost.x + picture.width * view.scale).toBeGreaterThan(0);
          expect(lost.y).toBeLessThan(frame.height);
          expect(lost.y + picture.height * view.scale).toBeGreaterThan(0);
        },
      ),
    );
  });

  it('a point in the frame has a position on the image, but none if it is outside the image', () => {
    const view = { x: 10, y: 20, scale: 2 };
    const picture = { width: 100, height: 50 };
    expect(fractionAt(view, picture, { x: 110, y: 70 })).toEqual({ x: 0.5, y: 0.5 });
    expect(fractionAt(view, picture, { x: 9, y: 70 })).toBeNull();
    expect(fractionAt(view, picture, { x: 110, y: 121 })).toBeNull();
  });

  it.each([
    [0.5, 0.1, 0.6],
    [0.95, 0.1, 1],
    [0.05, -0.1, 0],
  ])('a mark at %d that is moved by %d ends at %d, always within the image', (at, by, to) => {
    expect(nudged({ x: at, y: at }, by, 0)).toEqual({ x: to, y: at });
    expect(nudged({ x: at, y: at }, 0, by)).toEqual({ x: at, y: to });
  });

  it('marks show fewer details the closer they are together, and a single mark shows everything', () => {
    const picture = { width: 1000, height: 500 };
    expect(spacing([], picture)).toBe(Number.POSITIVE_INFINITY);
    expect(spacing([{ x: 0.5, y: 0.5 }], picture)).toBe(Number.POSITIVE_INFINITY);
    const row = [0.1, 0.2, 0.3, 0.4].map((x) => ({ x, y: 0.5 }));
    expect(spacing(row, picture)).toBeCloseTo(100);
    expect(spacing([...row, { x: 0.9, y: 0.9 }], picture)).toBeCloseTo(100);
    // Marks need a smaller distance vertically than horizontally.
    expect(spacing([row[0], { x: 0.1, y: 0.6 }] as typeof row, picture)).toBeCloseTo(125);
    expect([Number.POSITIVE_INFINITY, 100, 99, 56, 55].map(detailAt)).toEqual([
      'named',
      'named',
      'valued',
      'valued',
      'dots',
    ]);
  });
});
