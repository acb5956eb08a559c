import { expect, it } from 'vitest';
import { isSamePolicyRule, type PolicyRule, policyRuleFault, replacementsOf } from './policy.ts';

const inside = (fenceId: number): PolicyRule['fence'] => ({ fenceId, side: 'inside' });
const rule = (over: Partial<PolicyRule> = {}): PolicyRule => ({
  quantity: 'temperature',
  predicate: 'above',
  signal: null,
  schedule: null,
  level: 3,
  limit: 8,
  recoveryMargin: 0.5,
  triggerAfterMs: 60_000,
  recoverAfterMs: 0,
  limitIsOutside: false,
  defrostDelayMs: 0,
  leg: null,
  fence: null,
  ...over,
});

it.each<[string, Partial<PolicyRule>, ReturnType<typeof policyRuleFault>]>([
  ['a limit rule has a limit', {}, null],
  ['a limit rule without a limit', { limit: null }, 'limit'],
  ['silence has none', { predicate: 'silence', limit: null }, null],
  ['silence with a limit', { predicate: 'silence' }, 'limit'],
  ['a device that does not report', { quantity: 'contact', predicate: 'silence', limit: null }, null],
  ['contact has no value', { quantity: 'contact' }, 'contact'],
  ['level 1 at once', { level: 1, triggerAfterMs: 0 }, null],
  ['level 2 at once', { level: 2, triggerAfterMs: 0 }, 'trigger'],
  ['silence at once', { predicate: 'silence', limit: null, level: 1, triggerAfterMs: 0 }, 'trigger'],
])('a rule of a policy is checked before it is compiled: %s', (_name, over, fault) => {
  expect(policyRuleFault(rule(over))).toBe(fault);
});

it('two rules are the same only if all of their fields are equal', () => {
  expect(isSamePolicyRule(rule(), rule())).toBe(true);
  const others: Partial<PolicyRule>[] = [
    { quantity: 'humidity' },
    { predicate: 'below' },
    { level: 4 },
    { limit: 9 },
    { recoveryMargin: 0 },
    { triggerAfterMs: 1 },
    { recoverAfterMs: 1 },
    { limitIsOutside: true },
    { defrostDelayMs: 60_000 },
    { leg: 'in-transit' },
    { leg: 'at-origin' },
    { fence: inside(7) },
    {
      schedule: {
        spans: [{ days: [1], from: '08:00', until: '18:00' }],
        timeZone: 'UTC',
        holidays: 'ignore',
      },
    },
  ];
  for (const over of others) expect(isSamePolicyRule(rule(), rule(over))).toBe(false);
  expect(isSamePolicyRule(rule({ fence: inside(7) }), rule({ fence: inside(7) }))).toBe(true);
});

const schedule: PolicyRule['schedule'] = { spans: [], timeZone: 'UTC', holidays: 'ignore' };
it.each<[string, Partial<PolicyRule>[], Partial<PolicyRule>[], number[] | null]>([
  ['nothing changes', [], [], []],
  ['numbers', [{}], [{ limit: 9, recoveryMargin: 1, triggerAfterMs: 1, recoverAfterMs: 1 }], [0]],
  ['a schedule', [{}], [{ schedule, limitIsOutside: true }], [0]],
  ['two rules', [{}, { level: 4 }], [{ level: 4, limit: 12 }, { limit: 9 }], [1, 0]],
  ['a longer delay in a defrost', [{ defrostDelayMs: 1 }], [{ defrostDelayMs: 2 }], [0]],
  ['a first delay in a defrost', [{}], [{ defrostDelayMs: 2 }], null],
  ['another limit in transit', [{ leg: 'in-transit' }], [{ leg: 'in-transit', limit: 9 }], [0]],
  ['a limit of the product', [{ leg: 'product' }], [{ leg: 'product', limit: 9 }], null],
  ['another leg', [{}], [{ leg: 'in-transit' }], null],
  ['another limit at the origin', [{ leg: 'at-origin' }], [{ leg: 'at-origin', limit: 9 }], [0]],
  ['the destination instead of the origin', [{ leg: 'at-origin' }], [{ leg: 'at-destination' }], null],
  ['another limit in a geofence', [{ fence: inside(7) }], [{ fence: inside(7), limit: 9 }], [0]],
  ['a first geofence', [{}], [{ fence: inside(7) }], null],
  ['another geofence', [{ fence: inside(7) }], [{ fence: inside(8) }], null],
  ['the other side', [{ fence: inside(7) }], [{ fence: { fenceId: 7, side: 'outside' } }], null],
  [
    'two sides of a geofence',
    [{ fence: inside(7) }, { fence: { fenceId: 7, side: 'outside' } }],
    [
      { fence: { fenceId: 7, side: 'outside' }, limit: 9 },
      { fence: inside(7), limit: 10 },
    ],
    [1, 0],
  ],
  ['one rule more', [{}], [{ limit: 9 }, { level: 4 }], null],
  ['one rule less', [{}, { level: 4 }], [{ limit: 9 }], null],
  ['another quantity', [{}], [{ quantity: 'humidity' }], null],
  ['another direction', [{}], [{ predicate: 'below' }], null],
  ['another level', [{}], [{ level: 4 }], null],
  ['another signal', [{}], [{ signal: { type: 'rate', windowMs: 60_000 } }], null],
  ['two alike', [{}, { schedule }], [{ limit: 9 }, { limit: 9, schedule }], null],
  ['two alike become one and another', [{}, { schedule }], [{ limit: 9 }, { level: 4 }], null],
])(
  'an edit replaces rules one by one if it changes numbers and schedules only: %s',
  (_, before, after, pairs) => {
    const [removed, added] = [before.map(rule), after.map(rule)];
    const found = replacementsOf(removed, added);
    expect(found && removed.map((each) => added.indexOf(found.get(each) as PolicyRule))).toEqual(pairs);
  },
);
