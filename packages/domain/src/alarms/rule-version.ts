import type { LimitRule } from './alarm-machine.ts';
import type { AlarmEndReason } from './catalogue.ts';
import type { QuietSpan } from './quiet-time.ts';

/**
 * A rule as in force for readings from `from` (inclusive) to `until` (exclusive). Epoch ms, infinite if open.
 */
export interface RuleVersion {
  rule: LimitRule;
  from: number;
  until: number;
  /** Reason for ending open alarms when the version ends. */
  endReason: AlarmEndReason;
}

/** The gap allowance from `from` on. */
export interface GapAllowance {
  from: number;
  allowanceMs: number;
}

/** Everything that the evaluation of a channel's limits depends on, with its validity (decision 24). */
export interface ChannelRules {
  versions: readonly RuleVersion[];
  /** In order of time; before the first one the rule's own allowance applies. */
  gaps: readonly GapAllowance[];
  quiet: readonly QuietSpan[];
}

/** The rule with the gap allowance in force at a moment. */
export function ruleAt(rule: LimitRule, gaps: readonly GapAllowance[], at: number): LimitRule {
  const gap = gaps.findLast(({ from }) => from <= at);
  return gap && gap.allowanceMs !== rule.gapAllowanceMs ? { ...rule, gapAllowanceMs: gap.allowanceMs } : rule;
}
