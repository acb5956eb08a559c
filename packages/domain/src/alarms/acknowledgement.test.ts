import { expect, test } from 'vitest';
import { requiredFields } from './acknowledgement.ts';

test('a reason is required if no policy specifies otherwise', () => {
  expect(requiredFields(null, 1)).toEqual(['reason']);
  expect(requiredFields(undefined, 5)).toEqual(['reason']);
});

test('the fields of a policy are required from its level upwards, and are returned in the order of the form', () => {
  const rule = { required: ['correctiveAction', 'reason'], fromLevel: 3 } as const;
  expect(requiredFields(rule, 2)).toEqual([]);
  expect(requiredFields(rule, 3)).toEqual(['reason', 'correctiveAction']);
});

test('a policy can require no fields at all', () => {
  expect(requiredFields({ required: [], fromLevel: 1 }, 5)).toEqual([]);
});
