import type { LimitRule } from './alarm-machine.ts';
import type { AlarmEndReason } from './catalogue.ts';
import type { QuietSpan } from './quiet-time.ts';

/** A rule as it was in force for readings of `from` (included) to `until` (not). Epoch ms, infinite where open. */
export interface RuleVersion {
  rule: LimitRule;
  from: number;
  until: number;
  /** Why an alarm ends that is open when the version ends. */
  endReason: AlarmEndReason;
}

/** From `from` on readings farther apart than this do not vouch for the time between them. */
export interface GapAllowance {
  from: number;
  allowanceMs: number;
}

/** Everything that the evaluation of a channel's limits depends on, with its validity (decision 24). */
export interface ChannelRules {
  versions: readonly RuleVersion[];
  /** In order of time; before the first one the rule's own allowance holds. */
  gaps: readonly GapAllowance[];
  quiet: readonly QuietSpan[];
}

/** The rule with the gap allowance that was in force at a moment. */
export function ruleAt(rule: LimitRule, gaps: readonly GapAllowance[], at: number): LimitRule {
  const gap = gaps.findLast(({ from }) => from <= at);
  return gap && gap.allowanceMs !== rule.gapAllowanceMs ? { ...rule, gapAllowanceMs: gap.allowanceMs } : rule;
}
