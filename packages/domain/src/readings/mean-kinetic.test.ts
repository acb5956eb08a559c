import { expect, it } from 'vitest';
import { kineticRate, mktWindowDays, mktWindowMs, temperatureOfRate } from './mean-kinetic.ts';

it.each([
  [-15, 1],
  [8, 1],
  [8.1, 1],
  [15, 1],
  [15.1, 30],
  [25, 30],
  [null, 30],
])('the mean kinetic temperature for an upper limit of %s °C has windows of %d days', (high, days) => {
  expect(mktWindowDays(high)).toBe(days);
  expect(mktWindowMs(high)).toBe(days * 86_400_000);
});

it.each([
  [5, 83.144],
  [-80, 83.144],
  [25, 110],
])('the temperature of the rate at %d °C is this temperature, with %d kJ/mol', (celsius, activationKj) => {
  expect(temperatureOfRate(kineticRate(celsius, activationKj), activationKj)).toBeCloseTo(celsius, 9);
});

it('the activation energy is 83.144 kJ/mol unless another one is given', () => {
  expect(kineticRate(5)).toBe(kineticRate(5, 83.144));
  expect(kineticRate(5, 110)).toBeLessThan(kineticRate(5));
  expect(temperatureOfRate(kineticRate(5), 83.144)).toBeCloseTo(5, 9);
});
