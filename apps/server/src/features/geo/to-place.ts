import type { MapMark } from '@isotherm/contracts/maps';
import { bearingDeg } from '@isotherm/domain/geo/geo';
import type { PlaceRow } from './geo.repo.ts';

/** The place of an asset with its direction of travel: that of the receiver, else that of its last movement. */
export const toPlace = (row: PlaceRow): MapMark['at'] => {
  const { latitude, longitude, speed_kmh: speedKmh, measured_at: measuredAt } = row;
  const before =
    row.from_latitude === null || row.from_longitude === null
      ? null
      : { latitude: row.from_latitude, longitude: row.from_longitude };
  return {
    latitude,
    longitude,
    speedKmh,
    headingDeg: row.heading_deg ?? (before && Math.round(bearingDeg(before, { latitude, longitude })) % 360),
    measuredAt: measuredAt?.toISOString() ?? null,
  };
};
