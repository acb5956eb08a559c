import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useMemo } from 'react';
import type { ChartBand, TimeRange } from '../../shared/chart/curve-model.ts';
import { nearestPoint } from '../../shared/chart/curve-model.ts';
import { useChartPoints } from '../../shared/chart/use-chart-points.ts';
import { withUnit } from '../../shared/format/number.ts';
import { useViewer } from '../../shared/format/viewer.tsx';
import { FailureNotice } from '../../shared/ui/notice.tsx';
import { type ChartInput, chartInput, laneText } from './chart-input.ts';
import { curveQuery } from './telemetry.queries.ts';

const CurveChart = lazy(() => import('../../shared/chart/curve-chart.tsx'));

const HEIGHT_PX = 300;

/** Temperature of one leg of a trip, with the limits of the waybill, and its doors below. */
export function TripChart({
  channels,
  switches,
  range,
  low,
  high,
  bands,
  cursor,
  onCursor,
}: {
  channels: readonly { channelId: number; name: string }[];
  /** On/off channels, each drawn as a row below the plot. */
  switches: readonly { channelId: number; name: string }[];
  range: TimeRange;
  low: number;
  high: number;
  /** Named periods. */
  bands: readonly ChartBand[];
  /** Time that is marked, which may be outside the leg; null: none. */
  cursor: number | null;
  onCursor: (moment: number) => void;
}) {
  const { text, time } = useViewer();
  const { points, onWidth } = useChartPoints();
  const window = useMemo(
    () => ({ kind: 'fixed' as const, from: range.from, to: range.to }),
    [range.from, range.to],
  );
  // The previous curves stay while others are read for another width, which would otherwise change the width again.
  const { data, error, refetch } = useQuery(
    curveQuery(
      [...channels, ...switches].map(({ channelId }) => channelId),
      window,
      points,
    ),
  );
  const input = useMemo(() => {
    if (!data) return null;
    const drawn = chartInput(
      data,
      {
        chosen: channels.map(({ channelId }) => channelId),
        switches: new Set(switches.map(({ channelId }) => channelId)),
        names: new Map(channels.map(({ channelId, name }) => [channelId, name])),
      },
      text,
    );
    // The limits of the goods, not those of the asset.
    return { ...drawn, series: drawn.series.map((each) => ({ ...each, low, high })) };
  }, [data, channels, switches, low, high, text]);
  const { series, lanes, spans } = input ?? NOTHING;
  const own = cursor !== null && cursor >= range.from && cursor <= range.to ? cursor : null;
  if (error && !data) return <FailureNotice error={error} retry={() => void refetch()} />;
  const readout =
    own === null
      ? []
      : [
          ...series.flatMap((each) => {
            const at = nearestPoint(each, own);
            return at < 0 ? [] : [`${each.name} ${withUnit('temperature', each.mean[at] ?? 0)}`];
          }),
          ...lanes.flatMap((each) => {
            const at = nearestPoint(each, own);
            return at < 0 ? [] : [`${each.title}: ${laneText(each, each.max[at] ?? 0, text)}`];
          }),
        ];
  return (
    <>
      <Suspense fallback={<div className="skeleton" style={{ height: HEIGHT_PX }} />}>
        <CurveChart
          range={range}
          series={series}
          lanes={lanes}
          spans={spans}
          bands={bands}
          lowLabel={text('curve.lower-limit', { limit: withUnit('temperature', low) })}
          highLabel={text('curve.upper-limit', { limit: withUnit('temperature', high) })}
          height={HEIGHT_PX}
          cursor={own}
          label={text('curve.label', { name: channels.map(({ name }) => name).join(', ') })}
          onCursor={(moment) => {
            // The mark stays where the pointer left, so that map and chart keep showing the same time.
            if (moment !== null) onCursor(moment);
          }}
          onRange={ignore}
          onWidth={onWidth}
        />
      </Suspense>
      <p className="small tertiary" aria-live="off">
        {own !== null && readout.length > 0
          ? `${time(own, 'time-seconds')} · ${readout.join(' · ')}`
          : channels.map(({ name }) => name).join(' · ')}
      </p>
    </>
  );
}

const ignore = () => undefined;

const NOTHING: Pick<ChartInput, 'series' | 'lanes' | 'spans'> = { series: [], lanes: [], spans: [] };
