import type { AssetDetail, AssetState } from '@isotherm/contracts/assets';
import { INDICATORS } from '@isotherm/domain/readings/indicator';
import type { TextId } from '@isotherm/i18n/text-id';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { Link, Navigate, useParams } from 'react-router';
import { AlarmDrawer } from '../../features/alarms/alarm-drawer.tsx';
import { AlarmRowCards } from '../../features/alarms/alarm-row-cards.tsx';
import { AlarmTable } from '../../features/alarms/alarm-table.tsx';
import { alarmQuery } from '../../features/alarms/alarms.queries.ts';
import { AssetPolicies } from '../../features/alarms/policies/asset-policies.tsx';
import {
  SuppressionBanners,
  useSuppressionBands,
} from '../../features/alarms/suppressions/asset-suppressions.tsx';
import { DeclareForm } from '../../features/alarms/suppressions/suppression-forms.tsx';
import { AssetHeader } from '../../features/assets/asset-header.tsx';
import { assetQuery, earlierChannelsQuery } from '../../features/assets/assets.queries.ts';
import { FileList } from '../../features/assets/files/file-list.tsx';
import { AssetPlan } from '../../features/assets/floor-plans/asset-plan.tsx';
import { AssetChanges } from '../../features/assets/registry/asset-changes.tsx';
import { RecordTab } from '../../features/assets/registry/record-tab.tsx';
import { RulesTab } from '../../features/assets/rules-tab.tsx';
import { NoDevice, SensorsTab } from '../../features/assets/sensors-tab.tsx';
import { HistoryTab } from '../../features/assets/status/asset-history.page.tsx';
import { statusChangesQuery } from '../../features/assets/status/status.queries.ts';
import { StatusForm } from '../../features/assets/status/status-form.tsx';
import { quietBands } from '../../features/assets/status/status-words.tsx';
import { AlarmPictures } from '../../features/assets/webcams/alarm-pictures.tsx';
import { AssetCamera } from '../../features/assets/webcams/asset-camera.tsx';
import { FenceEvents } from '../../features/maps/fences/fence-events.tsx';
import { CurvePanel } from '../../features/telemetry/curve-panel.tsx';
import { aroundAlarm } from '../../features/telemetry/curve-window.ts';
import { usePermission } from '../../shared/access/permissions.ts';
import { serverNow } from '../../shared/api/clock.ts';
import { ExpiredNotes } from '../../shared/assets/expired-notes.tsx';
import { useViewer } from '../../shared/format/viewer.tsx';
import { useText } from '../../shared/i18n/use-text.ts';
import { say } from '../../shared/socket/socket.ts';
import { useCrumbTitle } from '../../shared/tabs/use-crumb-title.ts';
import { Button, buttonClass } from '../../shared/ui/button.tsx';
import { PageTabs } from '../../shared/ui/detail-page.tsx';
import { Icon } from '../../shared/ui/icon.tsx';
import { FailureNotice, Notice } from '../../shared/ui/notice.tsx';
import { PageSkeleton } from '../../shared/ui/page-skeleton.tsx';
import { PermissionButton } from '../../shared/ui/permission-button.tsx';
import { useNarrow } from '../../shared/ui/use-narrow.ts';
import { useUrlState } from '../../shared/ui/use-url-state.ts';
import { liveValues } from './live-values.ts';

const TABS = [
  'curve',
  'alarms',
  'camera',
  'sensors',
  'rules',
  'plan',
  'files',
  'record',
  'geofences',
  'history',
] as const;
type Tab = (typeof TABS)[number];
const TAB_LABEL: Record<Tab, TextId> = {
  curve: 'asset.tab.curve',
  alarms: 'asset.tab.alarms',
  camera: 'asset.tab.camera',
  sensors: 'asset.tab.sensors',
  rules: 'asset.tab.rules',
  plan: 'asset.tab.plan',
  files: 'asset.tab.files',
  record: 'asset.tab.record',
  geofences: 'menu.map-geofences',
  history: 'asset.tab.history',
};

/** Page of one asset, with its state, its value and its chart. */
export default function AssetPage() {
  const id = Number(useParams().id);
  const isNumber = Number.isSafeInteger(id) && id > 0;
  const { data: asset, error, refetch } = useQuery({ ...assetQuery(id), enabled: isNumber });
  useCrumbTitle(asset?.name);
  useEffect(() => {
    if (!isNumber) return;
    say({ type: 'watch', assetIds: [id] });
    return () => say({ type: 'watch', assetIds: [] });
  }, [id, isNumber]);
  // If the last segment is not a number, the address belongs to another page that the user may not open.
  if (!isNumber) return <Navigate to="/404" replace />;
  if (asset) return <Asset asset={asset} />;
  return error ? <FailureNotice error={error} retry={() => void refetch()} /> : <PageSkeleton />;
}

