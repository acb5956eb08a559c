import { type Fixes, StoredFixes } from '@isotherm/domain/geo/fixes';
import { followedPositions, LEADER_MS } from '@isotherm/domain/geo/followed-device';
import { joinTracks, sliceTrack } from '@isotherm/domain/geo/sealed-track';
import { type Fix, judgeTrack } from '@isotherm/domain/geo/track';
import type { Db } from '../../platform/db/pool.ts';
import { loadTrackColumns } from '../telemetry/index.ts';
import { listTrackSpans } from './geo.repo.ts';

/** The route of an asset in a period. Between two lines it is not known. */
export interface TrackLines {
  lines: Fix[][];
  /** Number of stops. */
  stops: number;
  distanceM: number;
}

/**
 * Reads the positions of an asset in order of time, of the device that is followed if several sent some; the caller has checked
 * the access. Positions before the range are read as far as they decide which device that is.
 */
export async function loadFixes(db: Db, assetId: number, from: Date, to: Date): Promise<Fixes> {
  const begin = from.getTime();
  const earlier = new Date(begin - LEADER_MS);
  const spans = (await listTrackSpans(db, assetId, earlier, to))
    .filter(({ from, until }) => from < until)
    .sort((one, other) => one.from - other.from);
  const ofDevice = await loadTrackColumns(
    db,
    [...new Set(spans.map(({ deviceId }) => deviceId))],
    Math.min(...spans.map((span) => span.from)),
    Math.max(...spans.map((span) => span.until)),
  );
  const tracks = [...ofDevice].map(([deviceId, track]) => {
    const own = spans.filter((span) => span.deviceId === deviceId);
    return { deviceId, columns: joinTracks(own.map(({ from, until }) => sliceTrack(track, from, until))) };
  });
  const [only, ...others] = tracks;
  if (only && others.length === 0)
    return new StoredFixes(sliceTrack(only.columns, begin, Number.POSITIVE_INFINITY));
  const followed = followedPositions(
    tracks.map(({ deviceId, columns }) => ({ deviceId, places: [...new StoredFixes(columns)] })),
  );
  return followed.filter(({ at }) => at >= begin);
}

/** Reads the route of an asset; the caller has checked the access. */
export async function loadTrackLines(db: Db, assetId: number, from: Date, to: Date): Promise<TrackLines> {
  const fixes = await loadFixes(db, assetId, from, to);
  const { lines, stops, distanceM } = judgeTrack(fixes);
  return {
    lines: lines.map((line) => line.map((at) => fixes.at(at) as Fix)),
    stops: stops.length,
    distanceM,
  };
}
