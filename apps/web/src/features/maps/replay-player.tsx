import './maps.css';
import type { FenceOutline } from '@isotherm/contracts/geofences';
import { DEFAULT_REPLAY_SPEED, REPLAY_SPEEDS, type ReplaySpeed } from '@isotherm/contracts/shared-replays';
import { positionAt } from '@isotherm/domain/geo/position-at';
import { fixed } from '@isotherm/i18n/figures';
import Select from 'antd/es/select';
import Switch from 'antd/es/switch';
import { type ReactNode, useMemo } from 'react';
import { useViewer } from '../../shared/format/viewer.tsx';
import { Button } from '../../shared/ui/button.tsx';
import { Icon } from '../../shared/ui/icon.tsx';
import { Notice } from '../../shared/ui/notice.tsx';
import { EventList } from './event-list.tsx';
import { ReplayMap } from './replay-map.tsx';
import { SpeedCurve } from './speed-curve.tsx';
import { type AssetTrack, eventsOf, type TrackReadings, timesOf } from './track-data.ts';
import { usePlayback } from './use-playback.ts';
import type { Failed } from './use-tracks.ts';

/** The chart below the map, which shows the same time. */
export type ReplayChart = (props: {
  assetId: number;
  playhead: number | null;
  onPlayhead: (moment: number) => void;
}) => ReactNode;

/** How a replay is played. */
export interface ReplayView {
  speed: ReplaySpeed;
  skipsStops: boolean;
}

export const FIRST_VIEW: ReplayView = { speed: DEFAULT_REPLAY_SPEED, skipsStops: true };

const NO_SPANS: readonly never[] = [];

/** Plays the tracks: map, events, controls and the chart of the first asset. */
export function ReplayPlayer({
  tracks,
  readings,
  readingsFailed,
  speedLimitKmh,
  onSpeedLimit,
  fences,
  view,
  onView,
  noTrackHelp,
  chart,
  onPixel,
}: {
  tracks: readonly AssetTrack[];
  /** Door openings and excursions of the first asset; undefined: not loaded. */
  readings: TrackReadings | undefined;
  readingsFailed: Failed | undefined;
  /** The chosen limit, which the tracks have after they are loaded again. */
  speedLimitKmh: number;
  onSpeedLimit: (speedLimitKmh: number) => void;
  /** Geofences that the map shows. */
  fences: readonly FenceOutline[];
  view: ReplayView;
  onView: (view: ReplayView) => void;
  /** What to do if the first asset has no track. */
  noTrackHelp?: string;
  chart: ReplayChart;
  onPixel: (pixelM: number) => void;
}) {
  const { text, time, language } = useViewer();
  const { speed, skipsStops } = view;
  const main = tracks[0] as AssetTrack;
  const times = useMemo(() => timesOf(main), [main]);
  const events = useMemo(() => eventsOf(main, readings), [main, readings]);
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
  const eventList = (
    <EventList
      events={events}
      readings={readings}
      readingsFailed={readingsFailed}
      speedLimitKmh={main.speedLimitKmh}
      playhead={playhead}
      onSeek={seek}
    />
  );
  if (times.length === 0)
    return (
      <div className="maps-parts">
        <Notice icon="route" title={text('maps.replay.no-track')}>
          {noTrackHelp}
        </Notice>
        {events.length > 0 || readingsFailed ? eventList : null}
        {chart({ assetId: main.assetId, playhead, onPlayhead: seek })}
      </div>
    );
  return (
    <div className="maps-parts">
      <div className="maps-columns maps-replay">
        <ReplayMap
          tracks={tracks}
          fences={fences}
          playhead={playhead}
          subscribe={subscribe}
          labels={labels}
          onPixel={onPixel}
        />
        {eventList}
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
          {REPLAY_SPEEDS.map((each) => (
            <button
              key={each}
              type="button"
              aria-pressed={each === speed}
              onClick={() => onView({ speed: each, skipsStops })}
            >
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
            onChange={(checked) => onView({ speed, skipsStops: checked })}
          />
          {text('maps.replay.skip')}
        </span>
        <span className="maps-follow">
          {text('maps.replay.limit')}
          <Select
            size="small"
            aria-label={text('maps.replay.limit')}
            value={speedLimitKmh}
            options={limitsWith(speedLimitKmh).map((limit) => ({
              value: limit,
              label: text('maps.speed', { speed: limit }),
            }))}
            onChange={onSpeedLimit}
          />
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
      <SpeedCurve track={main} playhead={playhead} onSeek={seek} />
      {chart({ assetId: main.assetId, playhead, onPlayhead: seek })}
    </div>
  );
}

/** Usual speed limits in km/h. */
const SPEED_LIMITS: readonly number[] = [50, 60, 70, 80, 90, 100, 110, 120, 130];

/** The usual limits with the chosen one, in order. */
const limitsWith = (chosen: number): number[] =>
  [...new Set([...SPEED_LIMITS, chosen])].sort((one, other) => one - other);
