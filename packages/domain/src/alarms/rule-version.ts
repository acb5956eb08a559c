import type { LimitRule } from './alarm-machine.ts';
import type { AlarmEndReason } from './catalogue.ts';
import type { QuietSpan } from './quiet-time.ts';

/**
 * A version of a rule that is in force for readings from `from` (included) to `until` (excluded). Epoch ms;
 * infinite if there is no bound.
 */
export interface RuleVersion {
  rule: LimitRule;
  from: number;
  until: number;
  /** Reason that is stored for alarms that end together with this version. */
  endReason: AlarmEndReason;
}

/**
 * The version as it is evaluated for a device whose subscription ends at `expiresAt`: readings measured from then on are
 * not evaluated, and an alarm that is open then ends (decision 33).
 */
export function untilExpiry(version: RuleVersion, expiresAt: number): RuleVersion {
  if (version.until <= expiresAt) return version;
  return { ...version, until: expiresAt, endReason: 'subscription-expired' };
}

/** The gap allowance that is in force from `from` on. */
export interface GapAllowance {
  from: number;
  allowanceMs: number;
}

/**
 * Everything that the evaluation of a channel's limits depends on, each with the time for which it is valid
 * (decision 24).
 */
export interface ChannelRules {
  versions: readonly RuleVersion[];
  /** Gap allowances ordered by time. Before the first one, the allowance of the rule applies. */
  gaps: readonly GapAllowance[];
  quiet: readonly QuietSpan[];
  /** Moments at which alarms of the channel ended because of missing data (data-timeout.ts), in order. */
  timeouts?: readonly number[];
}

/** The rule with the gap allowance in force at a given time. */
export function ruleAt(rule: LimitRule, gaps: readonly GapAllowance[], at: number): LimitRule {
  const gap = gaps.findLast(({ from }) => from <= at);
  return gap && gap.allowanceMs !== rule.gapAllowanceMs ? { ...rule, gapAllowanceMs: gap.allowanceMs } : rule;
}
