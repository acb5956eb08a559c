import { retainedFrom } from '@isotherm/domain/readings/retention';
import { DAY_MS } from '@isotherm/domain/readings/sealed-day';
import type pg from 'pg';
import type { Actor, Audit } from '../../platform/audit/audit.ts';
import type { Clock } from '../../platform/clock.ts';
import { transaction } from '../../platform/db/pool.ts';
import { deleteEstimatedBefore } from './estimated-readings.repo.ts';
import { deleteSealedBefore, listExpired } from './retention.repo.ts';
import { deleteSealedTracksBefore, listExpiredTracks } from './tracks.repo.ts';
import { deleteUntimedBefore } from './untimed-readings.repo.ts';

export interface RetentionOptions {
  pool: pg.Pool;
  audit: Pick<Audit, 'record'>;
  clock: Clock;
  /** Number of years for which readings are kept; 0 means for ever. */
  retentionYears: number;
}

/** Number of channels or devices per transaction. */
const CHANNELS_AT_ONCE = 200;
const SYSTEM: Actor = { accountId: null, username: 'system', sessionId: null, address: '' };

/** Deletes positions past their retention, in the same way; returns their number. */
async function releaseTracks(
  { pool, audit }: Pick<RetentionOptions, 'pool' | 'audit'>,
  keptFrom: number,
  to: string,
): Promise<number> {
  let released = 0;
  for (const { path, deviceIds } of await listExpiredTracks(pool, keptFrom))
    for (let i = 0; i < deviceIds.length; i += CHANNELS_AT_ONCE) {
      const devices = deviceIds.slice(i, i + CHANNELS_AT_ONCE);
      released += await transaction(pool, async (tx) => {
        const { positions, from } = await deleteSealedTracksBefore(tx, devices, keptFrom);
        if (positions > 0)
          await audit.record(tx, SYSTEM, {
            action: 'delete',
            objectKind: 'track',
            objectId: '',
            objectName: '',
            before: { devices, from, to, rows: positions },
            organizationPath: path,
          });
        return positions;
      });
    }
  return released;
}

/**
 * Deletes readings and positions past their retention (decision 10), with an audit entry for their organisation in the
 * same transaction. Returns the number of deleted readings and positions.
 */
export async function releaseExpired({
  pool,
  audit,
  clock,
  retentionYears,
}: RetentionOptions): Promise<number> {
  const keptFrom = retainedFrom(clock.now(), retentionYears);
  if (keptFrom === null) return 0;
  const to = new Date(keptFrom * DAY_MS).toISOString().slice(0, 10);
  let released = 0;
  for (const { path, channelIds } of await listExpired(pool, keptFrom))
    for (let i = 0; i < channelIds.length; i += CHANNELS_AT_ONCE) {
      const channels = channelIds.slice(i, i + CHANNELS_AT_ONCE);
      released += await transaction(pool, async (tx) => {
        const sealed = await deleteSealedBefore(tx, channels, keptFrom);
        const estimated = await deleteEstimatedBefore(tx, channels, new Date(keptFrom * DAY_MS));
        const readings = sealed.readings + estimated;
        if (readings > 0)
          await audit.record(tx, SYSTEM, {
            action: 'delete',
            objectKind: 'reading',
            objectId: '',
            objectName: '',
            before: { channels, from: sealed.from, to, rows: readings },
            organizationPath: path,
          });
        return readings;
      });
    }
  released += await releaseTracks({ pool, audit }, keptFrom, to);
  await deleteUntimedBefore(pool, new Date(keptFrom * DAY_MS));
  return released;
}
