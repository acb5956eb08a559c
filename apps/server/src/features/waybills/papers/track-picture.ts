import type { Place } from '@isotherm/domain/geo/geo';
import { element, PAPER_INK, textElement } from './picture.ts';

const EDGE = 16;
const METRES_PER_DEGREE = 111_320;
/** Points nearer than this to the last drawn one are left out, in pt. */
const FINE = 0.4;
const SCALE_SHARE = 0.25;
const SCALE_FACTORS = [5, 2, 1];

export interface TrackInput {
  /** Lines in order of time; between two of them the way is unknown. */
  lines: readonly (readonly Place[])[];
  /** Places with a number: departure, transshipments, delivery. */
  marks: readonly Place[];
  width: number;
  height: number;
}

/**
 * Draws the way of a trip as SVG, north up, with the numbers of its hand-overs and a scale. There is no base map, so that
 * it can be drawn without a connection. Returns null without positions.
 */
export function trackPicture({ lines, marks, width, height }: TrackInput): string | null {
  const places = lines.flat();
  const [first] = places;
  if (!first) return null;
  const middle = (Math.min(...latitudes(places)) + Math.max(...latitudes(places))) / 2;
  const shrink = Math.max(0.01, Math.cos((middle * Math.PI) / 180));
  // Longitudes are relative to the first one, so that a way across the antimeridian is not torn.
  const flat = ({ latitude, longitude }: Place) => ({
    east: ((((longitude - first.longitude + 180) % 360) + 360) % 360) * shrink - 180 * shrink,
    north: latitude,
  });
  let [west, south, east, north] = [0, first.latitude, 0, first.latitude];
  for (const place of [...places, ...marks]) {
    const at = flat(place);
    west = Math.min(west, at.east);
    east = Math.max(east, at.east);
    south = Math.min(south, at.north);
    north = Math.max(north, at.north);
  }
  const span = { x: Math.max(east - west, 0.002), y: Math.max(north - south, 0.002) };
  const factor = Math.min((width - 2 * EDGE) / span.x, (height - 2 * EDGE) / span.y);
  const left = (width - (east - west) * factor) / 2;
  const top = (height - (north - south) * factor) / 2;
  const at = (place: Place) => {
    const each = flat(place);
    return { x: left + (each.east - west) * factor, y: top + (north - each.north) * factor };
  };
  const frame = { x: 0.5, y: 0.5, width: width - 1, height: height - 1, rx: 4 };
  return element('svg', { width, height, viewBox: `0 0 ${width} ${height}` }, [
    element('rect', { ...frame, fill: '#ffffff', stroke: PAPER_INK.grid }),
    element('path', {
      d: lines.map((line) => linePath(line.map(at))).join(''),
      fill: 'none',
      stroke: PAPER_INK.curve,
      'stroke-width': 1.6,
      'stroke-linejoin': 'round',
      'stroke-linecap': 'round',
    }),
    ...marks.flatMap((mark, index) => numbered(at(mark), index + 1)),
    ...scaleBar(METRES_PER_DEGREE / factor, width, height),
    textElement('N', { x: width - EDGE, y: 16, anchor: 'middle', bold: true }),
    element('path', { d: `M${width - EDGE} 19v8M${width - EDGE - 2.5} 22l2.5-3 2.5 3`, ...ARROW }),
  ]);
}

const ARROW = { fill: 'none', stroke: PAPER_INK.quiet, 'stroke-width': 0.8 };
const latitudes = (places: readonly Place[]) => {
  let [low, high] = [90, -90];
  for (const { latitude } of places) {
    low = Math.min(low, latitude);
    high = Math.max(high, latitude);
  }
  return [low, high];
};

function linePath(points: readonly { x: number; y: number }[]): string {
  let d = '';
  let last: { x: number; y: number } | null = null;
  for (const [index, point] of points.entries()) {
    const isEnd = index === points.length - 1;
    if (last && !isEnd && Math.hypot(point.x - last.x, point.y - last.y) < FINE) continue;
    d += `${last ? 'L' : 'M'}${point.x.toFixed(1)} ${point.y.toFixed(1)}`;
    last = point;
  }
  return d;
}

function numbered({ x, y }: { x: number; y: number }, number: number): string[] {
  return [
    element('circle', { cx: x, cy: y, r: 6, fill: PAPER_INK.text, stroke: '#ffffff', 'stroke-width': 1 }),
    textElement(String(number), { x, y: y + 2.5, anchor: 'middle', ink: '#ffffff', bold: true }),
  ];
}

/** A bar of a round length, at most a quarter of the picture. */
function scaleBar(metresPerPt: number, width: number, height: number): string[] {
  const most = metresPerPt * width * SCALE_SHARE;
  const magnitude = 10 ** Math.floor(Math.log10(most));
  const metres = (SCALE_FACTORS.find((factor) => factor * magnitude <= most) ?? 1) * magnitude;
  const long = metres / metresPerPt;
  const words = metres >= 1_000 ? `${metres / 1_000} km` : `${metres} m`;
  const y = height - 10;
  return [
    element('path', { d: `M${EDGE} ${y - 3}v3h${long.toFixed(1)}v-3`, ...ARROW }),
    textElement(words, { x: EDGE + long + 4, y }),
  ];
}
