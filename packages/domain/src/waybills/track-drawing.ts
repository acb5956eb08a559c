import type { Place } from '../geo/geo.ts';

const METRES_PER_DEGREE = 111_320;
/** Points nearer than this to the last drawn one are left out. */
const FINE = 0.4;
const SCALE_SHARE = 0.25;
/** The last one is for a magnitude that was rounded up. */
const SCALE_FACTORS = [5, 2, 1, 0.5];
/** Smallest extent of a drawing in degrees: a vehicle that stands is drawn as a point. */
const SMALLEST_DEG = 0.002;

export type DrawnPoint = [x: number, y: number];

/** The route of a trip, drawn in a rectangle with north up. */
export interface TrackDrawing {
  lines: DrawnPoint[][];
  marks: DrawnPoint[];
  /** A bar of a round length: what it stands for in metres, and its length in the drawing. */
  scale: { metres: number; length: number };
}

/**
 * Draws lines and marked places into a rectangle with a free edge; null without places. Longitudes are relative to the first
 * place, so that a route across the antimeridian is not torn.
 */
export function drawTrack(
  lines: readonly (readonly Place[])[],
  marks: readonly Place[],
  { width, height, edge }: { width: number; height: number; edge: number },
): TrackDrawing | null {
  const places = [...lines.flat(), ...marks];
  const [first] = places;
  if (!first) return null;
  let [south, north] = [first.latitude, first.latitude];
  for (const { latitude } of places) {
    south = Math.min(south, latitude);
    north = Math.max(north, latitude);
  }
  const shrink = Math.max(0.01, Math.cos((((south + north) / 2) * Math.PI) / 180));
  const eastOf = ({ longitude }: Place) =>
    ((((longitude - first.longitude + 180) % 360) + 360) % 360) * shrink - 180 * shrink;
  let [west, east] = [0, 0];
  for (const place of places) {
    west = Math.min(west, eastOf(place));
    east = Math.max(east, eastOf(place));
  }
  const factor = Math.min(
    (width - 2 * edge) / Math.max(east - west, SMALLEST_DEG),
    (height - 2 * edge) / Math.max(north - south, SMALLEST_DEG),
  );
  const left = (width - (east - west) * factor) / 2;
  const top = (height - (north - south) * factor) / 2;
  const draw = (place: Place): DrawnPoint => [
    left + (eastOf(place) - west) * factor,
    top + (north - place.latitude) * factor,
  ];
  return {
    lines: lines.map((line) => thin(line.map(draw))),
    marks: marks.map(draw),
    scale: scaleOf(METRES_PER_DEGREE / factor, width),
  };
}

/** Leaves out points that are too near to be seen; the ends are kept. */
function thin(points: readonly DrawnPoint[]): DrawnPoint[] {
  const kept: DrawnPoint[] = [];
  for (const [index, point] of points.entries()) {
    const last = kept.at(-1);
    const isNear = last !== undefined && Math.hypot(point[0] - last[0], point[1] - last[1]) < FINE;
    if (!isNear || index === points.length - 1) kept.push(point);
  }
  return kept;
}

/** The longest round length that takes at most a quarter of the width. */
function scaleOf(metresPerUnit: number, width: number): TrackDrawing['scale'] {
  const most = metresPerUnit * width * SCALE_SHARE;
  const magnitude = 10 ** Math.floor(Math.log10(most));
  const metres = (SCALE_FACTORS.find((factor) => factor * magnitude <= most) as number) * magnitude;
  return { metres, length: metres / metresPerUnit };
}
