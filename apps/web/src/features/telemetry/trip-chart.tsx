import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useCallback, useMemo, useState } from 'react';
import { chartSeries } from '../../shared/chart/chart-series.ts';
import { nearestPoint, type TimeRange } from '../../shared/chart/curve-model.ts';
import { withUnit } from '../../shared/format/number.ts';
import { useViewer } from '../../shared/format/viewer.tsx';
import { FailureNotice } from '../../shared/ui/notice.tsx';
import { curveQuery } from './telemetry.queries.ts';

const CurveChart = lazy(() => import('../../shared/chart/curve-chart.tsx'));

/** The width is rounded to steps, so that a small resize causes no request. */
const POINTS_STEP = 100;
const HEIGHT_PX = 260;

/** Temperature of one leg of a trip, with the limits of the waybill. */
export function TripChart({
  channels,
  range,
  low,
  high,
}: {
  channels: readonly { channelId: number; name: string }[];
  range: TimeRange;
  low: number;
  high: number;
}) {
  const { text, time } = useViewer();
  const [points, setPoints] = useState(0);
  const [cursor, setCursor] = useState<number | null>(null);
  const window = useMemo(
    () => ({ kind: 'fixed' as const, from: range.from, to: range.to }),
    [range.from, range.to],
  );
  const { data, error, refetch } = useQuery(
    curveQuery(
      channels.map(({ channelId }) => channelId),
      window,
      points,
    ),
  );
  const series = useMemo(
    () =>
      (data?.series ?? []).map((each) => ({
        ...chartSeries(
          {
            ...each,
            name: channels.find(({ channelId }) => channelId === each.channelId)?.name ?? each.name,
          },
          text,
        ),
        low,
        high,
      })),
    [data, channels, low, high, text],
  );
  const onWidth = useCallback((width: number) => {
    setPoints(Math.max(POINTS_STEP, Math.round(width / POINTS_STEP) * POINTS_STEP));
  }, []);
  if (error && !data) return <FailureNotice error={error} retry={() => void refetch()} />;
  const readout =
    cursor === null
      ? []
      : series.flatMap((each) => {
          const at = nearestPoint(each, cursor);
          return at < 0 ? [] : [`${each.name} ${withUnit('temperature', each.mean[at] ?? 0)}`];
        });
  return (
    <>
      <Suspense fallback={<div className="skeleton" style={{ height: HEIGHT_PX }} />}>
        <CurveChart
          range={range}
          series={series}
          lanes={NONE}
          spans={NONE}
          bands={NONE}
          lowLabel={text('curve.lower-limit', { limit: withUnit('temperature', low) })}
          highLabel={text('curve.upper-limit', { limit: withUnit('temperature', high) })}
          height={HEIGHT_PX}
          cursor={cursor}
          label={text('curve.label', { name: channels.map(({ name }) => name).join(', ') })}
          onCursor={setCursor}
          onRange={ignore}
          onWidth={onWidth}
        />
      </Suspense>
      <p className="small tertiary" aria-live="off">
        {cursor !== null && readout.length > 0
          ? `${time(cursor, 'time-seconds')} · ${readout.join(' · ')}`
          : channels.map(({ name }) => name).join(' · ')}
      </p>
    </>
  );
}

const NONE: readonly never[] = [];
const ignore = () => undefined;
