import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { episodesOf, type Notice, type NoticedTrip, noticesDue } from './notices.ts';

const MIN = 60_000;
const PLANNED = Date.UTC(2026, 10, 26, 12);
const gap = (from: number, to: number) => ({ from: from * MIN, to: to * MIN });
const trip = (changes: Partial<NoticedTrip> = {}): NoticedTrip => ({
  hasEnded: false,
  plannedDeliveryAt: PLANNED,
  expectedAt: null,
  episodes: [],
  ...changes,
});

describe('excursions that are told together', () => {
  it.each<[string, [number, number][][], [number, number, number][]]>([
    ['none', [[], []], []],
    ['one', [[[10, 20]]], [[10, 20, 10]]],
    [
      'near each other',
      [
        [
          [10, 20],
          [50, 55],
        ],
      ],
      [[10, 55, 15]],
    ],
    [
      'far from each other',
      [
        [
          [10, 20],
          [51, 55],
        ],
      ],
      [
        [10, 20, 10],
        [51, 55, 4],
      ],
    ],
    ['two probes at once', [[[10, 20]], [[15, 30]]], [[10, 30, 20]]],
    ['one probe inside another', [[[10, 40]], [[15, 20]]], [[10, 40, 30]]],
  ])('%s', (_, probes, expected) => {
    const found = episodesOf(probes.map((gaps) => gaps.map(([from, to]) => gap(from, to))));
    expect(found.map(({ from, to, outsideMs }) => [from / MIN, to / MIN, outsideMs / MIN])).toEqual(expected);
  });
});

describe('what the consignee is told', () => {
  it.each<[string, Partial<NoticedTrip>, number, Notice[], object[]]>([
    ['nothing while in time', {}, PLANNED + 15 * MIN, [], []],
    [
      'a delay 15 minutes after the planned delivery',
      {},
      PLANNED + 16 * MIN,
      [],
      [{ kind: 'delay', expectedAt: null }],
    ],
    ['no delay without a planned delivery', { plannedDeliveryAt: null }, PLANNED + 90 * MIN, [], []],
    ['no delay after the delivery', { hasEnded: true }, PLANNED + 90 * MIN, [], []],
    [
      'a delay that is expected',
      { expectedAt: PLANNED + 40 * MIN },
      PLANNED - 60 * MIN,
      [],
      [{ kind: 'delay', about: PLANNED, expectedAt: PLANNED + 40 * MIN }],
    ],
    [
      'an estimate that has passed is left out',
      { expectedAt: PLANNED },
      PLANNED + 20 * MIN,
      [],
      [{ kind: 'delay', expectedAt: null }],
    ],
    ['a delay once', {}, PLANNED + 90 * MIN, [{ kind: 'delay', about: PLANNED }], []],
    [
      'a delay again after another delivery was planned',
      {},
      PLANNED + 90 * MIN,
      [{ kind: 'delay', about: PLANNED - 60 * MIN }],
      [{ kind: 'delay' }],
    ],
    ['no short excursion', { episodes: [{ ...gap(0, 9), outsideMs: 9 * MIN }] }, 0, [], []],
    [
      'an excursion of 10 minutes, also after the delivery',
      { hasEnded: true, episodes: [{ ...gap(0, 10), outsideMs: 10 * MIN }] },
      0,
      [],
      [{ kind: 'excursion', about: 0 }],
    ],
    [
      'an excursion once, although late readings moved its beginning',
      { episodes: [{ ...gap(40, 90), outsideMs: 50 * MIN }] },
      0,
      [{ kind: 'excursion', about: 20 * MIN }],
      [],
    ],
    [
      'a second excursion',
      {
        episodes: [
          { ...gap(0, 20), outsideMs: 20 * MIN },
          { ...gap(80, 99), outsideMs: 19 * MIN },
        ],
      },
      0,
      [{ kind: 'excursion', about: 0 }],
      [{ kind: 'excursion', about: 80 * MIN }],
    ],
  ])('%s', (_, changes, now, told, expected) => {
    expect(noticesDue(trip(changes), told, now)).toMatchObject(expected);
    expect(noticesDue(trip(changes), told, now)).toHaveLength(expected.length);
  });

  it('what was told is not due again', () => {
    const gaps = fc.array(fc.tuple(fc.nat(3_000), fc.integer({ min: 1, max: 90 })));
    fc.assert(
      fc.property(gaps, fc.nat(200), (drawn, late) => {
        const episodes = episodesOf([drawn.map(([from, length]) => gap(from, from + length))]);
        const now = PLANNED + late * MIN;
        const due = noticesDue(trip({ episodes }), [], now);
        expect(noticesDue(trip({ episodes }), due, now)).toEqual([]);
        const long = episodes.filter(({ outsideMs }) => outsideMs >= 10 * MIN).length;
        expect(due.filter(({ kind }) => kind === 'excursion')).toHaveLength(long);
      }),
    );
  });
});
