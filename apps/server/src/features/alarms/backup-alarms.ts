import { KIND_OF } from '@isotherm/domain/alarms/catalogue';
import type { Clock } from '../../platform/clock.ts';
import { type AfterCommit, NOTHING_AFTER_COMMIT, type Tx } from '../../platform/db/pool.ts';
import { deviceAlarm } from './alarm-rows.ts';
import { findDevicePlace, listBackupAlarmChannels } from './backup-alarms.repo.ts';
import { endAlarms, insertAlarms, newsOfInserted } from './episodes.repo.ts';
import type { News } from './evaluator.ts';

/** What is not backed up is not lost yet. */
const LEVEL = 1;

export interface BackupAlarms {
  /**
   * Raises the alarm that a backup of these devices has failed, with the first of them that has channels. Nothing
   * happens if it has the alarm already, or if none of them has channels.
   */
  raise(tx: Tx, deviceIds: readonly number[]): Promise<AfterCommit>;
  /** Ends the alarms about failed backups of these devices, because one has been made. */
  end(tx: Tx, deviceIds: readonly number[]): Promise<AfterCommit>;
}

export function createBackupAlarms(clock: Clock, announce: (news: News) => void): BackupAlarms {
  return {
    async raise(tx, deviceIds) {
      const now = clock.now();
      const place = await findDevicePlace(tx, deviceIds, new Date(now));
      if (!place) return NOTHING_AFTER_COMMIT;
      const made = await insertAlarms(tx, [deviceAlarm(place, KIND_OF.failure, LEVEL, now, now)]);
      const assetIds = place.asset_id === null ? [] : [place.asset_id];
      return () => announce({ alarms: newsOfInserted(made), assetIds });
    },
    async end(tx, deviceIds) {
      const channelIds = await listBackupAlarmChannels(tx, deviceIds);
      if (channelIds.length === 0) return NOTHING_AFTER_COMMIT;
      const now = clock.now();
      const ends = channelIds.map((channelId) => ({ channel_id: channelId, ended_at: now }));
      const ended = await endAlarms(tx, ends, [KIND_OF.failure], 'backup-made', now);
      const assetIds = [...new Set(ended.flatMap(({ assetId }) => assetId ?? []))];
      return () => announce({ alarms: ended.map(({ id }) => ({ id, topic: 'alarm.changed' })), assetIds });
    },
  };
}
