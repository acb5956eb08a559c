import { expect, test } from 'vitest';
import { curvePicture } from './curve-picture.ts';
import { trackPicture } from './track-picture.ts';

const MIN = 60_000;
const LOOK = {
  low: 2,
  high: 8,
  transshipments: [],
  excursions: [],
  gaps: [],
  width: 500,
  height: 180,
  zone: 'UTC',
  language: 'en',
  words: { upper: 'Upper', lower: 'Lower' },
} as const;
const part = (minutes: readonly number[], values: readonly number[], to: number) => ({
  series: { at: Float64Array.from(minutes, (each) => each * MIN), value: Float64Array.from(values) },
  from: 0,
  to: to * MIN,
  allowanceMs: 5 * MIN,
});
const paths = (svg: string, stroke: string) =>
  [...svg.matchAll(/<path d="([^"]*)"[^>]*stroke="(#\w+)"/g)].filter(([, , each]) => each === stroke);

test('a gap is not bridged by the curve, and what is outside the limits is drawn again in the colour of alarms', () => {
  const probe = [part([0, 1, 2, 20, 21, 22], [5, 5, 5, 5, 11, 5], 30)];
  const svg = curvePicture({ ...LOOK, probes: [probe], from: 0, to: 30 * MIN });
  const [curve] = paths(svg, '#0b5f82');
  expect(curve?.[1]?.match(/M/g)).toHaveLength(2);
  const [outside] = paths(svg, '#b5172c');
  // Up from the limit to the peak, and down again.
  expect(outside?.[1]?.match(/M/g)).toHaveLength(2);
});

test('a long record is drawn with few points, and its shortest peak is kept', () => {
  const minutes = Array.from({ length: 60 * 24 * 60 }, (_, minute) => minute);
  const values = minutes.map((minute) => (minute === 40_000 ? 30 : 5));
  const svg = curvePicture({
    ...LOOK,
    probes: [[part(minutes, values, minutes.length)]],
    from: 0,
    to: minutes.length * MIN,
  });
  expect(svg.length).toBeLessThan(60_000);
  expect(paths(svg, '#b5172c')).toHaveLength(1);
});

test('a trip without readings is drawn as the empty band of its limits, and texts are escaped', () => {
  const svg = curvePicture({ ...LOOK, probes: [[]], from: 0, to: 0, words: { upper: '<8 & "', lower: '' } });
  expect(svg).toContain('&lt;8 &amp; &quot;');
  expect(paths(svg, '#0b5f82')).toEqual([]);
  expect(svg).not.toContain('NaN');
});

test('a route is drawn to scale with its numbers, also across the antimeridian, and of one place only', () => {
  const size = { width: 500, height: 120 };
  expect(trackPicture({ lines: [], marks: [], ...size })).toBeNull();
  const across = trackPicture({
    lines: [
      [
        { latitude: -17, longitude: 179.9 },
        { latitude: -17, longitude: -179.9 },
      ],
    ],
    marks: [{ latitude: -17, longitude: 179.9 }],
    ...size,
  });
  // 0.2 degrees fill the picture: a bar of a quarter of it is some kilometres long.
  expect(across).toContain('>5 km<');
  const still = trackPicture({ lines: [[{ latitude: 90, longitude: 10 }]], marks: [], ...size });
  expect(still).not.toContain('NaN');
  expect(still).toContain('>N<');
});
