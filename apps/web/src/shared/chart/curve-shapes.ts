import type { TimeTick, ValueScale } from '@isotherm/domain/readings/axis-scale';
import { CHART } from '../ui/tokens.gen.ts';
import { pieces, wordsWidth } from './alarm-shapes.ts';
import { xOf, yOf } from './curve-layout.ts';
import { type ChartBand, type ChartSeries, type ChartSpan, onStretches, stretches } from './curve-model.ts';
import {
  group,
  label,
  line,
  plotClip,
  pointsOf,
  polygon,
  polyline,
  rect,
  type Shape,
  type Stage,
} from './shape-parts.ts';

/** Narrower gaps are hatched but have no label. */
const GAP_LABEL_FROM_PX = 84;
/** Height of a label with its distance from the next one. */
const GAP_LABEL_PX = 22;
/** Narrower named periods have no label. */
const BAND_LABEL_FROM_PX = 24;
/** Distance between labels of named periods that overlap. */
const BAND_LABEL_ROW_PX = 20;

/** Limits of the main channel, with their names. */
export interface NamedLimits {
  low: number | null;
  high: number | null;
  lowLabel: string;
  highLabel: string;
}

/** Draws the limits: background and dashed edges. */
export function limitBand(stage: Stage, scale: ValueScale, { low, high }: NamedLimits): Shape {
  const { layout, palette } = stage;
  const { left, plotWidth, top, bottom } = layout;
  const yHigh = high === null ? top : yOf(layout, scale, high);
  const yLow = low === null ? bottom : yOf(layout, scale, low);
  const shapes: Shape[] = [rect(left, yHigh, plotWidth, yLow - yHigh, { fill: palette.bandFill })];
  const edge = { stroke: palette.bandEdge, lineDash: [3, 3], lineWidth: CHART.edge };
  if (high !== null) shapes.push(line(left, yHigh, left + plotWidth, yHigh, edge));
  if (low !== null) shapes.push(line(left, yLow, left + plotWidth, yLow, edge));
  return group(shapes);
}

/** Draws the names of the limits, above what covers the band, such as the hatching of a gap. */
export function limitLabels(stage: Stage, scale: ValueScale, limits: NamedLimits): Shape {
  const { layout, palette } = stage;
  const { low, high, lowLabel, highLabel } = limits;
  const style = {
    fill: palette.textSecondary,
    fontSize: CHART.text,
    fontFamily: palette.font,
    backgroundColor: palette.container,
    padding: [1, 4],
    borderRadius: CHART.labelRadius,
  };
  const x = layout.left + 6;
  return group([
    ...(high === null
      ? []
      : [label(x, yOf(layout, scale, high) - 3, highLabel, { ...style, verticalAlign: 'bottom' })]),
    ...(low === null
      ? []
      : [label(x, yOf(layout, scale, low) + 3, lowLabel, { ...style, verticalAlign: 'top' })]),
  ]);
}

/**
 * Draws the gaps without readings: hatched, with a label if there is room.
 *
 * @param taken heights of the names of the limits, which the labels avoid
 */
export function silences(stage: Stage, gaps: ChartSeries['gaps'], taken: readonly number[]): Shape {
  const { layout, range, palette } = stage;
  const shapes: Shape[] = [];
  const places = [layout.bottom - 16, (layout.top + layout.bottom) / 2, layout.top + 16];
  const isFree = (y: number) => taken.every((each) => Math.abs(each - y) >= GAP_LABEL_PX);
  const y = places.find(isFree) ?? layout.bottom - 16;
  for (const gap of gaps) {
    const from = Math.max(layout.left, xOf(layout, range, gap.from));
    const to = Math.min(layout.left + layout.plotWidth, xOf(layout, range, gap.to));
    if (to - from < 1) continue;
    const fill = { image: palette.hatch, repeat: 'repeat' };
    shapes.push(rect(from, layout.top, to - from, layout.plotHeight, { fill }));
    if (to - from < GAP_LABEL_FROM_PX) continue;
    shapes.push(
      label((from + to) / 2, y, gap.label, {
        fill: palette.unknownFg,
        fontSize: CHART.text,
        fontWeight: 500,
        fontFamily: palette.font,
        align: 'center',
        verticalAlign: 'middle',
        backgroundColor: palette.unknownBg,
        padding: [2, 6],
        borderRadius: CHART.labelRadius,
      }),
    );
  }
  return group(shapes);
}

