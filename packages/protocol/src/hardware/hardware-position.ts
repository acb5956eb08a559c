import { type HardwarePosition, isRecord } from './hardware-message.ts';

const LATITUDES = ['latitude', 'lat'];
const LONGITUDES = ['longitude', 'lon', 'lng'];
/** Names that are no readings if the message has a position with them. */
const POSITION_NAMES: ReadonlySet<string> = new Set([...LATITUDES, ...LONGITUDES, 'speed', 'heading']);

type Values = Readonly<Record<string, unknown>>;

/**
 * The position among decoded values: numbers named `latitude` and `longitude`, or `lat` and `lon` or `lng`, side by side at the
 * top or in one of the objects there, such as `gps_1` of Cayenne LPP. `speed` (km/h) and `heading` beside them belong to it.
 */
export function positionOf(values: Values): HardwarePosition | null {
  for (const each of [values, ...Object.values(values)]) {
    const found = isRecord(each) ? positionIn(each) : null;
    if (found) return found;
  }
  return null;
}

/**
 * The position in a location object of a LoRaWAN network. Its encoding omits a coordinate that is zero; an object without any
 * is no position.
 */
export function positionOfLocation(location: unknown): HardwarePosition | null {
  if (!isRecord(location) || (location.latitude === undefined && location.longitude === undefined))
    return null;
  return positionIn({ latitude: location.latitude ?? 0, longitude: location.longitude ?? 0 });
}

/** The field of a message; none without a position. */
export const positionField = (position: HardwarePosition | null): { position?: HardwarePosition } =>
  position ? { position } : {};

/** Whether a value at this path, such as `gps_1.latitude`, is part of a position and not a reading. */
export const isPositionPath = (path: string): boolean =>
  POSITION_NAMES.has(path.slice(path.lastIndexOf('.') + 1));

/** Whether any number among the values, at any depth, is one of these coordinates. */
export function mentions(values: Values, { latitude, longitude }: HardwarePosition): boolean {
  const numbers = new Set<number>();
  const open: unknown[] = [values];
  for (let next = open.pop(); next !== undefined; next = open.pop())
    if (typeof next === 'number') numbers.add(next);
    else if (typeof next === 'object' && next !== null) open.push(...Object.values(next));
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
