import type { AlarmLevel } from '@isotherm/domain/alarms/alarm-level';
import type { CustomSeriesRenderItemReturn } from 'echarts';
import { LEVEL_SHAPES } from '../ui/level-glyph.tsx';
import { type CurveLayout, LANE_BAR_PX, xOf, yOf } from './curve-layout.ts';
import {
  type ChartBand,
  type ChartSeries,
  type ChartSpan,
  onStretches,
  stretches,
  type TimeRange,
} from './curve-model.ts';
import type { Palette } from './palette.ts';
import type { TimeTick, ValueScale } from './scale.ts';

export type Shape = NonNullable<CustomSeriesRenderItemReturn>;

/** All that a layer of the curve is drawn from. */
export interface Stage {
  layout: CurveLayout;
  range: TimeRange;
  palette: Palette;
}

const RIBBON_PX = 4;
const FLAG_PX = 16;
/** Below this width a silence is hatched but not named. */
const GAP_LABEL_FROM_PX = 84;
const FLAG_GAP_PX = 5;
/** Widths that a letter of a flag's words comes to at most, near enough to keep flags apart. */
const LETTER_PX = 6.5;
const IDEOGRAPH_PX = 11;

function rect(x: number, y: number, width: number, height: number, style: object): Shape {
  return { type: 'rect', shape: { x, y, width, height }, style } as Shape;
}

function line(x1: number, y1: number, x2: number, y2: number, style: object): Shape {
  return { type: 'line', shape: { x1, y1, x2, y2 }, style } as Shape;
}

function label(x: number, y: number, text: string, style: object): Shape {
  return { type: 'text', x, y, style: { text, ...style } } as unknown as Shape;
}

function group(children: Shape[], clip?: { x: number; y: number; width: number; height: number }): Shape {
  const clipPath = clip ? { clipPath: { type: 'rect', shape: clip } } : {};
  // Children are made anew: merging would leave those of an earlier picture standing in an empty group.
  return { type: 'group', children, $mergeChildren: false, ...clipPath } as unknown as Shape;
}

function plotClip({ layout }: Stage) {
  return { x: layout.left, y: layout.top, width: layout.plotWidth, height: layout.plotHeight };
}

/** The limit band, its dashed edges and their names. */
export function limitBand(
  stage: Stage,
  scale: ValueScale,
  limits: { low: number | null; high: number | null; lowLabel: string; highLabel: string },
): Shape {
  const { layout, palette } = stage;
  const { left, plotWidth, top, bottom } = layout;
  const { low, high } = limits;
  const yHigh = high === null ? top : yOf(layout, scale, high);
  const yLow = low === null ? bottom : yOf(layout, scale, low);
  const shapes: Shape[] = [rect(left, yHigh, plotWidth, yLow - yHigh, { fill: palette.bandFill })];
  const edge = { stroke: palette.bandEdge, lineDash: [3, 3], lineWidth: 1 };
  const name = { fill: palette.textSecondary, fontSize: 11, fontFamily: palette.font };
  if (high !== null) {
    shapes.push(line(left, yHigh, left + plotWidth, yHigh, edge));
    shapes.push(label(left + 8, yHigh - 4, limits.highLabel, { ...name, verticalAlign: 'bottom' }));
  }
  if (low !== null) {
    shapes.push(line(left, yLow, left + plotWidth, yLow, edge));
    shapes.push(label(left + 8, yLow + 4, limits.lowLabel, { ...name, verticalAlign: 'top' }));
  }
  return group(shapes);
}

/** One piece of time with the gravest alarm that stood in it, or none. */
interface Piece {
  from: number;
  to: number;
  level: AlarmLevel | null;
}

/** Cuts the range where alarms begin and end, so that overlapping ones are painted once. */
function pieces({ range }: Stage, spans: readonly ChartSpan[]): Piece[] {
  const inside = (moment: number) => moment > range.from && moment < range.to;
  const cuts = [range.from, ...spans.flatMap(({ from, to }) => [from, to]).filter(inside), range.to];
  const ordered = [...new Set(cuts)].sort((a, b) => a - b);
  return ordered.slice(1).map((to, index) => {
    const from = ordered[index] ?? to;
    const standing = spans.filter((span) => span.from <= from && span.to >= to);
    const level = standing.reduce<AlarmLevel | null>(
      (gravest, span) => (gravest === null || span.level > gravest ? span.level : gravest),
      null,
    );
    return { from, to, level };
  });
}

