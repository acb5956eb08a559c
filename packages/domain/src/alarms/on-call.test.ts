import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { offsetOf } from '../readings/local-days.ts';
import { coverOf, gapsOf, type OnCallSchedule, onCallAt, type Rota, turnsOf } from './on-call.ts';
import { type Person, personKey } from './person.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const [ANNA, BEN, CARA]: [Person, Person, Person] = [
  { type: 'accounts', id: 1 },
  { type: 'receivers', id: 1 },
  { type: 'accounts', id: 2 },
];

const rota = (changes: Partial<Rota> = {}): Rota => ({
  people: [ANNA, BEN, CARA],
  startsOn: '2026-11-23',
  handoverAt: '08:00',
  timeZone: 'Asia/Shanghai',
  turnDays: 7,
  ...changes,
});
const schedule = (changes: Partial<OnCallSchedule> = {}): OnCallSchedule => ({
  rota: rota(),
  overrides: [],
  leave: [],
  unavailable: new Set(),
  ...changes,
});
const at = (text: string) => Date.parse(text);

describe('turns of a rota', () => {
  it.each<[string, Person, number]>([
    ['2026-11-23T08:00+08:00', ANNA, 0],
    ['2026-11-23T07:59+08:00', CARA, -1],
    ['2026-11-30T07:59+08:00', ANNA, 0],
    ['2026-11-30T08:00+08:00', BEN, 1],
    ['2026-12-14T08:00+08:00', ANNA, 3],
    ['2026-11-09T08:00+08:00', BEN, -2],
  ])('at %s it is the turn of %j', (moment, person, index) => {
    expect(turnsOf(rota())(at(moment))).toMatchObject({ person, index });
  });

  it.each<[string, string, string, string, number]>([
    // The night on which clocks are set forward has 23 hours, the one on which they are set back 25.
    ['Europe/Berlin', '2026-03-28', '08:00', '2026-03-28T07:00Z', 23],
    ['Europe/Berlin', '2026-10-24', '08:00', '2026-10-24T06:00Z', 25],
    // A handover at a skipped time takes place when the skipped hour is over.
    ['Europe/Berlin', '2026-03-29', '02:30', '2026-03-29T01:00Z', 23.5],
    // A handover at a time that occurs twice takes place the first time.
    ['Europe/Berlin', '2026-10-25', '02:30', '2026-10-25T00:30Z', 25],
    ['America/Santiago', '2026-09-06', '00:00', '2026-09-06T04:00Z', 23],
    ['Australia/Lord_Howe', '2026-10-03', '08:00', '2026-10-02T21:30Z', 23.5],
    ['Asia/Shanghai', '2026-03-28', '08:00', '2026-03-28T00:00Z', 24],
  ])(
    'in %s the turn from %s at %s starts at %s and lasts %d h',
    (timeZone, startsOn, handoverAt, from, hours) => {
      const turn = turnsOf(rota({ timeZone, startsOn, handoverAt, turnDays: 1 }))(at(from));
      expect(turn).toMatchObject({ index: 0, from: at(from), until: at(from) + hours * HOUR });
    },
  );

  it('a turn whose handover is on a skipped day starts with the day after it and is shorter', () => {
    const turnAt = turnsOf(rota({ timeZone: 'Pacific/Apia', startsOn: '2011-12-29', turnDays: 1 }));
    const before = turnAt(at('2011-12-29T20:00Z'));
    expect(before).toMatchObject({ index: 0, until: at('2011-12-30T10:00Z') });
    expect(turnAt(before.until)).toMatchObject({ index: 1, until: at('2011-12-30T18:00Z') });
  });
});

const HANDOVER = at('2026-11-23T08:00+08:00');
const span = (person: Person, fromHour: number, untilHour: number) => ({
  person,
  from: HANDOVER + fromHour * HOUR,
  until: HANDOVER + untilHour * HOUR,
});

