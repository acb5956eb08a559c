import type { AlarmLevel } from './alarm-level.ts';
import { type NotificationChannel, notificationFault, type RecipientType } from './graded-policy.ts';

/** A step of an escalation plan: who is notified if nobody has acknowledged an alarm for this time. */
export interface EscalationPlanStep {
  /** Minutes since the alarm was raised. */
  afterMinutes: number;
  recipientType: RecipientType;
  /** Ids of the recipients of e-mails. */
  recipients: readonly number[];
  channels: readonly NotificationChannel[];
  /** Address of the URL push. */
  url: string;
  /** Ids of the alertors that show the alarm. */
  alertors?: readonly number[] | undefined;
}

export interface EscalationPlanRules {
  /** The plan applies to alarms of this level and above. */
  lowestLevel: AlarmLevel;
  steps: readonly EscalationPlanStep[];
}

export const MAX_PLAN_STEPS = 5;

/** The first error of a plan; `step` is an index. */
export type PlanFault = {
  code:
    | 'order'
    | 'nobody'
    | 'no-recipients'
    | 'no-channels'
    | 'web-recipients'
    | 'push-url'
    | 'alertors'
    | 'wechat-recipients';
  step: number;
};

/** Returns the first error of the steps of a plan, or null. Each step must be later than the one before. */
export function planFault(steps: readonly EscalationPlanStep[]): PlanFault | null {
  for (const [index, step] of steps.entries()) {
    const before = steps[index - 1];
    if (before && step.afterMinutes <= before.afterMinutes) return { code: 'order', step: index };
    if (step.channels.length === 0) return { code: 'nobody', step: index };
    const fault = notificationFault(step, step.recipientType);
    if (fault && fault !== 'repeat') return { code: fault, step: index };
  }
  return null;
}