/**
 * Alarm spans: a ribbon on top, and a flag with the level's shape and number; a tint over the plot where it
 * is one of the plotted channels that is in alarm.
 */
export function alarmSpans(stage: Stage, spans: readonly ChartSpan[], plotted: ReadonlySet<number>): Shape {
  const { layout, range, palette } = stage;
  const shapes: Shape[] = [];
  for (const { from, to, level } of pieces(stage, spans)) {
    if (level === null) continue;
    const left = xOf(layout, range, from);
    const width = Math.max(1.5, xOf(layout, range, to) - left);
    shapes.push(
      rect(left, layout.top - RIBBON_PX, width, RIBBON_PX, { fill: palette.level(level, 'solid') }),
    );
  }
  const tinting = spans.filter(({ channelId }) => plotted.has(channelId));
  for (const { from, to, level } of pieces(stage, tinting)) {
    if (level === null) continue;
    const left = xOf(layout, range, from);
    const width = Math.max(1.5, xOf(layout, range, to) - left);
    const fill = palette.level(level, 'solid');
    shapes.push(rect(left, layout.top, width, layout.plotHeight, { fill, opacity: 0.09 }));
  }
  // Where flags would cover each other, the gravest is the one that is shown.
  const taken: [number, number][] = [];
  const isFree = (left: number, right: number) => taken.every(([a, b]) => right < a || left > b);
  for (const span of [...spans].sort((a, b) => b.level - a.level || a.from - b.from)) {
    const from = Math.max(layout.left, xOf(layout, range, span.from));
    if (xOf(layout, range, span.to) < layout.left || from > layout.left + layout.plotWidth) continue;
    const glyphX = from - FLAG_PX / 2;
    const glyphEnd = glyphX + FLAG_PX;
    if (!isFree(glyphX, glyphEnd)) continue;
    const room = FLAG_GAP_PX + wordsWidth(span.label);
    const right = glyphEnd + room > layout.left + layout.plotWidth;
    const [wordsFrom, wordsTo] = right ? [glyphX - room, glyphEnd] : [glyphX, glyphEnd + room];
    const isNamed = isFree(wordsFrom, wordsTo);
    taken.push(isNamed ? [wordsFrom, wordsTo] : [glyphX, glyphEnd]);
    const glyphY = layout.top - RIBBON_PX - FLAG_PX - 4;
    shapes.push(
      line(from, layout.top - RIBBON_PX, from, layout.bottom, {
        stroke: palette.level(span.level, 'border'),
        lineWidth: 1,
      }),
      ...levelFlag(stage, span, glyphX, glyphY),
    );
    if (!isNamed) continue;
    shapes.push(
      label(right ? glyphX - FLAG_GAP_PX : glyphEnd + FLAG_GAP_PX, glyphY + FLAG_PX / 2, span.label, {
        fill: palette.level(span.level, 'fg'),
        fontSize: 11,
        fontWeight: 600,
        fontFamily: palette.font,
        align: right ? 'right' : 'left',
        verticalAlign: 'middle',
      }),
    );
  }
  return group(shapes);
}

function wordsWidth(words: string): number {
  return [...words].reduce((width, each) => width + (each > '\u2e80' ? IDEOGRAPH_PX : LETTER_PX), 0);
}

function levelFlag({ palette }: Stage, { level }: ChartSpan, x: number, y: number): Shape[] {
  return [
    {
      type: 'path',
      shape: { pathData: LEVEL_SHAPES[level] },
      x,
      y,
      style: { fill: palette.level(level, 'solid'), stroke: palette.level(level, 'border'), lineWidth: 1 },
    } as unknown as Shape,
    label(x + FLAG_PX / 2, y + FLAG_PX / 2 + (level === 4 ? 1.5 : 0.5), String(level), {
      fill: palette.level(level, 'on'),
      fontSize: 10,
      fontWeight: 700,
      fontFamily: palette.font,
      align: 'center',
      verticalAlign: 'middle',
    }),
  ];
}