describe('who is on call', () => {
  it.each<[string, Partial<OnCallSchedule>, Person | null, 'rota' | 'override' | null]>([
    ['the person whose turn it is', {}, ANNA, 'rota'],
    ['the person of an override', { overrides: [span(BEN, 0, 2)] }, BEN, 'override'],
    ['an override that starts now', { overrides: [span(BEN, 1, 2)] }, BEN, 'override'],
    ['not an override that ends now', { overrides: [span(BEN, 0, 1)] }, ANNA, 'rota'],
    ['the later of two overrides', { overrides: [span(BEN, 0, 2), span(CARA, 0, 2)] }, CARA, 'override'],
    ['nobody during leave', { leave: [span(ANNA, 0, 2)] }, null, null],
    [
      'an override during leave',
      { leave: [span(ANNA, 0, 2)], overrides: [span(BEN, 0, 2)] },
      BEN,
      'override',
    ],
    ['nobody if that person is removed', { unavailable: new Set(['accounts:1']) }, null, null],
    [
      'the earlier override if the later person is on leave',
      { overrides: [span(BEN, 0, 2), span(CARA, 0, 2)], leave: [span(CARA, 0, 2)] },
      BEN,
      'override',
    ],
    [
      'the rota if the person of the override is on leave',
      { overrides: [span(BEN, 0, 2)], leave: [span(BEN, 0, 2)] },
      ANNA,
      'rota',
    ],
    ['nobody before the first turn', { rota: rota({ startsOn: '2026-11-30' }) }, null, null],
    [
      'an override before the first turn',
      { rota: rota({ startsOn: '2026-11-30' }), overrides: [span(BEN, 0, 2)] },
      BEN,
      'override',
    ],
    ['a receiver with the id of an account on leave', { leave: [span(BEN, 0, 2)] }, ANNA, 'rota'],
  ])('%s', (_, changes, person, source) => {
    expect(onCallAt(schedule(changes), HANDOVER + HOUR)).toEqual({ person, source });
  });

  test('gaps of a period are listed, cut to the period and joined across handovers', () => {
    const leave = [span(ANNA, 160, 170), span(BEN, 165, 180), span(CARA, 0, 24)];
    const of = (from: number, until: number) =>
      gapsOf(schedule({ leave }), HANDOVER + from * HOUR, HANDOVER + until * HOUR).map((gap) => [
        (gap.from - HANDOVER) / HOUR,
        (gap.until - HANDOVER) / HOUR,
      ]);
    expect(of(0, 400)).toEqual([[160, 180]]);
    expect(of(162, 170)).toEqual([[162, 170]]);
    expect(of(0, 160)).toEqual([]);
  });

  test('an override is one span across a handover, and two turns of one person are two', () => {
    const cover = coverOf(schedule({ overrides: [span(CARA, 160, 180)] }), HANDOVER, HANDOVER + 200 * HOUR);
    expect(cover.map(({ source }) => source)).toEqual(['rota', 'override', 'rota']);
    const alone = schedule({ rota: rota({ people: [ANNA], turnDays: 1 }) });
    expect(coverOf(alone, HANDOVER, HANDOVER + 3 * DAY)).toHaveLength(3);
  });
});

