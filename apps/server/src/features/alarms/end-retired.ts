import { ALARM_KINDS } from '@isotherm/domain/alarms/catalogue';
import type { Clock } from '../../platform/clock.ts';
import type { OnChannelsRetired, OnDevicesRestored } from '../devices/index.ts';
import { lockLanes } from '../telemetry/index.ts';
import { forgetStates } from './alarms.repo.ts';
import { endAlarms } from './episodes.repo.ts';
import type { News } from './evaluator.ts';
import { closeRules, reopenRules } from './rules.repo.ts';

/** Ends rules and alarms of channels that are no longer monitored (requirements §4). */
export function createEndRetired(clock: Clock, announce: (news: News) => void): OnChannelsRetired {
  return async (tx, deviceIds, channelIds) => {
    if (channelIds.length === 0) return () => undefined;
    // The lock ensures that nobody evaluates these channels in the meantime.
    await lockLanes(tx, deviceIds);
    const now = clock.now();
    await closeRules(tx, channelIds, new Date(now), 'device-removed');
    await forgetStates(tx, channelIds);
    const ends = channelIds.map((channelId) => ({ channel_id: channelId, ended_at: now }));
    const ended = await endAlarms(tx, ends, ALARM_KINDS, 'device-removed', now);
    const assetIds = [...new Set(ended.flatMap(({ assetId }) => assetId ?? []))];
    return () => announce({ alarms: ended.map(({ id }) => ({ id, topic: 'alarm.changed' })), assetIds });
  };
}

/**
 * When a deleted device is restored, reopens the rules that were ended with its deletion, as new versions
 * that begin now.
 */
export function createReopenRestored(clock: Clock): OnDevicesRestored {
  return async (tx, deviceIds, channelIds) => {
    await lockLanes(tx, deviceIds);
    await reopenRules(tx, channelIds, new Date(clock.now()));
  };
}
