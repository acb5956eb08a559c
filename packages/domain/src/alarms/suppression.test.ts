import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ALARM_LEVELS, type AlarmLevel } from './alarm-level.ts';
import { NOTIFICATION_KINDS } from './notification.ts';
import {
  type ClaimedAlarm,
  type ClaimedNotification,
  judgeEnd,
  judgeHold,
  type SuppressionWindow,
  suppressionEnd,
  suppressionState,
} from './suppression.ts';

const window = (changes: Partial<SuppressionWindow> = {}): SuppressionWindow => ({
  id: 1,
  from: 100,
  until: 200,
  endedAt: null,
  highestLevel: 4,
  ...changes,
});
const alarm = (changes: Partial<ClaimedAlarm> = {}): ClaimedAlarm => ({
  isOpen: true,
  endedAt: null,
  acknowledgedLevel: null,
  level: 2,
  ...changes,
});
const raised = (changes: Partial<ClaimedNotification> = {}): ClaimedNotification => ({
  kind: 'raised',
  level: 2,
  heldBy: null,
  ...changes,
});

describe('the state of a window', () => {
  it.each([
    ['planned', 99, {}],
    ['active', 100, {}],
    ['active', 199, {}],
    ['over', 200, {}],
    ['over', 150, { endedAt: 150 }],
    ['active', 149, { endedAt: 150 }],
    ['over', 50, { endedAt: 50 }],
    ['planned', 49, { endedAt: 50 }],
  ] as const)('is %s at %i with %j', (state, now, changes) => {
    expect(suppressionState(window(changes), now)).toBe(state);
  });
});

describe('a claimed notification', () => {
  const HELD = { id: 1, end: 200 };
  it.each([
    ['is sent without windows', raised(), alarm(), [], 150, 'send'],
    ['is held back by an active window', raised(), alarm(), [window()], 150, 'hold 1 200'],
    ['is sent before the window', raised(), alarm(), [window()], 99, 'send'],
    ['is sent at the end of the window', raised({ heldBy: HELD }), alarm(), [window()], 200, 'send'],
    ['is sent when the window was ended', raised(), alarm(), [window({ endedAt: 140 })], 150, 'send'],
    ['is held at the highest covered level', raised(), alarm({ level: 4 }), [window()], 150, 'hold 1 200'],
    ['is sent above that level', raised({ level: 5 }), alarm({ level: 5 }), [window()], 150, 'send'],
    ['is sent if the alarm has risen above', raised(), alarm({ level: 5 }), [window()], 150, 'send'],
    ['is sent if the alarm has fallen since', raised({ level: 5 }), alarm(), [window()], 150, 'send'],
    [
      'that repeats is judged by the present level',
      raised({ kind: 'repeated', level: 5 }),
      alarm({ level: 3 }),
      [window()],
      150,
      'hold 1 200',
    ],
    [
      'is held by the window that ends last',
      raised(),
      alarm(),
      [window(), window({ id: 2, until: 300 }), window({ id: 3, until: 250 })],
      150,
      'hold 2 300',
    ],
    [
      'is held by the window that covers its level',
      raised({ level: 3 }),
      alarm({ level: 3 }),
      [window(), window({ id: 2, until: 300, highestLevel: 2 })],
      150,
      'hold 1 200',
    ],
    [
      'of an alarm that ended in the window is dropped',
      raised(),
      alarm({ isOpen: false, endedAt: 120 }),
      [window()],
      150,
      'drop 1',
    ],
    [
      'of an alarm whose end has no time is dropped',
      raised(),
      alarm({ isOpen: false }),
      [window()],
      150,
      'drop 1',
    ],
    [
      'of an alarm that ended before the window is sent',
      raised(),
      alarm({ isOpen: false, endedAt: 90 }),
      [window()],
      150,
      'send',
    ],
    [
      'of an acknowledged level is dropped',
      raised(),
      alarm({ acknowledgedLevel: 2 }),
      [window()],
      150,
      'drop 1',
    ],
    [
      'of an alarm acknowledged at a lower level is held',
      raised(),
      alarm({ acknowledgedLevel: 1 }),
      [window()],
      150,
      'hold 1 200',
    ],
    [
      'that was held is dropped if the alarm ended in the window',
      raised({ heldBy: HELD }),
      alarm({ isOpen: false, endedAt: 200 }),
      [],
      210,
      'drop 1',
    ],
    [
      'that was held is dropped if the end has no time',
      raised({ heldBy: HELD }),
      alarm({ isOpen: false }),
      [],
      210,
      'drop 1',
    ],
    [
      'that was held is sent if the alarm ended after the window',
      raised({ heldBy: HELD }),
      alarm({ isOpen: false, endedAt: 201 }),
      [],
      210,
      'send',
    ],
    [
      'that was held is dropped if the alarm was acknowledged',
      raised({ heldBy: HELD }),
      alarm({ acknowledgedLevel: 2 }),
      [],
      210,
      'drop 1',
    ],
    [
      'that was never held is sent although the alarm was acknowledged',
      raised(),
      alarm({ acknowledgedLevel: 2 }),
      [],
      210,
      'send',
    ],
  ] as const)('%s', (_, notification, state, windows, now, expected) => {
    expect(Object.values(judgeHold(notification, state, windows, now)).join(' ')).toBe(expected);
  });
});

