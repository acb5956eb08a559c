import type { FenceWindow } from './fence-judge.ts';
import { type DevicePlaces, followedPositions, LEADER_MS } from './followed-device.ts';
import { faultsOf, JUMP_REACH, type TimedPlace } from './track-faults.ts';

/** Positions of one device while it was bound to the asset, in order of time, without those where it had no fix. */
export interface DeviceTrack extends DevicePlaces<TimedPlace> {
  /** False if the device has earlier positions that were not loaded. */
  isComplete: boolean;
  /** True if the device has later positions that were not loaded. */
  isCut: boolean;
}

/**
 * The positions to be judged after positions from `since` to `latest` arrived, or null if more positions must be loaded to decide
 * it. Only one of several devices of a vehicle is followed at a time (`followed-device.ts`).
 */
export function fenceWindow(
  tracks: readonly DeviceTrack[],
  since: number,
  latest: number,
): FenceWindow | null {
  const knownFrom = Math.max(
    ...tracks.map(({ isComplete, places }) => (isComplete ? -Infinity : placeAt(places, 0).at)),
  );
  const knownUntil = Math.min(
    ...tracks.map(({ isCut, places }) => (isCut ? placeAt(places, places.length - 1).at : Infinity)),
  );
  const isComplete = knownFrom === -Infinity;
  const isCut = knownUntil !== Infinity;
  const places = followedPositions(tracks).filter(({ at }) => at >= knownFrom && at <= knownUntil);
  const first = places.findIndex(({ at }) => at >= since);
  const start = Math.max(0, (first < 0 ? places.length : first) - JUMP_REACH);
  if (start < JUMP_REACH && !isComplete) return null;
  const faults = faultsOf(places);
  const earliest = isComplete ? 0 : JUMP_REACH;
  let before = start - 1;
  while (before >= earliest && faults[before] !== null) before--;
  if (before < earliest && !isComplete) return null;
  // Of the last positions it is not known whether they are faults, and what comes after may depend on the new ones.
  const stop = isCut ? places.length - JUMP_REACH : places.length;
  const settledFrom = tracks.length > 1 ? latest + LEADER_MS : latest;
  const settled = places.filter(({ at }) => at <= settledFrom).length + JUMP_REACH;
  if (isCut && !places.slice(settled, stop).some((_, index) => faults[settled + index] === null)) return null;
  const last = places[before] ?? null;
  return {
    start: last ? last.at + 1 : 0,
    before: last,
    positions: places.filter((_, index) => index >= start && index < stop && faults[index] === null),
    end: isCut ? placeAt(places, stop - 1).at : Infinity,
  };
}

const placeAt = (places: readonly TimedPlace[], index: number) => places[index] as TimedPlace;
