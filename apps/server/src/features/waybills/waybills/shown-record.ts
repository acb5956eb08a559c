import type { ShownRecord } from '@isotherm/contracts/waybills';
import type { Db } from '../../../platform/db/pool.ts';
import { readExcursions } from './trip-excursions.ts';
import { readJudgedTrip, type Trip } from './trip-record.ts';
import { listTripChannels, SWITCHES } from './waybills.repo.ts';

/** Returns the record as a page shows it: with the excursions and their causes, and the doors of each leg. */
export async function readShownRecord(db: Db, trip: Trip, now: number): Promise<ShownRecord> {
  const judged = await readJudgedTrip(db, trip, now);
  const { record } = judged;
  const assetIds = record.legs.map(({ assetId }) => assetId);
  const [excursions, switches] = await Promise.all([
    readExcursions(db, judged, trip),
    listTripChannels(db, trip.id, assetIds, SWITCHES),
  ]);
  return {
    ...record,
    excursions,
    legs: record.legs.map((leg) => ({
      ...leg,
      switches: switches
        .filter(({ assetId, from, until }) => assetId === leg.assetId && from < leg.to && until > leg.from)
        .map(({ channelId, name }) => ({ channelId, name })),
    })),
  };
}
