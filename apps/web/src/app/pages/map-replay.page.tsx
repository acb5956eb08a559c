import { INDICATORS } from '@isotherm/domain/readings/indicator';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { assetQuery } from '../../features/assets/assets.queries.ts';
import { Replay } from '../../features/maps/replay.tsx';
import type { LiveValue } from '../../features/telemetry/chart-input.ts';
import { CurvePanel } from '../../features/telemetry/curve-panel.tsx';
import { windowOf } from '../../features/telemetry/curve-window.ts';
import { useTicking } from '../../shared/format/now.ts';
import { useNarrow } from '../../shared/ui/use-narrow.ts';
import { useUrlState } from '../../shared/ui/use-url-state.ts';
import { liveValues } from './live-values.ts';

/** Interval at which a range that ends now is moved forward. */
const LIVE_STEP_MS = 60_000;

/** Replay at `/map/replay`: the map, and the chart of the first asset below it. */
export default function MapReplayPage() {
  const [params] = useUrlState();
  const window = useMemo(() => windowOf(params, null), [params]);
  const end = useTicking((now) => Math.ceil(now / LIVE_STEP_MS) * LIVE_STEP_MS);
  const range = useMemo(
    () =>
      window.kind === 'fixed'
        ? { from: window.from, to: window.to }
        : { from: end - window.lengthMs, to: end },
    [window, end],
  );
  return (
    <Replay
      range={range}
      isLive={window.kind === 'latest'}
      chart={({ assetId, playhead, onPlayhead }) => (
        <AssetChart key={assetId} assetId={assetId} playhead={playhead} onPlayhead={onPlayhead} />
      )}
    />
  );
}

function AssetChart({
  assetId,
  playhead,
  onPlayhead,
}: {
  assetId: number;
  playhead: number | null;
  onPlayhead: (moment: number) => void;
}) {
  const narrow = useNarrow();
  const { data: asset } = useQuery(assetQuery(assetId));
  const channels = useMemo(() => asset?.devices.flatMap((device) => device.channels) ?? [], [asset]);
  const ofKind = (kind: 'quantity' | 'switch') =>
    channels.filter(({ indicator }) => INDICATORS[indicator].kind === kind);
  const live = useMemo(() => (asset ? liveValues(asset) : NO_VALUES), [asset]);
  if (!asset) return <div className="panel skeleton skeleton-body" />;
  return (
    <CurvePanel
      subject={`${asset.name} · ${asset.code}`}
      quantities={ofKind('quantity')}
      switches={ofKind('switch')}
      mainChannelId={asset.main?.channelId ?? null}
      around={null}
      newestAt={asset.lastSeenAt}
      live={live}
      narrow={narrow}
      playhead={playhead}
      onPlayhead={onPlayhead}
    />
  );
}

const NO_VALUES: ReadonlyMap<number, LiveValue> = new Map();
