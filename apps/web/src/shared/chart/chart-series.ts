import type { CurveSeries } from '@isotherm/contracts/telemetry';
import { formatDuration } from '@isotherm/i18n/figures';
import type { Text } from '../i18n/use-text.ts';
import type { ChartSeries } from './curve-model.ts';

/** A series as the server sends it, for the chart. */
export function chartSeries(series: CurveSeries, text: Text): ChartSeries {
  return {
    ...series,
    gaps: series.gaps.map((gap) => {
      const [from, to] = [Date.parse(gap.from), Date.parse(gap.to)];
      return { from, to, label: text('curve.gap', { duration: formatDuration(to - from, text) }) };
    }),
    estimated: series.estimated.map((span) => ({
      from: Date.parse(span.from),
      to: span.until === null ? Number.POSITIVE_INFINITY : Date.parse(span.until),
      label: text('curve.estimated.label'),
    })),
  };
}
