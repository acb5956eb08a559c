/** Assets to which goods can be moved during an alarm. */

/** A limit range in the canonical unit of the temperature; null if there is no limit on that side. */
export interface LimitRange {
  low: number | null;
  high: number | null;
}

export interface Coordinates {
  latitude: number;
  longitude: number;
}

/** An asset as a place for goods. */
export interface GoodsPlace {
  id: number;
  name: string;
  organizationId: number;
  /** Limits of its temperature; null if it has no temperature or no limits. */
  range: LimitRange | null;
  coordinates: Coordinates | null;
  /** True if it is in use, reports, is within its limits and has no alarm that needs attention. */
  isHealthy: boolean;
}

export interface MoveTarget<P extends GoodsPlace> {
  place: P;
  /** Distance in metres; null if one of the places has no coordinates. */
  distanceM: number | null;
}

const EARTH_RADIUS_M = 6_371_000;
const radians = (degrees: number): number => (degrees * Math.PI) / 180;

/** Distance along the surface of the earth in metres (haversine formula). */
export function distanceOf(a: Coordinates, b: Coordinates): number {
  const half = (one: number, other: number) => Math.sin((radians(other) - radians(one)) / 2) ** 2;
  const h =
    half(a.latitude, b.latitude) +
    Math.cos(radians(a.latitude)) * Math.cos(radians(b.latitude)) * half(a.longitude, b.longitude);
  return 2 * EARTH_RADIUS_M * Math.asin(Math.min(1, Math.sqrt(h)));
}

const isSameRange = (one: LimitRange | null, other: LimitRange | null): boolean =>
  one !== null && other !== null && one.low === other.low && one.high === other.high;

/**
 * Healthy assets with the same temperature limits: those of the same organisation first, then the nearest ones, then
 * those whose distance is not known, by name.
 */
export function moveTargets<P extends GoodsPlace>(
  from: GoodsPlace,
  places: readonly P[],
  most: number,
): MoveTarget<P>[] {
  const isElsewhere = ({ place }: MoveTarget<P>) => Number(place.organizationId !== from.organizationId);
  return places
    .filter(({ id, isHealthy, range }) => id !== from.id && isHealthy && isSameRange(range, from.range))
    .map((place) => ({
      place,
      distanceM:
        from.coordinates && place.coordinates ? distanceOf(from.coordinates, place.coordinates) : null,
    }))
    .sort(
      (a, b) =>
        isElsewhere(a) - isElsewhere(b) ||
        (a.distanceM ?? Number.MAX_VALUE) - (b.distanceM ?? Number.MAX_VALUE) ||
        (a.place.name < b.place.name ? -1 : 1),
    )
    .slice(0, most);
}