describe('the notification of an end', () => {
  const ended = alarm({ isOpen: false, endedAt: 150 });
  const NONE = { isTold: false, isUnsettled: false, heldBy: null };
  it.each([
    ['is sent to whoever was notified before', { ...NONE, isTold: true, heldBy: 1 }, [window()], 'send'],
    ['is dropped for whoever was not', { ...NONE, heldBy: 1 }, [], 'drop 1'],
    ['is sent if no window was concerned', NONE, [window()], 'send'],
    ['waits while a window is active', { ...NONE, isUnsettled: true }, [window()], 'wait'],
    ['waits for what is held back', { ...NONE, isUnsettled: true, heldBy: 1 }, [], 'wait'],
    ['does not wait without a window', { ...NONE, isUnsettled: true }, [], 'send'],
  ] as const)('%s', (_, earlier, windows, expected) => {
    expect(Object.values(judgeEnd(earlier, ended, windows, 160)).join(' ')).toBe(expected);
  });
});

describe('any notification', () => {
  const levels = fc.constantFrom<AlarmLevel>(...ALARM_LEVELS);
  const moments = fc.integer({ min: 0, max: 400 });
  const windows = fc.array(
    fc.record({
      id: fc.integer({ min: 1, max: 9 }),
      from: moments,
      until: fc.integer({ min: 1, max: 400 }),
      endedAt: fc.option(moments),
      highestLevel: levels,
    }),
    { maxLength: 4 },
  );
  const notifications = fc.record({
    kind: fc.constantFrom(...NOTIFICATION_KINDS),
    level: levels,
    heldBy: fc.constant(null),
  });
  const openAlarms = fc.record({
    isOpen: fc.constant(true),
    endedAt: fc.constant(null),
    acknowledgedLevel: fc.constant(null),
    level: levels,
  });

  it('of an open alarm that nobody has acknowledged is sent exactly once, when no window covers it any more', () => {
    fc.assert(
      fc.property(notifications, openAlarms, windows, (notification, state, all) => {
        let heldBy: ClaimedNotification['heldBy'] = null;
        let sentAt: number | null = null;
        for (let now = 0; now <= 400 && sentAt === null; now += 1) {
          const hold = judgeHold({ ...notification, heldBy }, state, all, now);
          expect(hold.verdict).not.toBe('drop');
          if (hold.verdict === 'hold') {
            expect(hold.until).toBeGreaterThan(now);
            heldBy = { id: hold.by, end: hold.until };
          } else sentAt = now;
        }
        const level =
          notification.kind === 'repeated' ? state.level : Math.max(notification.level, state.level);
        const covers = (now: number) =>
          all.some((each) => each.highestLevel >= level && each.from <= now && now < suppressionEnd(each));
        let expected = 0;
        while (covers(expected)) expected += 1;
        expect(sentAt).toBe(expected);
      }),
    );
  });

  it('above every covered level is sent at once', () => {
    fc.assert(
      fc.property(notifications, windows, moments, (notification, all, now) => {
        const state = alarm({ level: 5 });
        const low = all.map((each) => ({ ...each, highestLevel: 4 as const }));
        expect(judgeHold(notification, state, low, now)).toEqual({ verdict: 'send' });
      }),
    );
  });
});
