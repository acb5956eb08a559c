import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { judgePreCool, type PreCoolProbe } from './pre-cool.ts';

const MIN = 60_000;
const NOW = Date.UTC(2026, 10, 26, 8);
const RANGE = { temperatureLow: 2, temperatureHigh: 8 };

/** A probe with readings `[minutes before now, °C]`. */
const probe = (...readings: [number, number][]): PreCoolProbe => {
  const sorted = [...readings].sort(([a], [b]) => b - a);
  return {
    series: {
      at: Float64Array.from(sorted.map(([minutes]) => NOW - minutes * MIN)),
      value: Float64Array.from(sorted.map(([, value]) => value)),
    },
    allowanceMs: 5 * MIN,
  };
};
const every = (from: number, to: number, value: number): [number, number][] =>
  Array.from({ length: from - to + 1 }, (_, i) => [from - i, value]);

describe('the time in range before a departure', () => {
  it.each<[string, PreCoolProbe[], string, number]>([
    ['no probe', [], 'no-readings', 0],
    ['a probe without readings', [probe()], 'no-readings', 0],
    ['a last reading that is older than its allowance', [probe([6, 5])], 'no-readings', 0],
    ['a last reading that still counts', [probe([5, 5])], 'waiting', 5],
    ['in range for half of the time', [probe(...every(15, 0, 5))], 'waiting', 15],
    ['in range for exactly the time', [probe(...every(30, 0, 5))], 'ready', 30],
    ['in range for longer', [probe(...every(60, 0, 5))], 'ready', 30],
    ['values equal to the limits', [probe(...every(40, 20, 2), ...every(19, 0, 8))], 'ready', 30],
    ['too warm now', [probe(...every(60, 1, 5), [0, 8.1])], 'outside', 0],
    ['too cold now', [probe(...every(60, 1, 5), [0, 1.9])], 'outside', 0],
    ['too warm until 10 minutes ago', [probe(...every(60, 11, 9), ...every(10, 0, 5))], 'waiting', 10],
    ['a gap of 6 minutes', [probe(...every(60, 16, 5), ...every(10, 0, 5))], 'waiting', 10],
    [
      'the probe with the shortest time',
      [probe(...every(60, 0, 5)), probe(...every(12, 0, 5))],
      'waiting',
      12,
    ],
    ['one of two probes outside', [probe(...every(60, 0, 5)), probe([0, 12])], 'outside', 0],
    ['one of two probes silent', [probe(...every(60, 0, 5)), probe([20, 5])], 'no-readings', 0],
    ['outside is said before silence', [probe(), probe([0, 12])], 'outside', 0],
    ['readings of after the departure do not count', [probe([1, 5], [-1, 12])], 'waiting', 1],
  ])('%s', (_, probes, state, minutes) => {
    expect(judgePreCool(probes, RANGE, 30 * MIN, NOW)).toEqual({
      state,
      insideMs: minutes * MIN,
      missingMs: (30 - minutes) * MIN,
    });
  });

  it('a longer required time is never met earlier, and never more than the time is missing', () => {
    const readings = fc.array(
      fc.tuple(fc.integer({ min: 0, max: 120 }), fc.double({ min: 0, max: 10, noNaN: true })),
    );
    fc.assert(
      fc.property(
        readings,
        fc.integer({ min: 1, max: 60 }),
        fc.integer({ min: 0, max: 60 }),
        (own, short, more) => {
          const probes = [probe(...new Map(own).entries())];
          const at = (minutes: number) => judgePreCool(probes, RANGE, minutes * MIN, NOW);
          const [brief, long] = [at(short), at(short + more)];
          if (long.state === 'ready') expect(brief.state).toBe('ready');
          for (const { insideMs, missingMs } of [brief, long])
            expect(Math.min(insideMs, missingMs)).toBeGreaterThanOrEqual(0);
          expect(long.missingMs).toBeGreaterThanOrEqual(brief.missingMs);
          expect(brief.state === 'ready').toBe(brief.missingMs === 0);
        },
      ),
    );
  });
});
