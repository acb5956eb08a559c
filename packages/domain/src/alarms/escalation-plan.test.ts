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
  ['a popup to receivers', [step({ channels: ['web'] })], { code: 'web-recipients', step: 0 }],
  [
    'a browser notification to receivers',
    [step({ channels: ['push'] })],
    { code: 'web-recipients', step: 0 },
  ],
  ['a browser notification to accounts', [step({ channels: ['push'], recipientType: 'accounts' })], null],
  ['a popup to accounts', [step({ channels: ['web'], recipientType: 'accounts' })], null],
  ['a push without an address', [step({ channels: ['email', 'url-push'] })], { code: 'push-url', step: 0 }],
  [
    'an alertor that is not chosen',
    [step({ channels: ['email', 'alertor'] })],
    { code: 'alertors', step: 0 },
  ],
  ['an alertor', [step({ channels: ['alertor'], recipients: [], alertors: [2] })], null],
  [
    'WeChat to eleven recipients',
    [step({ channels: ['wechat'], recipients: Array.from({ length: 11 }, (_, id) => id + 1) })],
    { code: 'wechat-recipients', step: 0 },
  ],
  ['WeChat to one', [step({ channels: ['wechat'] })], null],
  ['e-mail and a push', [step({ channels: ['email', 'url-push'], url: 'https://hooks.example' })], null],
] as const)('the first error of a plan is found: %s', (_, steps, expected) => {
  expect(planFault(steps)).toEqual(expected);
});
