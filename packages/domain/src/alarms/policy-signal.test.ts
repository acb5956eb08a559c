import { describe, expect, test } from 'vitest';
import type { PolicyQuantity } from './policy.ts';
import {
  hasValueLimits,
  OTHER_MAX_AGE_MS,
  type PolicySignal,
  signalFault,
  signalLimitsFault,
  WINDOW_MAX_MS,
} from './policy-signal.ts';

const MIN = 60_000;
const rate: PolicySignal = { type: 'rate', windowMs: 30 * MIN };
const time: PolicySignal = { type: 'outside-time', windowMs: 60 * MIN, low: 2, high: 8 };
const count: PolicySignal = { type: 'outside-count', windowMs: 60 * MIN, low: null, high: 8 };
const forecast: PolicySignal = { type: 'forecast', windowMs: 30 * MIN, horizonMs: 15 * MIN };
const difference: PolicySignal = {
  type: 'difference',
  otherQuantity: 'temperature',
  otherSensor: 2,
  maxAgeMs: OTHER_MAX_AGE_MS,
};
const closed: PolicySignal = {
  type: 'while',
  otherQuantity: 'door',
  otherSensor: 1,
  maxAgeMs: OTHER_MAX_AGE_MS,
  low: null,
  high: 0.5,
};
const door = {
  otherQuantity: 'door' as const,
  otherSensor: 1,
  maxAgeMs: OTHER_MAX_AGE_MS,
  low: null,
  high: 0.5,
};

describe('validation of the signal of a condition', () => {
  test.each<[ReturnType<typeof signalFault>, string, PolicyQuantity, PolicySignal]>([
    [null, 'a rate of temperature', 'temperature', rate],
    [null, 'the time for which a door is open', 'door', { ...time, low: null, high: 0.5 }],
    [null, 'a forecast', 'humidity', forecast],
    [null, 'a difference between two sensors of one quantity', 'temperature', difference],
    [null, 'a value while the door is closed', 'temperature', closed],
    [null, 'a rate while the door is closed', 'temperature', { ...rate, and: [door] }],
    [null, 'a value with three further conditions', 'temperature', { ...closed, and: [door, door, door] }],
    ['sensor', 'four further conditions', 'temperature', { ...closed, and: [door, door, door, door] }],
    ['sensor', 'a further sensor 0', 'temperature', { ...rate, and: [{ ...door, otherSensor: 0 }] }],
    [
      'bounds',
      'a further condition without bounds',
      'temperature',
      { ...rate, and: [{ ...door, high: null }] },
    ],
    ['signal-quantity', 'a signal of contact', 'contact', rate],
    ['signal-quantity', 'a rate of a door', 'door', rate],
    ['signal-quantity', 'a forecast of a door', 'door', forecast],
    ['window', 'a window that is too short', 'temperature', { ...rate, windowMs: 4 * MIN }],
    ['window', 'a window that is too long', 'temperature', { ...rate, windowMs: WINDOW_MAX_MS + MIN }],
    ['window', 'a window that is not in minutes', 'temperature', { ...rate, windowMs: 10 * MIN + 1 }],
    ['horizon', 'a forecast for now', 'temperature', { ...forecast, horizonMs: 0 }],
    ['bounds', 'bounds without any', 'temperature', { ...time, low: null, high: null }],
    ['bounds', 'reversed bounds', 'temperature', { ...time, low: 8, high: 2 }],
    ['bounds', 'a lower bound that is no number', 'temperature', { ...time, low: Number.NaN }],
    ['bounds', 'an upper bound that is infinite', 'temperature', { ...closed, high: Infinity }],
    ['sensor', 'sensor 0', 'temperature', { ...difference, otherSensor: 0 }],
    ['sensor', 'a sensor that no device has', 'temperature', { ...difference, otherSensor: 65 }],
    ['sensor', 'half a sensor', 'temperature', { ...closed, otherSensor: 1.5 }],
    ['sensor', 'a difference between two quantities', 'humidity', difference],
  ])('the signal of a condition is checked, with the result %s for %s', (fault, _name, quantity, signal) => {
    expect(signalFault(quantity, signal)).toBe(fault);
  });
});

describe('validation of the limits of a signal', () => {
  test.each<[ReturnType<typeof signalLimitsFault>, string, PolicySignal, number | null, number | null]>([
    [null, 'a rise', rate, null, 12],
    [null, 'a fall and a rise', rate, -6, 12],
    [null, 'minutes', time, null, 30],
    [null, 'a number of times', count, null, 1],
    [null, 'a distance', difference, null, 1.5],
    ['no-limit', 'no limit', rate, null, null],
    ['limit-value', 'a rise below zero', rate, null, -1],
    ['limit-value', 'an impossible rise', rate, null, 1e7],
    ['limit-value', 'a fall above zero', rate, 1, null],
    ['limit-value', 'an impossible fall', rate, -1e7, null],
    ['limit-value', 'a lower limit of a time', time, 1, 30],
    ['limit-value', 'only a lower limit', count, 1, null],
    ['limit-value', 'a distance of zero', difference, null, 0],
    ['limit-value', 'an impossible distance', difference, null, 1e7],
    ['limit-value', 'a part of a time', count, null, 1.5],
    ['limit-value', 'a time as long as the window', time, null, 60],
  ])('the limits of a signal are checked, with the result %s for %s', (fault, _name, signal, low, high) => {
    expect(signalLimitsFault(signal, { low, high })).toBe(fault);
  });
});

test('limits are in the unit of the quantity for signals whose values are in that unit', () => {
  expect([null, forecast, closed].map(hasValueLimits)).toEqual([true, true, true]);
  expect([rate, time, count, difference].map(hasValueLimits)).toEqual([false, false, false, false]);
});
