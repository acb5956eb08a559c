import './maps.css';
import {
  DEFAULT_SPEED_LIMIT_KMH,
  MAX_REPLAY_ASSETS,
  MAX_TRACK_RANGE_MS,
  SPEED_LIMIT_RANGE,
} from '@isotherm/contracts/maps';
import { TRACK_FORMATS, type TrackFormat } from '@isotherm/domain/geo/track-files';
import { useMutation, useQuery } from '@tanstack/react-query';
import Dropdown from 'antd/es/dropdown';
import { useMemo, useState } from 'react';
import { usePermission } from '../../shared/access/permissions.ts';
import { AssetDialog } from '../../shared/assets/asset-dialog.tsx';
import type { TimeRange } from '../../shared/chart/curve-model.ts';
import { useViewer } from '../../shared/format/viewer.tsx';
import { Button } from '../../shared/ui/button.tsx';
import { Icon } from '../../shared/ui/icon.tsx';
import { FailureNotice, Notice } from '../../shared/ui/notice.tsx';
import { PageHead } from '../../shared/ui/page-head.tsx';
import { PermissionButton } from '../../shared/ui/permission-button.tsx';
import { useUrlState } from '../../shared/ui/use-url-state.ts';
import { outlinesQuery } from './fences/fences.queries.ts';
import { saveTracks, tracksOf } from './maps.queries.ts';
import { ReplayLinks } from './replay-links/replay-links.tsx';
import { FIRST_VIEW, type ReplayChart, ReplayPlayer } from './replay-player.tsx';
import { useTracks } from './use-tracks.ts';

const DAY_MS = 86_400_000;
const NO_FENCES: readonly never[] = [];

/** Replays where assets were, in step with the chart of the first one. */
export function Replay({
  range,
  isLive,
  chart,
  channelsOf,
}: {
  range: TimeRange;
  isLive: boolean;
  chart: ReplayChart;
  /** The channels that the chart of an asset shows. */
  channelsOf: (assetId: number) => Promise<number[]>;
}) {
  const { text } = useViewer();
  const [params, change] = useUrlState();
  const [isChoosing, setChoosing] = useState(false);
  const assetIds = useMemo(() => idsOf(params.get('assets')), [params]);
  const isTooLong = range.to - range.from > MAX_TRACK_RANGE_MS;
  const shown = useMemo(
    () => (isTooLong ? { from: range.to - MAX_TRACK_RANGE_MS, to: range.to } : range),
    [range, isTooLong],
  );
  const source = useMemo(() => tracksOf(shown, isLive), [shown, isLive]);
  const speedLimitKmh = limitOf(params.get('limit'));
  const { tracks, readings, failed, readingsFailed, onPixel } = useTracks(assetIds, source, speedLimitKmh);
  const [view, setView] = useState(FIRST_VIEW);
  const { data: outlines } = useQuery(outlinesQuery(usePermission('map-geofences:view')));
  const mayShare = usePermission('map-replay:share');
  const setAssets = (ids: readonly number[]) => change({ assets: ids.join(',') }, 'push');
  const [main] = tracks;
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
        <Button disabled={assetIds.length >= MAX_REPLAY_ASSETS} onClick={() => setChoosing(true)}>
          <Icon name="plus" />
          {text('maps.replay.add')}
        </Button>
        {main ? <ExportMenu assetIds={tracks.map(({ assetId }) => assetId)} range={shown} /> : null}
        {main ? (
          <PermissionButton permission="map-replay:share" onClick={() => change({ share: 1 })}>
            <Icon name="external" />
            {text('maps.share')}
          </PermissionButton>
        ) : null}
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
      {main ? (
        <ReplayPlayer
          tracks={tracks}
          readings={readings}
          readingsFailed={readingsFailed}
          speedLimitKmh={speedLimitKmh}
          onSpeedLimit={(limit) => change({ limit: limit === DEFAULT_SPEED_LIMIT_KMH ? null : limit })}
          fences={outlines?.fences ?? NO_FENCES}
          view={view}
          onView={setView}
          noTrackHelp={text('maps.replay.no-track.help')}
          chart={chart}
          onPixel={onPixel}
        />
      ) : null}
      {assetIds.length > 0 && !main && !failed ? <div className="panel skeleton skeleton-body" /> : null}
      {mayShare ? (
        <ReplayLinks
          replay={main ? { assetIds: tracks.map(({ assetId }) => assetId), range: shown, view } : null}
          channelsOf={channelsOf}
        />
      ) : null}
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
  return [...new Set(ids.filter((id) => Number.isSafeInteger(id) && id > 0))].slice(0, MAX_REPLAY_ASSETS);
}

/** The speed limit in the address; the usual one if there is none. */
function limitOf(text: string | null): number {
  const limit = Number(text);
  return limit >= SPEED_LIMIT_RANGE[0] && limit <= SPEED_LIMIT_RANGE[1] ? limit : DEFAULT_SPEED_LIMIT_KMH;
}

function ExportMenu({ assetIds, range }: { assetIds: readonly number[]; range: TimeRange }) {
  const { text } = useViewer();
  const { mutate, isPending } = useMutation({
    mutationFn: (format: TrackFormat) => saveTracks(assetIds, range, format),
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
