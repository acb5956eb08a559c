import {
  type BackTestAlarm,
  type BackTestResult,
  type backTestPolicy,
  MAX_BACK_TEST_ALARMS,
} from '@isotherm/contracts/back-test';
import type { ResponseOf } from '@isotherm/contracts/route';
import { definitionFault, type PolicyDefinition } from '@isotherm/domain/alarms/graded-policy';
import type { PolicyQuantity } from '@isotherm/domain/alarms/policy';
import { INDICATORS, type Indicator } from '@isotherm/domain/readings/indicator';
import {
  type DefinitionDraft,
  hasOwnLimits,
  isSwitch,
  NOBODY,
  type Typed,
  wholeDefinition,
} from './policy-draft.ts';

export type BackTestAnswer = ResponseOf<typeof backTestPolicy>;

const isNumber = (value: Typed): value is number => typeof value === 'number';

/**
 * Returns the part of a draft that is back-tested: its conditions and levels, without the recipients. Null
 * while the draft is incomplete or invalid.
 */
export function testedPart(draft: DefinitionDraft): PolicyDefinition | null {
  const whole = wholeDefinition({
    ...draft,
    steps: draft.steps.map((step) => ({ ...step, ...NOBODY })),
  });
  if (!whole) return null;
  const { conditions, limitIsOutside } = whole;
  const steps = whole.steps.map(({ level, triggerAfterMs, limits }) => ({ level, triggerAfterMs, limits }));
  const definition = { conditions, steps, limitIsOutside };
  return definitionFault(definition) === null ? definition : null;
}

/** Returns the quantities of a definition that can be back-tested on stored readings. */
export const testedQuantities = ({ conditions }: Pick<PolicyDefinition, 'conditions'>): Indicator[] =>
  conditions.flatMap(({ quantity }) => (quantity === 'contact' ? [] : [quantity]));

/** Returns the tightest limits that a channel of this quantity would have at any level. */
export function limitsFor(
  { conditions, steps }: PolicyDefinition,
  quantity: PolicyQuantity,
): { low: number | null; high: number | null } {
  const inherited = conditions.filter((each) => each.quantity === quantity && !each.signal);
  const all = steps.flatMap(({ limits }) => {
    const own = limits.filter((each) => each.quantity === quantity);
    return own.length > 0 ? own : inherited;
  });
  const lows = all.flatMap(({ low }) => (low === null ? [] : [low]));
  const highs = all.flatMap(({ high }) => (high === null ? [] : [high]));
  return {
    low: lows.length === 0 ? null : Math.max(...lows),
    high: highs.length === 0 ? null : Math.min(...highs),
  };
}

/** Combines the back-test results of several portions of channels. */
export function merged(parts: readonly BackTestAnswer[]): BackTestAnswer | null {
  const [first] = parts;
  if (!first) return null;
  const sum = (of: (part: BackTestAnswer) => BackTestResult): BackTestResult => {
    const all = parts.map(of);
    const add = (countOf: (result: BackTestResult) => number) =>
      all.reduce((total, result) => total + countOf(result), 0);
    return {
      total: add(({ total }) => total),
      byLevel: first.draft.byLevel.map((_, level) => add(({ byLevel }) => byLevel[level] ?? 0)),
      longestMs: Math.max(...all.map(({ longestMs }) => longestMs)),
      onlyHere: add(({ onlyHere }) => onlyHere),
      alarms: all
        .flatMap(({ alarms }) => alarms)
        .sort(newestOwnFirst)
        .slice(0, MAX_BACK_TEST_ALARMS),
    };
  };
  return {
    ...first,
    channels: parts.flatMap(({ channels }) => channels),
    draft: sum(({ draft }) => draft),
    inForce: sum(({ inForce }) => inForce),
  };
}

const newestOwnFirst = (a: BackTestAlarm, b: BackTestAlarm) =>
  Number(b.isOnlyHere) - Number(a.isOnlyHere) || Date.parse(b.since) - Date.parse(a.since);

/** A number of the draft that a slider can change. */
export type Lever =
  | { type: 'delay'; at: number; value: number }
  | { type: 'limit'; at: number; side: 'low' | 'high'; quantity: Indicator; value: number };

export const leverKey = (lever: Lever): string =>
  lever.type === 'delay' ? `delay-${lever.at}` : `${lever.side}-${lever.at}`;

/**
 * Returns the numbers of a draft that sliders can change: the delays of the levels in ms, then the limits of
 * the conditions.
 */
export function leversOf({ conditions, steps }: DefinitionDraft): Lever[] {
  return [
    ...conditions.flatMap(({ quantity, signal, ...limits }, at) =>
      quantity === 'contact' || isSwitch(quantity) || !hasOwnLimits(signal)
        ? []
        : (['high', 'low'] as const).flatMap((side): Lever[] => {
            const value = limits[side];
            return isNumber(value) ? [{ type: 'limit', at, side, quantity, value }] : [];
          }),
    ),
    ...steps.flatMap(({ triggerAfterMs }, at): Lever[] =>
      isNumber(triggerAfterMs) ? [{ type: 'delay', at, value: triggerAfterMs }] : [],
    ),
  ];
}

const MINUTE_MS = 60_000;
const MOST_DELAY_MS = 2 * 3_600_000;

/**
 * Returns the lowest and highest value of a slider and its step. `around` is the saved value, which is in the
 * middle.
 */
export function rangeOf(lever: Lever, around: number): { min: number; max: number; step: number } {
  if (lever.type === 'delay') return { min: 0, max: Math.max(MOST_DELAY_MS, lever.value), step: MINUTE_MS };
  const { physicalMin, physicalMax, precision } = INDICATORS[lever.quantity];
  const isFine = lever.quantity === 'temperature';
  const step = isFine ? 0.1 : lever.quantity === 'humidity' ? 1 : 10 ** -precision;
  const reach = isFine ? 5 : Math.max(20 * step, Math.abs(around) / 2);
  return {
    min: Math.max(physicalMin, rounded(Math.min(around, lever.value) - reach, step)),
    max: Math.min(physicalMax, rounded(Math.max(around, lever.value) + reach, step)),
    step,
  };
}

/** Rounds to a multiple of the step, without floating-point noise. */
export const rounded = (value: number, step: number): number =>
  Number((Math.round(value / step) * step).toFixed(3));

/** Returns the draft with another value of this number. */
export function pulled(draft: DefinitionDraft, lever: Lever, value: number): DefinitionDraft {
  if (lever.type === 'delay')
    return {
      ...draft,
      steps: draft.steps.map((step, at) => (at === lever.at ? { ...step, triggerAfterMs: value } : step)),
    };
  return {
    ...draft,
    conditions: draft.conditions.map((condition, at) =>
      at === lever.at ? { ...condition, [lever.side]: value } : condition,
    ),
  };
}
