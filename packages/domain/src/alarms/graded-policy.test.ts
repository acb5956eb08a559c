import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { INDICATOR_NAMES } from '../readings/indicator.ts';
import {
  type DefinitionFault,
  definitionFault,
  fencesOf,
  inTimeZone,
  isLimitOf,
  type PolicyCondition,
  type PolicyDefinition,
  type PolicyStep,
  rulesOf,
} from './graded-policy.ts';
import { policyRuleFault } from './policy.ts';
import { POLICY_TEMPLATES, TEMPLATES } from './policy-templates.ts';

const MIN = 60_000;
const told = {
  recipients: [1, 2],
  channels: ['email', 'url-push'],
  url: 'HTTP://hooks.example:8080?key=a@b',
} as const;

const RATE = { type: 'rate', windowMs: 30 * MIN } as const;
const WHILE_CLOSED = {
  type: 'while',
  otherQuantity: 'door',
  otherSensor: 1,
  maxAgeMs: 30 * MIN,
  low: null,
  high: 0.5,
} as const;
const condition = (over: Partial<PolicyCondition> = {}): PolicyCondition => ({
  quantity: 'temperature',
  low: 2,
  high: 8,
  recoveryMargin: 0.5,
  recoverAfterMs: 0,
  ...over,
});
const step = (over: Partial<PolicyStep> = {}): PolicyStep => ({
  level: 1,
  triggerAfterMs: 0,
  limits: [],
  ...over,
});
const definition = (over: Partial<PolicyDefinition> = {}): PolicyDefinition => ({
  conditions: [condition()],
  steps: [step(), step({ level: 2, triggerAfterMs: 5 * MIN })],
  limitIsOutside: false,
  ...over,
});

test('rules about a signal such as the rate of change use the limits of their condition at every level, not those of the level', () => {
  const own = { quantity: 'temperature', low: 0, high: 10 } as const;
  const rules = rulesOf({
    conditions: [condition(), condition({ signal: RATE, low: -6, high: null })],
    steps: [step({ limits: [own] })],
    limitIsOutside: false,
  });
  expect(rules.map(({ predicate, signal, limit }) => [predicate, signal, limit])).toEqual([
    ['above', null, 10],
    ['below', null, 0],
    ['below', RATE, -6],
  ]);
});

test('a schedule without a time zone gets that of the organisation', () => {
  const schedule = (timeZone: string) => ({
    spans: [{ days: [1 as const], from: '08:00', until: '18:00' }],
    timeZone,
    holidays: 'ignore' as const,
  });
  const given = definition({
    conditions: [
      condition(),
      condition({ quantity: 'humidity', schedule: schedule('') }),
      condition({ quantity: 'oxygen', schedule: schedule('UTC') }),
    ],
  });
  expect(
    inTimeZone(given, 'Asia/Shanghai').conditions.map((each) => each.schedule?.timeZone ?? null),
  ).toEqual([null, 'Asia/Shanghai', 'UTC']);
});

