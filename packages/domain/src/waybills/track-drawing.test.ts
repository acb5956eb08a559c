import fc from 'fast-check';
import { expect, it } from 'vitest';
import { drawTrack } from './track-drawing.ts';

const BOX = { width: 500, height: 200, edge: 10 };
const place = (latitude: number, longitude: number) => ({ latitude, longitude });

it('nothing is drawn without places', () => {
  expect(drawTrack([], [], BOX)).toBeNull();
});

it('north is up, and the drawing fills the rectangle', () => {
  const drawing = drawTrack([[place(10, 0), place(0, 5)]], [place(10, 0)], BOX);
  const [[start, end] = []] = drawing?.lines ?? [];
  expect(start?.[1]).toBeCloseTo(10);
  expect(end?.[1]).toBeCloseTo(190);
  expect(end?.[0]).toBeGreaterThan(start?.[0] ?? 0);
  expect(drawing?.marks[0]).toEqual(start);
});

it('a route across the antimeridian is not torn', () => {
  const drawing = drawTrack([[place(-17, 179.9), place(-17, -179.9)]], [], BOX);
  const [[start, end] = []] = drawing?.lines ?? [];
  expect((end?.[0] ?? 0) - (start?.[0] ?? 0)).toBeCloseTo(480);
  // 0.2 degrees at 17 degrees south are 21 km, on 480 of 500 units.
  expect(drawing?.scale.metres).toBe(5_000);
});

it('a vehicle that stands is one point in the middle, also at a pole', () => {
  const drawing = drawTrack([[place(90, 10), place(90, 10), place(90, 10)]], [], BOX);
  expect(drawing?.lines).toEqual([
    [
      [250, 100],
      [250, 100],
    ],
  ]);
});

it('everything is inside of the edge, and the bar is at most a quarter of the width', () => {
  const anywhere = fc.record({
    latitude: fc.double({ min: -90, max: 90, noNaN: true }),
    longitude: fc.double({ min: -180, max: 180, noNaN: true }),
  });
  fc.assert(
    fc.property(fc.array(fc.array(anywhere, { maxLength: 5 }), { maxLength: 4 }), anywhere, (lines, mark) => {
      const drawing = drawTrack(lines, [mark], BOX);
      if (!drawing) throw new Error('nothing drawn');
      for (const [x, y] of [...drawing.lines.flat(), ...drawing.marks]) {
        expect(x).toBeGreaterThan(9.99);
        expect(x).toBeLessThan(490.01);
        expect(y).toBeGreaterThan(9.99);
        expect(y).toBeLessThan(190.01);
      }
      expect(drawing.scale.length).toBeLessThanOrEqual(125.01);
      expect(drawing.scale.length).toBeGreaterThan(40);
    }),
  );
});
