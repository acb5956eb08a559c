import { sliceSeries } from '../readings/series.ts';
import type { TripPart } from './verdict.ts';

/** A point of a curve: epoch ms and value. */
export type CurvePoint = [at: number, value: number];

/**
 * The readings of a part of a trip as stretches without gaps. Of the readings in a column of time, only the lowest and the
 * highest are kept, so that a curve has few points and no peak is lost.
 */
export function thinCurve({ series, from, to, allowanceMs }: TripPart, columnMs: number): CurvePoint[][] {
  const { at, value } = sliceSeries(series, from, to);
  const stretches: CurvePoint[][] = [];
  let stretch: CurvePoint[] = [];
  let column: CurvePoint[] = [];
  const columnOf = (moment: number) => Math.floor((moment - from) / columnMs);
  const close = () => {
    stretch.push(...extremesOf(column));
    column = [];
  };
  for (let i = 0; i < at.length; i++) {
    const point: CurvePoint = [at[i] as number, value[i] as number];
    const last = column.at(-1);
    if (!last) {
      stretch = [];
      stretches.push(stretch);
    } else if (point[0] - last[0] > allowanceMs) {
      close();
      stretch = [];
      stretches.push(stretch);
    } else if (columnOf(point[0]) !== columnOf(last[0])) close();
    column.push(point);
  }
  close();
  return stretches;
}

/** The lowest and the highest of some points, in order of time. */
function extremesOf(points: readonly CurvePoint[]): CurvePoint[] {
  const [first] = points;
  if (!first) return [];
  let [lowest, highest] = [first, first];
  for (const point of points) {
    if (point[1] < lowest[1]) lowest = point;
    if (point[1] > highest[1]) highest = point;
  }
  if (lowest === highest) return [lowest];
  return lowest[0] < highest[0] ? [lowest, highest] : [highest, lowest];
}
