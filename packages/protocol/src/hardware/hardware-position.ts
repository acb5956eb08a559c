import { type HardwarePosition, isRecord } from './hardware-message.ts';

const LATITUDES = ['latitude', 'lat'];
const LONGITUDES = ['longitude', 'lon', 'lng'];
/** Names that belong to a position if they are beside its coordinates. */
const POSITION_NAMES = [...LATITUDES, ...LONGITUDES, 'speed', 'heading'];
/** Names of objects that are the position of the device, such as `gps_1`; others may be that of a gateway or of a site. */
const POSITION_OBJECT = /^(gps|gnss|location|position)/i;
/** Values that The Things Stack has normalised are inside this one. */
const NORMALIZED = 'normalized_payload';

type Values = Readonly<Record<string, unknown>>;

/** A position with the path of the object that it is in: empty, or a name and a dot. */
interface Found {
  folder: string;
  position: HardwarePosition;
}

/**
 * The position among decoded values: numbers named `latitude` and `longitude`, or `lat` and `lon` or `lng`, side by side at the
 * top or in an object there that is named `gps…`, `gnss…`, `location…` or `position…`, such as `gps_1` of Cayenne LPP. `speed`
 * (km/h) and `heading` beside them belong to it.
 */
export const positionOf = (values: Values): HardwarePosition | null => find(values)?.position ?? null;

/**
 * The paths, such as `gps_1.latitude`, of the values that `positionOf` has read, also from those that the network has normalised:
 * they are no readings.
 */
export function positionPaths(values: Values): ReadonlySet<string> {
  const normalized = values[NORMALIZED];
  return new Set([
    ...pathsIn(values, ''),
    ...(isRecord(normalized) ? pathsIn(normalized, `${NORMALIZED}.`) : []),
  ]);
}

function pathsIn(values: Values, prefix: string): string[] {
  const found = find(values);
  return found ? POSITION_NAMES.map((name) => `${prefix}${found.folder}${name}`) : [];
}

function find(values: Values): Found | null {
  const top = positionIn(values);
  if (top) return { folder: '', position: top };
  for (const [name, inner] of Object.entries(values)) {
    const position = POSITION_OBJECT.test(name) && isRecord(inner) ? positionIn(inner) : null;
    if (position) return { folder: `${name}.`, position };
  }
  return null;
}

/**
 * The position in a location object of a LoRaWAN network. Its encoding omits a coordinate that is zero; an object without any
 * is no position, and one with another value, such as null, is none either.
 */
export function positionOfLocation(location: unknown): HardwarePosition | null {
  if (!isRecord(location)) return null;
  const { latitude, longitude } = location;
  if (latitude === undefined && longitude === undefined) return null;
  return positionIn({
    latitude: latitude === undefined ? 0 : latitude,
    longitude: longitude === undefined ? 0 : longitude,
  });
}

/** The field of a message; none without a position. */
export const positionField = (position: HardwarePosition | null): { position?: HardwarePosition } =>
  position ? { position } : {};

/** Largest number of values that are visited; a tracker sends some dozens. */
const MAX_VISITED = 20_000;

/** Whether the numbers among the values, at any depth, contain both of these coordinates. */
export function mentions(values: Values, { latitude, longitude }: HardwarePosition): boolean {
  const numbers = new Set<number>();
  const visits: Iterator<unknown>[] = [Object.values(values).values()];
  for (let visited = 0; visited < MAX_VISITED; visited++) {
    const visit = visits.at(-1);
    if (visit === undefined) break;
    const { done, value } = visit.next();
    if (done) visits.pop();
    else if (typeof value === 'number') numbers.add(value);
    else if (typeof value === 'object' && value !== null) visits.push(Object.values(value).values());
  }
  return numbers.has(latitude) && numbers.has(longitude);
}

function positionIn(values: Values): HardwarePosition | null {
  const [latitude, longitude] = [numberOf(values, LATITUDES, 90), numberOf(values, LONGITUDES, 180)];
  if (latitude === null || longitude === null) return null;
  const { speed, heading } = values;
  return {
    latitude,
    longitude,
    speedKmh: typeof speed === 'number' ? speed : null,
    headingDeg: typeof heading === 'number' ? heading : null,
  };
}

function numberOf(values: Values, names: readonly string[], most: number): number | null {
  const found = names.map((name) => values[name]).find((value) => value !== undefined);
  return typeof found === 'number' && Math.abs(found) <= most ? found : null;
}
