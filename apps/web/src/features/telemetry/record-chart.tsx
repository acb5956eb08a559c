import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useMemo, useState } from 'react';
import { chartSeries } from '../../shared/chart/chart-series.ts';
import { type ChartSeries, nearestPoint, type TimeRange } from '../../shared/chart/curve-model.ts';
import { limitLabels } from '../../shared/chart/limit-labels.ts';
import { useChartPoints } from '../../shared/chart/use-chart-points.ts';
import { withUnit } from '../../shared/format/number.ts';
import { useViewer } from '../../shared/format/viewer.tsx';
import { FailureNotice } from '../../shared/ui/notice.tsx';
import type { CurveChannel } from './channel-picker.tsx';
import { curveQuery } from './telemetry.queries.ts';

const CurveChart = lazy(() => import('../../shared/chart/curve-chart.tsx'));

const HEIGHT_PX = 260;
/** Stands for an earlier period that is not asked for. */
const NO_PERIOD: TimeRange = { from: 0, to: 0 };

/** A channel in a range, and behind it the same channel in an earlier period, as a pale line on the same times of the range. */
export function RecordChart({
  channel,
  range,
  earlier,
}: {
  channel: Pick<CurveChannel, 'channelId' | 'name' | 'indicator'> & {
    low: number | null;
    high: number | null;
  };
  range: TimeRange;
  earlier: TimeRange | null;
}) {
  const { text, time } = useViewer();
  const { points, onWidth } = useChartPoints();
  const [cursor, setCursor] = useState<number | null>(null);
  const { channelId, name, indicator, low, high } = channel;
  const present = useWindow(range);
  const before = useWindow(earlier ?? NO_PERIOD);
  const { data, error, refetch } = useQuery(curveQuery([channelId], present, points));
  const past = useQuery(curveQuery(earlier ? [channelId] : [], before, points));
  const shiftMs = earlier ? range.from - earlier.from : 0;
  const series = useMemo(() => {
    const own = data?.series.map((each) => ({ ...chartSeries({ ...each, name }, text), low, high })) ?? [];
    const earlierOnes = earlier ? (past.data?.series ?? []) : [];
    return [...own, ...earlierOnes.map((each) => shifted(chartSeries({ ...each, name }, text), shiftMs))];
  }, [data, past.data, earlier, shiftMs, name, low, high, text]);
  const { error: pastError, refetch: refetchPast } = past;
  if (error && !data) return <FailureNotice error={error} retry={() => void refetch()} />;
  const valueAt = (each: ChartSeries | undefined) => {
    const at = each && cursor !== null ? nearestPoint(each, cursor) : -1;
    return each && at >= 0 ? withUnit(indicator, each.mean[at] ?? 0) : null;
  };
  const [main] = series;
  const readout =
    cursor === null
      ? []
      : [
          { at: cursor, value: valueAt(main) },
          ...(earlier
            ? [{ at: cursor - shiftMs, value: valueAt(series.find(({ isEarlier }) => isEarlier)) }]
            : []),
        ].flatMap(({ at, value }) => (value === null ? [] : [`${time(at, 'day-time')} ${value}`]));
  return (
    <>
      <Suspense fallback={<div className="skeleton" style={{ height: HEIGHT_PX }} />}>
        <CurveChart
          range={range}
          series={series}
          lanes={NONE}
          spans={NONE}
          bands={NONE}
          {...limitLabels(channel, text)}
          height={HEIGHT_PX}
          cursor={cursor}
          label={text('curve.label', { name })}
          onCursor={setCursor}
          onRange={ignore}
          onWidth={onWidth}
        />
      </Suspense>
      {earlier && pastError && !past.data ? (
        <FailureNotice error={pastError} retry={() => void refetchPast()} />
      ) : null}
      <p className="small tertiary number" aria-live="off">
        {readout.length > 0 ? readout.join(' · ') : '\u00a0'}
      </p>
    </>
  );
}

/** A window keeps its identity as long as its times are the same. */
function useWindow({ from, to }: TimeRange) {
  return useMemo(() => ({ kind: 'fixed' as const, from, to }), [from, to]);
}

const shifted = (series: ChartSeries, ms: number): ChartSeries => ({
  ...series,
  at: series.at.map((moment) => moment + ms),
  gaps: series.gaps.map((gap) => ({ ...gap, from: gap.from + ms, to: gap.to + ms })),
  estimated: [],
  low: null,
  high: null,
  isEarlier: true,
});

const NONE: readonly never[] = [];
/** The range is that of the report; Records has a chart that can be zoomed. */
const ignore = () => undefined;
