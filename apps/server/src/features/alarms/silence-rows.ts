import type { NoDataRule } from '@isotherm/domain/alarms/alarm-machine';
import type { AlarmSubject } from '@isotherm/domain/alarms/catalogue';
import type { AlarmRow } from './episodes.repo.ts';
import type { ChannelPlan } from './rule-book.ts';

/** Describes a channel, or a device as a whole, that has stopped reporting. Times in epoch ms. */
export interface Silence {
  /** Plan of the channel whose no-data rule detected the missing data. */
  plan: ChannelPlan;
  rule: NoDataRule;
  deviceId: number;
  subject: AlarmSubject;
  /** Time at which the last reading before the alarm was measured. */
  since: number;
  /** Time at which the allowed time without data ended. */
  raisedAt: number;
  /** A reading of any of these channels ends the alarm. */
  channels: readonly { channelId: number; measuredAt: number | null }[];
}

/** Table row of the alarm about missing data, as decided at `now`. */
export function newSilence({ plan, rule, subject, since, raisedAt }: Silence, now: number): AlarmRow {
  const at = Math.max(since, raisedAt);
  return {
    channel_id: plan.channelId,
    rule_id: rule.id,
    subject,
    asset_id: plan.assetId,
    organization_id: plan.organizationId,
    kind: rule.kind,
    level: rule.level,
    peak_level: rule.level,
    state: 'active',
    since,
    raised_at: at,
    ended_at: null,
    end_reason: null,
    limit_value: null,
    recovery_margin: null,
    trigger_after_ms: rule.triggerAfterMs,
    value: null,
    peak_value: null,
    peak_at: null,
    late: false,
    recorded_at: now,
    events: [{ type: 'raised', at, level: rule.level, limit: null, value: null }],
  };
}
