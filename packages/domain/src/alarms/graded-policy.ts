import { INDICATORS, type Indicator } from '../readings/indicator.ts';
import type { AcknowledgementRule } from './acknowledgement.ts';
import type { AlarmLevel } from './alarm-level.ts';
import type { PolicyQuantity, PolicyRule } from './policy.ts';
import {
  hasValueLimits,
  type PolicySignal,
  type SignalFault,
  signalFault,
  signalLimitsFault,
} from './policy-signal.ts';

/**
 * A graded policy (requirements §1, §5): conditions that share one ladder of steps. Each step raises its level
 * once a condition has held for its trigger delay. What needs another ladder (a battery, a door) is another
 * policy: the nearest assignment wins for each quantity on its own.
 */

/** Limits of a quantity in its canonical unit; null: none on this side. Both are null for `contact`. */
export interface QuantityLimits {
  quantity: PolicyQuantity;
  low: number | null;
  high: number | null;
}

export interface PolicyCondition extends QuantityLimits {
  /** What is compared with the limits; absent or null: the value itself. */
  signal?: PolicySignal | null | undefined;
  /** Hysteresis: how far inside the limit a value counts as recovered. */
  recoveryMargin: number;
  /** How long values must stay recovered before the alarm ends. */
  recoverAfterMs: number;
}

export interface PolicyStep {
  level: AlarmLevel;
  /** Trigger delay; 0 at level 1 only. */
  triggerAfterMs: number;
  /** Limits of this step in place of those of the conditions, by quantity. */
  limits: readonly QuantityLimits[];
  /** Who is told when the alarm reaches this level: ids of the definition's recipient type. */
  recipients?: readonly number[] | undefined;
  channels?: readonly NotificationChannel[] | undefined;
  /** Told again after each interval until somebody acknowledges; null: never. */
  repeatMs?: number | null | undefined;
  /** Address of the URL push. */
  url?: string | undefined;
}

/** What the recipients of a policy are, one type for all its steps (requirements §5, decision 31). */
export const RECIPIENT_TYPES = ['receivers', 'accounts'] as const;
export type RecipientType = (typeof RECIPIENT_TYPES)[number];

/** An e-mail goes to each recipient, a URL push to the address of the step. */
export const NOTIFICATION_CHANNELS = ['email', 'url-push'] as const;
export type NotificationChannel = (typeof NOTIFICATION_CHANNELS)[number];

export interface PolicyDefinition {
  conditions: readonly PolicyCondition[];
  steps: readonly PolicyStep[];
  /** Receivers, if absent. */
  recipientType?: RecipientType | undefined;
  /** WHO: a value equal to the limit is outside (decision 6). */
  limitIsOutside: boolean;
  /** What an acknowledgement must say; a reason, if absent. */
  acknowledgement?: AcknowledgementRule | undefined;
}

