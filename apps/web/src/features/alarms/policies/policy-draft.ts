import { type AcknowledgementRule, DEFAULT_ACKNOWLEDGEMENT } from '@isotherm/domain/alarms/acknowledgement';
import {
  definitionFault,
  type NotificationChannel,
  type PolicyCondition,
  type PolicyDefinition,
  type PolicyStep,
  type RecipientType,
  SWITCH_LIMIT,
} from '@isotherm/domain/alarms/graded-policy';
import type { PolicyQuantity } from '@isotherm/domain/alarms/policy';
import { INDICATORS } from '@isotherm/domain/readings/indicator';

/** A number during input: text where it is not one. */
export type Typed = number | string | null;

export interface LimitsDraft {
  quantity: PolicyQuantity;
  low: Typed;
  high: Typed;
}

export interface ConditionDraft extends LimitsDraft {
  recoveryMargin: Typed;
  recoverAfterMs: number;
}

export interface StepDraft {
  level: PolicyStep['level'];
  triggerAfterMs: Typed;
  limits: LimitsDraft[];
  recipients: number[];
  channels: NotificationChannel[];
  repeatMs: Typed;
  url: string;
}

/** A new level tells nobody. */
export const NOBODY: Pick<StepDraft, 'recipients' | 'channels' | 'repeatMs' | 'url'> = {
  recipients: [],
  channels: [],
  repeatMs: null,
  url: '',
};

/** A definition during input. */
export interface DefinitionDraft {
  conditions: ConditionDraft[];
  steps: StepDraft[];
  recipientType: RecipientType;
  limitIsOutside: boolean;
  acknowledgement: AcknowledgementRule;
}

export const draftOf = ({
  conditions,
  steps,
  recipientType = 'receivers',
  limitIsOutside,
  acknowledgement = DEFAULT_ACKNOWLEDGEMENT,
}: PolicyDefinition): DefinitionDraft => ({
  conditions: conditions.map((condition) => ({ ...condition })),
  steps: steps.map(({ level, triggerAfterMs, limits, recipients, channels, repeatMs, url }) => ({
    level,
    triggerAfterMs,
    limits: limits.map((own) => ({ ...own })),
    recipients: [...(recipients ?? [])],
    channels: [...(channels ?? [])],
    repeatMs: repeatMs ?? null,
    url: url ?? '',
  })),
  recipientType,
  limitIsOutside,
  acknowledgement: { ...acknowledgement },
});

export const EMPTY_DRAFT: DefinitionDraft = {
  conditions: [conditionOf('temperature')],
  steps: [{ level: 1, triggerAfterMs: 0, limits: [], ...NOBODY }],
  recipientType: 'receivers',
  limitIsOutside: false,
  acknowledgement: DEFAULT_ACKNOWLEDGEMENT,
};

export function isSwitch(quantity: PolicyQuantity): boolean {
  return quantity !== 'contact' && INDICATORS[quantity].kind === 'switch';
}

/** A new condition: a switch is an alarm when it is on, except for power. */
export function conditionOf(quantity: PolicyQuantity): ConditionDraft {
  const onIsAlarm = isSwitch(quantity) && quantity !== 'power';
  return {
    quantity,
    low: isSwitch(quantity) && !onIsAlarm ? SWITCH_LIMIT : null,
    high: onIsAlarm ? SWITCH_LIMIT : null,
    recoveryMargin: 0,
    recoverAfterMs: 0,
  };
}

/** Own limits of a step begin as those of the conditions; quantities without limits have none. */
export function ownLimitsOf(conditions: readonly ConditionDraft[]): LimitsDraft[] {
  return conditions
    .filter(({ quantity }) => quantity !== 'contact' && !isSwitch(quantity))
    .map(({ quantity, low, high }) => ({ quantity, low, high }));
}

const isNumber = (value: Typed): value is number => typeof value === 'number';
const isLimit = (value: Typed): value is number | null => value === null || isNumber(value);

/** The row with the first fault and its rule; null while a number is not one, which the schema reports. */
export function draftFault({ conditions, steps, limitIsOutside }: DefinitionDraft) {
  const whole: PolicyCondition[] = [];
  for (const { low, high, recoveryMargin, ...rest } of conditions) {
    if (!isLimit(low) || !isLimit(high) || !isNumber(recoveryMargin)) return null;
    whole.push({ ...rest, low, high, recoveryMargin });
  }
  const wholeSteps: PolicyStep[] = [];
  for (const { level, triggerAfterMs, limits, recipients, channels, repeatMs, url } of steps) {
    if (!isNumber(triggerAfterMs) || !isLimit(repeatMs)) return null;
    const own = limits.flatMap(({ quantity, low, high }) =>
      isLimit(low) && isLimit(high) ? [{ quantity, low, high }] : [],
    );
    if (own.length !== limits.length) return null;
    wholeSteps.push({ level, triggerAfterMs, limits: own, recipients, channels, repeatMs, url });
  }
  return definitionFault({ conditions: whole, steps: wholeSteps, limitIsOutside });
}
