import type { NoDataRule } from '@isotherm/domain/alarms/alarm-machine';
import type { AlarmSubject } from '@isotherm/domain/alarms/catalogue';
import type { AlarmRow } from './episodes.repo.ts';
import type { ChannelPlan } from './rule-book.ts';

/** A channel, or a device as a whole, that has fallen silent. Epoch ms. */
export interface Silence {
  /** Plan of the channel whose rule detected the silence. */
  plan: ChannelPlan;
  rule: NoDataRule;
  deviceId: number;
  subject: AlarmSubject;
  /** When the last reading was measured. */
  since: number;
  /** When the allowed time ended. */
  raisedAt: number;
  /** Readings of any of these channels end it. */
  channels: readonly { channelId: number; measuredAt: number | null }[];
}

/** The alarm of a silence, as decided at `now`. */
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
