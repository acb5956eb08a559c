import type { Excursion, Lane } from '@isotherm/contracts/map-overview';
import type { AlarmLevel } from '@isotherm/domain/alarms/alarm-level';
import type { Region } from '../../../shared/map/map-places.ts';

/** True if a place is in a region of the map; west is greater than east across the antimeridian. */
export function isInRegion(
  { latitude, longitude }: { latitude: number; longitude: number },
  [west, south, east, north]: Region,
): boolean {
  if (latitude < south || latitude > north) return false;
  if (east - west >= 360) return true;
  return [longitude - 360, longitude, longitude + 360].some((each) => each >= west && each <= east);
}

/** Excursions that began in the region; with null, all of them, also those whose place nobody knows. */
export function excursionsIn(excursions: readonly Excursion[], region: Region | null): readonly Excursion[] {
  if (!region) return excursions;
  return excursions.filter(({ place }) => place !== null && isInRegion(place, region));
}

/** Lanes that begin or end in the region; with null, all of them. */
export function lanesIn(lanes: readonly Lane[], region: Region | null): readonly Lane[] {
  if (!region) return lanes;
  return lanes.filter(({ start, end }) =>
    [start, end].some((place) => place !== null && isInRegion(place, region)),
  );
}

/** An asset with its excursions. */
export interface AssetExcursions {
  id: number;
  name: string;
  count: number;
  /** The highest level of the excursions. */
  level: AlarmLevel;
}

/** The assets of excursions, that with the most first. */
export function assetsOf(excursions: readonly Excursion[]): AssetExcursions[] {
  const assets = new Map<number, AssetExcursions>();
  for (const { assetId, assetName, level } of excursions) {
    const known = assets.get(assetId);
    if (!known) assets.set(assetId, { id: assetId, name: assetName, count: 1, level });
    else {
      known.count += 1;
      if (level > known.level) known.level = level;
    }
  }
  return [...assets.values()].sort(
    (one, other) => other.count - one.count || other.level - one.level || one.name.localeCompare(other.name),
  );
}

export interface LaneFigures {
  /** Trips that have arrived, and those of them without an excursion. */
  ended: number;
  good: number;
  /** Trips in transport. */
  open: number;
}

export function laneFigures({ trips }: Pick<Lane, 'trips'>): LaneFigures {
  const ended = trips.filter(({ endedAt }) => endedAt !== null);
  return {
    ended: ended.length,
    good: ended.filter(({ excursions }) => excursions === 0).length,
    open: trips.length - ended.length,
  };
}

export const laneKey = ({ from, to }: Pick<Lane, 'from' | 'to'>): string => JSON.stringify([from, to]);
