import { ofOneDevice } from '@isotherm/domain/geo/one-device';
import { type Fix, judgeTrack } from '@isotherm/domain/geo/track';
import type { Db } from '../../platform/db/pool.ts';
import { listFixes } from './geo.repo.ts';

/** The way of an asset in a period. Between two lines nothing is known of it. */
export interface TrackLines {
  lines: Fix[][];
  /** Number of stops. */
  stops: number;
  distanceM: number;
}

/** Reads the way of an asset; the caller has checked the access. */
export async function loadTrackLines(db: Db, assetId: number, from: Date, to: Date): Promise<TrackLines> {
  const rows = await listFixes(db, assetId, from, to);
  const fixes = ofOneDevice(rows.map(({ device_id: deviceId, ...fix }) => ({ deviceId, ...fix })));
  const { lines, stops, distanceM } = judgeTrack(fixes);
  return { lines: lines.map((line) => line.map((at) => fixes[at] as Fix)), stops: stops.length, distanceM };
}