/** Silences: hatched over the plot, named where there is room. */
export function silences(stage: Stage, gaps: ChartSeries['gaps']): Shape {
  const { layout, range, palette } = stage;
  const shapes: Shape[] = [];
  for (const gap of gaps) {
    const from = Math.max(layout.left, xOf(layout, range, gap.from));
    const to = Math.min(layout.left + layout.plotWidth, xOf(layout, range, gap.to));
    if (to - from < 1) continue;
    const fill = { image: palette.hatch, repeat: 'repeat' };
    shapes.push(rect(from, layout.top, to - from, layout.plotHeight, { fill }));
    if (to - from < GAP_LABEL_FROM_PX) continue;
    shapes.push(
      label((from + to) / 2, layout.bottom - 16, gap.label, {
        fill: palette.unknownFg,
        fontSize: 11,
        fontWeight: 500,
        fontFamily: palette.font,
        align: 'center',
        verticalAlign: 'middle',
        backgroundColor: palette.unknownBg,
        padding: [2, 6],
        borderRadius: 2,
      }),
    );
  }
  return group(shapes);
}

/** Stretches with a name: a veil over the plot between two edges, the name on top. */
export function bands(stage: Stage, named: readonly ChartBand[]): Shape {
  const { layout, range, palette } = stage;
  const shapes: Shape[] = [];
  for (const band of named) {
    const from = Math.max(layout.left, xOf(layout, range, band.from));
    const to = Math.min(layout.left + layout.plotWidth, xOf(layout, range, band.to));
    if (to - from < 1) continue;
    const edge = { stroke: palette.axis, lineDash: [2, 4], lineWidth: 1 };
    shapes.push(rect(from, layout.top, to - from, layout.plotHeight, { fill: palette.axis, opacity: 0.12 }));
    for (const x of [from, to]) shapes.push(line(x, layout.top, x, layout.bottom, edge));
    const words = { fill: palette.textSecondary, fontSize: 11, fontFamily: palette.font };
    shapes.push(
      label(from + 6, layout.top + 6, band.label, {
        ...words,
        verticalAlign: 'top',
        width: to - from - 12,
        overflow: 'truncate',
      }),
    );
  }
  return group(shapes);
}

type Points = [number, number][];

function pointsOf(
  { layout, range }: Stage,
  scale: ValueScale,
  series: ChartSeries,
  values: readonly number[],
  [start, end]: [number, number],
): Points {
  const points: Points = [];
  // A bucket's value stands for its whole width: it is drawn at its middle.
  const shift = (series.stepMs ?? 0) / 2;
  for (let index = start; index < end; index += 1) {
    points.push([
      xOf(layout, range, (series.at[index] ?? 0) + shift),
      yOf(layout, scale, values[index] ?? 0),
    ]);
  }
  return points;
}

const polygon = (points: Points, style: object): Shape =>
  ({ type: 'polygon', shape: { points }, style }) as unknown as Shape;
const polyline = (points: Points, style: object): Shape =>
  ({ type: 'polyline', shape: { points }, style: { fill: null, ...style } }) as unknown as Shape;

/** The true minimum and maximum of each bucket, and the mean as a line; nothing across a silence. */
export function channelCurve(
  stage: Stage,
  scale: ValueScale,
  series: ChartSeries,
  look: { colour: string; envelope: string | null; dashed: boolean },
): Shape {
  const shapes: Shape[] = [];
  const stroke = {
    stroke: look.colour,
    lineWidth: look.dashed ? 1.5 : 1.75,
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
        shape: { cx: only[0], cy: only[1], r: 1.75 },
        style: { fill: look.colour },
      } as Shape);
    } else {
      shapes.push(polyline(points, stroke));
    }
  }
  return group(shapes, plotClip(stage));
}