describe('validation of a policy definition', () => {
  const withCondition = (over: Partial<PolicyCondition>) => definition({ conditions: [condition(over)] });
  const withStep = (over: Partial<PolicyStep>) =>
    definition({ steps: [step(), step({ level: 2, ...over })] });
  test.each<[DefinitionFault | null, string, PolicyDefinition]>([
    [null, 'a plain one', definition()],
    [{ code: 'no-conditions' }, 'without conditions', definition({ conditions: [] })],
    [{ code: 'no-steps' }, 'without steps', definition({ steps: [] })],
    [{ code: 'no-limit', condition: 0 }, 'without limits', withCondition({ low: null, high: null })],
    [{ code: 'limits-reversed', condition: 0 }, 'low above high', withCondition({ low: 9, high: 8 })],
    [{ code: 'limits-reversed', condition: 0 }, 'low equal to high', withCondition({ low: 8, high: 8 })],
    [null, 'a rate of change', withCondition({ signal: RATE, low: -6, high: 12.25, recoveryMargin: 0 })],
    [
      null,
      'a value and its rate of change',
      definition({ conditions: [condition(), condition({ signal: RATE, low: -6 })] }),
    ],
    [
      { code: 'quantity-twice', condition: 1 },
      'the rate of change twice',
      definition({
        conditions: [condition({ signal: RATE, low: -6 }), condition({ signal: RATE, low: -7 })],
      }),
    ],
    [
      null,
      'different limits while a door is open and while it is closed',
      definition({
        conditions: [
          condition({ signal: WHILE_CLOSED }),
          condition({ signal: { ...WHILE_CLOSED, low: 0.5, high: null }, high: 12 }),
          condition({ signal: { ...RATE, and: [WHILE_CLOSED] }, low: -6 }),
          condition({ signal: RATE, low: -7 }),
        ],
      }),
    ],
    [
      { code: 'quantity-twice', condition: 1 },
      'the same further conditions twice',
      definition({
        conditions: [condition({ signal: WHILE_CLOSED }), condition({ signal: WHILE_CLOSED, high: 10 })],
      }),
    ],
    [{ code: 'window', condition: 0 }, 'a short window', withCondition({ signal: { ...RATE, windowMs: 1 } })],
    [
      { code: 'limit-value', condition: 0 },
      'a rise below zero',
      withCondition({ signal: RATE, low: -6, high: -1 }),
    ],
    [
      { code: 'step-limits', step: 0 },
      'own limits of a step for a rate',
      definition({
        conditions: [condition({ signal: RATE, low: -6 })],
        steps: [step({ limits: [{ quantity: 'temperature', low: 2, high: 8 }] })],
      }),
    ],
    [
      null,
      'a schedule',
      withCondition({
        schedule: {
          spans: [{ days: [1, 2], from: '22:00', until: '06:00' }],
          timeZone: 'UTC',
          holidays: 'never',
        },
      }),
    ],
    [
      { code: 'schedule', condition: 0 },
      'a schedule without times',
      withCondition({ schedule: { spans: [], timeZone: 'UTC', holidays: 'never' } }),
    ],
    [{ code: 'limit-value', condition: 0 }, 'two decimals', withCondition({ high: 8.25 })],
    [{ code: 'limit-value', condition: 0 }, 'not a number', withCondition({ high: Number.NaN })],
    [{ code: 'limit-value', condition: 0 }, 'impossible', withCondition({ low: -300 })],
    [
      { code: 'limit-value', condition: 0 },
      'humidity with a decimal',
      withCondition({ quantity: 'humidity', low: null, high: 60.5 }),
    ],
    [
      { code: 'limit-value', condition: 0 },
      'contact with a limit',
      withCondition({ quantity: 'contact', low: null, high: 1 }),
    ],
    [{ code: 'margin', condition: 0 }, 'a negative margin', withCondition({ recoveryMargin: -1 })],
    [{ code: 'margin', condition: 0 }, 'a margin beyond the middle', withCondition({ recoveryMargin: 3 })],
    [null, 'limits of the product', withCondition({ leg: 'product' })],
    [
      { code: 'leg-product', condition: 0 },
      'limits of the product for another quantity',
      withCondition({ quantity: 'humidity', low: null, high: 60, leg: 'product' }),
    ],
    [
      null,
      'the same quantity in transit and not in transit',
      definition({ conditions: [condition({ leg: 'in-transit' }), condition({ leg: 'not-in-transit' })] }),
    ],
    [
      { code: 'quantity-twice', condition: 1 },
      'the same quantity in transit twice',
      definition({ conditions: [condition({ leg: 'in-transit' }), condition({ leg: 'in-transit' })] }),
    ],
    [
      null,
      'the same quantity at the origin, at the destination and in transit',
      definition({
        conditions: [
          condition({ leg: 'at-origin' }),
          condition({ leg: 'at-destination' }),
          condition({ leg: 'in-transit' }),
        ],
      }),
    ],
    [
      null,
      'the same quantity on the two sides of a geofence and in another one',
      definition({
        conditions: [
          condition({ fence: { fenceId: 7, side: 'inside' } }),
          condition({ fence: { fenceId: 7, side: 'outside' } }),
          condition({ fence: { fenceId: 8, side: 'inside' } }),
        ],
      }),
    ],
    [
      { code: 'quantity-twice', condition: 1 },
      'the same quantity in one geofence twice',
      definition({
        conditions: [
          condition({ fence: { fenceId: 7, side: 'inside' } }),
          condition({ fence: { fenceId: 7, side: 'inside' } }),
        ],
      }),
    ],
    [
      { code: 'fence', condition: 0 },
      'a side without a geofence',
      withCondition({ fence: { fenceId: 0, side: 'outside' } }),
    ],
    [null, 'a defrost delay', withCondition({ defrostDelayMs: 20 * MIN })],
    [null, 'the longest defrost delay', withCondition({ defrostDelayMs: 60 * MIN })],
    ...[-MIN, 61 * MIN, MIN / 2].map(
      (defrostDelayMs) =>
        [
          { code: 'defrost-delay' as const, condition: 0 },
          `a defrost delay of ${defrostDelayMs} ms`,
          withCondition({ defrostDelayMs }),
        ] as [DefinitionFault, string, PolicyDefinition],
    ),
    [
      { code: 'defrost-delay', condition: 0 },
      'a defrost delay without an upper limit',
      withCondition({ high: null, defrostDelayMs: MIN }),
    ],
    [
      { code: 'defrost-delay', condition: 0 },
      'a defrost delay of a humidity',
      withCondition({ quantity: 'humidity', defrostDelayMs: MIN }),
    ],
    [
      { code: 'defrost-delay', condition: 0 },
      'a defrost delay of a rate',
      withCondition({ signal: RATE, low: -6, high: 6, recoveryMargin: 0, defrostDelayMs: MIN }),
    ],
    [null, 'a wide margin with one limit', withCondition({ low: null, recoveryMargin: 30 })],
    [
      { code: 'quantity-twice', condition: 1 },
      'a quantity twice',
      definition({ conditions: [condition(), condition({ high: 10 })] }),
    ],
    [{ code: 'trigger', step: 1 }, 'level 2 at once', withStep({ triggerAfterMs: 0 })],
    [{ code: 'trigger', step: 1 }, 'a negative delay', withStep({ triggerAfterMs: -1 })],
    [
      { code: 'no-recipients', step: 1 },
      'e-mail to nobody',
      withStep({ triggerAfterMs: MIN, channels: ['email'] }),
    ],
    [
      { code: 'no-channels', step: 1 },
      'recipients without a channel to them',
      withStep({
        triggerAfterMs: MIN,
        recipients: [1],
        channels: ['url-push'],
        url: 'https://hooks.example/a',
      }),
    ],
    [
      { code: 'web-recipients', step: 1 },
      'a popup to receivers',
      withStep({ triggerAfterMs: MIN, recipients: [1], channels: ['web'] }),
    ],
    [null, 'e-mail and a URL', withStep({ triggerAfterMs: MIN, ...told })],
    [null, 'a repeat', withStep({ triggerAfterMs: MIN, ...told, repeatMs: 5 * MIN })],
    [
      { code: 'repeat', step: 1 },
      'a repeat every minute',
      withStep({ triggerAfterMs: MIN, ...told, repeatMs: MIN }),
    ],
    [
      { code: 'repeat', step: 1 },
      'a repeat to nobody',
      withStep({ triggerAfterMs: MIN, repeatMs: 10 * MIN }),
    ],
    ...(
      [
        [null, { afterMs: MIN, toLevel: 3 }],
        ['escalation-time', { afterMs: MIN - 1, toLevel: 3 }],
        ['escalation-time', { afterMs: Number.NaN, toLevel: 3 }],
        ['escalation-level', { afterMs: MIN, toLevel: 1 }],
        ['escalation-level', { afterMs: MIN, toLevel: 2 }],
        ['escalation-level', { afterMs: MIN, toLevel: 4 }],
        ['escalation-level', { afterMs: MIN, toLevel: 5 }],
      ] as const
    ).map(([code, escalation]): [DefinitionFault | null, string, PolicyDefinition] => [
      code && { code, step: 1 },
      `an escalation from level 2 of 3 after ${escalation.afterMs} ms to level ${escalation.toLevel}`,
      definition({
        steps: [
          step({ ...told }),
          step({ level: 2, triggerAfterMs: MIN, escalation }),
          step({ level: 3, triggerAfterMs: 2 * MIN, ...told }),
          step({ level: 4, triggerAfterMs: 3 * MIN }),
        ],
      }),
    ]),
    ...[undefined, '', 'ftp://a.example', 'https://', 'https://u:p@a.example/', 'https://a b', '/path'].map(
      (url): [DefinitionFault, string, PolicyDefinition] => [
        { code: 'push-url', step: 1 },
        `a push to ${url}`,
        withStep({ triggerAfterMs: MIN, channels: ['url-push'], url }),
      ],
    ),
    [
      { code: 'alertors', step: 1 },
      'an alertor that is not chosen',
      withStep({ triggerAfterMs: MIN, channels: ['alertor'] }),
    ],
    [
      { code: 'alertors', step: 1 },
      'alertors that are not used',
      withStep({ triggerAfterMs: MIN, alertors: [4] }),
    ],
    [null, 'an alertor alone', withStep({ triggerAfterMs: MIN, channels: ['alertor'], alertors: [4] })],
    [{ code: 'level-twice', step: 1 }, 'a level twice', definition({ steps: [step(), step()] })],
    [
      { code: 'trigger-order', step: 1 },
      'a higher level that is earlier',
      definition({
        steps: [step({ level: 2, triggerAfterMs: 5 * MIN }), step({ level: 3, triggerAfterMs: 5 * MIN })],
      }),
    ],
    [
      null,
      'a higher level that is earlier, with limits of its own',
      withStep({ triggerAfterMs: 1, limits: [{ quantity: 'temperature', low: null, high: 12 }] }),
    ],
    [
      { code: 'step-limits', step: 1 },
      'limits of a quantity without a condition',
      withStep({ triggerAfterMs: 1, limits: [{ quantity: 'humidity', low: null, high: 60 }] }),
    ],
    [
      { code: 'step-limits', step: 1 },
      'reversed limits of a step',
      withStep({ triggerAfterMs: 1, limits: [{ quantity: 'temperature', low: 9, high: 3 }] }),
    ],
    [
      { code: 'step-limits', step: 1 },
      'limits of a step twice',
      withStep({
        triggerAfterMs: 1,
        limits: [
          { quantity: 'temperature', low: null, high: 12 },
          { quantity: 'temperature', low: null, high: 13 },
        ],
      }),
    ],
    [
      { code: 'contact-trigger', step: 0 },
      'offline before 10 minutes',
      definition({
        conditions: [condition({ quantity: 'contact', low: null, high: null })],
        steps: [step({ triggerAfterMs: 9 * MIN })],
      }),
    ],
  ])('a policy definition is checked, with the result %j: %s', (fault, _what, it) => {
    expect(definitionFault(it)).toEqual(fault);
  });
});

