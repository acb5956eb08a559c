import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Series } from '../readings/series.ts';
import { createDayRecords, localDays } from './day-records.ts';
import { limitSpans } from './record-statistics.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const GAP = 10 * MINUTE;
const NONE = Number.NEGATIVE_INFINITY;
const FOREVER = Number.POSITIVE_INFINITY;
const at = (text: string) => Date.parse(text);

function series(...readings: [moment: number, value: number][]): Series {
  return {
    at: Float64Array.from(readings, ([moment]) => moment),
    value: Float64Array.from(readings, ([, value]) => value),
  };
}
/** A reading each minute, of one value. */
function steady(from: number, to: number, value: number): Series {
  const readings: [number, number][] = [];
  for (let moment = from; moment < to; moment += MINUTE) readings.push([moment, value]);
  return series(...readings);
}

describe('local days', () => {
  it.each([
    ['whole days', '2026-11-20T00:00Z', '2026-11-22T00:00Z', 'UTC', ['2026-11-20', '2026-11-21'], [24, 24]],
    [
      'cut days in full',
      '2026-11-20T17:00Z',
      '2026-11-21T17:00Z',
      'Asia/Shanghai',
      ['2026-11-21', '2026-11-22'],
      [24, 24],
    ],
    ['a day of 23 hours', '2026-03-29T12:00Z', '2026-03-29T13:00Z', 'Europe/Madrid', ['2026-03-29'], [23]],
    ['a day of 25 hours', '2026-10-25T12:00Z', '2026-10-25T13:00Z', 'Europe/Madrid', ['2026-10-25'], [25]],
    [
      'a day without midnight',
      '2026-09-06T12:00Z',
      '2026-09-06T13:00Z',
      'America/Santiago',
      ['2026-09-06'],
      [23],
    ],
    ['nothing of an empty range', '2026-11-20T12:00Z', '2026-11-20T12:00Z', 'UTC', [], []],
  ])('%s', (_case, from, to, zone, days, hours) => {
    const found = localDays(at(from), at(to), zone);
    expect(found.map(({ day }) => day)).toEqual(days);
    expect(found.map((each) => (each.to - each.from) / HOUR)).toEqual(hours);
  });
});

