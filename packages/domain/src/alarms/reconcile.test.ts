import { describe, expect, test } from 'vitest';
import type { Episode, EpisodeEvent } from './episode.ts';
import { continueAs, reconcile, rewind, type StoredAlarm, type Stretch, wasHolding } from './reconcile.ts';

const event = (type: EpisodeEvent['type'], at: number, level: EpisodeEvent['level'] = 3): EpisodeEvent => ({
  type,
  at,
  level,
  limit: 8,
  value: null,
});

function episode(since: number, endedAt: number | null, over: Partial<Episode> = {}): Episode {
  return {
    alarmId: null,
    kind: 'high',
    ruleId: 1,
    since,
    raisedAt: since,
    endedAt,
    endReason: endedAt === null ? null : 'recovered',
    recovering: false,
    level: 3,
    peakLevel: 3,
    limit: 8,
    recoveryMargin: 0,
    triggerAfterMs: 0,
    value: 9,
    peak: 9,
    peakAt: since,
    events: [event('raised', since), ...(endedAt === null ? [] : [event('ended', endedAt)])],
    ...over,
  };
}

function stored(
  id: number,
  since: number,
  endedAt: number | null,
  over: Partial<StoredAlarm> = {},
): StoredAlarm {
  const { alarmId: _, ...rest } = episode(since, endedAt);
  return { ...rest, id, acknowledged: false, impliedSince: null, impliedUntil: null, ...over };
}

function settle(alarms: StoredAlarm[], episodes: Episode[], over: Partial<Stretch> = {}) {
  return reconcile({
    alarms,
    episodes,
    from: 0,
    until: Infinity,
    refutedAt: 99,
    continued: null,
    ...over,
  }).map((amendment) => {
    if (amendment.type === 'insert') return ['insert', amendment.episode.since, amendment.eventsFrom];
    if (amendment.type === 'refute') return ['refute', amendment.alarm.id, amendment.endedAt];
    return [amendment.type, amendment.alarm.id, amendment.episode.since, amendment.episode.endedAt];
  });
}

describe('changes of stored alarms by late readings', () => {
  test('nothing changes if the stored alarm equals the implied one', () => {
    expect(settle([stored(7, 10, 20)], [episode(10, 20)])).toEqual([]);
  });
  test('an episode without an alarm is inserted', () => {
    expect(settle([], [episode(10, 20)])).toEqual([['insert', 10, null]]);
    expect(settle([stored(7, 30, null)], [episode(10, 20), episode(30, null)])).toEqual([
      ['insert', 10, null],
    ]);
  });
  test('an alarm that began earlier than stored is amended, not duplicated', () => {
    expect(settle([stored(7, 15, null)], [episode(10, null)])).toEqual([['amend', 7, 10, null]]);
  });
  test('if two alarms turn out to be one, the first is amended and the second is refuted', () => {
    expect(settle([stored(7, 10, 20), stored(8, 25, null)], [episode(10, null)])).toEqual([
      ['amend', 7, 10, null],
      ['refute', 8, 99],
    ]);
  });
  test('an alarm that the readings no longer imply is refuted once, and amended if they imply it again', () => {
    expect(settle([stored(7, 10, 20)], [])).toEqual([['refute', 7, 20]]);
    const refuted = stored(7, 10, 20, { endReason: 'late-readings' });
    expect(settle([refuted], [])).toEqual([]);
    expect(settle([refuted], [episode(10, 20)])).toEqual([['amend', 7, 10, 20]]);
    expect(settle([refuted, stored(8, 12, 20)], [episode(12, 20)])).toEqual([]);
  });
  test('if an open alarm turns out to have ended, it is amended and the following one is inserted', () => {
    expect(settle([stored(7, 10, null)], [episode(10, 20), episode(40, null)])).toEqual([
      ['amend', 7, 10, 20],
      ['insert', 40, null],
    ]);
  });
  test.each<[string, Partial<Episode>]>([
    ['its first reading', { since: 9 }],
    ['the reading that raised it', { raisedAt: 11 }],
    ['its end', { endedAt: 21 }],
    ['the reason of its end', { endReason: 'rule-edited' }],
    ['whether it is recovering', { recovering: true }],
    ['its level', { level: 4 }],
    ['its highest level', { peakLevel: 4 }],
    ['its limit', { limit: 7 }],
    ['its peak', { peak: 10 }],
    ['the time of its peak', { peakAt: 12 }],
    ['how many events it has', { events: [event('raised', 10)] }],
    ['when an event was', { events: [event('raised', 11), event('ended', 20)] }],
    ['which event it was', { events: [event('recovering', 10), event('ended', 20)] }],
    ['the level of an event', { events: [event('raised', 10, 4), event('ended', 20)] }],
  ])('an alarm is amended if it differs in %s', (_name, over) => {
    expect(settle([stored(7, 10, 20)], [episode(10, 20, over)])).toHaveLength(1);
  });
  test('events outside the replayed range are not compared', () => {
    const long = stored(7, 10, 90);
    const part = episode(10, 90, { alarmId: 7, events: [] });
    expect(settle([long], [part], { from: 20, until: 80 })).toEqual([]);
  });
  test('an episode is matched with the alarm that it continues rather than with one that it overlaps', () => {
    const alarms = [stored(7, 10, 20), stored(8, 15, null)];
    const amendments = settle(alarms, [episode(10, null, { alarmId: 8 })]);
    expect(amendments).toEqual([
      ['amend', 8, 10, null],
      ['refute', 7, 20],
    ]);
  });
  test('an episode that continues after the replayed range like another alarm takes over the later events of that alarm', () => {
    const before = stored(7, 10, null);
    expect(settle([before], [episode(10, 20), episode(40, null)], { until: 50, continued: before })).toEqual([
      ['amend', 7, 10, 20],
      ['insert', 40, 7],
    ]);
  });
});

