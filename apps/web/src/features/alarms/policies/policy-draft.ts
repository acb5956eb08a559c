import type { SignatureLevel } from '@isotherm/domain/access/signature';
import type { LinkLevel } from '@isotherm/domain/alarms/acknowledge-link';
import { type AcknowledgementRule, DEFAULT_ACKNOWLEDGEMENT } from '@isotherm/domain/alarms/acknowledgement';
import {
  definitionFault,
  type LateNotifications,
  type NotificationChannel,
  type PolicyCondition,
  type PolicyDefinition,
  type PolicyStep,
  type RecipientType,
  type StepEscalation,
  SWITCH_LIMIT,
} from '@isotherm/domain/alarms/graded-policy';
import type { FenceCondition, LegCondition, PolicyQuantity } from '@isotherm/domain/alarms/policy';
import { OTHER_MAX_AGE_MS, type PolicySignal } from '@isotherm/domain/alarms/policy-signal';
import type { Schedule } from '@isotherm/domain/alarms/schedule';
import type { SignalType } from '@isotherm/domain/alarms/signal';
import { INDICATORS, type Indicator } from '@isotherm/domain/readings/indicator';

/**
 * A number during input. It is a string if the entered text is not a number, and null if the field is empty.
 */
export type Typed = number | string | null;

export interface LimitsDraft {
  quantity: PolicyQuantity;
  low: Typed;
  high: Typed;
}

/** A signal (a value derived from the readings) during input; its numbers may be text. */
export type SignalDraft = { type: SignalType } & Partial<
  Record<'windowMs' | 'horizonMs' | 'low' | 'high' | 'otherSensor', Typed>
> & { otherQuantity?: Indicator; maxAgeMs?: number; and?: FurtherDraft[] };

/** A further condition about another channel during input. */
export interface FurtherDraft {
  otherQuantity: Indicator;
  otherSensor: Typed;
  maxAgeMs: number;
  low: Typed;
  high: Typed;
}

export interface ConditionDraft extends LimitsDraft {
  /** The signal that is compared with the limits; null to compare the measured value itself. */
  signal: SignalDraft | null;
  /** When the condition may raise an alarm; null: always. */
  schedule: Schedule | null;
  recoveryMargin: Typed;
  recoverAfterMs: number;
  /** By how much a detected defrost delays alarms of the upper limit. */
  defrostDelayMs: Typed;
  /** When the condition applies to an asset that carries shipments; null: always. */
  leg: LegCondition | null;
  /** The side of a geofence on which it applies, with the id 0 until one is selected; null: everywhere. */
  fence: FenceCondition | null;
}

export interface StepDraft {
  level: PolicyStep['level'];
  triggerAfterMs: Typed;
  limits: LimitsDraft[];
  recipients: number[];
  channels: NotificationChannel[];
  repeatMs: Typed;
  url: string;
  alertors: number[];
  escalation: EscalationDraft | null;
  instruction: string;
}

/** An escalation during input. */
export interface EscalationDraft {
  afterMs: Typed;
  toLevel: PolicyStep['level'];
}

/** Notification settings of a new level, which notifies nobody. */
export const NOBODY: Pick<
  StepDraft,
  'recipients' | 'channels' | 'repeatMs' | 'url' | 'alertors' | 'escalation' | 'instruction'
> = {
  recipients: [],
  channels: [],
  repeatMs: null,
  url: '',
  alertors: [],
  escalation: null,
  instruction: '',
};

/** A policy definition during input. */
export interface DefinitionDraft {
  conditions: ConditionDraft[];
  steps: StepDraft[];
  recipientType: RecipientType;
  limitIsOutside: boolean;
  lateNotifications: LateNotifications;
  acknowledgement: AcknowledgementRule;
  /** Undefined: as the organisation says. */
  signatureFromLevel?: SignatureLevel | undefined;
  /** Undefined: `DEFAULT_LINK_LEVEL`. */
  linkLevel?: LinkLevel | undefined;
  linkInSms: boolean;
}

export const draftOf = ({
  conditions,
  steps,
  recipientType = 'receivers',
  limitIsOutside,
  lateNotifications = 'if-outside',
  acknowledgement = DEFAULT_ACKNOWLEDGEMENT,
  signatureFromLevel,
  linkLevel,
  linkInSms = false,
}: PolicyDefinition): DefinitionDraft => ({
  conditions: conditions.map(({ signal, schedule, defrostDelayMs, leg, fence, ...condition }) => ({
    ...condition,
    defrostDelayMs: defrostDelayMs ?? 0,
    schedule: schedule ?? null,
    leg: leg ?? null,
    fence: fence ?? null,
    signal: signal ? signalDraftOf(signal) : null,
  })),
  steps: steps.map(
    ({
      level,
      triggerAfterMs,
      limits,
      recipients,
      channels,
      repeatMs,
      url,
      alertors,
      escalation,
      instruction,
    }) => ({
      level,
      triggerAfterMs,
      limits: limits.map((own) => ({ ...own })),
      recipients: [...(recipients ?? [])],
      channels: [...(channels ?? [])],
      repeatMs: repeatMs ?? null,
      url: url ?? '',
      alertors: [...(alertors ?? [])],
      escalation: escalation ? { ...escalation } : null,
      instruction: instruction ?? '',
    }),
  ),
  recipientType,
  limitIsOutside,
  lateNotifications,
  acknowledgement: { ...acknowledgement },
  signatureFromLevel,
  linkLevel,
  linkInSms,
});

function signalDraftOf({ and, ...signal }: PolicySignal): SignalDraft {
  return and ? { ...signal, and: and.map((part) => ({ ...part })) } : signal;
}

