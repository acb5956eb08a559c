import './curve-panel.css';
import { useQuery } from '@tanstack/react-query';
import Segmented from 'antd/es/segmented';
import { lazy, Suspense, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { ExpiredNotes } from '../../shared/assets/expired-notes.tsx';
import type { DrawnCurve } from '../../shared/chart/curve-chart.tsx';
import type { ChartBand, TimeRange } from '../../shared/chart/curve-model.ts';
import { limitLabels } from '../../shared/chart/limit-labels.ts';
import { useChartPoints } from '../../shared/chart/use-chart-points.ts';
import { formatSetting } from '../../shared/format/duration.ts';
import { offsetName, zoneOffsetMinutes } from '../../shared/format/time.ts';
import { useViewer } from '../../shared/format/viewer.tsx';
import { Button } from '../../shared/ui/button.tsx';
import { Icon } from '../../shared/ui/icon.tsx';
import { FailureNotice, Notice } from '../../shared/ui/notice.tsx';
import { saveBlob } from '../../shared/ui/save-file.ts';
import { useUrlState } from '../../shared/ui/use-url-state.ts';
import { CalibrationNotes } from './calibration-notes.tsx';
import { ChannelPicker, type CurveChannel } from './channel-picker.tsx';
import { chartInput, type LiveValue } from './chart-input.ts';
import { ClockNotes } from './clock-notes.tsx';
import { CurveLegend } from './curve-legend.tsx';
import { CurveReadout } from './curve-readout.tsx';
import { clamp, windowOf } from './curve-window.ts';
import { DownloadMenu } from './download-menu.tsx';
import { RangePicker } from './range-picker.tsx';
import { SourceNotes } from './source-notes.tsx';
import { curveQuery } from './telemetry.queries.ts';

const CurveChart = lazy(() => import('../../shared/chart/curve-chart.tsx'));

const HEIGHT_PX = 452;
const HEIGHT_NARROW_PX = 340;
/** Shortest time between two reloads that load new readings. */
const CATCH_UP_MS = 5000;

interface CurvePanelProps {
  /** Subject of the chart, which is printed in its exported image. */
  subject: string;
  /** Channels that can be drawn as lines. */
  quantities: readonly CurveChannel[];
  /** On/off channels, each drawn as a row below the plot. */
  switches: readonly CurveChannel[];
  mainChannelId: number | null;
  /** Time range around the alarm that the address names. */
  around: TimeRange | null;
  /** Time of the asset's latest reading. When it changes, there are more readings to load. */
  newestAt: string | null;
  /** Latest values by channel id. */
  live: ReadonlyMap<number, LiveValue>;
  narrow: boolean;
  /** Named periods that apply to all channels. */
  bands?: readonly ChartBand[];
  /** A time that is marked while the pointer is elsewhere. */
  playhead?: number | null;
  /** Called with the time under the pointer. */
  onPlayhead?: (moment: number) => void;
}

const NO_BANDS: readonly ChartBand[] = [];
/** Empty map while uncorrected readings are shown: the latest values are known only as corrected ones. */
const NO_LIVE: ReadonlyMap<number, LiveValue> = new Map();

export function CurvePanel(props: CurvePanelProps) {
  const { quantities, switches, mainChannelId, around, newestAt, live, narrow, bands = NO_BANDS } = props;
  const { playhead = null, onPlayhead } = props;
  const { text, zone, time } = useViewer();
  const [params, change] = useUrlState();
  const { points, onWidth } = useChartPoints();
  const [pointed, setPointed] = useState<number | null>(null);
  const cursor = pointed ?? playhead;
  const drawn = useRef<DrawnCurve>(null);
  const window = useMemo(() => windowOf(params, around), [params, around]);
  const told = params.get('told') === 'said' ? 'said' : 'corrected';

  const chosen = chosenChannels(params, quantities, mainChannelId);
  const asked = [...chosen, ...switches.map(({ channelId }) => channelId)];
  const { data, error, isFetching, isPlaceholderData, dataUpdatedAt, refetch } = useQuery(
    curveQuery(asked, window, points, told),
  );

  const isLatest = window.kind === 'latest';
  // biome-ignore lint/correctness/useExhaustiveDependencies: a newer reading, and nothing else, is the reason to ask.
  useEffect(() => {
    if (isLatest && dataUpdatedAt > 0 && Date.now() - dataUpdatedAt > CATCH_UP_MS) void refetch();
  }, [newestAt]);

  const range = useMemo<TimeRange | null>(() => {
    if (window.kind === 'fixed') return { from: window.from, to: window.to };
    if (!data || isPlaceholderData)
      return data ? { from: Date.parse(data.to) - window.lengthMs, to: Date.parse(data.to) } : null;
    return { from: Date.parse(data.from), to: Date.parse(data.to) };
  }, [window, data, isPlaceholderData]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: `chosen` and `quantities` may be new arrays with the same content on every render.
  const input = useMemo(() => {
    if (!data) return null;
    return chartInput(
      data,
      {
        chosen,
        switches: new Set(switches.map(({ channelId }) => channelId)),
        names: new Map(quantities.map(({ channelId, name }) => [channelId, name])),
      },
      text,
    );
  }, [data, text, switches, chosen.join(','), quantities.map(({ name }) => name).join()]);

  const onCursor = useCallback(
    (moment: number | null) => {
      setPointed(moment);
      if (moment !== null) onPlayhead?.(moment);
    },
    [onPlayhead],
  );
  const onRange = useCallback(
    (next: TimeRange, by: 'brush' | 'wheel') => {
      const { from, to } = clamp(next.from, next.to);
      change(
        { from: new Date(from).toISOString(), to: new Date(to).toISOString(), range: null },
        by === 'brush' ? 'push' : 'replace',
      );
    },
    [change],
  );

  if (quantities.length === 0) return <Notice icon="curve" title={text('curve.no-channels')} />;

  const shown = data?.series.filter(({ channelId }) => chosen.includes(channelId)) ?? [];
  const corrected = new Set(shown.filter((each) => each.corrected).map(({ channelId }) => channelId));
  const [main] = input?.series ?? [];
  const height = narrow ? HEIGHT_NARROW_PX : HEIGHT_PX;
  const empty = main !== undefined && main.at.length === 0;
  const clock = text('common.times-in', {
    zone: `${zone} ${offsetName(zoneOffsetMinutes(zone, range?.to ?? Date.now()))}`,
  });

  async function savePicture({ from, to }: TimeRange): Promise<void> {
    const blob = await drawn.current?.picture({
      subject: props.subject,
      names: input?.series.map(({ name }) => name) ?? [],
      note: `${text('curve.from-to', { from: time(from, 'date-time'), to: time(to, 'date-time') })} ${clock}`,
    });
    const [begin, end] = [from, to].map((at) => new Date(at).toISOString().slice(0, 10));
    if (blob) saveBlob(`chart-${begin}-${end}.png`, blob);
  }

  return (
    <section className="panel curve-panel" aria-busy={isFetching}>
      <div className="curve-head">
        <CurveLegend
          series={input?.series ?? []}
          tag={({ channelId }) => (corrected.has(channelId) ? text(`curve.told.${told}`) : null)}
        />
        <ChannelPicker
          channels={quantities}
          chosen={chosen}
          onChange={(ids) => change({ channels: ids.join(',') })}
        />
        <div className="curve-tools">
          {corrected.size > 0 ? (
            <Segmented
              aria-label={text('curve.told')}
              value={told}
              options={(['corrected', 'said'] as const).map((value) => ({
                value,
                label: text(`curve.told.${value}`),
              }))}
              onChange={(value) => change({ told: value === 'said' ? value : null })}
            />
          ) : null}
          {window.kind === 'fixed' && range ? (
            <Button
              icon
              aria-label={text('curve.zoom-out')}
              title={text('curve.zoom-out')}
              onClick={() => {
                const half = range.to - range.from;
                const middle = (range.from + range.to) / 2;
                onRange({ from: middle - half, to: middle + half }, 'brush');
              }}
            >
              <Icon name="zoom-out" />
            </Button>
          ) : null}
          <DownloadMenu
            channels={chosen}
            window={window}
            onPicture={range && main ? () => void savePicture(range) : undefined}
          />
          <RangePicker
            window={window}
            shown={range}
            onLatest={(name) => change({ range: name, from: null, to: null, alarm: null }, 'push')}
            onFixed={(next) => onRange(next, 'brush')}
          />
        </div>
      </div>
      <div className="curve-progress" data-busy={isFetching && (isPlaceholderData || !data)} />
      <div className="curve-body">
        <div className="curve-plot">
          {error && !data ? (
            <FailureNotice error={error} retry={() => void refetch()} />
          ) : (
            <Suspense fallback={<div className="skeleton" style={{ height }} />}>
              <CurveChart
                ref={drawn}
                range={range ?? { from: Date.now() - 86_400_000, to: Date.now() }}
                series={input?.series ?? []}
                lanes={input?.lanes ?? []}
                spans={input?.spans ?? []}
                bands={bands}
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
          {!data && !error ? (
            <p className="curve-empty" role="status">
              {text('common.loading')}
            </p>
          ) : null}
          {empty ? <p className="curve-empty">{text('curve.empty')}</p> : null}
          <p className="curve-note">
            {main
              ? main.stepMs === null
                ? text('curve.raw')
                : text('curve.steps', { step: formatSetting(main.stepMs, text) })
              : null}{' '}
            {clock}
            {range && range.to - range.from > 86_400_000
              ? ` ${text('curve.from-to', { from: time(range.from, 'day-time'), to: time(range.to, 'day-time') })}`
              : ''}
          </p>
        </div>
        <CurveReadout
          series={input?.series ?? []}
          lanes={input?.lanes ?? []}
          spans={input?.spans ?? []}
          live={told === 'said' ? NO_LIVE : live}
          statistics={input?.statistics ?? null}
          cursor={cursor}
        />
      </div>
      {/* Notes are placed below the chart, so that they do not move the chart when the data arrives. */}
      <ExpiredNotes
        expired={shown.flatMap(({ channelId, name, hiddenFrom }) =>
          hiddenFrom === null ? [] : [{ id: channelId, name, expiredAt: hiddenFrom }],
        )}
      />
      <CalibrationNotes series={shown} />
      <ClockNotes series={shown} />
      <SourceNotes series={shown} />
    </section>
  );
}

/**
 * Returns the channels that the address names; otherwise the main channel, and another one of its kind for
 * comparison.
 */
export function chosenChannels(
  params: URLSearchParams,
  quantities: readonly CurveChannel[],
  mainChannelId: number | null,
): number[] {
  const wanted = params.get('channels')?.split(',').map(Number) ?? [];
  const known = wanted.filter((id) => quantities.some(({ channelId }) => channelId === id));
  if (known.length > 0) return known;
  const main = quantities.find(({ channelId }) => channelId === mainChannelId) ?? quantities[0];
  if (!main) return [];
  const beside = quantities.find(
    ({ channelId, indicator }) => channelId !== main.channelId && indicator === main.indicator,
  );
  return beside ? [main.channelId, beside.channelId] : [main.channelId];
}
