import { ALARM_LEVELS, type AlarmLevel } from '@isotherm/domain/alarms/alarm-level';
import { LEVEL_SHAPES } from '../ui/level-glyph.tsx';
import type { MapColours } from './map-colours.ts';

/** Number of device pixels per pixel of an icon; icons are sharp on screens up to this density. */
export const ICON_RATIO = 2;

const MARK_PX = 28;
const GLYPH_PX = 16;
const CLUSTER_PX = { small: 46, large: 56 };
const LABEL_HEIGHT_PX = 22;
const LABEL_PADDING_PX = 7;

/** A state by shape, number and colour, as everywhere in the console; the arrow is an icon of its own, since it turns. */
export type MarkState =
  | { kind: 'alarm' | 'ended' | 'pending'; level: AlarmLevel }
  | { kind: 'unknown' | 'unset' | 'normal' };

export const markIcon = (state: MarkState): string =>
  'level' in state ? `mark-${state.kind}-${state.level}` : `mark-${state.kind}`;
export const ARROW_ICON = 'mark-arrow';
export const clusterIcon = (count: number, level: number): string => `cluster-${count}-${level}`;
export const labelIcon = (level: number, name: string, value: string): string =>
  `label-${JSON.stringify([level, name, value])}`;

export interface DrawnIcon {
  data: ImageData;
  pixelRatio: number;
}

/** Draws an icon by its name; null if it is none of ours, or nothing can be drawn. */
export function drawIcon(name: string, colours: MapColours): DrawnIcon | null {
  if (name === ARROW_ICON) return drawn(44, 44, (pen) => drawArrow(pen, colours));
  if (name.startsWith('cluster-')) {
    const [count = 0, level = 0] = name.split('-').slice(1).map(Number);
    const size = count < 100 ? CLUSTER_PX.small : CLUSTER_PX.large;
    return drawn(size, size, (pen) => drawCluster(pen, size, count, level, colours));
  }
  if (name.startsWith('label-')) return drawLabel(name, colours);
  const [, kind, digit] = /^mark-([a-z]+)(?:-([1-5]))?$/.exec(name) ?? [];
  if (!kind) return null;
  const level = ALARM_LEVELS.find((each) => String(each) === digit) ?? null;
  return drawn(MARK_PX, MARK_PX, (pen) => drawMark(pen, kind, level, colours));
}

function drawn(
  width: number,
  height: number,
  draw: (pen: CanvasRenderingContext2D) => void,
): DrawnIcon | null {
  const canvas = document.createElement('canvas');
  canvas.width = Math.ceil(width * ICON_RATIO);
  canvas.height = Math.ceil(height * ICON_RATIO);
  const pen = canvas.getContext('2d');
  if (!pen) return null;
  pen.scale(ICON_RATIO, ICON_RATIO);
  draw(pen);
  return { data: pen.getImageData(0, 0, canvas.width, canvas.height), pixelRatio: ICON_RATIO };
}

function figure(pen: CanvasRenderingContext2D, text: string, px: number, colours: MapColours): void {
  pen.font = `600 ${px}px ${colours.font}`;
  pen.textAlign = 'center';
  pen.textBaseline = 'middle';
  pen.fillText(text, 0, 0.5);
}

function circle(pen: CanvasRenderingContext2D, radius: number): void {
  pen.beginPath();
  pen.arc(0, 0, radius, 0, 2 * Math.PI);
}

function drawMark(
  pen: CanvasRenderingContext2D,
  kind: string,
  level: AlarmLevel | null,
  colours: MapColours,
): void {
  pen.translate(MARK_PX / 2, MARK_PX / 2);
  if (level === null) {
    circle(pen, kind === 'normal' ? 6 : 8.5);
    pen.fillStyle = colours.container;
    pen.fill();
    pen.lineWidth = 2;
    pen.strokeStyle = kind === 'normal' ? colours.textSecondary : colours.unknown;
    // A dashed outline: nobody knows the state. It must never look like one within limits.
    if (kind === 'unknown') pen.setLineDash([3, 2]);
    pen.stroke();
    pen.fillStyle = colours.unknown;
    if (kind === 'unknown') figure(pen, '?', 11, colours);
    if (kind === 'unset') pen.fillRect(-4, -1, 8, 2);
    return;
  }
  circle(pen, 12.5);
  pen.fillStyle = colours.container;
  pen.fill();
  pen.lineWidth = 1.5;
  pen.strokeStyle = colours.level(level, 'border');
  if (kind === 'pending') pen.setLineDash([3, 2]);
  pen.stroke();
  const shape = new Path2D(LEVEL_SHAPES[level]);
  pen.save();
  pen.translate(-GLYPH_PX / 2, -GLYPH_PX / 2);
  if (kind === 'alarm') {
    pen.fillStyle = colours.level(level, 'solid');
    pen.fill(shape);
  }
  pen.strokeStyle = colours.level(level, kind === 'alarm' ? 'border' : 'fg');
  pen.stroke(shape);
  pen.restore();
  pen.fillStyle = colours.level(level, kind === 'alarm' ? 'on' : 'fg');
  pen.translate(0, level === 4 ? 2 : 0);
  figure(pen, String(level), 10, colours);
}