/** Returns the alarm that causes the state of the asset, so that it can be opened or acknowledged. */
function alarmOf(state: AssetState): { alarmId: number; acknowledgedBy: string | null } | null {
  if (state.kind === 'unknown') return state.alarm;
  if (state.kind === 'ended') return { alarmId: state.alarmId, acknowledgedBy: null };
  return state.kind === 'alarm' ? state : null;
}

/** Devices of the asset that have expired, while others still report. */
function expiredOf({ devices }: AssetDetail) {
  return devices.flatMap(({ id, number, expiresAt }) =>
    expiresAt !== null && Date.parse(expiresAt) <= serverNow()
      ? [{ id, name: number, expiredAt: expiresAt }]
      : [],
  );
}

function Asset({ asset }: { asset: AssetDetail }) {
  const { text } = useText();
  const canAcknowledge = usePermission('alarm-current:acknowledge');
  const seesAlarms = usePermission('alarm-current:view');
  const seesFences = usePermission('map-geofences:view');
  const mayChange = usePermission('asset:status');
  const maySetLimits = usePermission('alarm-policies:edit');
  const mayRenew = usePermission('device-expired:view');
  const maySuppress = usePermission('alarm-suppressions:edit');
  const [params, change] = useUrlState();
  const opened = Number(params.get('acknowledge')) || null;
  const { state } = asset;
  const openAlarm = (alarmId: number) => change({ acknowledge: alarmId }, 'push');
  const alarm = alarmOf(state);

  return (
    <div className="page">
      <AssetHeader
        asset={asset}
        tools={
          asset.status === 'scrapped' ? null : (
            <>
              <PermissionButton permission="asset:status" onClick={() => change({ status: 1 }, 'push')}>
                {text('assets.status.change')}
              </PermissionButton>
              <PermissionButton
                permission="alarm-suppressions:edit"
                onClick={() => change({ suppress: 1 }, 'push')}
              >
                {text('suppressions.hold-back')}
              </PermissionButton>
            </>
          )
        }
        action={
          alarm && seesAlarms ? (
            <Button onClick={() => openAlarm(alarm.alarmId)}>
              {alarm.acknowledgedBy === null && canAcknowledge ? (
                <>
                  <Icon name="check" />
                  {text('alarms.acknowledge')}
                </>
              ) : (
                text('alarms.detail')
              )}
            </Button>
          ) : state.kind === 'unset' && maySetLimits ? (
            <Button onClick={() => change({ tab: 'rules' }, 'push')}>
              {text('alert-settings.set-limits')}
            </Button>
          ) : state.kind === 'expired' && mayRenew ? (
            <Link className={buttonClass()} to="/device/expired">
              {text('subscription.renew')}
            </Link>
          ) : null
        }
      />
      {state.kind === 'expired' ? null : <ExpiredNotes expired={expiredOf(asset)} />}
      <SuppressionBanners assetId={asset.id} />
      <PageTabs
        tabs={TABS.filter((key) => key !== 'geofences' || seesFences).map((key) => ({
          key,
          label: text(TAB_LABEL[key]),
          count: key === 'alarms' && asset.attention > 0 ? asset.attention : undefined,
          content: () => <TabContent tab={key} asset={asset} onAlarm={openAlarm} />,
        }))}
      />
      {params.get('status') && mayChange ? (
        <StatusForm asset={asset} onClose={() => change({ status: null })} />
      ) : null}
      {params.get('suppress') && maySuppress ? (
        <DeclareForm assetId={asset.id} onClose={() => change({ suppress: null })} />
      ) : null}
      <AlarmDrawer
        alarmId={opened}
        canAcknowledge={canAcknowledge}
        pictures={opened ? <AlarmPictures alarmId={opened} /> : null}
        onClose={() => change({ acknowledge: null })}
      />
    </div>
  );
}

