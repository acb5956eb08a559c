import { LIMIT_KINDS } from '@isotherm/domain/alarms/catalogue';
import { DATA_TIMEOUT_MS } from '@isotherm/domain/alarms/data-timeout';
import type pg from 'pg';
import type { Clock } from '../../platform/clock.ts';
import { transaction } from '../../platform/db/pool.ts';
import type { Job } from '../../platform/jobs/jobs.ts';
import { lockLanes } from '../telemetry/index.ts';
import { forgetLimitStates, insertTimeouts, listTimedOut } from './data-timeout.repo.ts';
import { endAlarms } from './episodes.repo.ts';
import type { News } from './evaluator.ts';
import { touchRules } from './rules.repo.ts';

/**
 * Maximum number of channels in one transaction, because it holds the advisory locks of all their devices.
 */
const AT_ONCE = 500;

/**
 * Ends limit alarms of channels that have sent nothing for a day, at the time of their last reading
 * (requirements §4, data timeout). It only does so while the asset has an open no-data alarm, so that the
 * problem stays visible.
 */
export function createDataTimeout(pool: pg.Pool, clock: Clock, announce: (news: News) => void): Job {
  async function endSome(): Promise<boolean> {
    const now = clock.now();
    const before = new Date(now - DATA_TIMEOUT_MS);
    const seeming = await listTimedOut(pool, before, null, AT_ONCE);
    if (seeming.length === 0) return false;
    const ended = await transaction(pool, async (tx) => {
      await lockLanes(tx, [...new Set(seeming.map(({ deviceId }) => deviceId))]);
      // The channels are checked again under the lock, because a reading may have arrived in the meantime.
      const ids = seeming.map(({ channelId }) => channelId);
      const due = await listTimedOut(tx, before, ids, AT_ONCE);
      const channelIds = due.map(({ channelId }) => channelId);
      await forgetLimitStates(tx, channelIds);
      // Replays of late readings need to know of the timeout. It is cached with the rules.
      await insertTimeouts(tx, channelIds, new Date(now));
      await touchRules(tx, channelIds);
      const ends = due.map(({ channelId, lastAt }) => ({ channel_id: channelId, ended_at: lastAt }));
      return endAlarms(tx, ends, LIMIT_KINDS, 'data-timeout', now);
    });
    announce({
      alarms: ended.map(({ id }) => ({ id, topic: 'alarm.changed' })),
      assetIds: [...new Set(ended.flatMap(({ assetId }) => assetId ?? []))],
    });
    return seeming.length === AT_ONCE && ended.length > 0;
  }

  return {
    name: 'alarms-data-timeout',
    cron: '*/10 * * * *',
    run: async () => {
      while (await endSome());
    },
  };
}
