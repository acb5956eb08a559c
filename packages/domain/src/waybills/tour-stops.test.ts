import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isSameTour, openBefore, stopsBefore, type TourWaybill, tourStops } from './tour-stops.ts';
import { WAYBILL_STATES } from './waybill.ts';

const waybill = (
  id: number,
  stop: number | null,
  state: TourWaybill['state'] = 'in-transport',
  plannedAt: number | null = null,
): TourWaybill => ({ id, stop, state, plannedAt });

describe('the stops of a tour', () => {
  it.each<[string, TourWaybill[], [number, string][]]>([
    ['none', [], []],
    [
      'in the order of their numbers',
      [waybill(1, 2), waybill(2, 1)],
      [
        [2, 'next'],
        [1, 'later'],
      ],
    ],
    [
      'the first one is done',
      [waybill(1, 1, 'arrived'), waybill(2, 2)],
      [
        [1, 'done'],
        [2, 'next'],
      ],
    ],
    [
      'a rejected one is done',
      [waybill(1, 1, 'rejected'), waybill(2, 2, 'not-shipped')],
      [
        [1, 'done'],
        [2, 'next'],
      ],
    ],
    [
      'all are done',
      [waybill(1, 1, 'arrived'), waybill(2, 2, 'rejected')],
      [
        [1, 'done'],
        [2, 'done'],
      ],
    ],
    [
      'two waybills at one stop',
      [waybill(3, 1), waybill(1, 1), waybill(2, 2)],
      [
        [1, 'next'],
        [3, 'next'],
        [2, 'later'],
      ],
    ],
    [
      'delivered out of order',
      [waybill(1, 1), waybill(2, 2, 'arrived')],
      [
        [1, 'next'],
        [2, 'done'],
      ],
    ],
    [
      'without numbers, by the planned delivery, after all others',
      [
        waybill(1, null),
        waybill(2, null, 'in-transport', 20),
        waybill(3, null, 'in-transport', 10),
        waybill(4, 9),
      ],
      [
        [4, 'next'],
        [3, 'later'],
        [2, 'later'],
        [1, 'later'],
      ],
    ],
  ])('%s', (_, waybills, expected) => {
    expect(tourStops(waybills).map(({ waybill: { id }, is }) => [id, is])).toEqual(expected);
  });

  it.each<[string, number, number[]]>([
    ['the first stop', 1, []],
    ['the second stop', 2, [1]],
    ['the same stop', 3, [1]],
    ['without a number', 5, [1, 2, 3]],
    ['the same planned delivery', 6, [1, 2, 3]],
    ['a waybill of another tour', 9, []],
  ])('what should be delivered before: %s', (_, id, expected) => {
    const waybills = [
      waybill(1, 1),
      waybill(2, 2),
      waybill(3, 2),
      waybill(4, 3, 'arrived'),
      waybill(5, null),
      waybill(6, null),
    ];
    expect(openBefore(waybills, id).map((each) => each.id)).toEqual(expected);
  });

  it('the stops before one are those with a lower number, also if they are done, in their order', () => {
    const waybills = [
      waybill(1, 2),
      waybill(2, 1, 'arrived'),
      waybill(3, 3),
      waybill(4, 3),
      waybill(5, null),
    ];
    const before = (id: number) => stopsBefore(waybills, id).map((each) => each.id);
    expect([1, 2, 3, 4, 5, 9].map(before)).toEqual([[2], [], [2, 1], [2, 1], [2, 1, 3, 4], []]);
  });

  it('a planned delivery comes before none, in whatever order they are given', () => {
    const [none, planned] = [waybill(1, null), waybill(2, null, 'in-transport', 20)] as const;
    for (const given of [
      [none, planned],
      [planned, none],
    ])
      expect(tourStops(given).map(({ waybill: { id } }) => id)).toEqual([2, 1]);
  });

  it('every order of the waybills gives the same stops, and what is next has nothing open before it', () => {
    const drawn = fc.array(
      fc.tuple(
        fc.option(fc.integer({ min: 1, max: 4 })),
        fc.option(fc.nat(3)),
        fc.constantFrom(...WAYBILL_STATES),
      ),
      { maxLength: 7 },
    );
    fc.assert(
      fc.property(drawn, fc.infiniteStream(fc.nat()), (rows, keys) => {
        const waybills = rows.map(([stop, plannedAt, state], id) => waybill(id, stop, state, plannedAt));
        const shuffled = waybills
          .map((each) => ({ each, key: keys.next().value as number }))
          .sort((a, b) => a.key - b.key)
          .map(({ each }) => each);
        const stops = tourStops(waybills);
        expect(tourStops(shuffled)).toEqual(stops);
        for (const { waybill: each, is } of stops)
          if (is === 'next') expect(openBefore(waybills, each.id)).toEqual([]);
      }),
    );
  });
});

describe('waybills with the same number of a tour', () => {
  const trip = (departedAt: number | null, endedAt: number | null) => ({ departedAt, endedAt });
  it.each<[string, ReturnType<typeof trip>, ReturnType<typeof trip>, boolean]>([
    ['none has departed', trip(null, null), trip(null, null), true],
    ['one is under way', trip(5, null), trip(null, null), true],
    ['one ended after the other one had departed', trip(5, 9), trip(6, null), true],
    ['one departed when the other one ended', trip(5, 9), trip(9, 12), true],
    ['one had ended before', trip(5, 9), trip(10, 12), false],
    ['one has ended and the other one has not departed', trip(5, 9), trip(null, null), false],
    ['one has ended without a departure', trip(null, 9), trip(5, 6), false],
  ])('are of one tour or of two: %s', (_, a, b, expected) => {
    expect(isSameTour(a, b)).toBe(expected);
    expect(isSameTour(b, a)).toBe(expected);
  });
});
