import type { SignatureLevel } from '../access/signature.ts';
import { MAX_WECHAT_RECIPIENTS } from '../notifications/wechat.ts';
import { INDICATORS, type Indicator } from '../readings/indicator.ts';
import type { LinkLevel } from './acknowledge-link.ts';
import type { AcknowledgementRule } from './acknowledgement.ts';
import type { AlarmLevel } from './alarm-level.ts';
import { DEFROST_DELAY_MAX_MS } from './defrost.ts';
import { PERSON_TYPES } from './person.ts';
import {
  type FenceCondition,
  isSameFence,
  type LegCondition,
  type PolicyQuantity,
  type PolicyRule,
} from './policy.ts';
import {
  hasValueLimits,
  type PolicySignal,
  type SignalFault,
  signalFault,
  signalLimitsFault,
} from './policy-signal.ts';
import { type Schedule, type ScheduleFault, scheduleFault } from './schedule.ts';
import { isSameSignal } from './signal.ts';

/**
 * A graded policy (requirements §1, §5) has conditions and steps; all conditions share the steps. Each step
 * raises its level when a condition has held for the trigger delay of the step. Quantities that need other
 * steps (a battery, a door) get another policy: the nearest assignment wins for each quantity separately.
 */

/**
 * Limits of a quantity in its canonical unit; null if there is no limit on that side. Both are null for
 * `contact`.
 */
export interface QuantityLimits {
  quantity: PolicyQuantity;
  low: number | null;
  high: number | null;
}

export interface PolicyCondition extends QuantityLimits {
  /** The derived value that is compared with the limits; absent or null to compare the measured value. */
  signal?: PolicySignal | null | undefined;
  /** When the condition may raise an alarm; absent or null: always. */
  schedule?: Schedule | null | undefined;
  /** Hysteresis: how far inside the limit a value counts as recovered. */
  recoveryMargin: number;
  /** How long values must stay recovered before the alarm ends. */
  recoverAfterMs: number;
  /**
   * By how much a detected defrost delays alarms of the upper limit, ms; absent or 0: not at all. Only for the
   * measured temperature.
   */
  defrostDelayMs?: number | undefined;
  /**
   * When the condition applies to an asset that carries shipments; absent or null: always. With `product`, the mildest step has the
   * limits of the product, and others keep their distance from it; only for the measured temperature.
   */
  leg?: LegCondition | null | undefined;
  /** The side of a geofence on which the condition applies; absent or null: everywhere. */
  fence?: FenceCondition | null | undefined;
}

export interface PolicyStep {
  level: AlarmLevel;
  /** Trigger delay in ms; 0 is allowed at level 1 only. */
  triggerAfterMs: number;
  /** Limits of this step that replace those of the conditions, by quantity. */
  limits: readonly QuantityLimits[];
  /**
   * Ids of the recipients who are notified when the alarm reaches this level; their type is that of the
   * definition.
   */
  recipients?: readonly number[] | undefined;
  channels?: readonly NotificationChannel[] | undefined;
  /** Interval of the repeated notifications until somebody acknowledges; null for no repeats. */
  repeatMs?: number | null | undefined;
  /** Address of the URL push. */
  url?: string | undefined;
  /** Ids of the alertors that show the alarm. */
  alertors?: readonly number[] | undefined;
  /** Notification of another step if nobody acknowledges; null or absent for none. */
  escalation?: StepEscalation | null | undefined;
  /** What people are to do when the alarm reaches this level, such as where to move the goods. */
  instruction?: string | undefined;
}

/** Notifies the recipients of a higher step although the alarm has not reached it. */
export interface StepEscalation {
  /** Time after the notification of the step without an acknowledgement, ms. */
  afterMs: number;
  toLevel: AlarmLevel;
}

/** Types of recipients. All steps of a policy have the same type (requirements §5, decision 31). */
export const RECIPIENT_TYPES = [...PERSON_TYPES, 'groups', 'on-call'] as const;
export type RecipientType = (typeof RECIPIENT_TYPES)[number];

