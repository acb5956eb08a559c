import type { Place } from '@isotherm/domain/geo/geo';
import { type DrawnPoint, drawTrack, type TrackDrawing } from '@isotherm/domain/waybills/track-drawing';
import { element, PAPER_INK, textElement } from '../../../platform/documents/picture.ts';

const EDGE = 16;
const ARROW = { fill: 'none', stroke: PAPER_INK.quiet, 'stroke-width': 0.8 };

export interface TrackInput {
  /** Lines in order of time; between two of them the route is unknown. */
  lines: readonly (readonly Place[])[];
  /** Places with a number: departure, transshipments, delivery. */
  marks: readonly Place[];
  width: number;
  height: number;
}

/**
 * Draws the route of a trip as SVG, north up, with the numbers of its hand-overs and a scale. There is no base map, so that
 * it can be drawn without a connection. Returns null without positions.
 */
export function trackPicture({ lines, marks, width, height }: TrackInput): string | null {
  const drawing = drawTrack(lines, marks, { width, height, edge: EDGE });
  if (!drawing) return null;
  const frame = { x: 0.5, y: 0.5, width: width - 1, height: height - 1, rx: 4 };
  return element('svg', { width, height, viewBox: `0 0 ${width} ${height}` }, [
    element('rect', { ...frame, fill: '#ffffff', stroke: PAPER_INK.grid }),
    element('path', {
      d: drawing.lines.map(linePath).join(''),
      fill: 'none',
      stroke: PAPER_INK.curve,
      'stroke-width': 1.6,
      'stroke-linejoin': 'round',
      'stroke-linecap': 'round',
    }),
    ...drawing.marks.flatMap((mark, index) => numbered(mark, index + 1)),
    ...scaleBar(drawing.scale, height),
    textElement('N', { x: width - EDGE, y: 16, anchor: 'middle', bold: true }),
    element('path', { d: `M${width - EDGE} 19v8M${width - EDGE - 2.5} 22l2.5-3 2.5 3`, ...ARROW }),
  ]);
}

const linePath = (points: readonly DrawnPoint[]) =>
  points.map(([x, y], at) => `${at === 0 ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}`).join('');

function numbered([x, y]: DrawnPoint, number: number): string[] {
  return [
    element('circle', { cx: x, cy: y, r: 6, fill: PAPER_INK.text, stroke: '#ffffff', 'stroke-width': 1 }),
    textElement(String(number), { x, y: y + 2.5, anchor: 'middle', ink: '#ffffff', bold: true }),
  ];
}

function scaleBar({ metres, length }: TrackDrawing['scale'], height: number): string[] {
  const words = metres >= 1_000 ? `${metres / 1_000} km` : `${metres} m`;
  const y = height - 10;
  return [
    element('path', { d: `M${EDGE} ${y - 3}v3h${length.toFixed(1)}v-3`, ...ARROW }),
    textElement(words, { x: EDGE + length + 4, y }),
  ];
}
