import type { Fixes } from './fixes.ts';
import { EARTH_RADIUS_M } from './geo.ts';
import type { Fix } from './track.ts';

const METRES_PER_DEGREE = (EARTH_RADIUS_M * Math.PI) / 180;
/** Largest difference between the speed of a position that is left out and that of the kept one before it. */
const SPEED_KMH = 20;
/** Longest stretch that is simplified at once: the work for one grows with the square of its length. */
const STRETCH = 1_024;

/**
 * Leaves out positions of a line where the vehicle is, at their times, closer than `toleranceM` to the straight way between the
 * kept ones, and about as fast (Douglas-Peucker with the distance at equal times). So a replay of what is left shows the same
 * place at each time, not only the same line. Returns the kept indices, of `line`, in order; a tolerance of 0 keeps all.
 */
export function simplifyLine(
  fixes: Pick<Fixes, 'at'>,
  line: readonly number[],
  toleranceM: number,
): number[] {
  if (toleranceM <= 0 || line.length < 3) return [...line];
  const columns = columnsOf(fixes, line);
  const isKept = new Uint8Array(line.length);
  for (let place = 0; place < line.length; place += STRETCH) isKept[place] = 1;
  isKept[line.length - 1] = 1;
  const open: [number, number][] = [];
  for (let place = 0; place < line.length - 1; place += STRETCH)
    open.push([place, Math.min(place + STRETCH, line.length - 1)]);
  for (let next = open.pop(); next; next = open.pop()) {
    const [first, last] = next;
    const worst = farthest(columns, first, last, toleranceM);
    if (worst === null) continue;
    isKept[worst] = 1;
    open.push([first, worst], [worst, last]);
  }
  return line.filter((_, place) => isKept[place]);
}

/** The positions of a line; each is looked at many times. */
interface LineColumns {
  at: Float64Array;
  latitude: Float64Array;
  longitude: Float64Array;
  /** NaN if unknown. */
  speedKmh: Float64Array;
  /** Length of a degree of longitude as a share of that at the equator. */
  scale: Float64Array;
}

function columnsOf(fixes: Pick<Fixes, 'at'>, line: readonly number[]): LineColumns {
  const column = () => new Float64Array(line.length);
  const columns = {
    at: column(),
    latitude: column(),
    longitude: column(),
    speedKmh: column(),
    scale: column(),
  };
  for (let place = 0; place < line.length; place++) {
    const fix = fixes.at(line[place] as number) as Fix;
    columns.at[place] = fix.at;
    columns.latitude[place] = fix.latitude;
    columns.longitude[place] = fix.longitude;
    columns.speedKmh[place] = fix.speedKmh ?? Number.NaN;
    columns.scale[place] = Math.cos((fix.latitude * Math.PI) / 180);
  }
  return columns;
}

/** The place between two of a line that differs most from the straight way between them; null if all are within the limits. */
function farthest(
  { at, latitude, longitude, speedKmh, scale }: LineColumns,
  first: number,
  last: number,
  toleranceM: number,
): number | null {
  const [from, south, west] = [at[first] as number, latitude[first] as number, longitude[first] as number];
  const lasts = (at[last] as number) - from;
  const north = (latitude[last] as number) - south;
  const east = shortTurn((longitude[last] as number) - west);
  const speed = speedKmh[first] as number;
  const limit = (toleranceM / METRES_PER_DEGREE) ** 2;
  let worst: number | null = null;
  let most = 1;
  for (let place = first + 1; place < last; place++) {
    const share = ((at[place] as number) - from) / lasts;
    const dy = (latitude[place] as number) - south - north * share;
    const dx = shortTurn((longitude[place] as number) - west - east * share) * (scale[place] as number);
    // Zero if one of the speeds is unknown.
    const faster = Math.abs((speedKmh[place] as number) - speed) || 0;
    const excess = Math.max((dx * dx + dy * dy) / limit, (faster / SPEED_KMH) ** 2);
    if (excess <= most) continue;
    most = excess;
    worst = place;
  }
  return worst;
}

/** The shorter way around the earth, in degrees. */
const shortTurn = (degrees: number): number =>
  degrees > 180 ? degrees - 360 : degrees < -180 ? degrees + 360 : degrees;