/**
 * E-mails, SMS, calls and WeChat messages go to each recipient, popups (`web`) to the open consoles of recipients that are accounts, browser
 * notifications (`push`) to the browsers that they have enabled, a URL push to the address of the step, and `alertor` to
 * the alertors of the step. The table `notification_channel` has the same channels.
 */
export const NOTIFICATION_CHANNELS = [
  'email',
  'sms',
  'voice',
  'wechat',
  'push',
  'web',
  'alertor',
  'url-push',
] as const;
export type NotificationChannel = (typeof NOTIFICATION_CHANNELS)[number];

/** True if one of the notification channels goes to the recipients. */
export const needsRecipients = (channels: readonly NotificationChannel[]): boolean =>
  channels.some((channel) => channel !== 'url-push' && channel !== 'alertor');

/** True if the notification channel can be used for this type of recipients: popups and browser notifications need accounts. */
export const suitsRecipients = (channel: NotificationChannel, type: RecipientType): boolean =>
  (channel !== 'web' && channel !== 'push') || type === 'accounts';

/**
 * Which late alarms are notified: all, none, or those that still last when their readings arrive. An alarm is late if its
 * readings are.
 */
export const LATE_NOTIFICATIONS = ['if-outside', 'always', 'never'] as const;
export type LateNotifications = (typeof LATE_NOTIFICATIONS)[number];

export interface PolicyDefinition {
  conditions: readonly PolicyCondition[];
  steps: readonly PolicyStep[];
  /** Default: receivers. */
  recipientType?: RecipientType | undefined;
  /** If true, a value equal to the limit is outside, as the WHO requires (decision 6). */
  limitIsOutside: boolean;
  /** Default: `if-outside`. */
  lateNotifications?: LateNotifications | undefined;
  /** Required fields of an acknowledgement. Default: a reason. */
  acknowledgement?: AcknowledgementRule | undefined;
  /** Level from which actions on alarms are signed; 0: never. Absent: as the organisation of the alarm says. */
  signatureFromLevel?: SignatureLevel | undefined;
  /** Highest level that links in messages acknowledge; 0: none. Default: `DEFAULT_LINK_LEVEL`. */
  linkLevel?: LinkLevel | undefined;
  /** True if SMS about one alarm contain a link, too. Default: no, because they cost more units then. */
  linkInSms?: boolean | undefined;
}

/**
 * A switch has the value 0 or 1, so a limit between them raises an alarm when it is open or on (above), or
 * closed or off (below).
 */
export const SWITCH_LIMIT = 0.5;
/** Minimum time without data before a device counts as offline (requirements §5). */
export const CONTACT_MIN_MS = 10 * 60_000;
const MINUTE_MS = 60_000;
/** Minimum interval of repeats. People who are notified more often stop reading. */
export const REPEAT_MIN_MS = 5 * 60_000;
/** Minimum time for people to acknowledge before an alarm is escalated. */
export const ESCALATION_MIN_MS = 60_000;
/**
 * The address must not contain a user and password, because everyone who can see the policy could read them.
 */