test('a switch allows only the limit between its two states, and other quantities allow any value that a sensor can measure', () => {
  expect(isLimitOf('door', 0.5)).toBe(true);
  expect(isLimitOf('door', 0.4)).toBe(false);
  expect(isLimitOf('carbon-dioxide', 1500)).toBe(true);
  expect(isLimitOf('temperature', -70.1)).toBe(true);
});

test('each condition, side and step becomes a rule, and a step may have its own limits', () => {
  const rules = rulesOf(
    definition({
      conditions: [condition(), condition({ quantity: 'door', low: null, high: 0.5, recoveryMargin: 0 })],
      steps: [
        step(),
        step({
          level: 3,
          triggerAfterMs: MIN,
          limits: [{ quantity: 'temperature', low: null, high: 12 }],
        }),
      ],
      limitIsOutside: true,
    }),
  );
  expect(rules.map(({ quantity, predicate, level, limit }) => [quantity, predicate, level, limit])).toEqual([
    ['temperature', 'above', 1, 8],
    ['temperature', 'below', 1, 2],
    ['temperature', 'above', 3, 12],
    ['door', 'above', 1, 0.5],
    ['door', 'above', 3, 0.5],
  ]);
  expect(rules[0]).toMatchObject({ recoveryMargin: 0.5, limitIsOutside: true, triggerAfterMs: 0 });
});

