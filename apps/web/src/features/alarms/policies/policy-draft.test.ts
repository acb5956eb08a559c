import { TEMPLATES } from '@isotherm/domain/alarms/policy-templates';
import { expect, test } from 'vitest';
import { conditionOf, draftFault, draftOf, EMPTY_DRAFT, ownLimitsOf } from './policy-draft.ts';

const draft = draftOf(TEMPLATES['vaccine-refrigerator']);

test('a draft reports the row of its first error, as the server does', () => {
  expect(draftFault(draft)).toBeNull();
  const [first, second, ...rest] = draft.steps;
  if (!first || !second) throw new Error('the template has no levels');
  expect(draftFault({ ...draft, steps: [first, { ...second, triggerAfterMs: 0 }, ...rest] })).toEqual({
    code: 'trigger',
    step: 1,
  });
  expect(draftFault(EMPTY_DRAFT)).toEqual({ code: 'no-limit', condition: 0 });
});

test('a draft check ignores text that is not a number, because the schema reports it', () => {
  const [condition] = draft.conditions;
  if (!condition) throw new Error('the template has no conditions');
  expect(draftFault({ ...draft, conditions: [{ ...condition, low: 'two' }] })).toBeNull();
  const [step] = draft.steps;
  if (!step) throw new Error('the template has no levels');
  expect(draftFault({ ...draft, steps: [{ ...step, triggerAfterMs: 'x' }] })).toBeNull();
});

test('the default condition for a switch raises an alarm when it is on, and for mains power when it is off', () => {
  expect(conditionOf('door')).toMatchObject({ low: null, high: 0.5 });
  expect(conditionOf('power')).toMatchObject({ low: 0.5, high: null });
  expect(ownLimitsOf([conditionOf('door'), ...draft.conditions])).toEqual([
    { quantity: 'temperature', low: 2, high: 8 },
  ]);
});
