import type { AlarmMessage, AlarmStep } from '@isotherm/contracts/alarms';
import { describe, expect, it } from 'vitest';
import { courseOf, deliveryOf, levelSpans, levelsOf, nextRepeat } from './alarm-course.ts';

const at = (minute: number, second = 0) => new Date(Date.UTC(2026, 10, 20, 1, minute, second)).toISOString();

const event = (type: 'raised' | 'level-changed' | 'ended', minute: number, level: 1 | 2 | 3): AlarmStep => ({
  type,
  at: at(minute),
  level,
  limitValue: 8,
  value: 9,
});

let ids = 0;
const message = (changes: Partial<AlarmMessage>): AlarmMessage => ({
  id: ++ids,
  kind: 'raised',
  stepLevel: 1,
  channel: 'email',
  to: 'Lin Yue',
  state: 'sent',
  error: '',
  late: false,
  attempts: 1,
  dueAt: at(0),
  deliveredAt: null,
  receipt: null,
  held: false,
  suppression: null,
  waits: null,
  group: null,
  ...changes,
});

const STEPS = [event('raised', 0, 1), event('level-changed', 10, 3), event('ended', 30, 3)];

describe('timeline of an alarm', () => {
  it('a notification is shown at the step of the timeline that caused it, even if the readings of the step arrived late', () => {
    const entries = courseOf(STEPS, [
      message({ dueAt: at(1) }),
      message({ kind: 'level-changed', dueAt: at(12) }),
      message({ kind: 'ended', dueAt: at(30) }),
    ]);
    expect(entries.map(({ step, messages }) => [step?.type, messages.length])).toEqual([
      ['raised', 1],
      ['level-changed', 1],
      ['ended', 1],
    ]);
  });

  it('repeats to several people become one entry, and cancelled or later ones are left out', () => {
    const entries = courseOf(STEPS, [
      message({ kind: 'repeated', dueAt: at(5) }),
      message({ kind: 'repeated', dueAt: at(5, 20), to: 'Chen Wei' }),
      message({ kind: 'repeated', dueAt: at(15), state: 'cancelled' }),
      message({ kind: 'repeated', dueAt: at(20), state: 'pending', attempts: 0 }),
    ]);
    expect(entries.map(({ step, messages }) => [step?.type ?? 'repeat', messages.length])).toEqual([
      ['raised', 0],
      ['repeat', 2],
      ['level-changed', 0],
      ['ended', 0],
    ]);
  });

  it('a notification is kept although late readings have removed its step', () => {
    const entries = courseOf([event('raised', 0, 1)], [message({ kind: 'ended', dueAt: at(9) })]);
    expect(entries.at(-1)).toMatchObject({ step: null, messages: [{ kind: 'ended' }] });
  });

  it('the repeat that is due next is returned', () => {
    const later = message({ kind: 'repeated', dueAt: at(20), state: 'pending', attempts: 0 });
    const sooner = message({ kind: 'repeated', dueAt: at(10), state: 'pending', attempts: 0 });
    expect(nextRepeat([later, sooner, message({})], 1)).toBe(sooner);
    expect(nextRepeat([message({})], 1)).toBeNull();
  });

  it('a repeat of a level that the alarm has not reached is not announced', () => {
    const coming = message({
      kind: 'repeated',
      stepLevel: 3,
      dueAt: at(20),
      state: 'pending',
      attempts: 0,
    });
    expect(nextRepeat([coming], 2)).toBeNull();
    expect(nextRepeat([coming], 3)).toBe(coming);
  });

  it('an escalation is an entry of its own with those who were notified by it', () => {
    const entries = courseOf(STEPS, [
      message({ kind: 'unacknowledged', dueAt: at(5) }),
      message({ kind: 'unacknowledged', dueAt: at(5), to: 'Chen Wei' }),
      message({ kind: 'repeated', dueAt: at(5) }),
    ]);
    expect(
      entries.filter(({ step }) => step === null).map(({ messages }) => [messages[0]?.kind, messages.length]),
    ).toEqual([
      ['unacknowledged', 2],
      ['repeated', 1],
    ]);
  });

  it('the levels are listed, with the time range of each until the end or now', () => {
    expect(levelsOf(STEPS)).toEqual([1, 3]);
    const alarm = { since: at(0), endedAt: at(30), level: 3 } as const;
    expect(levelSpans(alarm, STEPS, 0).map(({ level, to }) => [level, to])).toEqual([
      [1, Date.parse(at(10))],
      [3, Date.parse(at(30))],
    ]);
    const now = Date.parse(at(40));
    expect(levelSpans({ ...alarm, endedAt: null }, [], now)).toEqual([
      { level: 3, from: Date.parse(at(0)), to: now },
    ]);
  });

  it('notifications are counted by the result of their delivery', () => {
    const messages = [
      message({}),
      message({ state: 'failed' }),
      message({ state: 'sending' }),
      message({ state: 'cancelled' }),
    ];
    expect(deliveryOf(messages)).toEqual({ sent: 1, waiting: 1, failed: 1 });
  });
});