/** What left the band: in the level's colour while an alarm stood, strong and neutral before it did. */
export function excursions(
  stage: Stage,
  scale: ValueScale,
  series: ChartSeries,
  spans: readonly ChartSpan[],
): Shape {
  const { layout, range, palette } = stage;
  const shapes: Shape[] = [];
  const sides = [
    { limit: series.high, kind: 'high', values: series.max },
    { limit: series.low, kind: 'low', values: series.min },
  ] as const;
  for (const { limit, kind, values } of sides) {
    if (limit === null) continue;
    const edge = yOf(layout, scale, limit);
    const above = kind === 'high';
    const band = {
      y: above ? layout.top : edge,
      height: Math.max(0, above ? edge - layout.top : layout.bottom - edge),
    };
    const parts = stretches(series).filter(([start, end]) =>
      values.slice(start, end).some((value) => (above ? value > limit : value < limit)),
    );
    const drawn = (colour: string): Shape[] =>
      parts.flatMap((part) => {
        const outer = pointsOf(stage, scale, series, values, part);
        const first = outer[0];
        const last = outer[outer.length - 1];
        if (!first || !last) return [];
        return [
          polygon([...outer, [last[0], edge], [first[0], edge]], { fill: colour, opacity: 0.22 }),
          polyline(pointsOf(stage, scale, series, series.mean, part), { stroke: colour, lineWidth: 2.25 }),
        ];
      });
    if (parts.length === 0) continue;
    const own = spans.filter((span) => span.kind === kind && span.channelId === series.channelId);
    for (const { from, to, level } of pieces(stage, own)) {
      const left = xOf(layout, range, from);
      const colour = level === null ? palette.text : palette.level(level, 'border');
      shapes.push(group(drawn(colour), { x: left, width: xOf(layout, range, to) - left, ...band }));
    }
  }
  return group(shapes);
}

/** Door, power, defrost: when they were on, below the plot and on its time; in the level's colour while in alarm. */
export function lanes(
  stage: Stage,
  series: readonly (ChartSeries & { title: string })[],
  spans: readonly ChartSpan[],
): Shape {
  const { layout, range, palette } = stage;
  const shapes: Shape[] = [];
  const fill = { image: palette.hatch, repeat: 'repeat' };
  series.forEach((lane, index) => {
    const top = layout.laneTop(index) + (20 - LANE_BAR_PX) / 2;
    shapes.push(
      label(layout.left - 8, top + LANE_BAR_PX / 2, lane.title, {
        fill: palette.axis,
        fontSize: 11,
        fontFamily: palette.font,
        align: 'right',
        verticalAlign: 'middle',
        width: layout.left - 8,
        overflow: 'truncate',
      }),
    );
    const bars: Shape[] = [rect(layout.left, top, layout.plotWidth, LANE_BAR_PX, { fill: palette.laneOff })];
    const quiet = lane.indicator !== 'door';
    for (const on of onStretches(lane, range)) {
      const from = xOf(layout, range, on.from);
      const width = Math.max(2, xOf(layout, range, on.to) - from);
      bars.push(rect(from, top, width, LANE_BAR_PX, { fill: quiet ? palette.tick : palette.laneOn }));
    }
    const own = spans.filter(({ channelId }) => channelId === lane.channelId);
    for (const { from, to, level } of pieces(stage, own)) {
      if (level === null) continue;
      const left = xOf(layout, range, from);
      const width = Math.max(2, xOf(layout, range, to) - left);
      bars.push(rect(left, top, width, LANE_BAR_PX, { fill: palette.level(level, 'solid') }));
    }
    for (const gap of lane.gaps) {
      const from = xOf(layout, range, gap.from);
      const width = xOf(layout, range, gap.to) - from;
      bars.push(rect(from, top, width, LANE_BAR_PX, { fill: palette.container }));
      bars.push(rect(from, top, width, LANE_BAR_PX, { fill }));
    }
    shapes.push(group(bars, { x: layout.left, y: top, width: layout.plotWidth, height: LANE_BAR_PX }));
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
          fontSize: 11,
          fontFamily: palette.font,
          align: 'center',
          verticalAlign: 'top',
        }),
      ];
    }),
  );
}
