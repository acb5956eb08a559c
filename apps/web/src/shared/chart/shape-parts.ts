import type { ValueScale } from '@isotherm/domain/readings/axis-scale';
import type { CustomSeriesRenderItemReturn } from 'echarts';
import { type CurveLayout, xOf, yOf } from './curve-layout.ts';
import type { ChartSeries, TimeRange } from './curve-model.ts';
import type { Palette } from './palette.ts';

export type Shape = NonNullable<CustomSeriesRenderItemReturn>;

/** Data that every layer of the chart needs for drawing. */
export interface Stage {
  layout: CurveLayout;
  range: TimeRange;
  palette: Palette;
}

export function rect(x: number, y: number, width: number, height: number, style: object): Shape {
  return { type: 'rect', shape: { x, y, width, height }, style } as Shape;
}

export function line(x1: number, y1: number, x2: number, y2: number, style: object): Shape {
  return { type: 'line', shape: { x1, y1, x2, y2 }, style } as Shape;
}

export function label(x: number, y: number, text: string, style: object): Shape {
  return { type: 'text', x, y, style: { text, ...style } } as unknown as Shape;
}

export function group(
  children: Shape[],
  clip?: { x: number; y: number; width: number; height: number },
): Shape {
  const clipPath = clip ? { clipPath: { type: 'rect', shape: clip } } : {};
  // Children are replaced: merging would keep the children of the previous rendering in an empty group.
  return { type: 'group', children, $mergeChildren: false, ...clipPath } as unknown as Shape;
}

export function plotClip({ layout }: Stage) {
  return { x: layout.left, y: layout.top, width: layout.plotWidth, height: layout.plotHeight };
}

export type Points = [number, number][];

export function pointsOf(
  { layout, range }: Stage,
  scale: ValueScale,
  series: ChartSeries,
  values: readonly number[],
  [start, end]: [number, number],
): Points {
  const points: Points = [];
  // The value of a time bucket applies to its whole width and is drawn at its middle.
  const shift = (series.stepMs ?? 0) / 2;
  for (let index = start; index < end; index += 1) {
    points.push([
      xOf(layout, range, (series.at[index] ?? 0) + shift),
      yOf(layout, scale, values[index] ?? 0),
    ]);
  }
  return points;
}

export const polygon = (points: Points, style: object): Shape =>
  ({ type: 'polygon', shape: { points }, style }) as unknown as Shape;
export const polyline = (points: Points, style: object): Shape =>
  ({ type: 'polyline', shape: { points }, style: { fill: null, ...style } }) as unknown as Shape;