/** A switch is an alarm above or below this value: open, on; closed, off. */
export const SWITCH_LIMIT = 0.5;
/** Offline criterion of the requirements (§5). */
export const CONTACT_MIN_MS = 10 * 60_000;
/** People who are told more often than this stop to read. */
export const REPEAT_MIN_MS = 5 * 60_000;
/** Without user and password, which others could read in the policy. */
const PUSH_URL = /^https?:\/\/[^\s/?#@]+([/?#]\S*)?$/i;

/** What is wrong with a definition; `condition` and `step` are indexes. */
export type DefinitionFault =
  | { code: 'no-conditions' | 'no-steps' }
  | {
      code: 'quantity-twice' | 'no-limit' | 'limits-reversed' | 'limit-value' | 'margin' | SignalFault;
      condition: number;
    }
  | { code: 'level-twice' | 'trigger' | 'trigger-order' | 'contact-trigger' | 'step-limits'; step: number }
  | { code: 'no-recipients' | 'no-channels' | 'push-url' | 'repeat'; step: number };

const isQuantity = (quantity: PolicyQuantity): quantity is Indicator => quantity !== 'contact';

/**
 * True for a limit that the quantity can have: temperature with one decimal, humidity an integer from 0 to 100
 * (requirements §5), others what a sensor can measure.
 */
export function isLimitOf(quantity: Indicator, limit: number): boolean {
  const { physicalMin, physicalMax, kind } = INDICATORS[quantity];
  if (!(limit >= physicalMin && limit <= physicalMax)) return false;
  if (kind === 'switch') return limit === SWITCH_LIMIT;
  if (quantity === 'temperature') return Math.abs(limit * 10 - Math.round(limit * 10)) < 1e-9;
  return quantity !== 'humidity' || Number.isInteger(limit);
}

function limitsFault(limits: QuantityLimits): 'no-limit' | 'limits-reversed' | 'limit-value' | null {
  const { quantity, low, high } = limits;
  if (!isQuantity(quantity)) return low === null && high === null ? null : 'limit-value';
  if (low === null && high === null) return 'no-limit';
  if ([low, high].some((limit) => limit !== null && !isLimitOf(quantity, limit))) return 'limit-value';
  return low !== null && high !== null && low >= high ? 'limits-reversed' : null;
}

function conditionFault(
  definition: PolicyDefinition,
  { quantity, low, high, recoveryMargin, signal = null }: PolicyCondition,
  index: number,
) {
  const fault =
    (signal && signalFault(quantity, signal)) ??
    (signal && !hasValueLimits(signal)
      ? signalLimitsFault(signal, { low, high })
      : limitsFault({ quantity, low, high }));
  if (fault) return fault;
  const isSame = (other: PolicyCondition) =>
    other.quantity === quantity && other.signal?.type === signal?.type;
  if (definition.conditions.findIndex(isSame) !== index) return 'quantity-twice';
  // Otherwise nothing between the limits would count as recovered.
  if (recoveryMargin < 0 || (low !== null && high !== null && recoveryMargin * 2 >= high - low))
    return 'margin';
  return null;
}

function stepFault({ conditions, steps }: PolicyDefinition, step: PolicyStep, index: number) {
  const { level, triggerAfterMs, limits } = step;
  if (steps.findIndex((other) => other.level === level) !== index) return 'level-twice';
  if (triggerAfterMs < 0 || (triggerAfterMs === 0 && level > 1)) return 'trigger';
  if (triggerAfterMs < CONTACT_MIN_MS && conditions.some(({ quantity }) => quantity === 'contact'))
    return 'contact-trigger';
  // A step without limits of its own comes after those of lower levels.
  const isEarly = steps.some(
    (other) =>
      other.level < level &&
      other.limits.length === 0 &&
      limits.length === 0 &&
      other.triggerAfterMs >= triggerAfterMs,
  );
  if (isEarly) return 'trigger-order';
  const isWrong = limits.some(
    (own, at) =>
      limitsFault(own) !== null ||
      limits.findIndex(({ quantity }) => quantity === own.quantity) !== at ||
      !conditions.some(({ quantity, signal = null }) => quantity === own.quantity && signal === null),
  );
  return isWrong ? 'step-limits' : notificationFault(step);
}

/** What is wrong with who is told: a channel without anybody, somebody without a channel. */
function notificationFault({ recipients = [], channels = [], repeatMs = null, url = '' }: PolicyStep) {
  if (channels.includes('email') && recipients.length === 0) return 'no-recipients';
  if (!channels.includes('email') && recipients.length > 0) return 'no-channels';
  if (channels.includes('url-push') && !PUSH_URL.test(url)) return 'push-url';
  if (repeatMs !== null && (repeatMs < REPEAT_MIN_MS || channels.length === 0)) return 'repeat';
  return null;
}

/** The first fault of a definition, or null. */
export function definitionFault(definition: PolicyDefinition): DefinitionFault | null {
  if (definition.conditions.length === 0) return { code: 'no-conditions' };
  if (definition.steps.length === 0) return { code: 'no-steps' };
  for (const [index, condition] of definition.conditions.entries()) {
    const code = conditionFault(definition, condition, index);
    if (code) return { code, condition: index };
  }
  for (const [index, step] of definition.steps.entries()) {
    const code = stepFault(definition, step, index);
    if (code) return { code, step: index };
  }
  return null;
}

/** The rules that a definition is compiled to: one for each condition, side and step. */
export function rulesOf({ conditions, steps, limitIsOutside }: PolicyDefinition): PolicyRule[] {
  return conditions.flatMap(({ quantity, recoveryMargin, recoverAfterMs, signal = null, ...limits }) =>
    steps.flatMap((step) => {
      const own = signal === null ? step.limits.find((each) => each.quantity === quantity) : undefined;
      const { low, high } = own ?? limits;
      const base = {
        quantity,
        signal,
        level: step.level,
        triggerAfterMs: step.triggerAfterMs,
        recoverAfterMs,
      };
      if (!isQuantity(quantity))
        return [
          { ...base, predicate: 'silence' as const, limit: null, recoveryMargin: 0, limitIsOutside: false },
        ];
      const sides: PolicyRule[] = [];
      if (high !== null)
        sides.push({ ...base, predicate: 'above', limit: high, recoveryMargin, limitIsOutside });
      if (low !== null)
        sides.push({ ...base, predicate: 'below', limit: low, recoveryMargin, limitIsOutside });
      return sides;
    }),
  );
}
