import { expect, it } from 'vitest';
import {
  type BackTestAnswer,
  leversOf,
  limitsFor,
  merged,
  pulled,
  rangeOf,
  testedPart,
} from './back-test-draft.ts';
import { type DefinitionDraft, EMPTY_DRAFT, NOBODY } from './policy-draft.ts';

const DRAFT: DefinitionDraft = {
  ...EMPTY_DRAFT,
  conditions: [
    {
      quantity: 'temperature',
      signal: null,
      schedule: null,
      low: 2,
      high: 8,
      recoveryMargin: 0.5,
      recoverAfterMs: 0,
      defrostDelayMs: 0,
      leg: null,
      fence: null,
    },
    {
      quantity: 'door',
      signal: null,
      schedule: null,
      low: null,
      high: 0.5,
      recoveryMargin: 0,
      recoverAfterMs: 0,
      defrostDelayMs: 0,
      leg: null,
      fence: null,
    },
  ],
  steps: [
    { level: 1, triggerAfterMs: 0, limits: [], ...NOBODY },
    {
      level: 3,
      triggerAfterMs: 600_000,
      limits: [{ quantity: 'temperature', low: null, high: 6 }],
      ...NOBODY,
    },
  ],
};

it('a draft is tested without its recipients, even if they are not complete', () => {
  const [first, second] = DRAFT.steps;
  if (!first || !second) throw new Error('two steps');
  const told = { ...DRAFT, steps: [{ ...first, channels: ['email' as const] }, second] };
  expect(testedPart(told)).toEqual(testedPart(DRAFT));
  expect(testedPart(DRAFT)?.steps[0]).toEqual({ level: 1, triggerAfterMs: 0, limits: [] });
});

it('a draft with invalid numbers or with reversed limits is not back-tested', () => {
  const [temperature] = DRAFT.conditions;
  if (!temperature) throw new Error('a condition');
  expect(testedPart({ ...DRAFT, conditions: [{ ...temperature, high: 'eight' }] })).toBeNull();
  expect(testedPart({ ...DRAFT, conditions: [{ ...temperature, high: 1 }] })).toBeNull();
  expect(testedPart(pulled(DRAFT, { type: 'delay', at: 1, value: 0 }, 0))).toBeNull();
});

it('the limits in the chart are the tightest limits of all levels', () => {
  const tested = testedPart(DRAFT);
  if (!tested) throw new Error('a whole draft');
  expect(limitsFor(tested, 'temperature')).toEqual({ low: 2, high: 6 });
  expect(limitsFor(tested, 'humidity')).toEqual({ low: null, high: null });
});

it('sliders change the limits of quantities and the delays of levels in a draft', () => {
  const levers = leversOf(DRAFT);
  expect(levers).toMatchObject([
    { type: 'limit', side: 'high', value: 8 },
    { type: 'limit', side: 'low', value: 2 },
    { type: 'delay', at: 0, value: 0 },
    { type: 'delay', at: 1, value: 600_000 },
  ]);
  const [high, , , delay] = levers;
  if (!high || !delay) throw new Error('four sliders');
  expect(rangeOf(high, 8)).toEqual({ min: 3, max: 13, step: 0.1 });
  expect(rangeOf(delay, 600_000)).toEqual({ min: 0, max: 7_200_000, step: 60_000 });
  expect(pulled(DRAFT, high, 7.5).conditions[0]).toMatchObject({ low: 2, high: 7.5 });
  expect(pulled(DRAFT, delay, 60_000).steps[1]).toMatchObject({ level: 3, triggerAfterMs: 60_000 });
});

it('back-test results of several portions of channels are combined, with the newest alarms first', () => {
  const part = (id: number, since: string, longestMs: number): BackTestAnswer => {
    const result = {
      total: 2,
      byLevel: [1, 0, 1, 0, 0],
      longestMs,
      onlyHere: 1,
      alarms: [
        {
          channelId: id,
          kind: 'high' as const,
          since,
          raisedAt: since,
          endedAt: null,
          durationMs: longestMs,
          level: 1 as const,
          limit: 8,
          peak: 9,
          isOnlyHere: true,
        },
      ],
    };
    const bounds = { from: '2026-01-01T00:00:00.000Z', to: '2026-04-01T00:00:00.000Z' };
    return { ...bounds, channels: [{ id, days: 9 }], leftOut: [], draft: result, inForce: result };
  };
  expect(merged([])).toBeNull();
  expect(
    merged([part(1, '2026-02-01T00:00:00.000Z', 5), part(2, '2026-03-01T00:00:00.000Z', 7)]),
  ).toMatchObject({
    channels: [{ id: 1 }, { id: 2 }],
    draft: {
      total: 4,
      byLevel: [2, 0, 2, 0, 0],
      longestMs: 7,
      onlyHere: 2,
      alarms: [{ channelId: 2 }, { channelId: 1 }],
    },
  });
});
