import './curve-panel.css';
import type { ResponseOf } from '@isotherm/contracts/route';
import type { getCurve } from '@isotherm/contracts/telemetry';
import { INDICATORS } from '@isotherm/domain/readings/indicator';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useCallback, useMemo, useState } from 'react';
import { ExpiredNotes } from '../../shared/assets/expired-notes.tsx';
import type { TimeRange } from '../../shared/chart/curve-model.ts';
import { limitLabels } from '../../shared/chart/limit-labels.ts';
import { useChartPoints } from '../../shared/chart/use-chart-points.ts';
import { formatSetting } from '../../shared/format/duration.ts';
import { useViewer } from '../../shared/format/viewer.tsx';
import { Button } from '../../shared/ui/button.tsx';
import { Icon } from '../../shared/ui/icon.tsx';
import { FailureNotice } from '../../shared/ui/notice.tsx';
import { useNarrow } from '../../shared/ui/use-narrow.ts';
import { CalibrationNotes } from './calibration-notes.tsx';
import { chartInput, type LiveValue } from './chart-input.ts';
import { ClockNotes } from './clock-notes.tsx';
import { CurveLegend } from './curve-legend.tsx';
import { CurveReadout } from './curve-readout.tsx';

const CurveChart = lazy(() => import('../../shared/chart/curve-chart.tsx'));

const HEIGHT_PX = 452;
const HEIGHT_NARROW_PX = 340;
const NONE: readonly never[] = [];
const NO_LIVE: ReadonlyMap<number, LiveValue> = new Map();
const NO_NAMES: ReadonlyMap<number, string> = new Map();

/** The chart of a public link: its channels and its range are fixed; within the range it can be zoomed. */
export function LinkedChart({
  id,
  read,
  range,
  playhead,
  onPlayhead,
}: {
  /** Identifies what is read, such as the token of the link. */
  id: string;
  read: (
    part: { from: string; to: string; points: number },
    signal: AbortSignal,
  ) => Promise<ResponseOf<typeof getCurve>>;
  range: TimeRange;
  playhead: number | null;
  onPlayhead: (moment: number) => void;
}) {
  const { text } = useViewer();
  const narrow = useNarrow();
  const { points, onWidth } = useChartPoints();
  const [zoomed, setZoomed] = useState<TimeRange | null>(null);
  const [pointed, setPointed] = useState<number | null>(null);
  const cursor = pointed ?? playhead;
  const part = zoomed ?? range;
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['telemetry', 'linked-curve', id, part.from, part.to, points],
    queryFn: ({ signal }) =>
      read({ from: new Date(part.from).toISOString(), to: new Date(part.to).toISOString(), points }, signal),
    enabled: points > 0,
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const input = useMemo(() => {
    if (!data) return null;
    const ofKind = (kind: 'quantity' | 'switch') =>
      data.series
        .filter(({ indicator }) => INDICATORS[indicator].kind === kind)
        .map(({ channelId }) => channelId);
    return chartInput(
      data,
      { chosen: ofKind('quantity'), switches: new Set(ofKind('switch')), names: NO_NAMES },
      text,
    );
  }, [data, text]);
  const onCursor = useCallback(
    (moment: number | null) => {
      setPointed(moment);
      if (moment !== null) onPlayhead(moment);
    },
    [onPlayhead],
  );
  const onRange = useCallback(
    (next: TimeRange) => {
      const inside = { from: Math.max(next.from, range.from), to: Math.min(next.to, range.to) };
      if (inside.from < inside.to) setZoomed(inside);
    },
    [range],
  );
  const [main] = input?.series ?? [];
  const height = narrow ? HEIGHT_NARROW_PX : HEIGHT_PX;
  return (
    <section className="panel curve-panel" aria-busy={isFetching}>
      <div className="curve-head">
        <CurveLegend series={input?.series ?? NONE} />
        {zoomed ? (
          <div className="curve-tools">
            <Button
              icon
              aria-label={text('curve.zoom-out')}
              title={text('curve.zoom-out')}
              onClick={() => setZoomed(null)}
            >
              <Icon name="zoom-out" />
            </Button>
          </div>
        ) : null}
      </div>
      <div className="curve-body">
        <div className="curve-plot">
          {error && !data ? (
            <FailureNotice error={error} retry={() => void refetch()} />
          ) : (
            <Suspense fallback={<div className="skeleton" style={{ height }} />}>
              <CurveChart
                range={part}
                series={input?.series ?? NONE}
                lanes={input?.lanes ?? NONE}
                spans={input?.spans ?? NONE}
                bands={NONE}
                {...limitLabels(main, text)}
                height={height}
                cursor={cursor}
                label={text('curve.label', { name: main?.name ?? '' })}
                onCursor={onCursor}
                onRange={onRange}
                onWidth={onWidth}
              />
            </Suspense>
          )}
          <p className="curve-note">
            {main
              ? main.stepMs === null
                ? text('curve.raw')
                : text('curve.steps', { step: formatSetting(main.stepMs, text) })
              : null}
          </p>
        </div>
        <CurveReadout
          series={input?.series ?? NONE}
          lanes={input?.lanes ?? NONE}
          spans={input?.spans ?? NONE}
          live={NO_LIVE}
          statistics={input?.statistics ?? null}
          cursor={cursor ?? part.from}
        />
      </div>
      <ExpiredNotes
        isPublic
        expired={(data?.series ?? NONE).flatMap(({ channelId, name, hiddenFrom }) =>
          hiddenFrom === null ? [] : [{ id: channelId, name, expiredAt: hiddenFrom }],
        )}
      />
      <CalibrationNotes series={data?.series ?? NONE} />
      <ClockNotes series={data?.series ?? NONE} />
    </section>
  );
}
