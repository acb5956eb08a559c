import { type TimeTick, type ValueScale, valueScale } from '@isotherm/domain/readings/axis-scale';
import { INDICATORS } from '@isotherm/domain/readings/indicator';
import type { EChartsCoreOption } from 'echarts/core';
import { fixed } from '../format/number.ts';
import { CHART } from '../ui/tokens.gen.ts';
import { alarmSpans, excursions } from './alarm-shapes.ts';
import type { CurveLayout } from './curve-layout.ts';
import type { ChartBand, ChartSeries, ChartSpan, TimeRange } from './curve-model.ts';
import {
  bands,
  channelCurve,
  estimates,
  lanes,
  limitBand,
  limitLabelHeights,
  limitLabels,
  silences,
  timeAxis,
} from './curve-shapes.ts';
import type { Palette } from './palette.ts';
import type { Shape, Stage } from './shape-parts.ts';

export interface CurvePicture {
  series: readonly ChartSeries[];
  lanes: readonly (ChartSeries & { title: string })[];
  spans: readonly ChartSpan[];
  bands: readonly ChartBand[];
  ticks: readonly (TimeTick & { label: string })[];
  lowLabel: string;
  highLabel: string;
}

/**
 * Returns the scales. A scale contains everything visible, including limits; a second unit gets an axis of
 * its own.
 */
export function curveScales(
  series: readonly ChartSeries[],
  range: TimeRange,
): { first: ValueScale; second: ValueScale | null } {
  const unit = series[0]?.indicator;
  const values = (wanted: (each: ChartSeries) => boolean) =>
    series.filter(wanted).flatMap((each, index) => {
      const seen: number[] = [];
      each.at.forEach((moment, point) => {
        if (moment < range.from || moment > range.to) return;
        seen.push(each.min[point] ?? 0, each.max[point] ?? 0);
      });
      if (index === 0 && each.low !== null) seen.push(each.low);
      if (index === 0 && each.high !== null) seen.push(each.high);
      return seen;
    });
  const others = series.some((each) => each.indicator !== unit);
  return {
    first: valueScale(values((each) => each.indicator === unit)),
    second: others ? valueScale(values((each) => each.indicator !== unit)) : null,
  };
}

function layer(z: number, draw: () => Shape) {
  return {
    type: 'custom',
    z,
    silent: true,
    animation: false,
    clip: false,
    data: [[0, 0]],
    // The series is drawn at the positions of our own layout; ECharts must not derive positions from the
    // data.
    encode: { x: -1, y: -1 },
    renderItem: draw,
  };
}

/** Returns the ECharts option, with its layers in drawing order. */
export function curveOption(
  picture: CurvePicture,
  layout: CurveLayout,
  range: TimeRange,
  palette: Palette,
): EChartsCoreOption {
  const stage: Stage = { layout, range, palette };
  const { first, second } = curveScales(picture.series, range);
  const [main] = picture.series;
  const { lowLabel, highLabel } = picture;
  const limits =
    main && (main.low !== null || main.high !== null)
      ? { low: main.low, high: main.high, lowLabel, highLabel }
      : null;
  const plotted = new Set(picture.series.map(({ channelId }) => channelId));
  const axis = (scale: ValueScale, position: 'left' | 'right') => ({
    type: 'value',
    position,
    min: scale.min,
    max: scale.max,
    interval: scale.step,
    axisLine: { show: false },
    axisTick: { show: false },
    splitLine: { show: position === 'left', lineStyle: { color: palette.grid } },
    axisLabel: {
      color: palette.axis,
      fontSize: CHART.text,
      fontFamily: palette.font,
      formatter: (value: number) => fixed(value, Number.isInteger(scale.step) ? 0 : 1),
    },
  });
  return {
    animation: false,
    grid: { left: layout.left, right: layout.right, top: layout.top, height: layout.plotHeight },
    xAxis: { type: 'value', min: range.from, max: range.to, show: false },
    yAxis: second ? [axis(first, 'left'), axis(second, 'right')] : [axis(first, 'left')],
    series: [
      ...(limits ? [layer(-1, () => limitBand(stage, first, limits))] : []),
      layer(1, () => bands(stage, picture.bands)),
      layer(2, () => alarmSpans(stage, picture.spans, plotted)),
      ...(main
        ? [layer(2, () => silences(stage, main.gaps, limits ? limitLabelHeights(stage, first, limits) : []))]
        : []),
      ...(limits ? [layer(2, () => limitLabels(stage, first, limits))] : []),
      ...(main ? [layer(2, () => estimates(stage, main.estimated))] : []),
      ...picture.series
        .map((each, index) =>
          layer(index === 0 ? 4 : 3, () =>
            channelCurve(stage, each.indicator === main?.indicator || !second ? first : second, each, {
              colour: each.isEarlier
                ? palette.tick
                : (palette.series[index % palette.series.length] ?? palette.text),
              envelope: index === 0 ? palette.envelope : null,
              dashed: index > 0 && !each.isEarlier,
            }),
          ),
        )
        .reverse(),
      ...(main ? [layer(5, () => excursions(stage, first, main, picture.spans))] : []),
      layer(5, () => lanes(stage, picture.lanes, picture.spans)),
      layer(5, () => timeAxis(stage, picture.ticks)),
    ],
  };
}

/** Returns true for an on/off channel, which is drawn as a row below the plot. */
export function isLane(series: { indicator: ChartSeries['indicator'] }): boolean {
  return INDICATORS[series.indicator].kind === 'switch';
}
