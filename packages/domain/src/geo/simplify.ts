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
  const isKept = new Uint8Array(line.length);
  for (let place = 0; place < line.length; place += STRETCH) isKept[place] = 1;
  isKept[line.length - 1] = 1;
  const open: [number, number][] = [];
  for (let place = 0; place < line.length - 1; place += STRETCH)
    open.push([place, Math.min(place + STRETCH, line.length - 1)]);
  for (let next = open.pop(); next; next = open.pop()) {
    const [first, last] = next;
    const worst = farthest(fixes, line, first, last, toleranceM);
    if (worst === null) continue;
    isKept[worst] = 1;
    open.push([first, worst], [worst, last]);
  }
  return line.filter((_, place) => isKept[place]);
}

/** The place between two of a line that differs most from the straight way between them; null if all are within the limits. */
function farthest(
  fixes: Pick<Fixes, 'at'>,
  line: readonly number[],
  first: number,
  last: number,
  toleranceM: number,
): number | null {
  const from = fixes.at(line[first] as number) as Fix;
  const to = fixes.at(line[last] as number) as Fix;
  const [north, east] = [to.latitude - from.latitude, shortTurn(to.longitude - from.longitude)];
  const limit = (toleranceM / METRES_PER_DEGREE) ** 2;
  let worst: number | null = null;
  let most = 1;
  for (let place = first + 1; place < last; place++) {
    const fix = fixes.at(line[place] as number) as Fix;
    const share = (fix.at - from.at) / (to.at - from.at);
    const scale = Math.cos((fix.latitude * Math.PI) / 180);
    const dy = fix.latitude - from.latitude - north * share;
    const dx = shortTurn(fix.longitude - from.longitude - east * share) * scale;
    const faster = fix.speedKmh === null ? 0 : Math.abs(fix.speedKmh - (from.speedKmh ?? fix.speedKmh));
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
