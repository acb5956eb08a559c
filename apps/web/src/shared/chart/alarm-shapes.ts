import type { AlarmLevel } from '@isotherm/domain/alarms/alarm-level';
import { isUpper, KIND_OF } from '@isotherm/domain/alarms/catalogue';
import type { ValueScale } from '@isotherm/domain/readings/axis-scale';
import { LEVEL_SHAPES } from '../ui/level-glyph.tsx';
import { CHART } from '../ui/tokens.gen.ts';
import { xOf, yOf } from './curve-layout.ts';
import { type ChartSeries, type ChartSpan, stretches } from './curve-model.ts';
import {
  group,
  label,
  line,
  pointsOf,
  polygon,
  polyline,
  rect,
  type Shape,
  type Stage,
} from './shape-parts.ts';

/** Estimated width of a letter in pixels, to keep labels apart. */
const LETTER_PX = 6.5;
const IDEOGRAPH_PX = 11;

/** A part of the time range with the most severe alarm in it, or none. */
interface Piece {
  from: number;
  to: number;
  level: AlarmLevel | null;
}

/** Splits the time range where alarms start and end, so that overlapping alarms are painted only once. */
export function pieces({ range }: Stage, spans: readonly ChartSpan[]): Piece[] {
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
 * Draws the periods of alarms: a coloured bar at the top, and a label with the icon and number of the level.
 * The plot gets a background colour for alarms of plotted channels.
 */
export function alarmSpans(stage: Stage, spans: readonly ChartSpan[], plotted: ReadonlySet<number>): Shape {
  const { layout, range, palette } = stage;
  const shapes: Shape[] = [];
  for (const { from, to, level } of pieces(stage, spans)) {
    if (level === null) continue;
    const left = xOf(layout, range, from);
    const width = Math.max(1.5, xOf(layout, range, to) - left);
    shapes.push(
      rect(left, layout.top - CHART.ribbon, width, CHART.ribbon, { fill: palette.level(level, 'solid') }),
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
  // Horizontal ranges that already have a label. If labels overlap, only the most severe alarm has one.
  const taken: [number, number][] = [];
  const isFree = (left: number, right: number) => taken.every(([a, b]) => right < a || left > b);
  for (const span of [...spans].sort((a, b) => b.level - a.level || a.from - b.from)) {
    const from = Math.max(layout.left, xOf(layout, range, span.from));
    if (xOf(layout, range, span.to) < layout.left || from > layout.left + layout.plotWidth) continue;
    const glyphX = from - CHART.flag / 2;
    const glyphEnd = glyphX + CHART.flag;
    if (!isFree(glyphX, glyphEnd)) continue;
    const room = CHART.flagGap + wordsWidth(span.label);
    const right = glyphEnd + room > layout.left + layout.plotWidth;
    const [wordsFrom, wordsTo] = right ? [glyphX - room, glyphEnd] : [glyphX, glyphEnd + room];
    const isNamed = isFree(wordsFrom, wordsTo);
    taken.push(isNamed ? [wordsFrom, wordsTo] : [glyphX, glyphEnd]);
    const glyphY = layout.top - CHART.ribbon - CHART.flag - 4;
    shapes.push(
      line(from, layout.top - CHART.ribbon, from, layout.bottom, {
        stroke: palette.level(span.level, 'border'),
        lineWidth: CHART.edge,
      }),
      ...levelFlag(stage, span, glyphX, glyphY),
    );
    if (!isNamed) continue;
    shapes.push(
      label(right ? glyphX - CHART.flagGap : glyphEnd + CHART.flagGap, glyphY + CHART.flag / 2, span.label, {
        fill: palette.level(span.level, 'fg'),
        fontSize: CHART.text,
        fontWeight: 600,
        fontFamily: palette.font,
        align: right ? 'right' : 'left',
        verticalAlign: 'middle',
      }),
    );
  }
  return group(shapes);
}

/** Estimated width of a text in pixels. */
export function wordsWidth(words: string): number {
  return [...words].reduce((width, each) => width + (each > '\u2e80' ? IDEOGRAPH_PX : LETTER_PX), 0);
}

function levelFlag({ palette }: Stage, { level }: ChartSpan, x: number, y: number): Shape[] {
  return [
    {
      type: 'path',
      shape: { pathData: LEVEL_SHAPES[level] },
      x,
      y,
      style: {
        fill: palette.level(level, 'solid'),
        stroke: palette.level(level, 'border'),
        lineWidth: CHART.edge,
      },
    } as unknown as Shape,
    label(x + CHART.flag / 2, y + CHART.flag / 2 + (level === 4 ? 1.5 : 0.5), String(level), {
      fill: palette.level(level, 'on'),
      fontSize: CHART.levelText,
      fontWeight: 700,
      fontFamily: palette.font,
      align: 'center',
      verticalAlign: 'middle',
    }),
  ];
}

/**
 * Draws the values outside the limits: in the colour of the level during an alarm, emphasised in a neutral
 * colour before it.
 */
export function excursions(
  stage: Stage,
  scale: ValueScale,
  series: ChartSeries,
  spans: readonly ChartSpan[],
): Shape {
  const { layout, range, palette } = stage;
  const shapes: Shape[] = [];
  const sides = [
    { limit: series.high, kind: KIND_OF.above, values: series.max },
    { limit: series.low, kind: KIND_OF.below, values: series.min },
  ] as const;
  for (const { limit, kind, values } of sides) {
    if (limit === null) continue;
    const edge = yOf(layout, scale, limit);
    const above = isUpper(kind);
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
          polyline(pointsOf(stage, scale, series, series.mean, part), {
            stroke: colour,
            lineWidth: CHART.excursionLine,
          }),
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
