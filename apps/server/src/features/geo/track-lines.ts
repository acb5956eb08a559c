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
    const own = spans.filter((span) => span.deviceId === deviceId).sort((a, b) => a.from - b.from);
    const parts = own.map((span) =>
      positions.slice(placeOf(positions, span.from), placeOf(positions, span.until)),
    );
    const places = parts[0]?.concat(...parts.slice(1)) ?? [];
    return { deviceId, places };
  });
  const followed = followedPositions(tracks);
  return followed.slice(placeOf(followed, from.getTime()));
}

/** Index of the first position at or after a time. */
function placeOf(positions: readonly Fix[], moment: number): number {
  let [low, high] = [0, positions.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((positions[middle] as Fix).at < moment) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Reads the route of an asset; the caller has checked the access. */
export async function loadTrackLines(db: Db, assetId: number, from: Date, to: Date): Promise<TrackLines> {
  const fixes = await loadFixes(db, assetId, from, to);
  const { lines, stops, distanceM } = judgeTrack(fixes);
  return { lines: lines.map((line) => line.map((at) => fixes[at] as Fix)), stops: stops.length, distanceM };
}