test('each rule of a condition has its leg', () => {
  const rules = rulesOf(definition({ conditions: [condition({ leg: 'in-transit' })] }));
  expect(rules.map(({ leg }) => leg)).toEqual(rules.map(() => 'in-transit'));
});

test('each rule of a condition has its geofence, and a definition names each geofence once', () => {
  const inside = { fenceId: 7, side: 'inside' as const };
  const outside = { fenceId: 7, side: 'outside' as const };
  const both = definition({
    conditions: [
      condition({ fence: inside }),
      condition({ fence: outside }),
      condition({ leg: 'at-origin' }),
    ],
  });
  expect(fencesOf(both)).toEqual([7]);
  const rules = rulesOf(both);
  const third = rules.length / 3;
  expect(rules.map(({ fence }) => fence)).toEqual([
    ...Array.from({ length: third }, () => inside),
    ...Array.from({ length: third }, () => outside),
    ...Array.from({ length: third }, () => null),
  ]);
});

test('a defrost delays the rules of the upper limit at each level', () => {
  const rules = rulesOf(definition({ conditions: [condition({ defrostDelayMs: 20 * MIN })] }));
  expect(rules.map(({ predicate, level, defrostDelayMs }) => [predicate, level, defrostDelayMs])).toEqual([
    ['above', 1, 20 * MIN],
    ['below', 1, 0],
    ['above', 2, 20 * MIN],
    ['below', 2, 0],
  ]);
});

