import { expect, test } from 'vitest';
import { VACCINE_CARRIER } from './cabinets.ts';
import { packedIceBox, stepIceBox } from './ice-box.ts';

test('a vaccine carrier keeps 2 to 8 °C for a day with one set of ice packs, and warms up afterwards', () => {
  let box = packedIceBox();
  const airC: number[] = [];
  for (let s = 0; s < 72 * 3600; s += 20) {
    box = stepIceBox(VACCINE_CARRIER, box, { ambientC: 22, lidOpening: 0, refill: false }, 20);
    airC.push(box.airC);
  }
  const day = airC.slice(0, (26 * 3600) / 20);
  expect(Math.min(...day)).toBeGreaterThan(2);
  expect(Math.max(...day)).toBeLessThan(8);
  expect(box.iceLeft).toBeLessThan(0.01);
  expect(box.airC).toBeGreaterThan(12);
});

test('fresh ice packs restore the temperature', () => {
  const warm = { airC: 12, payloadC: 10, iceLeft: 0 };
  let box = stepIceBox(VACCINE_CARRIER, warm, { ambientC: 22, lidOpening: 0, refill: true }, 20);
  for (let s = 0; s < 12 * 3600; s += 20) {
    box = stepIceBox(VACCINE_CARRIER, box, { ambientC: 22, lidOpening: 0, refill: false }, 20);
  }
  expect(box.airC).toBeLessThan(8);
});