/** Heights at which the names of the limits are drawn. */
export function limitLabelHeights(
  { layout }: Stage,
  scale: ValueScale,
  { low, high }: NamedLimits,
): number[] {
  return [
    ...(high === null ? [] : [yOf(layout, scale, high) - GAP_LABEL_PX / 2]),
    ...(low === null ? [] : [yOf(layout, scale, low) + GAP_LABEL_PX / 2]),
  ];
}

/** Draws the periods with estimated times: a bar along the lower edge, with a label if there is room. */
export function estimates(stage: Stage, spans: ChartSeries['estimated']): Shape {
  const { layout, range, palette } = stage;
  const shapes: Shape[] = [];
  for (const span of spans) {
    const from = Math.max(layout.left, xOf(layout, range, span.from));
    const to = Math.min(layout.left + layout.plotWidth, xOf(layout, range, span.to));
    if (to - from < 1) continue;
    const y = layout.bottom - CHART.estimateStrip;
    shapes.push(rect(from, y, to - from, CHART.estimateStrip, { fill: palette.unknownFg }));
    if (to - from < GAP_LABEL_FROM_PX) continue;
    shapes.push(
      label(from + 4, y - 3, span.label, {
        fill: palette.unknownFg,
        fontSize: CHART.text,
        fontFamily: palette.font,
        verticalAlign: 'bottom',
      }),
    );
  }
  return group(shapes);
}

/** Draws the named periods: a background colour or hatching between two edges with the name at the top. */
export function bands(stage: Stage, named: readonly ChartBand[]): Shape {
  const { layout, range, palette } = stage;
  const shapes: Shape[] = [];
  for (const [index, band] of named.entries()) {
    const from = Math.max(layout.left, xOf(layout, range, band.from));
    const to = Math.min(layout.left + layout.plotWidth, xOf(layout, range, band.to));
    if (to - from < 1) continue;
    const edge = { stroke: palette.axis, lineDash: [2, 4], lineWidth: CHART.edge };
    const fill = band.isHatched
      ? { fill: { image: palette.heldHatch, repeat: 'repeat' } }
      : { fill: palette.axis, opacity: 0.12 };
    shapes.push(rect(from, layout.top, to - from, layout.plotHeight, fill));
    for (const x of [from, to]) shapes.push(line(x, layout.top, x, layout.bottom, edge));
    if (to - from < BAND_LABEL_FROM_PX) continue;
    // Labels of periods that overlap are placed below each other.
    const row = named.slice(0, index).filter((each) => each.from < band.to && band.from < each.to).length;
    shapes.push(
      label(from + 6, layout.top + 6 + row * BAND_LABEL_ROW_PX, band.label, {
        fill: palette.textSecondary,
        fontSize: CHART.text,
        fontFamily: palette.font,
        verticalAlign: 'top',
        width: Math.min(to - from - 12, wordsWidth(band.label)),
        overflow: 'truncate',
        ...(band.isHatched
          ? { backgroundColor: palette.container, padding: [2, 4], borderRadius: CHART.labelRadius }
          : {}),
      }),
    );
  }
  return group(shapes);
}

/**
 * Draws a channel: the minimum and maximum of each time bucket as an area and the mean as a line,
 * interrupted by gaps.
 */
