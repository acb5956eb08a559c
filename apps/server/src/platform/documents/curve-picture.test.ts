import { thinCurve } from '@isotherm/domain/waybills/thin-curve';
import { expect, test } from 'vitest';
import { columnMsOf, curvePicture, type PictureLimits } from './curve-picture.ts';

const MIN = 60_000;
const LOOK = {
  gaps: [],
  width: 500,
  height: 180,
  zone: 'UTC',
  language: 'en',
  words: { upper: (limit: number) => `Upper ${limit}`, lower: (limit: number) => `Lower ${limit}` },
} as const;
const limits = (to: number, low: number | null = 2, high: number | null = 8): PictureLimits[] => [
  { from: 0, to: to * MIN, low, high },
];
const curve = (minutes: readonly number[], values: readonly number[], to: number) => ({
  stretches: thinCurve(
    {
      series: { at: Float64Array.from(minutes, (each) => each * MIN), value: Float64Array.from(values) },
      from: 0,
      to: to * MIN,
      allowanceMs: 5 * MIN,
    },
    columnMsOf({ from: 0, to: to * MIN, width: LOOK.width }),
  ),
});
const paths = (svg: string, stroke: string) =>
  [...svg.matchAll(/<path d="([^"]*)"[^>]*stroke="(#\w+)"/g)].filter(([, , each]) => each === stroke);
const areas = (svg: string) => [...svg.matchAll(/<path d="([^"]*Z)"/g)];

test('a gap is not bridged by the curve, and what is outside the limits is drawn again in the colour of alarms', () => {
  const probe = curve([0, 1, 2, 20, 21, 22], [5, 5, 5, 5, 11, 5], 30);
  const svg = curvePicture({ ...LOOK, curves: [probe], limits: limits(30), from: 0, to: 30 * MIN });
  const [line] = paths(svg, '#0b5f82');
  expect(line?.[1]?.match(/M/g)).toHaveLength(2);
  const [outside] = paths(svg, '#b5172c');
  // Up from the limit to the peak, and down again.
  expect(outside?.[1]?.match(/M/g)).toHaveLength(2);
});

test('a long record is drawn with few points, and its shortest peak is kept', () => {
  const minutes = Array.from({ length: 60 * 24 * 60 }, (_, minute) => minute);
  const values = minutes.map((minute) => (minute === 40_000 ? 30 : 5));
  const svg = curvePicture({
    ...LOOK,
    curves: [curve(minutes, values, minutes.length)],
    limits: limits(minutes.length),
    from: 0,
    to: minutes.length * MIN,
  });
  expect(svg.length).toBeLessThan(60_000);
  expect(paths(svg, '#b5172c')).toHaveLength(1);
});

test('a trip without readings is drawn as the empty band of its limits, and texts are escaped', () => {
  const svg = curvePicture({
    ...LOOK,
    curves: [{ stretches: [] }],
    limits: limits(0),
    from: 0,
    to: 0,
    words: { upper: () => '<8 & "', lower: () => '' },
  });
  expect(svg).toContain('&lt;8 &amp; &quot;');
  expect(paths(svg, '#0b5f82')).toEqual([]);
  expect(svg).not.toContain('NaN');
});

test('the lowest and highest values of a mean are an area, whose parts outside the limits have the colour of alarms', () => {
  const points = Array.from({ length: 5 }, (_, index) => index * 10 * MIN);
  const svg = curvePicture({
    ...LOOK,
    curves: [
      {
        stretches: [points.map((at) => [at, 5])],
        envelope: [points.map((at, index) => [at, index === 3 ? 1 : 4, index === 2 ? 9 : 6])],
      },
    ],
    limits: limits(50),
    from: 0,
    to: 50 * MIN,
  });
  expect(areas(svg)).toHaveLength(1);
  // One bar above the upper limit, and one below the lower one.
  expect(paths(svg, '#b5172c')[0]?.[1]?.match(/M/g)).toHaveLength(2);
});

test('only the area of the first curve is drawn, and what is outside the limits is drawn for each curve with extremes', () => {
  const curveAt = (value: number) => ({
    stretches: [[[0, value] as [number, number], [MIN, value] as [number, number]]],
    envelope: [[[0, value - 1, value + 1] as const, [MIN, value - 1, value + 1] as const]],
  });
  const svg = curvePicture({
    ...LOOK,
    curves: [curveAt(5), curveAt(7.5)],
    limits: limits(2),
    from: 0,
    to: 2 * MIN,
  });
  expect(areas(svg)).toHaveLength(1);
  expect(paths(svg, '#b5172c')).toHaveLength(1);
});

test('limits are drawn for the time in which they were in force', () => {
  const points = [0, 10, 40, 50].map((minute): [number, number] => [minute * MIN, 9]);
  const svg = curvePicture({
    ...LOOK,
    curves: [{ stretches: [points] }],
    limits: [
      { from: 0, to: 30 * MIN, low: null, high: 10 },
      { from: 30 * MIN, to: 60 * MIN, low: null, high: 8 },
    ],
    from: 0,
    to: 60 * MIN,
  });
  expect(svg).toContain('Upper 10');
  expect(svg).toContain('Upper 8');
  expect(svg).not.toContain('Lower');
  const [outside] = paths(svg, '#b5172c');
  expect(outside?.[1]?.match(/M/g)).toHaveLength(1);
});

test('a channel without limits has no band and nothing outside, and a reading alone is visible', () => {
  const svg = curvePicture({
    ...LOOK,
    curves: [
      { stretches: [[[10 * MIN, 50]]] },
      { stretches: [[[10 * MIN, 1]]], dashes: '2 2', ink: '#123456' },
    ],
    limits: limits(20, null, null),
    from: 0,
    to: 20 * MIN,
  });
  expect(paths(svg, '#0b5f82')[0]?.[1]).toMatch(/^M[\d. ]+h/);
  expect(paths(svg, '#123456')).toHaveLength(1);
  expect(paths(svg, '#b5172c')).toEqual([]);
  expect(svg).not.toContain('#e9eff3');
});
