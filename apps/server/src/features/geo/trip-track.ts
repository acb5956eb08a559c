import type { Db } from '../../platform/db/pool.ts';
import { type ShownTrack, shownTrack } from './shown-track.ts';
import { loadFixes } from './track-lines.ts';

/** Reads the route of an asset, simplified for a map that shows all of it; the caller has checked the access. */
export async function loadTripTrack(db: Db, assetId: number, from: Date, to: Date): Promise<ShownTrack> {
  return shownTrack(await loadFixes(db, assetId, from, to), null);
}
