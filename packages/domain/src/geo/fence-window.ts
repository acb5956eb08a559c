import type { FenceWindow } from './fence-judge.ts';
import { faultsOf, type TimedPlace } from './track.ts';

/** Positions of one device while it was bound to the asset, in order of time, without those where it had no fix. */
export interface DeviceTrack {
  deviceId: number;
  places: readonly TimedPlace[];
  /** False if the device has earlier positions that were not loaded. */
  isComplete: boolean;
  /** True if the device has later positions that were not loaded. */
  isCut: boolean;
}

/** While the device with the lower id sends, the positions of others at the same asset are not judged. */
export const LEADER_MS = 10 * 60_000;
/** A position changes the judgement of this many positions before it (`track.ts`), which depend on as many before them. */
const REACH = 2;

/**
 * The positions to be judged after positions from `since` to `latest` arrived, or null if more positions must be loaded to decide
 * it. Two devices of one vehicle never agree to the metre: only one of them is followed at a time.
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
  const places = followed(tracks).filter(({ at }) => at >= knownFrom && at <= knownUntil);
  const first = places.findIndex(({ at }) => at >= since);
  const start = Math.max(0, (first < 0 ? places.length : first) - REACH);
  if (start < REACH && !isComplete) return null;
  const faults = faultsOf(places);
  const earliest = isComplete ? 0 : REACH;
  let before = start - 1;
  while (before >= earliest && faults[before] !== null) before--;
  if (before < earliest && !isComplete) return null;
  // Of the last positions it is not known whether they are faults, and what comes after may depend on the new ones.
  const stop = isCut ? places.length - REACH : places.length;
  const settledFrom = tracks.length > 1 ? latest + LEADER_MS : latest;
  const settled = places.filter(({ at }) => at <= settledFrom).length + REACH;
  if (isCut && !places.slice(settled, stop).some((_, index) => faults[settled + index] === null)) return null;
  const last = places[before] ?? null;
  return {
    start: last ? last.at + 1 : 0,
    before: last,
    positions: places.filter((_, index) => index >= start && index < stop && faults[index] === null),
    end: isCut ? placeAt(places, stop - 1).at : Infinity,
  };
}

/** The positions of the devices in order of time, without those while a device with a lower id sends. */
function followed(tracks: readonly DeviceTrack[]): TimedPlace[] {
  const inOrder = [...tracks].sort((one, other) => one.deviceId - other.deviceId);
  const kept: TimedPlace[][] = [];
  const leaders: (readonly TimedPlace[])[] = [];
  for (const { places } of inOrder) {
    const next = leaders.map(() => 0);
    const isFree = ({ at }: TimedPlace) =>
      leaders.every((leader, order) => {
        let place = next[order] as number;
        while (place < leader.length && placeAt(leader, place).at <= at) place++;
        next[order] = place;
        return place === 0 || placeAt(leader, place - 1).at <= at - LEADER_MS;
      });
    kept.push(places.filter(isFree));
    leaders.push(places);
  }
  return kept.flat().sort((one, other) => one.at - other.at);
}

const placeAt = (places: readonly TimedPlace[], index: number) => places[index] as TimedPlace;