const PUSH_URL = /^https?:\/\/[^\s/?#@]+([/?#]\S*)?$/i;

/** The first error of a definition; `condition` and `step` are indexes. */
export type DefinitionFault =
  | { code: 'no-conditions' | 'no-steps' }
  | {
      code:
        | 'quantity-twice'
        | 'no-limit'
        | 'limits-reversed'
        | 'limit-value'
        | 'margin'
        | 'defrost-delay'
        | 'leg-product'
        | 'fence'
        | SignalFault
        | ScheduleFault;
      condition: number;
    }
  | { code: 'level-twice' | 'trigger' | 'trigger-order' | 'contact-trigger' | 'step-limits'; step: number }
  | {
      code:
        | 'no-recipients'
        | 'no-channels'
        | 'web-recipients'
        | 'push-url'
        | 'alertors'
        | 'wechat-recipients'
        | 'repeat';
      step: number;
    }
  | { code: 'escalation-time' | 'escalation-level'; step: number };

const isQuantity = (quantity: PolicyQuantity): quantity is Indicator => quantity !== 'contact';

/**
 * True if a limit is allowed for the quantity: temperature with one decimal, humidity an integer from 0 to
 * 100 (requirements §5), other quantities within the range that a sensor can measure.
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

function conditionFault(definition: PolicyDefinition, condition: PolicyCondition, index: number) {
  const {
    quantity,
    low,
    high,
    recoveryMargin,
    signal = null,
    schedule = null,
    leg = null,
    fence = null,
  } = condition;
  const fault =
    (signal && signalFault(quantity, signal)) ??
    (signal && !hasValueLimits(signal)
      ? signalLimitsFault(signal, { low, high })
      : limitsFault({ quantity, low, high }));
  if (fault) return fault;
  // Conditions that hold at different times or places may be about the same value.
  const isSame = ({
    quantity: otherQuantity,
    signal: other = null,
    leg: otherLeg = null,
    fence: otherFence = null,
  }: PolicyCondition) =>
    otherQuantity === quantity &&
    otherLeg === leg &&
    isSameFence(otherFence, fence) &&
    other?.type === signal?.type &&
    (!(isConditional(signal) || isConditional(other)) || isSameSignal(signal, other));
  if (definition.conditions.findIndex(isSame) !== index) return 'quantity-twice';
  // With a larger margin, no value between the limits would count as recovered.
  if (recoveryMargin < 0 || (low !== null && high !== null && recoveryMargin * 2 >= high - low))
    return 'margin';
  if (!isDefrostDelay(condition)) return 'defrost-delay';
  if (leg === 'product' && !mayTakeProductLimits({ quantity, signal })) return 'leg-product';
  if (fence !== null && !(fence.fenceId > 0)) return 'fence';
  return schedule && scheduleFault(schedule);
}

/** True if a signal depends on conditions about other channels. */
const isConditional = (signal: PolicySignal | null) =>
  signal?.type === 'while' || (signal?.and ?? []).length > 0;

function isDefrostDelay({ quantity, signal = null, high, defrostDelayMs = 0 }: PolicyCondition): boolean {
  if (defrostDelayMs === 0) return true;
  if (!mayDelayInDefrost({ quantity, signal }) || high === null) return false;
  return defrostDelayMs > 0 && defrostDelayMs <= DEFROST_DELAY_MAX_MS && defrostDelayMs % MINUTE_MS === 0;
}

/** True if a condition can have the limits of the products that an asset carries. */
export const mayTakeProductLimits = (condition: {
  quantity: PolicyQuantity;
  signal?: object | null | undefined;
}): boolean => mayDelayInDefrost(condition);

/** True if a defrost can delay the alarms of a condition. */
export const mayDelayInDefrost = ({
  quantity,
  signal = null,
}: {
  quantity: PolicyQuantity;
  signal?: object | null | undefined;
}): boolean => quantity === 'temperature' && signal === null;

function stepFault(
  { conditions, steps, recipientType = 'receivers' }: PolicyDefinition,
  step: PolicyStep,
  index: number,
) {
  const { level, triggerAfterMs, limits } = step;
  if (steps.findIndex((other) => other.level === level) !== index) return 'level-twice';
  if (triggerAfterMs < 0 || (triggerAfterMs === 0 && level > 1)) return 'trigger';
  if (triggerAfterMs < CONTACT_MIN_MS && conditions.some(({ quantity }) => quantity === 'contact'))
    return 'contact-trigger';
  // A step without its own limits must have a longer delay than all steps of lower levels without their own
  // limits.
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
  return isWrong ? 'step-limits' : (notificationFault(step, recipientType) ?? escalationFault(step, steps));
}

/**
 * Checks the escalation of a step. The target must be a step of a higher level, so that escalations cannot form
 * a loop, and must notify somebody.
 */
function escalationFault({ level, escalation = null }: PolicyStep, steps: readonly PolicyStep[]) {
  if (escalation === null) return null;
  if (!(escalation.afterMs >= ESCALATION_MIN_MS)) return 'escalation-time';
  const target = steps.find((other) => other.level === escalation.toLevel);
  return target && target.level > level && (target.channels ?? []).length > 0 ? null : 'escalation-level';
}

/**
 * Checks the notification settings of a step: e-mail, SMS, calls, browser notifications and popups need recipients and
 * recipients need one of them, popups and browser notifications need accounts, a URL push needs a valid address, the
 * channel of alertors needs alertors and these need it, and repeats need a notification channel and a minimum interval.
 */
export function notificationFault(
  {
    recipients = [],
    channels = [],
    repeatMs = null,
    url = '',
    alertors = [],
  }: Pick<PolicyStep, 'recipients' | 'channels' | 'repeatMs' | 'url' | 'alertors'>,
  type: RecipientType,
) {
  if (channels.some((channel) => !suitsRecipients(channel, type))) return 'web-recipients';
  if (needsRecipients(channels) && recipients.length === 0) return 'no-recipients';
  if (!needsRecipients(channels) && recipients.length > 0) return 'no-channels';
  if (channels.includes('url-push') && !PUSH_URL.test(url)) return 'push-url';
  if (channels.includes('wechat') && recipients.length > MAX_WECHAT_RECIPIENTS) return 'wechat-recipients';
  if (channels.includes('alertor') !== alertors.length > 0) return 'alertors';
  if (repeatMs !== null && (repeatMs < REPEAT_MIN_MS || channels.length === 0)) return 'repeat';
  return null;
}

/** Returns the first error of a definition, or null. */
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

/** The definition with a time zone for the schedules that name none. */
export function inTimeZone<D extends Pick<PolicyDefinition, 'conditions'>>(
  definition: D,
  timeZone: string,
): D {
  const conditions = definition.conditions.map((condition) =>
    condition.schedule?.timeZone === ''
      ? { ...condition, schedule: { ...condition.schedule, timeZone } }
      : condition,
  );
  return { ...definition, conditions };
}

/** Ids of the geofences that a definition names, each once. */
export const fencesOf = ({ conditions }: Pick<PolicyDefinition, 'conditions'>): number[] => [
  ...new Set(conditions.flatMap(({ fence }) => (fence ? [fence.fenceId] : []))),
];

/** Compiles a definition to rules: one for each condition, side (above or below) and step. */
export function rulesOf({ conditions, steps, limitIsOutside }: PolicyDefinition): PolicyRule[] {
  return conditions.flatMap(
    ({
      quantity,
      recoveryMargin,
      recoverAfterMs,
      signal = null,
      schedule = null,
      defrostDelayMs = 0,
      leg = null,
      fence = null,
      ...limits
    }) =>
      steps.flatMap((step) => {
        const own = signal === null ? step.limits.find((each) => each.quantity === quantity) : undefined;
        const { low, high } = own ?? limits;
        const base = {
          quantity,
          signal,
          schedule,
          level: step.level,
          triggerAfterMs: step.triggerAfterMs,
          recoverAfterMs,
          defrostDelayMs: 0,
          leg,
          fence,
        };
        if (!isQuantity(quantity))
          return [
            { ...base, predicate: 'silence' as const, limit: null, recoveryMargin: 0, limitIsOutside: false },
          ];
        const sides: PolicyRule[] = [];
        if (high !== null)
          sides.push({
            ...base,
            predicate: 'above',
            limit: high,
            recoveryMargin,
            limitIsOutside,
            defrostDelayMs,
          });
        if (low !== null)
          sides.push({ ...base, predicate: 'below', limit: low, recoveryMargin, limitIsOutside });
        return sides;
      }),
  );
}
