import '../maps.css';
import { DEFAULT_SPEED_LIMIT_KMH } from '@isotherm/contracts/maps';
import type { SharedReplayView } from '@isotherm/contracts/shared-replays';
import { type ReactNode, useMemo, useState } from 'react';
import { useLinkedView } from '../../../shared/api/use-linked-view.ts';
import type { TimeRange } from '../../../shared/chart/curve-model.ts';
import { offsetName, zoneOffsetMinutes } from '../../../shared/format/time.ts';
import { useViewer } from '../../../shared/format/viewer.tsx';
import { listed } from '../../../shared/i18n/phrases.ts';
import { Button } from '../../../shared/ui/button.tsx';
import { Icon } from '../../../shared/ui/icon.tsx';
import { FailureNotice, Notice } from '../../../shared/ui/notice.tsx';
import { chooseTheme, useTheme } from '../../../shared/ui/theme.ts';
import { type ReplayChart, ReplayPlayer, type ReplayView } from '../replay-player.tsx';
import { useTracks } from '../use-tracks.ts';
import { LINKED_REPLAY, linkedTracks } from './replay-links.queries.ts';

/** The chart of a replay by its public link. */
export type LinkedChart = (props: {
  token: string;
  range: TimeRange;
  playhead: number | null;
  onPlayhead: (moment: number) => void;
}) => ReactNode;

const NO_FENCES: readonly never[] = [];

/** The page of a public link: one replay, without login. It changes nothing. */
export function ReplayLinkPage({ token, chart }: { token: string; chart: LinkedChart }) {
  const { text, time } = useViewer();
  const { view, lostSince, refused } = useLinkedView(token, LINKED_REPLAY);
  const lost =
    lostSince === null ? null : (
      <p className="maps-hint" role="alert">
        {text('maps.cars.connection-lost', { time: time(lostSince, 'day-time') })}
      </p>
    );
  return (
    <main className="maps-shared" aria-busy={!view && !refused && !lost}>
      {refused ? (
        <Notice icon="route" title={text('maps.cars.link-invalid')}>
          {text('maps.share.invalid.help')}
        </Notice>
      ) : (
        lost
      )}
      {view ? <LinkedReplay token={token} replay={view} chart={chart} /> : null}
      {!view && !refused && !lost ? <div className="skeleton skeleton-body" /> : null}
    </main>
  );
}

function LinkedReplay({
  token,
  replay,
  chart,
}: {
  token: string;
  replay: SharedReplayView;
  chart: LinkedChart;
}) {
  const { text, time, zone } = useViewer();
  const theme = useTheme();
  const source = useMemo(() => linkedTracks(token), [token]);
  const { assetIds, missing, hasChart } = replay;
  const [speedLimitKmh, setSpeedLimit] = useState(DEFAULT_SPEED_LIMIT_KMH);
  const { tracks, readings, failed, readingsFailed, onPixel } = useTracks(assetIds, source, speedLimitKmh);
  const [view, setView] = useState<ReplayView>({ speed: replay.speed, skipsStops: replay.skipsStops });
  const [from, to] = [Date.parse(replay.from), Date.parse(replay.to)];
  const range = useMemo(() => ({ from, to }), [from, to]);
  const drawChart: ReplayChart = ({ assetId, playhead, onPlayhead }) =>
    hasChart && assetId === assetIds[0] ? chart({ token, range, playhead, onPlayhead }) : null;
  const isLoading = assetIds.length > 0 && tracks.length === 0 && !failed;
  return (
    <>
      <header className="maps-shared-head">
        <div>
          <h1>{replay.name}</h1>
          <p className="secondary">
            {[
              listed(
                text,
                tracks.map(({ name }) => name),
              ),
              text('maps.share.range', { from: time(from, 'date-time'), to: time(to, 'date-time') }),
              text('common.times-in', { zone: `${zone} ${offsetName(zoneOffsetMinutes(zone, to))}` }),
            ]
              .filter((each) => each !== '')
              .join(' · ')}
          </p>
        </div>
        <Button
          icon
          aria-label={text('maps.cars.theme')}
          onClick={() => chooseTheme(theme === 'dark' ? 'light' : 'dark')}
        >
          <Icon name={theme === 'dark' ? 'sun' : 'moon'} />
        </Button>
      </header>
      {assetIds.length === 0 ? <Notice icon="route" title={text('maps.share.none-left')} /> : null}
      {missing > 0 && assetIds.length > 0 ? (
        <p className="maps-hint secondary">{text('maps.share.missing', { count: missing })}</p>
      ) : null}
      {failed ? <FailureNotice error={failed.error} retry={() => void failed.refetch()} /> : null}
      {isLoading ? <div className="skeleton skeleton-body" /> : null}
      {tracks.length > 0 ? (
        <ReplayPlayer
          tracks={tracks}
          readings={readings}
          readingsFailed={readingsFailed}
          speedLimitKmh={speedLimitKmh}
          onSpeedLimit={setSpeedLimit}
          fences={NO_FENCES}
          view={view}
          onView={setView}
          chart={drawChart}
          onPixel={onPixel}
        />
      ) : null}
    </>
  );
}
