import { expect, it } from 'vitest';
import { isSamePolicyRule, type PolicyRule, policyRuleFault } from './policy.ts';

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
    {
      schedule: {
        spans: [{ days: [1], from: '08:00', until: '18:00' }],
        timeZone: 'UTC',
        holidays: 'ignore',
      },
    },
  ];
  for (const over of others) expect(isSamePolicyRule(rule(), rule(over))).toBe(false);
});
