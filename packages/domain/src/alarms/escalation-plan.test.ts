import { expect, test } from 'vitest';
import { type EscalationPlanStep, planFault } from './escalation-plan.ts';

const step = (over: Partial<EscalationPlanStep> = {}): EscalationPlanStep => ({
  afterMinutes: 30,
  recipientType: 'receivers',
  recipients: [1],
  channels: ['email'],
  url: '',
  ...over,
});

test.each([
  ['one step', [step()], null],
  ['two steps in order', [step(), step({ afterMinutes: 31 })], null],
  ['two steps at the same time', [step(), step()], { code: 'order', step: 1 }],
  ['a step before the one above it', [step(), step({ afterMinutes: 29 })], { code: 'order', step: 1 }],
  ['a step without a channel', [step({ channels: [], recipients: [] })], { code: 'nobody', step: 0 }],
  ['e-mail to nobody', [step({ recipients: [] })], { code: 'no-recipients', step: 0 }],
  [
    'recipients without e-mail',
    [step({ channels: ['url-push'], url: 'https://hooks.example' })],
    { code: 'no-channels', step: 0 },
  ],
  ['a push without an address', [step({ channels: ['email', 'url-push'] })], { code: 'push-url', step: 0 }],
  ['e-mail and a push', [step({ channels: ['email', 'url-push'], url: 'https://hooks.example' })], null],
] as const)('the first error of a plan is found: %s', (_, steps, expected) => {
  expect(planFault(steps)).toEqual(expected);
});
