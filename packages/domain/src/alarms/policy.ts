import { INDICATOR_NAMES, type Indicator } from '../readings/indicator.ts';
import type { AlarmLevel } from './alarm-level.ts';
import type { AlarmPredicate } from './catalogue.ts';
import type { PolicySignal } from './policy-signal.ts';
import { isSameSignal } from './signal.ts';

/** What a policy rule watches: a measured quantity, or that the device reports at all. */
export const POLICY_QUANTITIES = [...INDICATOR_NAMES, 'contact'] as const;
export type PolicyQuantity = Indicator | 'contact';

/** A rule of a policy. Limits in the canonical unit of the quantity. */
export interface PolicyRule {
  quantity: PolicyQuantity;
  predicate: AlarmPredicate;
  /** What is compared with the limit; null: the value itself. */
  signal: PolicySignal | null;
  level: AlarmLevel;
  /** Null for silence. */
  limit: number | null;
  recoveryMargin: number;
  triggerAfterMs: number;
  recoverAfterMs: number;
  limitIsOutside: boolean;
}

/** Targets of a policy; organisations and asset groups include everything below. */
export const POLICY_TARGETS = ['organization', 'asset-group', 'asset', 'device', 'channel'] as const;
export interface PolicyTarget {
  kind: (typeof POLICY_TARGETS)[number];
  id: number;
}

/** Why a rule cannot be compiled; null if it can. */
export function policyRuleFault(rule: PolicyRule): 'limit' | 'contact' | 'trigger' | null {
  if ((rule.predicate === 'silence') !== (rule.limit === null)) return 'limit';
  if (rule.quantity === 'contact' && rule.predicate !== 'silence') return 'contact';
  // Level 1 may raise immediately, the others after a delay (decision 6).
  if (rule.triggerAfterMs <= 0 && (rule.level > 1 || rule.predicate === 'silence')) return 'trigger';
  return null;
}

/** True for rules with the same evaluation: an edit of the policy leaves such a rule in force. */
export function isSamePolicyRule(a: PolicyRule, b: PolicyRule): boolean {
  return (
    a.quantity === b.quantity &&
    a.predicate === b.predicate &&
    isSameSignal(a.signal, b.signal) &&
    a.level === b.level &&
    a.limit === b.limit &&
    a.recoveryMargin === b.recoveryMargin &&
    a.triggerAfterMs === b.triggerAfterMs &&
    a.recoverAfterMs === b.recoverAfterMs &&
    a.limitIsOutside === b.limitIsOutside
  );
}
