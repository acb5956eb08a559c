import { expect, test } from 'vitest';
import { trackPicture } from './track-picture.ts';

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
