import './maps.css';
import { MAX_TRACK_RANGE_MS } from '@isotherm/contracts/maps';
import { positionAt } from '@isotherm/domain/geo/position-at';
import { TRACK_FORMATS, type TrackFormat } from '@isotherm/domain/geo/track-files';
import { fixed } from '@isotherm/i18n/figures';
import { useMutation, useQueries, useQueryClient } from '@tanstack/react-query';
import Dropdown from 'antd/es/dropdown';
import Switch from 'antd/es/switch';
import { type ReactNode, useMemo, useState } from 'react';
import { AssetDialog } from '../../shared/assets/asset-dialog.tsx';
import type { TimeRange } from '../../shared/chart/curve-model.ts';
import { useViewer } from '../../shared/format/viewer.tsx';
import { Button } from '../../shared/ui/button.tsx';
import { Icon } from '../../shared/ui/icon.tsx';
import { FailureNotice, Notice } from '../../shared/ui/notice.tsx';
import { PageHead } from '../../shared/ui/page-head.tsx';
import { PermissionButton } from '../../shared/ui/permission-button.tsx';
import { useUrlState } from '../../shared/ui/use-url-state.ts';
import { EventList } from './event-list.tsx';
import { saveTrack, trackQuery } from './maps.queries.ts';
import { ReplayMap } from './replay-map.tsx';
import { type AssetTrack, assetTrack, eventsOf, timesOf } from './track-data.ts';
import { SPEEDS, type Speed, usePlayback } from './use-playback.ts';

/** Number of assets that can be replayed in step. */
const MAX_ASSETS = 4;
const DAY_MS = 86_400_000;

/** The chart below the map, which shows the same time. */
export type ReplayChart = (props: {
  assetId: number;
  playhead: number | null;
  onPlayhead: (moment: number) => void;
}) => ReactNode;

/** Replays where assets were, in step with the chart of the first one. */
export function Replay({ range, isLive, chart }: { range: TimeRange; isLive: boolean; chart: ReplayChart }) {
  const { text } = useViewer();
  const [params, change] = useUrlState();
  const [isChoosing, setChoosing] = useState(false);
  const assetIds = useMemo(() => idsOf(params.get('assets')), [params]);
  const isTooLong = range.to - range.from > MAX_TRACK_RANGE_MS;
  const shown = useMemo(
    () => (isTooLong ? { from: range.to - MAX_TRACK_RANGE_MS, to: range.to } : range),
    [range, isTooLong],
  );
  const client = useQueryClient();
  // Whoever zooms in gets the track in more detail, and keeps it when zooming out again.
  const [toleranceM, setTolerance] = useState<number | null>(null);
  const results = useQueries({
    queries: assetIds.map((id) => trackQuery(id, shown, toleranceM, isLive, client)),
  });
  const loaded = results.map(({ data }) => data);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the list of answers is new on each render, its members are not.
  const tracks = useMemo(
    () => loaded.filter((each) => each !== undefined).map(assetTrack),
    [...loaded, loaded.length],
  );
  const failed = results.find(({ error, data }) => error && !data);
  const setAssets = (ids: readonly number[]) => change({ assets: ids.join(',') }, 'push');
  const [main] = tracks;
  const onPixel = (pixelM: number) => {
    if (
      tracks.some((track) => track.toleranceM > pixelM) &&
      pixelM < (toleranceM ?? Number.POSITIVE_INFINITY)
    )
      setTolerance(toleranceFor(pixelM));
  };
  return (
    <div className="page">
      <PageHead title={text('menu.map-replay')} purpose={text('maps.replay.purpose')}>
        {tracks.map(({ assetId, name }) => (
          <span key={assetId} className="maps-chip">
            <Icon name="route" small />
            <span className="ellipsis">{name}</span>
            <Button
              variant="quiet"
              size="small"
              icon
              aria-label={text('maps.replay.remove', { name })}
              onClick={() => setAssets(assetIds.filter((id) => id !== assetId))}
            >
              <Icon name="close" small />
            </Button>
          </span>
        ))}
        <Button disabled={assetIds.length >= MAX_ASSETS} onClick={() => setChoosing(true)}>
          <Icon name="plus" />
          {text('maps.replay.add')}
        </Button>
        {main ? <ExportMenu assetId={main.assetId} range={shown} /> : null}
      </PageHead>
      {assetIds.length === 0 ? (
        <Notice
          icon="route"
          title={text('maps.replay.choose')}
          action={
            <Button variant="primary" onClick={() => setChoosing(true)}>
              {text('maps.replay.choose')}
            </Button>
          }
        >
          {text('maps.replay.choose.help')}
        </Notice>
      ) : null}
      {failed ? <FailureNotice error={failed.error} retry={() => void failed.refetch()} /> : null}
      {main && isTooLong ? (
        <p className="maps-hint secondary">
          {text('maps.replay.too-long', { days: MAX_TRACK_RANGE_MS / DAY_MS })}
        </p>
      ) : null}
      {main ? <Player tracks={tracks} chart={chart} onPixel={onPixel} /> : null}
      {assetIds.length > 0 && !main && !failed ? <div className="panel skeleton skeleton-body" /> : null}
      {isChoosing ? (
        <AssetDialog
          onTake={({ id }) => {
            setChoosing(false);
            setAssets([...new Set([...assetIds, id])]);
          }}
          onClose={() => setChoosing(false)}
        />
      ) : null}
    </div>
  );
}

