import { followedPositions, LEADER_MS } from '@isotherm/domain/geo/followed-device';
import { type Fix, judgeTrack } from '@isotherm/domain/geo/track';
import type { Db } from '../../platform/db/pool.ts';
import { loadTracks } from '../telemetry/index.ts';
import { listTrackSpans } from './geo.repo.ts';

/** The route of an asset in a period. Between two lines it is not known. */
export interface TrackLines {
  lines: Fix[][];
  /** Number of stops. */
  stops: number;
  distanceM: number;
}

/** A position with the device that sent it. */
export interface DeviceFix extends Fix {
  deviceId: number;
}

/**
 * Reads the positions of an asset in order of time, of the device that is followed if several sent some; the caller has checked
 * the access. Positions before the range are read as far as they decide which device that is.
 */
export async function loadFixes(db: Db, assetId: number, from: Date, to: Date): Promise<DeviceFix[]> {
  const earlier = new Date(from.getTime() - LEADER_MS);
  const spans = (await listTrackSpans(db, assetId, earlier, to)).filter(({ from, until }) => from < until);
  const ofDevice = await loadTracks(
    db,
    [...new Set(spans.map(({ deviceId }) => deviceId))],
    Math.min(...spans.map((span) => span.from)),
    Math.max(...spans.map((span) => span.until)),
  );
  const tracks = [...ofDevice].map(([deviceId, positions]) => {
    const own = spans.filter((span) => span.deviceId === deviceId);
    return {
      deviceId,
      places: positions.filter(({ at }) => own.some((span) => at >= span.from && at < span.until)),
    };
  });
  return followedPositions(tracks).filter(({ at }) => at >= from.getTime());
}

/** Reads the route of an asset; the caller has checked the access. */
export async function loadTrackLines(db: Db, assetId: number, from: Date, to: Date): Promise<TrackLines> {
  const fixes = await loadFixes(db, assetId, from, to);
  const { lines, stops, distanceM } = judgeTrack(fixes);
  return { lines: lines.map((line) => line.map((at) => fixes[at] as Fix)), stops: stops.length, distanceM };
}
