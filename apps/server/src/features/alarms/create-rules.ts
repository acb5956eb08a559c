import type { OnChannelsCreated } from '../devices/index.ts';
import { insertRules, type NewRule } from './rules.repo.ts';

/** Stores the rules that new channels come with; devices, which stands before alarms, does not know them. */
export const createRules: OnChannelsCreated = async (tx, channels) => {
  const rules: NewRule[] = channels.flatMap(({ channelId, rules }) =>
    rules.map((rule) => ({
      channel_id: channelId,
      kind: rule.kind,
      level: rule.level,
      limit_value: rule.limit ?? null,
      recovery_margin: rule.recoveryMargin,
      trigger_after_ms: rule.triggerAfterMs,
      recover_after_ms: rule.recoverAfterMs,
    })),
  );
  if (rules.length > 0) await insertRules(tx, rules);
};
