import type { OnChannelsCreated } from '../devices/index.ts';
import { insertRules, type NewRule } from './rules.repo.ts';

/**
 * Stores the initial rules of new channels. It is a callback because the devices feature must not depend on
 * alarms.
 */
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
