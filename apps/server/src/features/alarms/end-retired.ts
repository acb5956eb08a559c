import type { Clock } from '../../platform/clock.ts';
import type { OnChannelsRetired } from '../devices/index.ts';
import { lockLanes } from '../telemetry/index.ts';
import { endAlarmsOf } from './alarms.repo.ts';
import type { News } from './evaluator.ts';
import type { RuleBook } from './rule-book.ts';

/** Alarms end when what they speak of is no longer watched (requirements §4); devices does not know them. */
export function createEndRetired(
  clock: Clock,
  announce: (news: News) => void,
  rules: Pick<RuleBook, 'forgetAll'>,
): OnChannelsRetired {
  return async (tx, deviceIds, channelIds) => {
    if (channelIds.length === 0) return () => undefined;
    // Nobody judges these channels meanwhile.
    await lockLanes(tx, deviceIds);
    // What waits behind us to be judged finds no rules after the commit, since nobody asks for them before it.
    rules.forgetAll();
    const ended = await endAlarmsOf(tx, channelIds, new Date(clock.now()));
    const assetIds = [...new Set(ended.flatMap(({ assetId }) => assetId ?? []))];
    return () => announce({ alarms: ended.map(({ id }) => ({ id, topic: 'alarm.changed' })), assetIds });
  };
}
