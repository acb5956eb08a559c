import {
  DEFAULT_SIDE_M,
  FENCE_LIMITS,
  type FenceFault,
  type FenceKind,
  type FenceShape,
  fenceFault,
} from './fence.ts';
import type { Place } from './geo.ts';
import { type FileGeometry, type Item, type ItemFault, readKml } from './kml.ts';

/** Formats from which geofences are imported. */
export const FENCE_FORMATS = ['geojson', 'json', 'kml'] as const;
/** Number of geofences in one file. */
export const MAX_FENCES_IN_FILE = 1_000;

/** Why an element of a file is no geofence: its geometry is of another kind, or has holes, or its shape is refused. */
export type FenceFileFault = FenceFault | ItemFault;

export interface FileFence {
  name: string;
  result: FenceShape | { fault: FenceFileFault };
}

/** Why a file is refused as a whole. */
export type FenceFileError = 'not-readable' | 'too-many';

/**
 * Reads geofences from GeoJSON (RFC 7946: polygons, lines, and points with `radius_m`) or KML 2.2 (polygons and lines). The name
 * is the property or element `name`; lines have `side_m` to each side.
 */
export function readFences(text: string): FileFence[] | { error: FenceFileError } {
  const trimmed = text.replace(/^\uFEFF/, '').trimStart();
  const items = trimmed.startsWith('<') ? readKml(trimmed) : readGeoJson(trimmed);
  if (!items) return { error: 'not-readable' };
  if (items.length > MAX_FENCES_IN_FILE) return { error: 'too-many' };
  return items.map(({ name, geometry }) => {
    if ('fault' in geometry) return { name, result: geometry };
    const shape = shapeOf(geometry);
    const fault = fenceFault(shape);
    return { name, result: fault ? { fault } : shape };
  });
}

/** A ring of a file repeats its first place at the end; equal places in succession are noise of drawing. */
function shapeOf(geometry: FileGeometry): FenceShape {
  if (geometry.kind === 'circle') return geometry;
  const places = geometry.places.filter(
    (place, index) => index === 0 || !isSame(place, geometry.places[index - 1] as Place),
  );
  if (geometry.kind === 'corridor') return { kind: 'corridor', line: places, sideM: geometry.sideM };
  const [first, last] = [places[0], places.at(-1)];
  const isClosed = places.length > 1 && isSame(first as Place, last as Place);
  return { kind: 'polygon', ring: isClosed ? places.slice(0, -1) : places };
}

const isSame = (one: Place, other: Place) =>
  one.latitude === other.latitude && one.longitude === other.longitude;

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function readGeoJson(text: string): Item[] | null {
  let root: unknown;
  try {
    root = JSON.parse(text);
  } catch {
    return null;
  }
  if (!isRecord(root)) return null;
  if (root.type === 'FeatureCollection')
    return Array.isArray(root.features) ? root.features.map(itemOf) : null;
  return [itemOf(root.type === 'Feature' ? root : { geometry: root })];
}

function itemOf(feature: unknown): Item {
  const { geometry, properties } = isRecord(feature) ? feature : {};
  const { name, radius_m: radiusM, side_m: sideM } = isRecord(properties) ? properties : {};
  return {
    name: typeof name === 'string' ? name.trim() : '',
    geometry: isRecord(geometry) ? geometryOf(geometry, radiusM, sideM) : { fault: 'geometry' },
  };
}

function geometryOf(
  { type, coordinates }: Record<string, unknown>,
  radiusM: unknown,
  sideM: unknown,
): Item['geometry'] {
  if (type === 'Point') {
    const centre = placeOf(coordinates);
    if (!centre) return { fault: 'geometry' };
    return typeof radiusM === 'number' ? { kind: 'circle', centre, radiusM } : { fault: 'radius' };
  }
  if (type === 'Polygon' && Array.isArray(coordinates)) {
    if (coordinates.length > 1) return { fault: 'holes' };
    const places = pathOf(coordinates[0], FENCE_LIMITS.ring.max + 1);
    return Array.isArray(places) ? { kind: 'polygon', places } : places;
  }
  if (type !== 'LineString') return { fault: 'geometry' };
  const places = pathOf(coordinates, FENCE_LIMITS.line.max);
  if (!Array.isArray(places)) return places;
  return { kind: 'corridor', places, sideM: typeof sideM === 'number' ? sideM : DEFAULT_SIDE_M };
}

/** Places of a path. One that is too long is not read at all. */
function pathOf(value: unknown, most: number): Place[] | { fault: ItemFault | 'places' } {
  if (!Array.isArray(value)) return { fault: 'geometry' };
  if (value.length > most) return { fault: 'places' };
  const places = value.map(placeOf).filter((place) => place !== null);
  return places.length === value.length ? places : { fault: 'geometry' };
}

function placeOf(value: unknown): Place | null {
  if (!Array.isArray(value)) return null;
  const [longitude, latitude] = value;
  return typeof longitude === 'number' && typeof latitude === 'number' ? { latitude, longitude } : null;
}

/** A geofence to be written to a file. */
export interface SavedFence {
  name: string;
  shape: FenceShape;
  marginM: number;
  dwellMinutes: number | null;
}

const GEOMETRY: Readonly<Record<FenceKind, string>> = {
  circle: 'Point',
  polygon: 'Polygon',
  corridor: 'LineString',
};

/** GeoJSON with the geofences, which `readFences` reads again. */
export function fencesAsGeoJson(fences: readonly SavedFence[]): string {
  const features = fences.map(({ name, shape, marginM, dwellMinutes }) => ({
    type: 'Feature',
    properties: {
      name,
      margin_m: marginM,
      ...(dwellMinutes === null ? {} : { dwell_minutes: dwellMinutes }),
      ...(shape.kind === 'circle' ? { radius_m: shape.radiusM } : {}),
      ...(shape.kind === 'corridor' ? { side_m: shape.sideM } : {}),
    },
    geometry: { type: GEOMETRY[shape.kind], coordinates: coordinatesOf(shape) },
  }));
  return `${JSON.stringify({ type: 'FeatureCollection', features }, null, 1)}\n`;
}

function coordinatesOf(shape: FenceShape): unknown {
  const pair = ({ latitude, longitude }: Place) => [longitude, latitude];
  if (shape.kind === 'circle') return pair(shape.centre);
  if (shape.kind === 'corridor') return shape.line.map(pair);
  // RFC 7946: the outer ring is counterclockwise and closed.
  const ring = isClockwise(shape.ring) ? [...shape.ring].reverse() : shape.ring;
  return [[...ring, ring[0] as Place].map(pair)];
}

function isClockwise(ring: readonly Place[]): boolean {
  const sum = ring.reduce((total, { latitude, longitude }, index) => {
    const next = ring[(index + 1) % ring.length] as Place;
    return total + (next.longitude - longitude) * (next.latitude + latitude);
  }, 0);
  return sum > 0;
}