export function channelCurve(
  stage: Stage,
  scale: ValueScale,
  series: ChartSeries,
  look: { colour: string; envelope: string | null; dashed: boolean },
): Shape {
  const shapes: Shape[] = [];
  const stroke = {
    stroke: look.colour,
    lineWidth: look.dashed ? CHART.otherLine : CHART.line,
    lineJoin: 'round',
    ...(look.dashed ? { lineDash: [5, 3] } : {}),
  };
  for (const part of stretches(series)) {
    if (look.envelope !== null && series.stepMs !== null) {
      const upper = pointsOf(stage, scale, series, series.max, part);
      const lower = pointsOf(stage, scale, series, series.min, part).reverse();
      shapes.push(polygon([...upper, ...lower], { fill: look.envelope }));
    }
    const points = pointsOf(stage, scale, series, series.mean, part);
    const only = points[0];
    if (points.length === 1 && only) {
      shapes.push({
        type: 'circle',
        shape: { cx: only[0], cy: only[1], r: CHART.dot },
        style: { fill: look.colour },
      } as Shape);
    } else {
      shapes.push(polyline(points, stroke));
    }
  }
  return group(shapes, plotClip(stage));
}

/**
 * Draws the rows of on/off channels (door, power, defrost) below the plot: the periods when they were on, in
 * the colour of the level during an alarm.
 */
export function lanes(
  stage: Stage,
  series: readonly (ChartSeries & { title: string })[],
  spans: readonly ChartSpan[],
): Shape {
  const { layout, range, palette } = stage;
  const shapes: Shape[] = [];
  const fill = { image: palette.hatch, repeat: 'repeat' };
  series.forEach((lane, index) => {
    const top = layout.laneTop(index) + (CHART.lane - CHART.laneBar) / 2;
    shapes.push(
      label(layout.left - 8, top + CHART.laneBar / 2, lane.title, {
        fill: palette.axis,
        fontSize: CHART.text,
        fontFamily: palette.font,
        align: 'right',
        verticalAlign: 'middle',
        width: layout.left - 8,
        overflow: 'truncate',
      }),
    );
    const bars: Shape[] = [
      rect(layout.left, top, layout.plotWidth, CHART.laneBar, { fill: palette.laneOff }),
    ];
    const quiet = lane.indicator !== 'door';
    for (const on of onStretches(lane, range)) {
      const from = xOf(layout, range, on.from);
      const width = Math.max(2, xOf(layout, range, on.to) - from);
      bars.push(rect(from, top, width, CHART.laneBar, { fill: quiet ? palette.tick : palette.laneOn }));
    }
    const own = spans.filter(({ channelId }) => channelId === lane.channelId);
    for (const { from, to, level } of pieces(stage, own)) {
      if (level === null) continue;
      const left = xOf(layout, range, from);
      const width = Math.max(2, xOf(layout, range, to) - left);
      bars.push(rect(left, top, width, CHART.laneBar, { fill: palette.level(level, 'solid') }));
    }
    for (const gap of lane.gaps) {
      const from = xOf(layout, range, gap.from);
      const width = xOf(layout, range, gap.to) - from;
      bars.push(rect(from, top, width, CHART.laneBar, { fill: palette.container }));
      bars.push(rect(from, top, width, CHART.laneBar, { fill }));
    }
    shapes.push(group(bars, { x: layout.left, y: top, width: layout.plotWidth, height: CHART.laneBar }));
  });
  return group(shapes);
}

export function timeAxis(stage: Stage, ticks: readonly (TimeTick & { label: string })[]): Shape {
  const { layout, range, palette } = stage;
  return group(
    ticks.flatMap((tick) => {
      const x = xOf(layout, range, tick.at);
      return [
        line(x, layout.bottom, x, layout.bottom + 4, { stroke: palette.tick }),
        label(x, layout.bottom + 8, tick.label, {
          fill: tick.midnight ? palette.textSecondary : palette.axis,
          fontWeight: tick.midnight ? 600 : 400,
          fontSize: CHART.text,
          fontFamily: palette.font,
          align: 'center',
          verticalAlign: 'top',
        }),
      ];
    }),
  );
}
