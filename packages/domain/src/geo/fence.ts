import { distanceM, type Place } from './geo.ts';
import { edgesCross, pathDistanceM, pathPlace } from './plane.ts';

/** The shapes of a geofence. Places are in WGS-84; edges are straight lines of latitude and longitude, as in GeoJSON. */
export const FENCE_KINDS = ['circle', 'polygon', 'corridor'] as const;
export type FenceKind = (typeof FENCE_KINDS)[number];

export type FenceShape =
  | { kind: 'circle'; centre: Place; radiusM: number }
  /** The ring without its first place repeated at the end. */
  | { kind: 'polygon'; ring: readonly Place[] }
  /** The region within `sideM` of a line, such as a planned route. */
  | { kind: 'corridor'; line: readonly Place[]; sideM: number };

/** Limits of a shape. */
export const FENCE_LIMITS = {
  radiusM: { min: 20, max: 200_000 },
  sideM: { min: 20, max: 20_000 },
  ring: { min: 3, max: 500 },
  line: { min: 2, max: 2_000 },
  /** Distance beyond the edge from which an asset has left the fence. */
  marginM: { min: 0, max: 5_000 },
  /** Fences do not reach the poles. */
  latitude: 85,
} as const;

/** Noise of a receiver: an asset has left a fence when it is farther from it than this. */
export const DEFAULT_MARGIN_M = 50;

/** Distance to each side of a line if nothing else is given. */
export const DEFAULT_SIDE_M = 200;

/** Why a shape is refused. */
export type FenceFault = 'radius' | 'side' | 'places' | 'place' | 'too-wide' | 'crossing' | 'flat';

const isWithin = (value: number, { min, max }: { min: number; max: number }) => value >= min && value <= max;
const isPlace = ({ latitude, longitude }: Place) =>
  Math.abs(latitude) <= FENCE_LIMITS.latitude && Math.abs(longitude) <= 180;

/** Returns why a shape cannot be a geofence, or null. A polygon may not cross itself. */
export function fenceFault(shape: FenceShape): FenceFault | null {
  if (shape.kind === 'circle') {
    if (!isWithin(shape.radiusM, FENCE_LIMITS.radiusM)) return 'radius';
    return isPlace(shape.centre) ? null : 'place';
  }
  const [places, limit] =
    shape.kind === 'polygon' ? [shape.ring, FENCE_LIMITS.ring] : [shape.line, FENCE_LIMITS.line];
  if (shape.kind === 'corridor' && !isWithin(shape.sideM, FENCE_LIMITS.sideM)) return 'side';
  if (!isWithin(places.length, limit)) return 'places';
  if (!places.every(isPlace)) return 'place';
  const { x, y } = pathPlace(places);
  // Across more than half of the earth it is not known on which side of an edge a place is.
  if (Math.max(...x) - Math.min(...x) > 180) return 'too-wide';
  if (shape.kind === 'corridor') return null;
  if (Math.abs(areaOf(x, y)) < 1e-10) return 'flat';
  return edgesCross(x, y) ? 'crossing' : null;
}

/** Twice the area in square degrees, measured from the first corner so that small rings far from the origin are exact. */
function areaOf(x: readonly number[], y: readonly number[]): number {
  const [left, low] = [x[0] as number, y[0] as number];
  return x.reduce((sum, here, corner) => {
    const next = (corner + 1) % x.length;
    const [dx, dy] = [here - left, (y[corner] as number) - low];
    return sum + dx * ((y[next] as number) - low) - ((x[next] as number) - left) * dy;
  }, 0);
}

/** A shape with what is computed once: its places without jumps of longitude, and the box around it. */
export interface PreparedFence {
  shape: FenceShape;
  x: readonly number[];
  y: readonly number[];
  /** Longitude in the middle of the places. */
  middle: number;
  /** Box in degrees, with the margin; west is between -180 and 180, east may be beyond 180. */
  west: number;
  south: number;
  east: number;
  north: number;
}

/** Metres of a degree of latitude, a little too few, so that boxes are rather too large. */
const DEGREE_M = 110_000;

/** Prepares a valid shape. The box contains everything within `marginM` of it. */
export function prepareFence(shape: FenceShape, marginM: number): PreparedFence {
  const places = placesOf(shape);
  const { x, y } = pathPlace(places);
  const reachM = marginM + reachOf(shape);
  const [south, north] = [Math.min(...y) - reachM / DEGREE_M, Math.max(...y) + reachM / DEGREE_M];
  // The degrees of longitude are shortest where the box is closest to a pole.
  const shortest = Math.cos((Math.min(89, Math.max(Math.abs(south), Math.abs(north))) * Math.PI) / 180);
  const aside = reachM / (DEGREE_M * shortest);
  const [west, east] = [Math.min(...x) - aside, Math.max(...x) + aside];
  const turn = Math.floor((west + 180) / 360) * 360;
  const middle = (Math.min(...x) + Math.max(...x)) / 2;
  return { shape, x, y, middle, west: west - turn, south, east: east - turn, north };
}

/** The places that define a shape. */
export function placesOf(shape: FenceShape): readonly Place[] {
  if (shape.kind === 'circle') return [shape.centre];
  return shape.kind === 'polygon' ? shape.ring : shape.line;
}

/** How far a shape extends from its places, in metres. */
function reachOf(shape: FenceShape): number {
  if (shape.kind === 'circle') return shape.radiusM;
  return shape.kind === 'corridor' ? shape.sideM : 0;
}

/** True if a place is in the box of a fence. Outside, it is farther from the fence than its margin. */
export function isNear({ west, south, east, north }: PreparedFence, { latitude, longitude }: Place): boolean {
  if (latitude < south || latitude > north) return false;
  return (longitude >= west && longitude <= east) || longitude + 360 <= east;
}

/** Distance in metres from a place to the edge of a fence; negative inside. */
export function distanceToFenceM({ shape, x, y, middle }: PreparedFence, place: Place): number {
  if (shape.kind === 'circle') return distanceM(place, shape.centre) - shape.radiusM;
  const isRing = shape.kind === 'polygon';
  const { metres, isInside } = pathDistanceM(x, y, isRing, middle, place);
  if (shape.kind === 'corridor') return metres - shape.sideM;
  return isInside ? -metres : metres;
}

/** True if the closest place of the line of a corridor is one of its ends: the route was completed, not left aside. */
export function isBeyondEnds({ x, y, middle }: PreparedFence, place: Place): boolean {
  return pathDistanceM(x, y, false, middle, place).isAtEnd;
}
