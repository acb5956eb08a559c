import { expect, test } from 'vitest';
import { cameraPicture, digitsPath } from './camera-picture.ts';

const SCENE = { temperatureC: 4.8, doorOpen: false, powered: true, time: '14:05:09', seed: 7 };

test('digits are drawn from the segments that are lit', () => {
  const rectangles = (text: string) => digitsPath(text, 0, 0, 1).split('M').length - 1;
  expect([...'0123456789'].map(rectangles)).toEqual([6, 2, 5, 5, 4, 5, 6, 3, 7, 6]);
  expect(rectangles('−')).toBe(1);
  expect(rectangles(':')).toBe(2);
  expect(rectangles('?')).toBe(0);
});

test('the image shows the temperature, the time, the door and the light', () => {
  const picture = cameraPicture(SCENE);
  expect(picture).toContain(digitsPath('14:05:09', 24, 438, 2));
  expect(picture).toContain(digitsPath('4.8°C', 490, 438, 2));
  expect(cameraPicture({ ...SCENE, temperatureC: -19.96 })).toContain(digitsPath('−20.0°C', 490, 438, 2));
  expect(cameraPicture({ ...SCENE, temperatureC: null })).toContain('d=""');
  const looks = [SCENE, { ...SCENE, doorOpen: true }, { ...SCENE, powered: false }, { ...SCENE, seed: 8 }];
  expect(new Set(looks.map(cameraPicture)).size).toBe(4);
  expect(cameraPicture(SCENE)).toBe(picture);
});
