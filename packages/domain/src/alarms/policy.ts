import { INDICATOR_NAMES, type Indicator } from '../readings/indicator.ts';
import type { AlarmLevel } from './alarm-level.ts';
import type { AlarmPredicate } from './catalogue.ts';
import type { PolicySignal } from './policy-signal.ts';
import { isSameSchedule, type Schedule } from './schedule.ts';
import { isSameSignal } from './signal.ts';

/**
 * Quantities that a policy can monitor: the measured ones, and whether the device reports at all
 * (`contact`).
 */
export const POLICY_QUANTITIES = [...INDICATOR_NAMES, 'contact'] as const;
export type PolicyQuantity = Indicator | 'contact';

/**
 * When a rule applies to an asset that carries shipments: while it carries one, with the limits of the policy or those of the
 * products (`product`), while it carries none, or while a shipment is at its origin or destination (`TripStage`).
 */
export const LEG_CONDITIONS = [
  'in-transit',
  'product',
  'not-in-transit',
  'at-origin',
  'at-destination',
] as const;
export type LegCondition = (typeof LEG_CONDITIONS)[number];

/** On which side of a geofence a rule applies. An asset that is not known to be inside counts as outside. */
export const FENCE_SIDES = ['inside', 'outside'] as const;

/** A rule applies only while the asset is on this side of a geofence. */
export interface FenceCondition {
  fenceId: number;
  side: (typeof FENCE_SIDES)[number];
}

/** A rule of a policy. Its limit is in the canonical unit of the quantity. */
export interface PolicyRule {
  quantity: PolicyQuantity;
  predicate: AlarmPredicate;
  /** The derived value that is compared with the limit; null to compare the measured value. */
  signal: PolicySignal | null;
  /** When the rule may raise an alarm; null: always. */
  schedule: Schedule | null;
  level: AlarmLevel;
  /** Null for a rule about missing data. */
  limit: number | null;
  recoveryMargin: number;
  triggerAfterMs: number;
  recoverAfterMs: number;
  limitIsOutside: boolean;
  /** By how much a detected defrost delays an alarm, ms; 0: not at all. */
  defrostDelayMs: number;
  /** When it applies to an asset that carries shipments; null: always. */
  leg: LegCondition | null;
  /** Where it applies; null: everywhere. */
  fence: FenceCondition | null;
}

/** True if two rules apply at the same places. */
export const isSameFence = (a: FenceCondition | null, b: FenceCondition | null): boolean =>
  a?.fenceId === b?.fenceId && a?.side === b?.side;

/**
 * Kinds of targets to which a policy can be assigned. Organisations and asset groups include everything
 * below them.
 */
export const POLICY_TARGETS = ['organization', 'asset-group', 'asset', 'device', 'channel'] as const;
export interface PolicyTarget {
  kind: (typeof POLICY_TARGETS)[number];
  id: number;
}

/** Reason why a rule cannot be compiled; null if it can. */
export function policyRuleFault(rule: PolicyRule): 'limit' | 'contact' | 'trigger' | null {
  if ((rule.predicate === 'silence') !== (rule.limit === null)) return 'limit';
  if (rule.quantity === 'contact' && rule.predicate !== 'silence') return 'contact';
  // Level 1 may be raised immediately, other levels and missing data only after a delay (decision 6).
  if (rule.triggerAfterMs <= 0 && (rule.level > 1 || rule.predicate === 'silence')) return 'trigger';
  return null;
}

/** True if two rules are evaluated in the same way. An edit of the policy leaves such a rule in force. */
export function isSamePolicyRule(a: PolicyRule, b: PolicyRule): boolean {
  return (
    a.quantity === b.quantity &&
    a.predicate === b.predicate &&
    isSameSignal(a.signal, b.signal) &&
    isSameSchedule(a.schedule, b.schedule) &&
    a.level === b.level &&
    a.limit === b.limit &&
    a.recoveryMargin === b.recoveryMargin &&
    a.triggerAfterMs === b.triggerAfterMs &&
    a.recoverAfterMs === b.recoverAfterMs &&
    a.limitIsOutside === b.limitIsOutside &&
    a.defrostDelayMs === b.defrostDelayMs &&
    a.leg === b.leg &&
    isSameFence(a.fence, b.fence)
  );
}

/**
 * Pairs the rules that an edit removes from a policy with those that it adds, if it changes numbers and schedules only:
 * then each added rule replaces one removed rule, and is for the same channels. Null if channels have to be compared,
 * because the policy is about something else than before, or because it is not clear which rule replaces which.
 */
export function replacementsOf<Removed extends PolicyRule, Added extends PolicyRule>(
  removed: readonly Removed[],
  added: readonly Added[],
): Map<Removed, Added> | null {
  if (removed.length !== added.length) return null;
  const pairs = new Map<Removed, Added>();
  for (const rule of removed) {
    const [replacement, ...others] = added.filter((other) => isAboutTheSame(rule, other));
    const alike = removed.filter((other) => isAboutTheSame(rule, other));
    if (!replacement || others.length > 0 || alike.length > 1) return null;
    pairs.set(rule, replacement);
  }
  return pairs;
}

/**
 * Which channels a rule is for, and which other channels it needs, depends on these fields only. The limits of products depend
 * on the channel.
 */
function isAboutTheSame(a: PolicyRule, b: PolicyRule): boolean {
  return (
    a.quantity === b.quantity &&
    a.predicate === b.predicate &&
    a.level === b.level &&
    isSameSignal(a.signal, b.signal) &&
    a.defrostDelayMs > 0 === b.defrostDelayMs > 0 &&
    a.leg === b.leg &&
    a.leg !== 'product' &&
    isSameFence(a.fence, b.fence)
  );
}