const ZONES = [
  'UTC',
  'Asia/Shanghai',
  'Europe/Berlin',
  'America/New_York',
  'America/Santiago',
  'Australia/Lord_Howe',
  'Africa/Casablanca',
  'Pacific/Apia',
  'Asia/Gaza',
  'America/St_Johns',
];
const someone = fc.constantFrom(ANNA, BEN, CARA);
const anyRota = fc.record({
  people: fc.uniqueArray(someone, { minLength: 1, selector: personKey }),
  startsOn: fc
    .integer({ min: Date.UTC(2011, 11, 1) / DAY, max: Date.UTC(2027, 0, 1) / DAY })
    .map((day) => new Date(day * DAY).toISOString().slice(0, 10)),
  handoverAt: fc
    .integer({ min: 0, max: 24 * 60 - 1 })
    .map((minute) => new Date(minute * MINUTE).toISOString().slice(11, 16)),
  timeZone: fc.constantFrom(...ZONES),
  turnDays: fc.integer({ min: 1, max: 14 }),
});
const START = Date.UTC(2026, 2, 1);
const anySpan = fc
  .record({
    person: someone,
    from: fc.integer({ min: 0, max: 60 * 24 }),
    hours: fc.integer({ min: 1, max: 200 }),
  })
  .map(({ person, from, hours }) => ({
    person,
    from: START + from * HOUR,
    until: START + (from + hours) * HOUR,
  }));
const anySchedule = fc.record({
  rota: anyRota,
  overrides: fc.array(anySpan, { maxLength: 4 }),
  leave: fc.array(anySpan, { maxLength: 4 }),
  unavailable: fc.subarray([ANNA, BEN, CARA].map(personKey)).map((keys) => new Set(keys)),
});

describe('for all rotas and zones', () => {
  test('every moment is in exactly one turn, and turns meet without gap or overlap', () => {
    const moment = fc.integer({ min: Date.UTC(2011, 11, 20) / MINUTE, max: Date.UTC(2027, 11, 31) / MINUTE });
    fc.assert(
      fc.property(anyRota, moment, (each, minute) => {
        const turnAt = turnsOf(each);
        const turn = turnAt(minute * MINUTE);
        expect(turn.from).toBeLessThanOrEqual(minute * MINUTE);
        expect(turn.until).toBeGreaterThan(minute * MINUTE);
        expect(turnAt(turn.until).from).toBe(turn.until);
        expect(turnAt(turn.from - 1).until).toBe(turn.from);
        expect(turnAt(turn.until - 1)).toEqual(turn);
        // A turn is at most one clock change longer or shorter than its days; a day can be skipped.
        expect(Math.abs(turn.until - turn.from - each.turnDays * DAY)).toBeLessThanOrEqual(DAY);
      }),
    );
  });

  test('a handover is at its local time, unless clocks skip that time', () => {
    const moment = fc.integer({ min: Date.UTC(2025, 0, 1) / MINUTE, max: Date.UTC(2027, 11, 31) / MINUTE });
    fc.assert(
      fc.property(anyRota, moment, (each, minute) => {
        const { from } = turnsOf(each)(minute * MINUTE);
        const offsetAt = offsetOf(each.timeZone);
        const local = new Date(from + offsetAt(from)).toISOString().slice(11, 16);
        const isSkipped = offsetAt(from) > offsetAt(from - MINUTE);
        if (!isSkipped) expect(local).toBe(each.handoverAt);
      }),
    );
  });

  test('cover meets without gap or overlap, and agrees with who is on call at each moment', () => {
    const times = fc.array(fc.integer({ min: 0, max: 60 * DAY - 1 }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(anySchedule, times, (each, offsets) => {
        const until = START + 60 * DAY;
        const cover = coverOf(each, START, until);
        expect(cover[0]?.from).toBe(START);
        expect(cover.at(-1)?.until).toBe(until);
        for (const [index, part] of cover.entries()) {
          expect(part.until).toBeGreaterThan(part.from);
          if (index > 0) expect(part.from).toBe(cover[index - 1]?.until);
        }
        for (const moment of offsets.map((offset) => START + offset)) {
          const parts = cover.filter(({ from, until: end }) => from <= moment && moment < end);
          expect(parts).toHaveLength(1);
          const { person, source } = onCallAt(each, moment);
          expect(parts[0]).toMatchObject({ person, source });
        }
        const gaps = gapsOf(each, START, until);
        expect(gaps).toEqual(
          cover.flatMap(({ person, from, until: end }) => (person ? [] : [{ from, until: end }])),
        );
      }),
    );
  });
});
