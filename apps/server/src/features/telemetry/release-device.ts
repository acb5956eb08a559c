import type { Tx } from '../../platform/db/pool.ts';
import { deleteEstimatedBefore } from './estimated-readings.repo.ts';
import { lockLanes, shareMoreDays } from './locks.ts';
import { deleteHot, deleteSealedBefore, listHotDays } from './retention.repo.ts';
import { deleteSealedTracksBefore } from './tracks.repo.ts';

/** Later than any day that can be sealed, in days since 1970. */
const AFTER_ALL_DAYS = 1_000_000;
const AFTER_ALL = new Date('4000-01-01');

/**
 * Deletes all readings and positions of a device; returns the number of readings. The device's lane keeps its readings from
 * being written meanwhile, and shared locks of their days keep the sealer from moving them.
 */
export async function releaseDevice(
  tx: Tx,
  deviceId: number,
  channelIds: readonly number[],
): Promise<number> {
  await lockLanes(tx, [deviceId]);
  await shareMoreDays(tx, await listHotDays(tx, channelIds, deviceId));
  // Sealed days come last, as the sealer may have moved readings before the days were locked.
  const hot = await deleteHot(tx, channelIds, deviceId);
  const sealed = await deleteSealedBefore(tx, channelIds, AFTER_ALL_DAYS);
  const estimated = await deleteEstimatedBefore(tx, channelIds, AFTER_ALL);
  await deleteSealedTracksBefore(tx, [deviceId], AFTER_ALL_DAYS);
  return hot + sealed.readings + estimated;
}
