import { type Place, unwrapLongitudes } from './geo.ts';

/** Metres of a degree of a great circle. */
const DEGREE_M = 111_195.08;

/** Longitudes and latitudes of a path, without jumps at the antimeridian. */
export function pathPlace(places: readonly Place[]): { x: number[]; y: number[] } {
  return {
    x: unwrapLongitudes(places.map(({ longitude }) => longitude)),
    y: places.map(({ latitude }) => latitude),
  };
}

export interface PathDistance {
  /** Distance to the closest edge. */
  metres: number;
  /** True if the place is in the ring (even-odd rule). */
  isInside: boolean;
  /** True if the closest place of an open path is its first or last one. */
  isAtEnd: boolean;
}

/**
 * Distance from a place to a path in the plane that touches the earth there: exact where it matters, near the edge. A ring
 * has an edge from its last place to its first. `middle` is the longitude in the middle of the path.
 */
export function pathDistanceM(
  x: readonly number[],
  y: readonly number[],
  isRing: boolean,
  middle: number,
  { latitude, longitude }: Place,
): PathDistance {
  const scale = Math.cos((latitude * Math.PI) / 180);
  let bestSquare = Number.POSITIVE_INFINITY;
  let isInside = false;
  let isAtEnd = false;
  const edges = isRing ? x.length : x.length - 1;
  const turned = longitude + 360 * Math.round((middle - longitude) / 360);
  for (let edge = 0; edge < edges; edge++) {
    const next = edge + 1 === x.length ? 0 : edge + 1;
    const [ax, ay] = [(x[edge] as number) - turned, (y[edge] as number) - latitude];
    const [bx, by] = [(x[next] as number) - turned, (y[next] as number) - latitude];
    if (ay > 0 !== by > 0 && ax - (ay * (bx - ax)) / (by - ay) > 0) isInside = !isInside;
    const [dx, dy] = [(bx - ax) * scale, by - ay];
    const length = dx * dx + dy * dy;
    const share = length === 0 ? 0 : -(ax * scale * dx + ay * dy) / length;
    const along = Math.max(0, Math.min(1, share));
    const square = (ax * scale + along * dx) ** 2 + (ay + along * dy) ** 2;
    if (square >= bestSquare) continue;
    bestSquare = square;
    isAtEnd = (edge === 0 && share <= 0) || (edge === edges - 1 && share >= 1);
  }
  return { metres: Math.sqrt(bestSquare) * DEGREE_M, isInside, isAtEnd };
}

/** Twice the signed area of a triangle: positive if the corners turn to the left. */
const turnOf = (ax: number, ay: number, bx: number, by: number, cx: number, cy: number) =>
  (bx - ax) * (cy - ay) - (by - ay) * (cx - ax);

/** True if two ranges, each in either order, have a value in common. */
const overlap = (a: number, b: number, c: number, d: number) =>
  Math.max(a, b) >= Math.min(c, d) && Math.max(c, d) >= Math.min(a, b);

/** True if two edges of a ring meet anywhere except at the corner of neighbours, or neighbours overlap. */
export function edgesCross(x: readonly number[], y: readonly number[]): boolean {
  const count = x.length;
  const at = (corner: number) => [x[corner % count] as number, y[corner % count] as number] as const;
  for (let one = 0; one < count; one++)
    for (let other = one + 1; other < count; other++) {
      const [ax, ay] = at(one);
      const [bx, by] = at(one + 1);
      const [cx, cy] = at(other);
      const [dx, dy] = at(other + 1);
      const isNext = other === one + 1;
      if (isNext || (one === 0 && other === count - 1)) {
        // Neighbours share a corner; they overlap if the far ends are on the same side of it in one line.
        const [px, py, qx, qy, rx, ry] = isNext ? [ax, ay, bx, by, dx, dy] : [cx, cy, ax, ay, bx, by];
        const isBack = (px - qx) * (rx - qx) + (py - qy) * (ry - qy) >= 0;
        if (isBack && turnOf(px, py, qx, qy, rx, ry) === 0) return true;
        continue;
      }
      if (!overlap(ax, bx, cx, dx) || !overlap(ay, by, cy, dy)) continue;
      const ofOther = turnOf(ax, ay, bx, by, cx, cy) * turnOf(ax, ay, bx, by, dx, dy);
      const ofOne = turnOf(cx, cy, dx, dy, ax, ay) * turnOf(cx, cy, dx, dy, bx, by);
      if (ofOther <= 0 && ofOne <= 0) return true;
    }
  return false;
}
