import { describe, expect, it } from 'vitest';
import { timeTicks, valueScale } from './axis-scale.ts';

describe('chart scales', () => {
  it('the value axis contains every value and ends at round numbers', () => {
    const scale = valueScale([2, 8, 12.7]);
    expect(scale.min).toBeLessThanOrEqual(1.5);
    expect(scale.max).toBeGreaterThanOrEqual(13);
    expect(scale.max % scale.step).toBe(0);
    expect(valueScale([12.7, 8, 2])).toEqual(scale);
    expect(valueScale([])).toEqual({ min: 0, max: 10, step: 2 });
  });

  it("time ticks are at full hours in the user's time zone, also across a clock change", () => {
    const from = Date.UTC(2026, 9, 24, 12);
    const { ticks, step } = timeTicks(from, from + 24 * 3_600_000, 900, 'Europe/Madrid');
    expect(step).toBe(3 * 3_600_000);
    const hours = ticks.map(({ at }) =>
      Number(new Intl.DateTimeFormat('en-GB', { hour: '2-digit', timeZone: 'Europe/Madrid' }).format(at)),
    );
    expect(hours.every((hour) => hour % 3 === 0)).toBe(true);
    expect(ticks.filter(({ midnight }) => midnight)).toHaveLength(1);
  });

  it('no tick is before the beginning, also if the clocks are set back in it', () => {
    // At 02:00 local time the clocks in New York are set back to 01:00.
    const change = Date.UTC(2026, 10, 1, 6);
    for (let minutes = -120; minutes <= 120; minutes += 5) {
      const from = change + minutes * 60_000;
      const { ticks } = timeTicks(from, from + 3_600_000, 920, 'America/New_York');
      expect(ticks.every(({ at }) => at >= from)).toBe(true);
    }
  });

  it('an axis of years has a tick every 30 days', () => {
    expect(timeTicks(0, 1_000 * 86_400_000, 300, 'UTC').step).toBe(30 * 86_400_000);
  });
});
