import { isFix, type TimedPlace } from './track-faults.ts';

/** Positions of one device of an asset, in order of time. */
export interface DevicePlaces<T extends TimedPlace> {
  deviceId: number;
  places: readonly T[];
}

/** While a device with a lower id sends, the positions of others at the same asset are not used. */
export const LEADER_MS = 10 * 60_000;

/**
 * The positions of an asset with several devices, in order of time. Two devices of a vehicle never agree to the metre, and a
 * track that alternates between them would be a zigzag: the device with the lowest id is followed, and another one after
 * `LEADER_MS` of its silence. A position without a fix is no sign of life. Whether a position is used depends only on the
 * `LEADER_MS` before it, so that every range that begins as much earlier gives the same.
 */
export function followedPositions<T extends TimedPlace>(tracks: readonly DevicePlaces<T>[]): T[] {
  if (tracks.length === 1) return [...(tracks[0] as DevicePlaces<T>).places];
  const inOrder = [...tracks].sort((one, other) => one.deviceId - other.deviceId);
  const kept: T[] = [];
  const leaders: (readonly T[])[] = [];
  for (const { places } of inOrder) {
    const next = leaders.map(() => 0);
    const isFree = ({ at }: T) =>
      leaders.every((leader, order) => {
        let place = next[order] as number;
        while (place < leader.length && (leader[place] as T).at <= at) place++;
        next[order] = place;
        return place === 0 || (leader[place - 1] as T).at <= at - LEADER_MS;
      });
    for (const place of places) if (isFree(place)) kept.push(place);
    leaders.push(places.filter(isFix));
  }
  return kept.sort((one, other) => one.at - other.at);
}
