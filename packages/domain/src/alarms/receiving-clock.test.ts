import { describe, expect, it, test } from 'vitest';
import {
  beatReceivingClock,
  LONGEST_BEAT_MS,
  type ReceivingSpan,
  receivingTimeAt,
  spanBegunBy,
  wallTimeAt,
} from './receiving-clock.ts';

const MIN = 60_000;

describe('receiving clock', () => {
  it.each([
    ['a beat adds the time since the last one', 5_000, 5_000],
    ['an outage adds one longest beat', 25 * MIN, LONGEST_BEAT_MS],
    ['a clock that was put back adds nothing', -60 * MIN, 0],
  ])('the receiving clock counts only time in which the server could receive: %s', (_name, passed, added) => {
    expect(beatReceivingClock({ elapsedMs: 100, beatAt: 1_000_000 }, 1_000_000 + passed)).toEqual({
      elapsedMs: 100 + added,
      beatAt: 1_000_000 + passed,
    });
  });

  it('a heartbeat begins a new span if it is the first, after an outage and after a clock jump, and otherwise continues the span', () => {
    expect(spanBegunBy(undefined, 0, 5_000)).toEqual({ clockFrom: 0, wallFrom: 5_000 });
    const last = { clockFrom: 1_000, wallFrom: 50_000 };
    expect(spanBegunBy(last, 61_000, 110_000)).toBeNull();
    expect(spanBegunBy(last, 61_000, 115_000)).toBeNull();
    expect(spanBegunBy(last, 11_000, 50_000 + 25 * MIN)).toEqual({
      clockFrom: 11_000,
      wallFrom: 50_000 + 25 * MIN,
    });
    expect(spanBegunBy(last, 61_000, 20_000)).toEqual({ clockFrom: 61_000, wallFrom: 20_000 });
  });
});

describe('conversion between wall-clock time and receiving time', () => {
  /**
   * The receiving clock runs from 0 to 10 min starting at 10:00. After an outage of 50 min it continues at
   * 11:00. At 40 min the wall clock is set back to 10:30.
   */
  const HOUR = 60 * MIN;
  const spans: ReceivingSpan[] = [
    { clockFrom: 0, wallFrom: 10 * HOUR },
    { clockFrom: 10 * MIN, wallFrom: 11 * HOUR },
    { clockFrom: 40 * MIN, wallFrom: 10 * HOUR + 30 * MIN },
  ];
  const at = (wall: number, from = -Infinity, until = 50 * MIN) => receivingTimeAt(spans, wall, from, until);

  it.each([
    ['in the first span', 10 * HOUR + 4 * MIN, 4 * MIN],
    ['before all spans', 9 * HOUR, -60 * MIN],
    ['in the last span', 10 * HOUR + 35 * MIN, 45 * MIN],
    ['in a time shown twice that the last span has not come to', 11 * HOUR + 5 * MIN, 15 * MIN],
    ['in the future', 12 * HOUR, 40 * MIN],
  ])('a wall-clock time is converted to receiving time: %s', (_name, wall, clock) => {
    expect(at(wall)).toBe(clock);
  });

  it('all wall-clock times of an outage are one moment of the receiving clock', () => {
    expect(receivingTimeAt(spans.slice(0, 2), 10 * HOUR + 25 * MIN, 0, 50 * MIN)).toBe(10 * MIN);
  });

  it('the clock of the receiving process may differ from that of the process that began the span', () => {
    expect(at(10 * HOUR + 30 * MIN - 2_000)).toBe(40 * MIN);
    expect(at(10 * HOUR + 40 * MIN + 2_000)).toBe(50 * MIN);
  });

  it('the receiving time is always within the given range', () => {
    expect(at(10 * HOUR + 4 * MIN, 20 * MIN)).toBe(20 * MIN);
    expect(receivingTimeAt([], 10 * HOUR, 0, 7 * MIN)).toBe(7 * MIN);
  });

  test.each([
    [4 * MIN, 10 * HOUR + 4 * MIN],
    [-5 * MIN, 10 * HOUR - 5 * MIN],
    [10 * MIN, 11 * HOUR],
    [45 * MIN, 10 * HOUR + 35 * MIN],
  ])('the receiving time %d is converted to the wall-clock time %d', (clock, wall) => {
    expect(wallTimeAt(spans, clock)).toBe(wall);
  });

  it('a receiving time is used as wall-clock time if there are no spans', () => {
    expect(wallTimeAt([], 5)).toBe(5);
  });
});