function idsOf(text: string | null): number[] {
  const ids = (text ?? '').split(',').map(Number);
  return [...new Set(ids.filter((id) => Number.isSafeInteger(id) && id > 0))].slice(0, MAX_ASSETS);
}

/** A quarter of a pixel to one, in steps of four, so that not each change of the zoom loads the track. */
const toleranceFor = (pixelM: number): number =>
  pixelM < 1 ? 0 : 4 ** Math.floor(Math.log(pixelM) / Math.log(4));

const NO_SPANS: readonly never[] = [];

function Player({
  tracks,
  chart,
  onPixel,
}: {
  tracks: readonly AssetTrack[];
  chart: ReplayChart;
  onPixel: (pixelM: number) => void;
}) {
  const { text, time, language } = useViewer();
  const [speed, setSpeed] = useState<Speed>(60);
  const [skipsStops, setSkipsStops] = useState(true);
  const main = tracks[0] as AssetTrack;
  const times = useMemo(() => timesOf(main), [main]);
  const events = useMemo(() => eventsOf(main), [main]);
  const { playhead, subscribe, isPlaying, play, pause, seek } = usePlayback(
    times,
    speed,
    skipsStops ? main.stops : NO_SPANS,
  );
  const labels = useMemo(
    () =>
      tracks.map((track) => {
        const speedKmh =
          playhead === null ? null : (positionAt(track.fixes, track, playhead)?.speedKmh ?? null);
        return speedKmh === null ? '' : text('maps.speed', { speed: Math.round(speedKmh) });
      }),
    [tracks, playhead, text],
  );
  if (times.length === 0)
    return (
      <div className="maps-parts">
        <Notice icon="route" title={text('maps.replay.no-track')}>
          {text('maps.replay.no-track.help')}
        </Notice>
        {chart({ assetId: main.assetId, playhead: null, onPlayhead: seek })}
      </div>
    );
  return (
    <div className="maps-parts">
      <div className="maps-columns maps-replay">
        <ReplayMap
          tracks={tracks}
          playhead={playhead}
          subscribe={subscribe}
          labels={labels}
          onPixel={onPixel}
        />
        <EventList events={events} playhead={playhead} onSeek={seek} />
      </div>
      <div className="panel maps-player">
        <Button
          variant="primary"
          icon
          aria-label={text(isPlaying ? 'maps.replay.pause' : 'maps.replay.play')}
          onClick={isPlaying ? pause : play}
        >
          <Icon name={isPlaying ? 'pause' : 'play'} />
        </Button>
        <fieldset className="segments" aria-label={text('maps.replay.per-second')}>
          {SPEEDS.map((each) => (
            <button key={each} type="button" aria-pressed={each === speed} onClick={() => setSpeed(each)}>
              {each}
            </button>
          ))}
        </fieldset>
        <span className="secondary">{text('maps.replay.per-second')}</span>
        <span className="maps-follow">
          <Switch
            size="small"
            aria-label={text('maps.replay.skip')}
            checked={skipsStops}
            onChange={setSkipsStops}
          />
          {text('maps.replay.skip')}
        </span>
        <input
          type="range"
          className="maps-seek"
          aria-label={text('maps.replay.time')}
          min={times[0]}
          max={times.at(-1)}
          value={playhead ?? times[0]}
          aria-valuetext={time(playhead ?? (times[0] as number), 'time-seconds')}
          onChange={(event) => seek(Number(event.target.value))}
        />
        <span className="number strong">{time(playhead ?? (times[0] as number), 'day-time')}</span>
        <span className="secondary number">
          {text('maps.replay.distance', { distance: fixed(main.distanceM / 1000, 1, language) })}
        </span>
        {main.faulty > 0 ? (
          <span className="small tertiary">{text('maps.replay.left-out', { count: main.faulty })}</span>
        ) : null}
      </div>
      {chart({ assetId: main.assetId, playhead, onPlayhead: seek })}
    </div>
  );
}

function ExportMenu({ assetId, range }: { assetId: number; range: TimeRange }) {
  const { text } = useViewer();
  const { mutate, isPending } = useMutation({
    mutationFn: (format: TrackFormat) => saveTrack(assetId, range, format),
  });
  return (
    <Dropdown
      trigger={['click']}
      menu={{
        items: TRACK_FORMATS.map((format) => ({ key: format, label: FORMAT_NAME[format] })),
        onClick: ({ key }) => {
          const format = TRACK_FORMATS.find((each) => each === key);
          if (format) mutate(format);
        },
      }}
    >
      <PermissionButton permission="map-replay:export" disabled={isPending}>
        <Icon name="download" />
        {text('maps.replay.export')}
      </PermissionButton>
    </Dropdown>
  );
}

const FORMAT_NAME: Record<TrackFormat, string> = {
  csv: 'CSV',
  gpx: 'GPX',
  kml: 'KML',
  geojson: 'GeoJSON',
};
