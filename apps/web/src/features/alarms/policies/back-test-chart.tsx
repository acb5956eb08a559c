import type { BackTestAlarm, BackTestChannel } from '@isotherm/contracts/back-test';
import type { PolicyDefinition } from '@isotherm/domain/alarms/graded-policy';
import { INDICATORS } from '@isotherm/domain/readings/indicator';
import { formatDuration } from '@isotherm/i18n/figures';
import { useQuery } from '@tanstack/react-query';
import Select from 'antd/es/select';
import { lazy, Suspense, useCallback, useMemo, useState } from 'react';
import { chartSeries } from '../../../shared/chart/chart-series.ts';
import type { ChartSpan, TimeRange } from '../../../shared/chart/curve-model.ts';
import { limitLabels } from '../../../shared/chart/limit-labels.ts';
import { useChartPoints } from '../../../shared/chart/use-chart-points.ts';
import { useViewer } from '../../../shared/format/viewer.tsx';
import { Button } from '../../../shared/ui/button.tsx';
import { isTab, KeyFrame } from '../../../shared/ui/form/key-frame.tsx';
import { FailureNotice } from '../../../shared/ui/notice.tsx';
import { backTestCurveQuery } from './back-test.queries.ts';
import { type BackTestAnswer, limitsFor } from './back-test-draft.ts';

const CurveChart = lazy(() => import('../../../shared/chart/curve-chart.tsx'));
const HEIGHT_PX = 240;

/** Stored readings of one channel with the limits of the draft and the alarms that it would have raised. */
export function BackTestChart({
  answer,
  definition,
  channels,
}: {
  answer: BackTestAnswer;
  definition: PolicyDefinition;
  channels: readonly BackTestChannel[];
}) {
  const { text } = useViewer();
  const [chosen, setChosen] = useState<number | null>(null);
  const { points, onWidth } = useChartPoints();
  const [zoom, setZoom] = useState<TimeRange | null>(null);
  const [cursor, setCursor] = useState<number | null>(null);
  const drawable = useMemo(
    () => channels.filter(({ indicator }) => INDICATORS[indicator].kind === 'quantity'),
    [channels],
  );
  const channel = drawable.find(({ id }) => id === chosen) ?? mostAlarms(drawable, answer.draft.alarms);
  const range = useMemo<TimeRange>(
    () => zoom ?? { from: Date.parse(answer.from), to: Date.parse(answer.to) },
    [zoom, answer.from, answer.to],
  );
  const { data, error, refetch } = useQuery(
    backTestCurveQuery(
      channel?.id ?? null,
      { from: new Date(range.from).toISOString(), to: new Date(range.to).toISOString() },
      points,
    ),
  );
  const onRange = useCallback((next: TimeRange) => setZoom(next), []);
  const series = useMemo(() => {
    const found = data?.series.find(({ channelId }) => channelId === channel?.id);
    if (!found) return [];
    return [{ ...chartSeries(found, text), ...limitsFor(definition, found.indicator) }];
  }, [data, channel, definition, text]);
  const spans = useMemo(
    () =>
      answer.draft.alarms
        .filter(({ channelId }) => channelId === channel?.id)
        .map(({ since, durationMs, level, kind, channelId }, index): ChartSpan => {
          const from = Date.parse(since);
          return {
            alarmId: index,
            channelId,
            level,
            kind,
            from,
            to: from + durationMs,
            label: formatDuration(durationMs, text),
          };
        }),
    [answer, channel, text],
  );
  if (!channel) return null;
  const [main] = series;
  const name = `${channel.assetName} · ${channel.name}`;
  return (
    <div className="graded-test-plot">
      <div className="graded-test-head">
        <KeyFrame take={isTab}>
          <Select<number>
            className="form-select"
            aria-label={text('policies.test.chart')}
            value={channel.id}
            showSearch={{ optionFilterProp: 'label' }}
            popupMatchSelectWidth={false}
            options={drawable.map((each) => ({ value: each.id, label: `${each.assetName} · ${each.name}` }))}
            onChange={(id) => {
              setChosen(id);
              setZoom(null);
            }}
          />
        </KeyFrame>
        {zoom ? (
          <Button variant="link" onClick={() => setZoom(null)}>
            {text('policies.test.whole')}
          </Button>
        ) : null}
      </div>
      {error && !data ? (
        <FailureNotice error={error} retry={() => void refetch()} />
      ) : (
        <Suspense fallback={<div className="skeleton" style={{ height: HEIGHT_PX }} />}>
          <CurveChart
            range={range}
            series={series}
            lanes={[]}
            spans={spans}
            bands={[]}
            {...limitLabels(main, text)}
            height={HEIGHT_PX}
            cursor={cursor}
            label={text('policies.test.chart-label', { name })}
            onCursor={setCursor}
            onRange={onRange}
            onWidth={onWidth}
          />
        </Suspense>
      )}
    </div>
  );
}

/** Returns the channel with the most alarms; of several with the same number, the first one. */
function mostAlarms(
  channels: readonly BackTestChannel[],
  alarms: readonly BackTestAlarm[],
): BackTestChannel | undefined {
  const counts = new Map<number, number>();
  for (const { channelId } of alarms) counts.set(channelId, (counts.get(channelId) ?? 0) + 1);
  return channels.reduce<BackTestChannel | undefined>(
    (most, each) => (most && (counts.get(most.id) ?? 0) >= (counts.get(each.id) ?? 0) ? most : each),
    undefined,
  );
}
