import fc from 'fast-check';
import { expect, test } from 'vitest';
import { HANDOVER_OVERLAP_MS, type HandedOverAlarm, handoverSections } from './handover.ts';

const FROM = 1_000_000;
const alarm = (more: Partial<HandedOverAlarm> = {}): HandedOverAlarm => ({
  id: 1,
  raisedAt: FROM - 500_000,
  endedAt: null,
  acknowledgedAt: null,
  ...more,
});
const NOTHING = { open: [], unacknowledged: [], raised: [], acknowledged: [], ended: [] };

test.each([
  ['open since before', alarm(), { open: [1] }],
  ['raised in the period', alarm({ raisedAt: FROM + 1 }), { open: [1], raised: [1] }],
  ['raised exactly at the start belongs to the period before', alarm({ raisedAt: FROM }), { open: [1] }],
  ['acknowledged while it lasts', alarm({ acknowledgedAt: FROM + 5 }), { open: [1], acknowledged: [1] }],
  ['ended and not acknowledged', alarm({ endedAt: FROM + 5 }), { unacknowledged: [1], ended: [1] }],
  ['ended before and not acknowledged', alarm({ endedAt: FROM - 5 }), { unacknowledged: [1] }],
  [
    'raised, acknowledged and ended in the period',
    alarm({ raisedAt: FROM + 1, acknowledgedAt: FROM + 2, endedAt: FROM + 3 }),
    { raised: [1], acknowledged: [1], ended: [1] },
  ],
  ['settled before', alarm({ acknowledgedAt: FROM - 2, endedAt: FROM - 3 }), {}],
])('an alarm is handed over: %s', (_name, given, expected) => {
  expect(handoverSections([given], FROM, null)).toEqual({ ...NOTHING, ...expected });
});

test('what was committed only after the last handover was signed is shown in the next one, once', () => {
  const late = alarm({ raisedAt: FROM - 1_000 });
  expect(handoverSections([late], FROM, NOTHING).raised).toEqual([1]);
  expect(handoverSections([late], FROM, { ...NOTHING, raised: [1] }).raised).toEqual([]);
  const old = alarm({ raisedAt: FROM - HANDOVER_OVERLAP_MS });
  expect(handoverSections([old], FROM, NOTHING).raised).toEqual([]);
});

const moments = fc.integer({ min: 0, max: 2 * FROM });
const alarms = fc.uniqueArray(
  fc.record({
    id: fc.integer({ min: 1, max: 40 }),
    raisedAt: moments,
    endedAt: fc.option(moments),
    acknowledgedAt: fc.option(moments),
  }),
  { selector: ({ id }) => id, maxLength: 20 },
);

test('of handovers in a row, every event is in exactly one, and every alarm that needs attention is in the last', () => {
  fc.assert(
    fc.property(alarms, fc.integer({ min: 1, max: FROM }), (all, cut) => {
      const before = (at: number | null) => (at !== null && at <= cut ? at : null);
      const first = all
        .filter(({ raisedAt }) => raisedAt <= cut)
        .map((each) => ({
          ...each,
          endedAt: before(each.endedAt),
          acknowledgedAt: before(each.acknowledgedAt),
        }));
      const one = handoverSections(first, -1, null);
      const two = handoverSections(all, cut, one);
      for (const { id, endedAt, acknowledgedAt } of all) {
        const times = (section: 'raised' | 'ended' | 'acknowledged') =>
          [...one[section], ...two[section]].filter((each) => each === id).length;
        expect(times('raised')).toBe(1);
        if (all.every((each) => each.endedAt === null || each.endedAt >= each.raisedAt))
          expect(times('ended')).toBe(endedAt === null ? 0 : 1);
        const needsAttention = endedAt === null || acknowledgedAt === null;
        expect([...two.open, ...two.unacknowledged].includes(id)).toBe(needsAttention);
      }
    }),
  );
});