test.each(POLICY_TEMPLATES)('the template %s is valid', (name) => {
  expect(definitionFault(TEMPLATES[name])).toBeNull();
  expect(rulesOf(TEMPLATES[name]).length).toBeGreaterThan(0);
});

test('every accepted definition is compiled to rules that the evaluator supports', () => {
  const side = (min: number, max: number) =>
    fc.option(fc.oneof({ weight: 9, arbitrary: fc.integer({ min, max }) }, fc.double({ noNaN: false })), {
      nil: null,
    });
  const quantity = fc.constantFrom('temperature' as const, 'humidity' as const, 'oxygen' as const);
  const limits = fc.oneof(
    { weight: 5, arbitrary: fc.record({ quantity, low: side(0, 40), high: side(30, 90) }) },
    fc.record({
      quantity: fc.constantFrom(...INDICATOR_NAMES, 'contact' as const),
      low: fc.constantFrom(null, 0.5),
      high: fc.constantFrom(null, 0.5),
    }),
  );
  const definitions = fc.record({
    conditions: fc.array(
      fc
        .tuple(limits, fc.integer({ min: -1, max: 5 }), fc.integer({ min: 0, max: 1000 }))
        .map(([own, recoveryMargin, recoverAfterMs]) => ({ ...own, recoveryMargin, recoverAfterMs })),
      { maxLength: 2 },
    ),
    steps: fc
      .array(
        fc.record({
          level: fc.constantFrom(1, 2, 3, 4, 5) as fc.Arbitrary<PolicyStep['level']>,
          triggerAfterMs: fc.integer({ min: 0, max: 60 * MIN }),
          limits: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, fc.array(limits, { maxLength: 2 })),
        }),
        { maxLength: 3 },
      )
      .map((steps) => steps.sort((a, b) => a.triggerAfterMs - b.triggerAfterMs)),
    limitIsOutside: fc.boolean(),
  });
  let accepted = 0;
  fc.assert(
    fc.property(definitions, (it) => {
      if (definitionFault(it) !== null) return;
      accepted++;
      const rules = rulesOf(it);
      expect(rules.length).toBeGreaterThanOrEqual(it.conditions.length);
      for (const rule of rules) expect(policyRuleFault(rule)).toBeNull();
    }),
    { numRuns: 3_000, seed: 14 },
  );
  expect(accepted).toBeGreaterThan(100);
});

test('following the escalations of a valid policy always ends, at a level that notifies somebody', () => {
  const level = fc.constantFrom(...([1, 2, 3, 4, 5] as const));
  const escalation = fc.option(fc.record({ afterMs: fc.integer({ min: 0, max: 5 * MIN }), toLevel: level }));
  const steps = fc.uniqueArray(fc.record({ level, escalation, notifies: fc.boolean() }), {
    selector: (each) => each.level,
    minLength: 1,
  });
  fc.assert(
    fc.property(steps, (drawn) => {
      const whole = definition({
        steps: drawn.map(({ notifies, ...each }) =>
          step({ ...each, triggerAfterMs: each.level * MIN, ...(notifies ? told : {}) }),
        ),
      });
      if (definitionFault(whole)) return;
      for (const first of whole.steps) {
        let at = first;
        for (let links = 0; at.escalation; links++) {
          expect(links).toBeLessThan(5);
          const { toLevel } = at.escalation;
          at = whole.steps.find((each) => each.level === toLevel) as PolicyStep;
          expect(at.channels).toContain('email');
        }
      }
    }),
  );
});