function TabContent({
  tab,
  asset,
  onAlarm,
}: {
  tab: Tab;
  asset: AssetDetail;
  onAlarm: (alarmId: number) => void;
}) {
  switch (tab) {
    case 'curve':
      return <CurveTab asset={asset} />;
    case 'alarms':
      return <AlarmsTab asset={asset} onOpen={onAlarm} />;
    case 'camera':
      return <AssetCamera assetId={asset.id} />;
    case 'sensors':
      return <SensorsTab asset={asset} />;
    case 'rules':
      return (
        <>
          <RulesTab asset={asset} />
          <AssetPolicies asset={asset} />
        </>
      );
    case 'plan':
      return <AssetPlan assetId={asset.id} />;
    case 'files':
      return <FileList assetId={asset.id} />;
    case 'record':
      return <RecordTab assetId={asset.id} />;
    case 'geofences':
      return <FenceEvents assetId={asset.id} />;
    case 'history':
      return (
        <>
          <HistoryTab assetId={asset.id} />
          <AssetChanges assetId={asset.id} />
        </>
      );
  }
}

function CurveTab({ asset }: { asset: AssetDetail }) {
  const { text, time } = useViewer();
  const narrow = useNarrow();
  const [params] = useUrlState();
  const alarmId = Number(params.get('alarm')) || null;
  const listed = asset.alarms.find((alarm) => alarm.id === alarmId);
  const { data: fetched, isPending } = useQuery({
    ...alarmQuery(alarmId ?? 0),
    enabled: alarmId !== null && !listed,
  });
  const alarm = listed ?? fetched;
  const alarmSince = alarm?.since;
  const alarmEnd = alarm?.endedAt ?? null;
  // The range around an open alarm is computed once per page view; otherwise it would move every second.
  const around = useMemo(
    () => (alarmSince ? aroundAlarm({ since: alarmSince, endedAt: alarmEnd }, serverNow()) : null),
    [alarmSince, alarmEnd],
  );
  const named = params.get('channels');
  const own = useMemo(
    () =>
      asset.devices.flatMap((device) =>
        device.channels.map(({ channelId, name, indicator }) => ({ channelId, name, indicator })),
      ),
    [asset.devices],
  );
  // If the address names other channels than the current ones, the earlier channels are loaded.
  const ids = useMemo(() => (named ?? '').split(',').filter(Boolean).map(Number), [named]);
  const pointsBack = ids.some((each) => own.every(({ channelId }) => channelId !== each));
  const { data: earlier, isLoading } = useQuery({ ...earlierChannelsQuery(asset.id), enabled: pointsBack });
  const channels = useMemo(
    () => [
      ...own,
      ...(earlier ?? [])
        .filter(({ channelId }) => ids.includes(channelId))
        .map(({ channelId, name, indicator, until }) => ({
          channelId,
          indicator,
          name: text('asset.earlier.name', { name, until: time(until, 'date-time') }),
        })),
    ],
    [own, earlier, ids, text, time],
  );
  const quantities = useMemo(
    () => channels.filter((each) => INDICATORS[each.indicator].kind === 'quantity'),
    [channels],
  );
  const switches = useMemo(
    () =>
      channels.filter(
        ({ channelId, indicator }) =>
          // The current switch channels contain no information about an earlier time.
          INDICATORS[indicator].kind === 'switch' && (!pointsBack || ids.includes(channelId)),
      ),
    [channels, ids, pointsBack],
  );
  const live = useMemo(() => liveValues(asset), [asset]);
  const { data: changes } = useQuery(statusChangesQuery(asset.id));
  const suppressed = useSuppressionBands(asset.id);
  const bands = useMemo(
    () => [...quietBands(changes?.items ?? [], text), ...suppressed],
    [changes, suppressed, text],
  );
  if (isLoading) return <div className="skeleton skeleton-body" />;
  if (channels.length === 0 && asset.devices.length === 0) return <NoDevice />;
  if (alarmId !== null && !listed && isPending) return <div className="skeleton skeleton-body" />;
  return (
    <CurvePanel
      subject={`${asset.name} · ${asset.code}`}
      quantities={quantities}
      switches={switches}
      mainChannelId={asset.main?.channelId ?? null}
      around={around}
      newestAt={asset.lastSeenAt}
      live={live}
      bands={bands}
      narrow={narrow}
    />
  );
}

function AlarmsTab({ asset, onOpen }: { asset: AssetDetail; onOpen: (alarmId: number) => void }) {
  const { text } = useText();
  const narrow = useNarrow();
  const empty = (
    <Notice icon="check" title={text('asset.alarms.empty')}>
      {text('asset.alarms.empty-reason')}
    </Notice>
  );
  if (asset.alarms.length === 0) return <section className="panel">{empty}</section>;
  return (
    <section className="panel asset-device">
      {narrow ? (
        <AlarmRowCards alarms={asset.alarms} onOpen={({ id }) => onOpen(id)} />
      ) : (
        <AlarmTable alarms={asset.alarms} onOpen={({ id }) => onOpen(id)} />
      )}
    </section>
  );
}
