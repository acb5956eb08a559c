import type { AlarmLevel } from '@isotherm/domain/alarms/alarm-level';
import type { AlarmKind } from '@isotherm/domain/alarms/catalogue';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useCallback, useMemo, useState } from 'react';
import { chartSeries } from '../../shared/chart/chart-series.ts';
import { type ChartSpan, nearestPoint, type TimeRange } from '../../shared/chart/curve-model.ts';
import { INDICATOR_LABEL } from '../../shared/format/labels.ts';
import { withUnit } from '../../shared/format/number.ts';
import { useViewer } from '../../shared/format/viewer.tsx';
import { FailureNotice } from '../../shared/ui/notice.tsx';
import type { CurveChannel } from './channel-picker.tsx';
import { curveQuery } from './telemetry.queries.ts';

const CurveChart = lazy(() => import('../../shared/chart/curve-chart.tsx'));

/** The width is rounded to steps, so that a small resize causes no request. */
const POINTS_STEP = 100;

/** A period of an alarm in which its level did not change; epoch ms. */
export interface LevelSpan extends TimeRange {
  level: AlarmLevel;
  /** Beside its flag. */
  label: string;
}

/** One alarm on the chart of its channel, with the limit that was in force when it was raised (decision 8). */
export function AlarmChart({
  channel,
  lanes,
  range,
  alarm,
  height,
}: {
  /** The channel of the alarm, or the asset's main one where the alarm is about a switch. */
  channel: CurveChannel;
  /** On/off channels, drawn below. */
  lanes: readonly CurveChannel[];
  range: TimeRange;
  alarm: {
    id: number;
    channelId: number;
    kind: AlarmKind;
    limitValue: number | null;
    levels: readonly LevelSpan[];
  };
  height: number;
}) {
  const { text, time } = useViewer();
  const [points, setPoints] = useState(0);
  const [cursor, setCursor] = useState<number | null>(null);
  const asked = [channel.channelId, ...lanes.map(({ channelId }) => channelId)];
  const window = useMemo(() => ({ kind: 'fixed' as const, ...range }), [range]);
  const { data, error, refetch } = useQuery(curveQuery(asked, window, points));
  const isOwn = channel.channelId === alarm.channelId;
  const { kind, limitValue } = alarm;

  const series = useMemo(
    () =>
      (data?.series ?? [])
        .filter(({ channelId }) => channelId === channel.channelId)
        .map((each) => ({
          ...chartSeries({ ...each, name: channel.name }, text),
          low: isOwn && kind === 'low' ? limitValue : null,
          high: isOwn && kind === 'high' ? limitValue : null,
        })),
    [data, channel, isOwn, kind, limitValue, text],
  );
  const drawnLanes = useMemo(
    () =>
      (data?.series ?? [])
        .filter(({ channelId }) => lanes.some((lane) => lane.channelId === channelId))
        .map((each) => ({ ...chartSeries(each, text), title: text(INDICATOR_LABEL[each.indicator]) })),
    [data, lanes, text],
  );
  const spans = useMemo(
    () =>
      alarm.levels.map(
        ({ level, from, to, label }): ChartSpan => ({
          alarmId: alarm.id,
          // On the line of another channel, the period of the alarm is drawn without a colour of its own.
          channelId: isOwn ? alarm.channelId : channel.channelId,
          level,
          kind,
          from,
          to,
          label,
        }),
      ),
    [alarm, kind, isOwn, channel],
  );
  const onWidth = useCallback((width: number) => {
    setPoints(Math.max(POINTS_STEP, Math.round(width / POINTS_STEP) * POINTS_STEP));
  }, []);
  const [shown] = series;
  const point = shown && cursor !== null ? nearestPoint(shown, cursor) : -1;
  const limitLabel = limitValue === null ? '' : withUnit(channel.indicator, limitValue);
  if (error && !data) return <FailureNotice error={error} retry={() => void refetch()} />;
  return (
    <>
      <Suspense fallback={<div className="skeleton" style={{ height }} />}>
        <CurveChart
          range={range}
          series={series}
          lanes={drawnLanes}
          spans={spans}
          bands={NO_BANDS}
          lowLabel={kind === 'low' ? text('curve.lower-limit', { limit: limitLabel }) : ''}
          highLabel={kind === 'high' ? text('curve.upper-limit', { limit: limitLabel }) : ''}
          height={height}
          cursor={cursor}
          label={text('curve.label', { name: channel.name })}
          onCursor={setCursor}
          onRange={ignore}
          onWidth={onWidth}
        />
      </Suspense>
      <p className="small tertiary number" aria-live="off">
        {point >= 0 && shown
          ? `${time(shown.at[point] ?? 0, 'time-seconds')} · ${withUnit(shown.indicator, shown.mean[point] ?? 0)}`
          : '\u00a0'}
      </p>
    </>
  );
}

const NO_BANDS: readonly never[] = [];
/** The range is that of the alarm; the page links to the chart that can be zoomed. */
const ignore = () => undefined;
