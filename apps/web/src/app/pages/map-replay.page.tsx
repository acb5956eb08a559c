import type { AssetDetail } from '@isotherm/contracts/assets';
import { INDICATORS } from '@isotherm/domain/readings/indicator';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { assetQuery } from '../../features/assets/assets.queries.ts';
import { Replay } from '../../features/maps/replay.tsx';
import type { LiveValue } from '../../features/telemetry/chart-input.ts';
import { CurvePanel, chosenChannels } from '../../features/telemetry/curve-panel.tsx';
import { windowOf } from '../../features/telemetry/curve-window.ts';
import { useTicking } from '../../shared/format/now.ts';
import { useNarrow } from '../../shared/ui/use-narrow.ts';
import { useUrlState } from '../../shared/ui/use-url-state.ts';
import { liveValues } from './live-values.ts';

/** Interval at which a range that ends now is moved forward. */
const LIVE_STEP_MS = 60_000;
/** Number of channels that a chart can have. */
const MAX_CHANNELS = 20;

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
  const client = useQueryClient();
  const channelsOf = async (assetId: number) => {
    const asset = await client.fetchQuery(assetQuery(assetId));
    const { quantities, switches } = channelsByKind(asset);
    const chosen = chosenChannels(params, quantities, asset.main?.channelId ?? null);
    return [...chosen, ...switches.map(({ channelId }) => channelId)].slice(0, MAX_CHANNELS);
  };
  return (
    <Replay
      range={range}
      isLive={window.kind === 'latest'}
      channelsOf={channelsOf}
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
  const channels = useMemo(() => asset && channelsByKind(asset), [asset]);
  const live = useMemo(() => (asset ? liveValues(asset) : NO_VALUES), [asset]);
  if (!asset || !channels) return <div className="panel skeleton skeleton-body" />;
  return (
    <CurvePanel
      subject={`${asset.name} · ${asset.code}`}
      quantities={channels.quantities}
      switches={channels.switches}
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

/** The channels of an asset that its chart draws as lines, and those below them. */
function channelsByKind(asset: AssetDetail) {
  const channels = asset.devices.flatMap((device) => device.channels);
  const ofKind = (kind: 'quantity' | 'switch') =>
    channels.filter(({ indicator }) => INDICATORS[indicator].kind === kind);
  return { quantities: ofKind('quantity'), switches: ofKind('switch') };
}

const NO_VALUES: ReadonlyMap<number, LiveValue> = new Map();