describe('days of a channel', () => {
  const days = localDays(at('2026-11-20T00:00Z'), at('2026-11-22T00:00Z'), 'UTC');
  const [first, second] = days as [(typeof days)[0], (typeof days)[0]];
  const wide = { from: first.from - HOUR, to: second.to + HOUR };
  const limits = limitSpans([{ kind: 'high', limit: 8, from: NONE, until: FOREVER }], wide.from, wide.to);

  it('state extremes with their first times, and count a reading across midnight', () => {
    const own = createDayRecords(days, GAP, limits);
    own.add(series([first.from - 5 * MINUTE, 3], [first.from + MINUTE, 5], [first.from + 2 * MINUTE, 5]));
    own.add(series([first.to - 2 * MINUTE, 9], [second.from + MINUTE, 4], [second.to + MINUTE, 20]));
    expect(own.finish(second.to + HOUR)).toEqual([
      {
        ...first,
        count: 3,
        min: 5,
        minAt: first.from + MINUTE,
        max: 9,
        maxAt: first.to - 2 * MINUTE,
        // The reading before midnight counts for its first minute, and the last one for the minutes until midnight.
        coveredMs: 4 * MINUTE,
        outsideMs: 2 * MINUTE,
      },
      {
        ...second,
        count: 1,
        min: 4,
        minAt: second.from + MINUTE,
        max: 4,
        maxAt: second.from + MINUTE,
        coveredMs: MINUTE,
        outsideMs: MINUTE,
      },
    ]);
  });

  it('days without readings have no extremes, and days without limits no time outside', () => {
    const own = createDayRecords(days, GAP, limitSpans([], wide.from, wide.to));
    own.add(steady(second.from, second.from + HOUR, 50));
    expect(own.finish(second.from + HOUR)).toEqual([
      { ...first, count: 0, min: null, minAt: null, max: null, maxAt: null, coveredMs: 0, outsideMs: null },
      expect.objectContaining({ count: 60, min: 50, max: 50, coveredMs: HOUR, outsideMs: null }),
    ]);
    expect(createDayRecords([], GAP, []).finish(0)).toEqual([]);
  });

  it('uses the limits in force at each reading, and none after the last of them', () => {
    const change = first.from + 30 * MINUTE;
    const own = createDayRecords(
      days,
      GAP,
      limitSpans(
        [
          { kind: 'low', limit: 2, from: NONE, until: change },
          { kind: 'low', limit: 0, from: change, until: first.to },
        ],
        wide.from,
        first.to,
      ),
    );
    own.add(steady(first.from, first.from + HOUR, 1));
    // Below the limit until the first reading of a day without limits.
    own.add(series([first.to - MINUTE, -5]));
    own.add(steady(second.from + MINUTE, second.from + HOUR, -5));
    const [one, two] = own.finish(wide.to);
    expect([one?.outsideMs, two?.outsideMs]).toEqual([31 * MINUTE, null]);
    const short = createDayRecords(
      days,
      GAP,
      limits.map((span) => ({ ...span, until: second.from })),
    );
    short.add(steady(second.from, second.from + HOUR, 50));
    expect(short.finish(wide.to)[1]?.outsideMs).toBe(null);
  });

  it.each([
    ['23 hours', '2026-03-29', 23],
    ['25 hours', '2026-10-25', 25],
  ])('a day of %s is covered in full by readings each minute', (_case, day, hours) => {
    const [own] = localDays(at(`${day}T12:00Z`), at(`${day}T13:00Z`), 'Europe/Madrid');
    const span = own as NonNullable<typeof own>;
    const records = createDayRecords([span], GAP, limits);
    records.add(steady(span.from - HOUR, span.to + HOUR, 5));
    expect(records.finish(FOREVER)).toMatchObject([
      { day, count: hours * 60, coveredMs: hours * HOUR, min: 5, minAt: span.from },
    ]);
  });

  it('a day has the same numbers however long the report is and however readings are cut into segments', () => {
    const reading = fc.tuple(fc.integer({ min: -60, max: 3 * 1440 + 60 }), fc.integer({ min: -5, max: 15 }));
    const three = localDays(at('2026-11-20T00:00Z'), at('2026-11-23T00:00Z'), 'UTC');
    const begin = (three[0] as (typeof three)[0]).from;
    const spans = limitSpans(
      [
        { kind: 'high', limit: 8, from: NONE, until: begin + 30 * HOUR },
        { kind: 'low', limit: 2, from: begin + 10 * HOUR, until: FOREVER },
      ],
      begin - HOUR,
      begin + 73 * HOUR,
    );
    fc.assert(
      fc.property(
        fc.uniqueArray(reading, { selector: ([minute]) => minute, maxLength: 200 }),
        fc.nat(),
        (given, cut) => {
          const sorted = given
            .map(([minute, value]): [number, number] => [begin + minute * MINUTE, value])
            .sort(([a], [b]) => a - b);
          const whole = createDayRecords(three, GAP, spans);
          whole.add(series(...sorted));
          const all = whole.finish(FOREVER);
          const middle = three[1] as (typeof three)[0];
          const one = createDayRecords([middle], GAP, spans);
          const near = sorted.filter(([moment]) => moment >= middle.from - GAP && moment < middle.to + GAP);
          const index = cut % (near.length + 1);
          one.add(series(...near.slice(0, index)));
          one.add(series(...near.slice(index)));
          expect(one.finish(FOREVER)).toEqual([all[1]]);
          for (const { coveredMs, outsideMs, count, min, max } of all) {
            expect(coveredMs).toBeLessThanOrEqual(24 * HOUR);
            expect(outsideMs).toBeLessThanOrEqual(coveredMs);
            if (count > 0) expect(min).toBeLessThanOrEqual(max as number);
          }
        },
      ),
    );
  });
});
