import type { ResponseOf } from '@isotherm/contracts/route';
import type { CurveSeries, getCurve } from '@isotherm/contracts/telemetry';
import type { AlarmLevel } from '@isotherm/domain/alarms/alarm-level';
import { KIND_OF } from '@isotherm/domain/alarms/catalogue';
import { INDICATORS } from '@isotherm/domain/readings/indicator';
import { faultWords, switchLabel } from '@isotherm/i18n/alarm-words';
import { formatDuration } from '@isotherm/i18n/figures';
import { chartSeries } from '../../shared/chart/chart-series.ts';
import type { ChartSeries, ChartSpan } from '../../shared/chart/curve-model.ts';
import { INDICATOR_LABEL } from '../../shared/format/labels.ts';
import { indicatorValue, withUnit } from '../../shared/format/number.ts';
import type { Text } from '../../shared/i18n/use-text.ts';

/** Latest value of a channel, and the level of the most severe open alarm on the channel. */
export interface LiveValue {
  value: number;
  at: number;
  level: AlarmLevel | null;
}

/** What a chart draws of the answer of the server. */
export interface ChartInput {
  /** The chosen channels, in their order. */
  series: ChartSeries[];
  /** On/off channels below the plot. */
  lanes: (ChartSeries & { title: string })[];
  spans: ChartSpan[];
  /** Statistics of the first chosen channel. */
  statistics: CurveSeries['statistics'];
}

/** `chosen` are the channels that are drawn as lines; `names` are those that differ from the answer. */
export function chartInput(
  curve: ResponseOf<typeof getCurve>,
  {
    chosen,
    switches,
    names,
  }: { chosen: readonly number[]; switches: ReadonlySet<number>; names: ReadonlyMap<number, string> },
  text: Text,
): ChartInput {
  const all = curve.series.map((series) =>
    chartSeries({ ...series, name: names.get(series.channelId) ?? series.name }, text),
  );
  const order = new Map(chosen.map((id, index) => [id, index]));
  return {
    series: all
      .filter(({ channelId }) => order.has(channelId))
      .sort((a, b) => (order.get(a.channelId) ?? 0) - (order.get(b.channelId) ?? 0)),
    lanes: all
      .filter(({ channelId }) => switches.has(channelId))
      .map((lane) => ({ ...lane, title: text(INDICATOR_LABEL[lane.indicator]) })),
    spans: chartSpans(curve, text),
    statistics: curve.series.find(({ channelId }) => channelId === chosen[0])?.statistics ?? null,
  };
}

export function chartSpans(curve: ResponseOf<typeof getCurve>, text: Text): ChartSpan[] {
  const now = Date.parse(curve.to);
  return curve.alarms.map((alarm) => {
    const from = Date.parse(alarm.since);
    const to = alarm.endedAt ? Date.parse(alarm.endedAt) : now;
    const duration = formatDuration(to - from, text);
    const label = alarm.endedAt ? duration : text('curve.open-alarm', { duration });
    const channel = curve.series.find(({ channelId }) => channelId === alarm.channelId);
    // For an alarm about the value itself, the line shows where it is above or below its limits. An alarm
    // about a switch that is drawn over another channel's line, and an alarm about something else than the
    // value, need a label.
    const isSeen = alarm.kind === KIND_OF.above || alarm.kind === KIND_OF.below;
    const needsLabel = channel !== undefined && (!isSeen || INDICATORS[channel.indicator].kind === 'switch');
    return {
      alarmId: alarm.alarmId,
      channelId: alarm.channelId,
      level: alarm.level,
      kind: alarm.kind,
      from,
      to,
      label: needsLabel ? `${faultWords(channel.indicator, alarm.kind, text)} · ${label}` : label,
    };
  });
}

/** Returns the alarm on a channel at a given time; the most severe if there are several. */
export function spanAt(
  spans: readonly ChartSpan[],
  channelId: number,
  moment: number,
): ChartSpan | undefined {
  return spans
    .filter((span) => span.channelId === channelId && span.from <= moment && moment <= span.to)
    .sort((a, b) => b.level - a.level)[0];
}

export function pointText(series: ChartSeries, value: number): string {
  return withUnit(series.indicator, value);
}

export function envelopeText(series: ChartSeries, index: number, text: Text): string {
  return text('curve.envelope', {
    low: indicatorValue(series.indicator, series.min[index] ?? 0),
    high: indicatorValue(series.indicator, series.max[index] ?? 0),
  });
}

export function laneText(series: ChartSeries, value: number, text: Text): string {
  return text(switchLabel(series.indicator, value));
}