export const EMPTY_DRAFT: DefinitionDraft = {
  conditions: [conditionOf('temperature')],
  steps: [{ level: 1, triggerAfterMs: 0, limits: [], ...NOBODY }],
  recipientType: 'receivers',
  limitIsOutside: false,
  lateNotifications: 'if-outside',
  acknowledgement: DEFAULT_ACKNOWLEDGEMENT,
  linkInSms: false,
};

export function isSwitch(quantity: PolicyQuantity): boolean {
  return quantity !== 'contact' && INDICATORS[quantity].kind === 'switch';
}

/** Creates a condition. A switch raises an alarm when it is on, mains power when it is off. */
export function conditionOf(quantity: PolicyQuantity): ConditionDraft {
  const onIsAlarm = isSwitch(quantity) && quantity !== 'power';
  return {
    quantity,
    signal: null,
    schedule: null,
    low: isSwitch(quantity) && !onIsAlarm ? SWITCH_LIMIT : null,
    high: onIsAlarm ? SWITCH_LIMIT : null,
    recoveryMargin: 0,
    recoverAfterMs: 0,
    defrostDelayMs: 0,
    leg: null,
    fence: null,
  };
}

/** A new schedule: working hours in the time zone of the organisation. */
export const WORKING_HOURS: Schedule = {
  spans: [{ days: [1, 2, 3, 4, 5], from: '08:00', until: '18:00' }],
  timeZone: '',
  holidays: 'never',
};

const MINUTE_MS = 60_000;
const DEFAULT_WINDOW_MS = 30 * MINUTE_MS;

/**
 * Creates a signal for a condition. Signals about the time or the number of times outside bounds start with
 * the limits of the condition as bounds.
 */
export function signalOf(type: SignalType, { quantity, low, high }: LimitsDraft): SignalDraft {
  const bounds = { low, high };
  switch (type) {
    case 'rate':
      return { type, windowMs: DEFAULT_WINDOW_MS };
    case 'outside-time':
    case 'outside-count':
      return { type, windowMs: 24 * 60 * MINUTE_MS, ...bounds };
    case 'forecast':
      return { type, windowMs: DEFAULT_WINDOW_MS, horizonMs: DEFAULT_WINDOW_MS };
    case 'difference':
      return { type, otherQuantity: quantity as Indicator, otherSensor: 1, maxAgeMs: OTHER_MAX_AGE_MS };
    case 'while':
      return { type, ...furtherOf('door') };
  }
}

/** A condition about another channel of the device: that a switch is off, or a range that is still to be entered. */
export const furtherOf = (otherQuantity: Indicator): FurtherDraft => ({
  otherQuantity,
  otherSensor: 1,
  maxAgeMs: OTHER_MAX_AGE_MS,
  low: null,
  high: isSwitch(otherQuantity) ? SWITCH_LIMIT : null,
});

/** True if the limits of a condition are values of its quantity. */
export const hasOwnLimits = (signal: SignalDraft | null): boolean =>
  signal === null || signal.type === 'forecast' || signal.type === 'while';

/** Initial own limits of a step: the limits of the conditions. Quantities without limits are left out. */
export function ownLimitsOf(conditions: readonly ConditionDraft[]): LimitsDraft[] {
  return conditions
    .filter(({ quantity, signal }) => quantity !== 'contact' && !isSwitch(quantity) && signal === null)
    .map(({ quantity, low, high }) => ({ quantity, low, high }));
}

const isNumber = (value: Typed): value is number => typeof value === 'number';
const isLimit = (value: Typed): value is number | null => value === null || isNumber(value);

/**
 * The row with the first error and the violated rule. Null while some input is not a number, because the
 * schema reports that.
 */
export function draftFault(draft: DefinitionDraft) {
  const whole = wholeDefinition(draft);
  return whole && definitionFault(whole);
}

/** Converts a draft to a definition. Null while some input is not a number. */
export function wholeDefinition({
  conditions,
  steps,
  limitIsOutside,
}: DefinitionDraft): PolicyDefinition | null {
  const whole: PolicyCondition[] = [];
  for (const { low, high, recoveryMargin, defrostDelayMs, ...rest } of conditions) {
    const { signal } = rest;
    if (!isLimit(low) || !isLimit(high) || !isNumber(recoveryMargin) || !isNumber(defrostDelayMs))
      return null;
    const isText = ([key, part]: [string, unknown]) =>
      typeof part === 'string' && key !== 'type' && key !== 'otherQuantity';
    const parts = signal ? [signal, ...(signal.and ?? [])] : [];
    if (parts.some((part) => Object.entries(part).some(isText))) return null;
    whole.push({ ...rest, signal: signal as PolicySignal | null, low, high, recoveryMargin, defrostDelayMs });
  }
  const wholeSteps: PolicyStep[] = [];
  for (const { triggerAfterMs, limits, repeatMs, escalation, ...step } of steps) {
    if (!isNumber(triggerAfterMs) || !isLimit(repeatMs)) return null;
    if (escalation && !isNumber(escalation.afterMs)) return null;
    const own = limits.flatMap(({ quantity, low, high }) =>
      isLimit(low) && isLimit(high) ? [{ quantity, low, high }] : [],
    );
    if (own.length !== limits.length) return null;
    wholeSteps.push({
      ...step,
      triggerAfterMs,
      limits: own,
      repeatMs,
      escalation: escalation as StepEscalation | null,
    });
  }
  return { conditions: whole, steps: wholeSteps, limitIsOutside };
}
