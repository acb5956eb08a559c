/** A place on the earth in degrees, WGS-84. */
export interface Place {
  latitude: number;
  longitude: number;
}

/** Datums of base maps. Positions are stored in WGS-84 (decision 29). */
export const DATUMS = ['wgs84', 'gcj02'] as const;
export type Datum = (typeof DATUMS)[number];

/** Mean radius of the earth in metres (IUGG). */
export const EARTH_RADIUS_M = 6_371_008.8;
const RADIANS = Math.PI / 180;

/** Great-circle distance in metres (haversine formula). */
export function distanceM(from: Place, to: Place): number {
  const latitude = Math.sin(((to.latitude - from.latitude) * RADIANS) / 2) ** 2;
  const longitude = Math.sin(((to.longitude - from.longitude) * RADIANS) / 2) ** 2;
  const along = Math.cos(from.latitude * RADIANS) * Math.cos(to.latitude * RADIANS) * longitude;
  return 2 * EARTH_RADIUS_M * Math.asin(Math.min(1, Math.sqrt(latitude + along)));
}

/** Initial direction from one place to another in degrees, clockwise from north, 0 to below 360. */
export function bearingDeg(from: Place, to: Place): number {
  const turn = (to.longitude - from.longitude) * RADIANS;
  const [start, end] = [from.latitude * RADIANS, to.latitude * RADIANS];
  const east = Math.sin(turn) * Math.cos(end);
  const north = Math.cos(start) * Math.sin(end) - Math.sin(start) * Math.cos(end) * Math.cos(turn);
  return (Math.atan2(east, north) / RADIANS + 360) % 360;
}

/**
 * Longitudes of a line without jumps of a whole turn, so that a line across the antimeridian is drawn as it is. They may be
 * outside -180 to 180.
 */
export function unwrapLongitudes(longitudes: readonly number[]): number[] {
  let turns = 0;
  return longitudes.map((longitude, index) => {
    turns += turnBetween(longitudes[index - 1] ?? longitude, longitude);
    return longitude + turns;
  });
}

/** What is added to a longitude so that it follows the one before without a jump across the antimeridian: 0, 360 or -360. */
export function turnBetween(before: number, longitude: number): number {
  const step = longitude - before;
  return step > 180 ? -360 : step < -180 ? 360 : 0;
}

// Parameters of the Krasovsky 1940 ellipsoid, on which GCJ-02 is defined.
const GCJ_AXIS_M = 6_378_245;
const GCJ_ECCENTRICITY = 0.006_693_421_622_965_943;

/** Mainland China with some margin; base maps elsewhere are in WGS-84. */
const isInChina = ({ latitude, longitude }: Place) =>
  longitude > 73.66 && longitude < 135.05 && latitude > 3.86 && latitude < 53.55;

/** Offset of GCJ-02 from WGS-84 in metres on the ellipsoid's plane, before scaling to degrees. */
function gcjOffset(x: number, y: number): { north: number; east: number } {
  const common = ((20 * Math.sin(6 * x * Math.PI) + 20 * Math.sin(2 * x * Math.PI)) * 2) / 3;
  const northWaves =
    ((20 * Math.sin(y * Math.PI) + 40 * Math.sin((y / 3) * Math.PI)) * 2) / 3 +
    ((160 * Math.sin((y / 12) * Math.PI) + 320 * Math.sin((y * Math.PI) / 30)) * 2) / 3;
  const eastWaves =
    ((20 * Math.sin(x * Math.PI) + 40 * Math.sin((x / 3) * Math.PI)) * 2) / 3 +
    ((150 * Math.sin((x / 12) * Math.PI) + 300 * Math.sin((x / 30) * Math.PI)) * 2) / 3;
  const root = Math.sqrt(Math.abs(x));
  return {
    north: -100 + 2 * x + 3 * y + 0.2 * y * y + 0.1 * x * y + 0.2 * root + common + northWaves,
    east: 300 + x + 2 * y + 0.1 * x * x + 0.1 * x * y + 0.1 * root + common + eastWaves,
  };
}

/**
 * Converts a place to GCJ-02, the datum of base maps in mainland China (decision 29), by the published approximation, which
 * is accurate to about a metre. Places elsewhere are returned unchanged.
 */
export const toGcj02 = (place: Place): Place => (isInChina(place) ? shifted(place) : place);

/** Number of steps after which the inverse is exact to less than a millimetre; each divides the error by more than a hundred. */
const GCJ_STEPS = 5;

/** Converts a place of GCJ-02 to WGS-84. Within a kilometre of the border of the shifted area, it is one of two places. */
export function fromGcj02(place: Place): Place {
  let found = place;
  for (let step = 0; step < GCJ_STEPS; step++) {
    const { latitude, longitude } = shifted(found);
    found = {
      latitude: found.latitude + place.latitude - latitude,
      longitude: found.longitude + place.longitude - longitude,
    };
  }
  return isInChina(found) ? found : place;
}

function shifted(place: Place): Place {
  const { north, east } = gcjOffset(place.longitude - 105, place.latitude - 35);
  const latitude = place.latitude * RADIANS;
  const flattening = 1 - GCJ_ECCENTRICITY * Math.sin(latitude) ** 2;
  const meridian = (GCJ_AXIS_M * (1 - GCJ_ECCENTRICITY)) / (flattening * Math.sqrt(flattening));
  const parallel = (GCJ_AXIS_M / Math.sqrt(flattening)) * Math.cos(latitude);
  return {
    latitude: place.latitude + north / (meridian * RADIANS),
    longitude: place.longitude + east / (parallel * RADIANS),
  };
}
