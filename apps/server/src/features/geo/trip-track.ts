import type { getTrack } from '@isotherm/contracts/maps';
import type { ResponseOf } from '@isotherm/contracts/route';
import type { Db } from '../../platform/db/pool.ts';
import { shownTrack } from './shown-track.ts';
import { loadFixes } from './track-lines.ts';

/** The route of an asset for a map that shows all of it. */
export type TripTrack = Omit<ResponseOf<typeof getTrack>, 'assetId' | 'name' | 'alarms' | 'fenceEvents'>;

/** Reads the route of an asset, simplified for a map that shows all of it; the caller has checked the access. */
export async function loadTripTrack(db: Db, assetId: number, from: Date, to: Date): Promise<TripTrack> {
  return shownTrack(await loadFixes(db, assetId, from, to), null);
}
