import type { ValueScale } from '@isotherm/domain/readings/axis-scale';
import { CHART } from '../ui/tokens.gen.ts';
import type { TimeRange } from './curve-model.ts';

/** Positions of the parts of a chart, in px (design: anatomy of the curve). */
export interface CurveLayout {
  width: number;
  height: number;
  left: number;
  right: number;
  top: number;
  plotWidth: number;
  plotHeight: number;
  /** Vertical position of the lower edge of the plot. */
  bottom: number;
  laneTop: (index: number) => number;
  /** Vertical position of the lower end of the crosshair. */
  end: number;
}

export function curveLayout(width: number, height: number, lanes: number, twoAxes: boolean): CurveLayout {
  // With rows for on/off channels below the plot, more room is needed for their names.
  const left = lanes > 0 ? 64 : width < 520 ? 40 : 56;
  const right = twoAxes ? 44 : 12;
  const lanesHeight = lanes === 0 ? 0 : CHART.lanesGap + lanes * CHART.lane;
  const plotHeight = Math.max(80, height - CHART.flags - CHART.axis - lanesHeight);
  const bottom = CHART.flags + plotHeight;
  return {
    width,
    height,
    left,
    right,
    top: CHART.flags,
    plotWidth: Math.max(40, width - left - right),
    plotHeight,
    bottom,
    laneTop: (index) => bottom + CHART.axis + CHART.lanesGap + index * CHART.lane,
    end: bottom + (lanes === 0 ? 0 : CHART.axis + lanesHeight),
  };
}

export function xOf(layout: CurveLayout, range: TimeRange, moment: number): number {
  return layout.left + ((moment - range.from) / (range.to - range.from)) * layout.plotWidth;
}

export function momentAt(layout: CurveLayout, range: TimeRange, x: number): number {
  return range.from + ((x - layout.left) / layout.plotWidth) * (range.to - range.from);
}

export function yOf(layout: CurveLayout, scale: ValueScale, value: number): number {
  return layout.top + ((scale.max - value) / (scale.max - scale.min)) * layout.plotHeight;
}