describe('alarms that a person ended or acknowledged', () => {
  const acknowledged = (over: Partial<StoredAlarm> = {}) =>
    stored(7, 10, 20, { acknowledged: true, ...over });

  test('an acknowledged alarm that has ended is annotated, once for each new result', () => {
    expect(settle([acknowledged()], [episode(5, 25)])).toEqual([['annotate', 7, 5, 25]]);
    expect(settle([acknowledged({ impliedSince: 5, impliedUntil: 25 })], [episode(5, 25)])).toEqual([]);
    expect(settle([acknowledged()], [episode(10, 20)])).toEqual([]);
    expect(settle([acknowledged()], [])).toEqual([]);
  });
  test('an alarm that a person ended is not opened again, and a continuing excursion becomes another alarm', () => {
    const ended = stored(7, 10, 20, { endReason: 'manual' });
    expect(settle([ended], [episode(10, null)])).toEqual([
      ['annotate', 7, 10, null],
      ['insert', 20, null],
    ]);
    expect(settle([ended], [episode(10, null, { alarmId: 7 })], { continued: ended })).toEqual([
      ['annotate', 7, 10, null],
      ['insert', 20, null],
    ]);
  });
  test('an alarm after one that a person acknowledged is amended to begin at the end of that one', () => {
    expect(settle([acknowledged(), stored(8, 30, null)], [episode(10, null)])).toEqual([
      ['annotate', 7, 10, null],
      ['amend', 8, 20, null],
    ]);
  });
  test('an acknowledged open alarm keeps its start, and its end may change', () => {
    const open = stored(7, 10, null, { acknowledged: true });
    expect(settle([open], [episode(5, null)])).toEqual([['amend', 7, 10, null]]);
    expect(settle([open], [episode(5, 25)])).toEqual([['amend', 7, 10, 25]]);
  });
});