/** A tip above the centre, outside the mark, that points north. */
function drawArrow(pen: CanvasRenderingContext2D, colours: MapColours): void {
  pen.translate(22, 22);
  pen.beginPath();
  pen.moveTo(-5, -12);
  pen.lineTo(0, -18);
  pen.lineTo(5, -12);
  pen.lineWidth = 2.5;
  pen.lineJoin = 'round';
  pen.lineCap = 'round';
  pen.strokeStyle = colours.textSecondary;
  pen.stroke();
}

function drawCluster(
  pen: CanvasRenderingContext2D,
  size: number,
  count: number,
  level: number,
  colours: MapColours,
): void {
  pen.translate(size / 2, size / 2);
  circle(pen, size / 2 - 8);
  pen.fillStyle = colours.container;
  pen.fill();
  pen.lineWidth = 2;
  pen.strokeStyle = colours.line;
  pen.stroke();
  pen.fillStyle = colours.text;
  figure(pen, count < 10_000 ? String(count) : `${Math.round(count / 1000)}k`, 13, colours);
  const worst = ALARM_LEVELS.find((each) => each === level);
  if (!worst) return;
  pen.translate(size / 2 - GLYPH_PX / 2 - 1, -size / 2 + GLYPH_PX / 2 + 1);
  pen.scale(0.8, 0.8);
  const shape = new Path2D(LEVEL_SHAPES[worst]);
  pen.save();
  pen.translate(-GLYPH_PX / 2, -GLYPH_PX / 2);
  pen.fillStyle = colours.level(worst, 'solid');
  pen.fill(shape);
  pen.lineWidth = 1;
  pen.strokeStyle = colours.level(worst, 'border');
  pen.stroke(shape);
  pen.restore();
  pen.fillStyle = colours.level(worst, 'on');
  pen.translate(0, worst === 4 ? 2 : 0);
  figure(pen, String(worst), 11, colours);
}

/** Name and value of an asset that needs attention, in a box beside its mark. */
function drawLabel(icon: string, colours: MapColours): DrawnIcon | null {
  const [level, name, value] = JSON.parse(icon.slice('label-'.length)) as [number, string, string];
  const known = ALARM_LEVELS.find((each) => each === level);
  const fonts = [`500 11px ${colours.font}`, `600 11px ${colours.font}`] as const;
  const measure = document.createElement('canvas').getContext('2d');
  if (!measure) return null;
  measure.font = fonts[0];
  const nameWidth = measure.measureText(name).width;
  measure.font = fonts[1];
  const valueWidth = value === '' ? 0 : measure.measureText(value).width + LABEL_PADDING_PX;
  const width = nameWidth + valueWidth + 2 * LABEL_PADDING_PX;
  return drawn(width, LABEL_HEIGHT_PX, (pen) => {
    pen.beginPath();
    pen.roundRect(0.5, 0.5, width - 1, LABEL_HEIGHT_PX - 1, 4);
    pen.fillStyle = colours.container;
    pen.fill();
    pen.strokeStyle = known ? colours.level(known, 'border') : colours.border;
    pen.stroke();
    pen.textBaseline = 'middle';
    pen.font = fonts[0];
    pen.fillStyle = colours.text;
    pen.fillText(name, LABEL_PADDING_PX, LABEL_HEIGHT_PX / 2 + 0.5);
    pen.font = fonts[1];
    pen.fillStyle = known ? colours.level(known, 'fg') : colours.textSecondary;
    pen.fillText(value, nameWidth + 2 * LABEL_PADDING_PX, LABEL_HEIGHT_PX / 2 + 0.5);
  });
}
