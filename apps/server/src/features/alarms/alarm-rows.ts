import type { AlarmLevel } from '@isotherm/domain/alarms/alarm-level';
import type { AlarmKind } from '@isotherm/domain/alarms/catalogue';
import type { Episode } from '@isotherm/domain/alarms/episode';
import type { StoredAlarm } from '@isotherm/domain/alarms/reconcile';
import type { AlarmRow, ChangedAlarm } from './episodes.repo.ts';
import type { ChannelPlan } from './rule-book.ts';

function stateOf(episode: Episode): AlarmRow['state'] {
  if (episode.endedAt !== null) return 'ended';
  return episode.recovering ? 'recovering' : 'active';
}

/** Table row for a new alarm that starts with this episode of a channel. */
export function newRow(plan: ChannelPlan, episode: Episode, late: boolean, recordedAt: number): AlarmRow {
  return {
    channel_id: plan.channelId,
    rule_id: episode.ruleId,
    subject: 'channel',
    asset_id: plan.assetId,
    organization_id: plan.organizationId,
    kind: episode.kind,
    level: episode.level,
    peak_level: episode.peakLevel,
    state: stateOf(episode),
    since: episode.since,
    raised_at: episode.raisedAt,
    ended_at: episode.endedAt,
    end_reason: episode.endReason,
    limit_value: episode.limit,
    recovery_margin: episode.recoveryMargin,
    trigger_after_ms: episode.triggerAfterMs,
    defrost_delay_ms: episode.defrostDelayMs ?? null,
    value: episode.value,
    peak_value: episode.peak,
    peak_at: episode.peakAt,
    late,
    recorded_at: recordedAt,
    events: episode.events,
  };
}

/** Alarms about a device as a whole that no rule raises store this rule id. */
const NO_RULE = 0;

/** Where an alarm about a device is stored: one of its channels, with the asset of that channel. */
export interface DevicePlace {
  channel_id: number;
  asset_id: number | null;
  organization_id: number;
}

/** Table row for a new alarm about a device, such as its wrong clock. No rule raises it, and nothing is measured. */
export function deviceAlarm(
  place: DevicePlace,
  kind: AlarmKind,
  level: AlarmLevel,
  since: number,
  recordedAt: number,
): AlarmRow {
  return {
    channel_id: place.channel_id,
    rule_id: NO_RULE,
    subject: 'device',
    asset_id: place.asset_id,
    organization_id: place.organization_id,
    kind,
    level,
    peak_level: level,
    state: 'active',
    since,
    raised_at: since,
    ended_at: null,
    end_reason: null,
    limit_value: null,
    recovery_margin: null,
    trigger_after_ms: 0,
    value: null,
    peak_value: null,
    peak_at: null,
    late: false,
    recorded_at: recordedAt,
    events: [{ type: 'raised', at: since, level, limit: null, value: null }],
  };
}

/**
 * Returns the table row of a stored alarm after its episode has changed. With `replace`, the stored events in
 * the given time range are replaced by those of the episode.
 */
export function changedRow(
  before: StoredAlarm,
  episode: Episode,
  recordedAt: number,
  replace: { from: number; until: number } | null,
): ChangedAlarm {
  const isBounded = replace !== null && Number.isFinite(replace.until);
  return {
    id: before.id,
    state: stateOf(episode),
    since: episode.since,
    raised_at: episode.raisedAt,
    ended_at: episode.endedAt,
    end_reason: episode.endReason,
    level: episode.level,
    peak_level: episode.peakLevel,
    limit_value: episode.limit,
    recovery_margin: episode.recoveryMargin,
    defrost_delay_ms: episode.defrostDelayMs ?? null,
    value: episode.value,
    peak_value: episode.peak,
    peak_at: episode.peakAt,
    news: replace !== null || episode.events.length > 0,
    recorded_at: recordedAt,
    events: episode.events,
    replace_from: replace?.from ?? null,
    replace_until: isBounded ? replace.until : null,
  };
}