describe('times at which a stored alarm counts as open', () => {
  test.each([
    ['from its first reading', stored(1, 10, 20), 10, true],
    ['not before', stored(1, 10, 20), 9, false],
    ['not at its end', stored(1, 10, 20), 20, false],
    ['while it is open', stored(1, 10, null), 99, true],
    ['not where it was refuted', stored(1, 10, 20, { endReason: 'late-readings' }), 15, false],
    ['where late readings imply it', stored(1, 10, 20, { impliedSince: 10, impliedUntil: 30 }), 25, true],
    [
      'for ever where they imply it open',
      stored(1, 10, 20, { impliedSince: 5, impliedUntil: null }),
      99,
      true,
    ],
    ['not before what they imply', stored(1, 10, 20, { impliedSince: 5, impliedUntil: 8 }), 4, false],
    ['not after it', stored(1, 10, 20, { impliedSince: 5, impliedUntil: 8 }), 9, false],
  ])('a stored alarm counts as open %s', (_name, alarm, at, holds) => {
    expect(wasHolding(alarm, at)).toBe(holds);
  });
});

describe('an alarm as of an earlier time', () => {
  const alarm = stored(7, 10, 60, {
    level: 4,
    peakLevel: 4,
    peak: 12,
    peakAt: 40,
    events: [
      event('raised', 10, 1),
      event('recovering', 20, 1),
      event('level-changed', 30, 4),
      event('ended', 60, 4),
    ],
  });
  test('an alarm as of an earlier time has the levels until then, and its peak if that came before', () => {
    expect(rewind(alarm, 25)).toMatchObject({
      isPeakKnown: false,
      episode: { alarmId: 7, level: 1, peakLevel: 1, recovering: true, endedAt: null, peak: 9, peakAt: 10 },
    });
    expect(rewind(alarm, 50)).toMatchObject({
      isPeakKnown: true,
      episode: { level: 4, peakLevel: 4, peak: 12, peakAt: 40 },
    });
  });
  test('an alarm that timed out in the meantime has its level before, and recovers or not as before', () => {
    const timedOut = {
      ...alarm,
      events: [...alarm.events.slice(0, 2), event('ended', 60, 4)],
      heldUntil: 99,
    };
    expect(rewind(timedOut, 80).episode).toMatchObject({ level: 1, peakLevel: 1, recovering: true });
  });
  test('an alarm without events keeps its stored levels', () => {
    expect(rewind({ ...alarm, events: [] }, 25).episode).toMatchObject({
      level: 4,
      peakLevel: 4,
      recovering: false,
    });
  });
});

describe('continuation of an episode by a stored alarm', () => {
  const alarm = stored(7, 10, 60, { peak: 12, peakAt: 40, events: [event('level-changed', 50, 5)] });
  test('an episode that is continued like a stored alarm gets the end and the later levels of the alarm, and the farther one of the two peaks', () => {
    const { episode: merged, isPeakKnown } = continueAs(episode(10, null, { alarmId: 7 }), alarm, 45);
    expect(isPeakKnown).toBe(true);
    expect(merged).toMatchObject({ endedAt: 60, endReason: 'recovered', peakLevel: 5, level: 5, peak: 12 });
  });
  test('the continued episode does not reach a level that the alarm reached only before', () => {
    const higher = {
      ...alarm,
      events: [event('raised', 10, 5), event('level-changed', 30, 3), event('ended', 60, 5)],
    };
    expect(continueAs(episode(20, null), higher, 45).episode).toMatchObject({ peakLevel: 3, level: 3 });
  });
  test('the continued episode of an open alarm keeps the current level of the alarm', () => {
    const open = { ...alarm, endedAt: null, endReason: null, level: 2 as const };
    expect(continueAs(episode(10, null), open, 45).episode).toMatchObject({ level: 2, peakLevel: 5 });
  });
  test('the peak of the continued episode is unknown if the alarm began earlier and had its peak before', () => {
    expect(continueAs(episode(30, null), alarm, 45)).toMatchObject({
      isPeakKnown: false,
      episode: { peak: 9 },
    });
    expect(continueAs(episode(30, null), alarm, 35)).toMatchObject({
      isPeakKnown: true,
      episode: { peak: 12 },
    });
  });
});
