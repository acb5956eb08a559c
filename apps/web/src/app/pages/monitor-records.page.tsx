import { compareByAttention } from '@isotherm/domain/assets/attention';
import { Button } from '../../shared/ui/button.tsx';
import '../../features/telemetry/records.css';
import type { AssetDetail } from '@isotherm/contracts/assets';
import { INDICATORS, type Indicator } from '@isotherm/domain/readings/indicator';
import { useQueries, useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { assetQuery, monitorCardsQuery } from '../../features/assets/assets.queries.ts';
import { AssetPicker } from '../../features/assets/groups/asset-picker.tsx';
import type { CurveChannel } from '../../features/telemetry/channel-picker.tsx';
import { CurvePanel, chosenChannels } from '../../features/telemetry/curve-panel.tsx';
import { windowOf } from '../../features/telemetry/curve-window.ts';
import { ExportButtons } from '../../features/telemetry/export-buttons.tsx';
import { RecordsTable } from '../../features/telemetry/records-table.tsx';
import { useText } from '../../shared/i18n/use-text.ts';
import { Icon } from '../../shared/ui/icon.tsx';
import { FailureNotice, Notice } from '../../shared/ui/notice.tsx';
import { PageHead } from '../../shared/ui/page-head.tsx';
import { useNarrow } from '../../shared/ui/use-narrow.ts';
import { useUrlState } from '../../shared/ui/use-url-state.ts';
import { liveValues } from './live-values.ts';

const MOST_ASSETS = 6;

/**
 * Page with the readings of any assets and times as chart, table and file. It starts with the asset that
 * needs most attention.
 */
export default function MonitorRecordsPage() {
  const { text } = useText();
  const narrow = useNarrow();
  const [params, change] = useUrlState();
  const [picking, setPicking] = useState(false);
  const named = params.get('assets');
  // The asset that needs most attention; not loaded if the address names assets.
  const { data, error, refetch } = useQuery({ ...monitorCardsQuery, enabled: named === null });
  const first = useMemo(() => [...(data?.cards ?? [])].sort(compareByAttention)[0], [data]);
  const assetIds =
    named === null
      ? first
        ? [first.id]
        : []
      : [...new Set(named.split(',').map(Number))].filter(Number.isInteger).slice(0, MOST_ASSETS);
  const known = named !== null || data !== undefined;
  const show = (ids: readonly number[]) => change({ assets: ids.join(',') || 'none', channels: null });
  const details = useQueries({ queries: assetIds.map((id) => assetQuery(id)) });
  const assets = details.flatMap((detail) => detail.data ?? []);
  const failed = details.find((detail) => detail.error && !detail.data);
  const several = assetIds.length > 1;
  const quantities = assets.flatMap((asset) => channelsOf(asset, 'quantity', several));
  const [main] = assets;
  // With several assets, switch channels are left out because their rows could not be told apart.
  const switches = useMemo(
    () => (several || !main ? [] : channelsOf(main, 'switch', false)),
    [several, main],
  );
  const mainChannelId = main?.main?.channelId ?? null;
  const chosen = chosenChannels(params, quantities, mainChannelId);
  const window = useMemo(() => windowOf(params, null), [params]);

  if (error && !data) return <FailureNotice error={error} retry={() => void refetch()} />;
  return (
    <div className="page">
      <PageHead title={text('menu.monitor-records')} purpose={text('records.purpose')}>
        <ExportButtons channels={chosen} window={window} />
      </PageHead>
      <div className="records-assets">
        {assets.map(({ id, name, code }) => (
          <span key={id} className="tag">
            {name} · {code}
            <Button
              variant="quiet"
              size="small"
              icon
              aria-label={text('records.asset.remove', { name })}
              onClick={() => show(assetIds.filter((each) => each !== id))}
            >
              <Icon name="close" small />
            </Button>
          </span>
        ))}
        <Button onClick={() => setPicking(true)}>
          <Icon name="assets" />
          {text('assets.picker.title')}
        </Button>
      </div>
      {picking ? (
        <AssetPicker
          initial={assetIds}
          most={MOST_ASSETS}
          submitLabel={(count) => text('records.assets.show', { count })}
          onChoose={async (ids) => show(ids)}
          onClose={() => setPicking(false)}
        />
      ) : null}
      {failed ? <FailureNotice error={failed.error as Error} retry={() => void failed.refetch()} /> : null}
      {known && assetIds.length === 0 ? (
        <section className="panel">
          <Notice icon="curve" title={text('records.empty.title')}>
            {text('records.empty.reason')}
          </Notice>
        </section>
      ) : assets.length === assetIds.length && assets.length > 0 ? (
        <>
          <CurvePanel
            subject={assets.map(({ name, code }) => `${name} · ${code}`).join(', ')}
            quantities={quantities}
            switches={switches}
            mainChannelId={mainChannelId}
            around={null}
            newestAt={null}
            live={new Map(assets.flatMap((asset) => [...liveValues(asset)]))}
            narrow={narrow}
          />
          {chosen.length > 0 ? (
            <RecordsTable
              channels={chosen.flatMap((id) => quantities.find((each) => each.channelId === id) ?? [])}
              window={window}
            />
          ) : null}
        </>
      ) : failed ? null : (
        <div className="skeleton skeleton-body" />
      )}
    </div>
  );
}

function channelsOf(
  asset: AssetDetail,
  kind: (typeof INDICATORS)[Indicator]['kind'],
  named: boolean,
): CurveChannel[] {
  return asset.devices.flatMap(({ channels }) =>
    channels
      .filter(({ indicator }) => INDICATORS[indicator].kind === kind)
      .map(({ channelId, name, indicator }) => ({
        channelId,
        name: named ? `${asset.name} · ${name}` : name,
        indicator,
      })),
  );
}
