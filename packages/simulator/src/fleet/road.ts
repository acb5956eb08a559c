import { distanceM } from '@isotherm/domain/geo/geo';

/** A point on a road. If `stop` is true, the vehicle halts there. */
export interface Waypoint {
  latitude: number;
  longitude: number;
  /** Usual speed from this point to the next one. */
  cruiseKmh: number;
  stop?: { minutes: number; unloads: boolean };
}

/** Metres between two points of a road at most, so that a vehicle drives along its curves. */
export const ROAD_STEP_M = 100;

const RAD = Math.PI / 180;
/** Centripetal: the curve has neither loops nor cusps between control points. */
const ALPHA = 0.5;

interface Point {
  x: number;
  y: number;
}

/**
 * Returns the road through control points: a centripetal Catmull-Rom curve, as points at most `stepM` metres apart. It passes
 * through each control point, which keeps its stop; between two of them the usual speed is that of the first.
 */
export function smoothRoad(control: readonly Waypoint[], stepM = ROAD_STEP_M): Waypoint[] {
  const [start] = control;
  if (!start) return [];
  // The curve is computed in a plane, in which a degree is as long to the east as to the north.
  const narrow = Math.cos(start.latitude * RAD);
  const points = control.map(({ latitude, longitude }): Point => ({ x: longitude * narrow, y: latitude }));
  const road: Waypoint[] = [start];
  for (let i = 0; i + 1 < control.length; i++) {
    const from = control[i] as Waypoint;
    const to = control[i + 1] as Waypoint;
    const [a, b] = [points[i] as Point, points[i + 1] as Point];
    // Before the first point and after the last one, the road goes straight on.
    const curve = curveThrough(points[i - 1] ?? beyond(b, a), a, b, points[i + 2] ?? beyond(a, b));
    const between = (count: number): Waypoint[] =>
      Array.from({ length: count - 1 }, (_, n) => {
        const { x, y } = curve((n + 1) / count);
        return { latitude: y, longitude: x / narrow, cruiseKmh: from.cruiseKmh };
      });
    let count = Math.max(1, Math.ceil(distanceM(from, to) / stepM));
    let piece = between(count);
    while (longestStep([from, ...piece, to]) > stepM) {
      count += Math.ceil(count / 8);
      piece = between(count);
    }
    road.push(...piece, to);
  }
  return road;
}

const beyond = (from: Point, to: Point): Point => ({ x: 2 * to.x - from.x, y: 2 * to.y - from.y });

const longestStep = (road: readonly Waypoint[]): number =>
  road.reduce(
    (longest, point, index) =>
      index === 0 ? 0 : Math.max(longest, distanceM(road[index - 1] as Waypoint, point)),
    0,
  );

/** The curve from `b` to `c` by a share from 0 to 1 (Barry and Goldman's pyramid). */
function curveThrough(a: Point, b: Point, c: Point, d: Point): (share: number) => Point {
  // Two equal points would be divided by zero.
  const knot = (from: Point, to: Point) => Math.max(1e-9, Math.hypot(to.x - from.x, to.y - from.y)) ** ALPHA;
  const t1 = knot(a, b);
  const t2 = t1 + knot(b, c);
  const t3 = t2 + knot(c, d);
  const mix = (p: Point, q: Point, from: number, to: number, t: number): Point => {
    const f = (t - from) / (to - from);
    return { x: p.x + (q.x - p.x) * f, y: p.y + (q.y - p.y) * f };
  };
  return (share) => {
    const t = t1 + (t2 - t1) * share;
    const [ab, bc, cd] = [mix(a, b, 0, t1, t), mix(b, c, t1, t2, t), mix(c, d, t2, t3, t)];
    return mix(mix(ab, bc, 0, t2, t), mix(bc, cd, t1, t3, t), t1, t2, t);
  };
}
