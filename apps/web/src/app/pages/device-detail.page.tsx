import type { DeviceDetail } from '@isotherm/contracts/device-registry';
import { INDICATORS } from '@isotherm/domain/readings/indicator';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { Link, useParams } from 'react-router';
import { UnmappedTab } from '../../features/devices/mappings/unmapped-tab.tsx';
import { useDeviceActions } from '../../features/devices/registry/device-actions.tsx';
import { DeviceClockTab } from '../../features/devices/registry/device-clock-tab.tsx';
import { DeviceForm } from '../../features/devices/registry/device-form.tsx';
import { DeviceGlance } from '../../features/devices/registry/device-glance.tsx';
import { DeviceCommands, DeviceOverview } from '../../features/devices/registry/device-page-parts.tsx';
import { DevicePlaces } from '../../features/devices/registry/device-places.tsx';
import { DeviceRenewals } from '../../features/devices/registry/device-renewals.tsx';
import { DeviceSensors } from '../../features/devices/registry/device-sensors.tsx';
import { Battery, Connection, Term } from '../../features/devices/registry/device-words.tsx';
import { deviceBindingsQuery, deviceQuery } from '../../features/devices/registry/registry.queries.ts';
import type { LiveValue } from '../../features/telemetry/chart-input.ts';
import { CurvePanel } from '../../features/telemetry/curve-panel.tsx';
import { usePermission } from '../../shared/access/permissions.ts';
import { AssetLink } from '../../shared/assets/asset-link.tsx';
import { ExpiredNotes } from '../../shared/assets/expired-notes.tsx';
import { EN_RULE, withUnit } from '../../shared/format/number.ts';
import { Age, useViewer } from '../../shared/format/viewer.tsx';
import { useCrumbTitle } from '../../shared/tabs/use-crumb-title.ts';
import { useGo } from '../../shared/tabs/use-go.ts';
import { buttonClass } from '../../shared/ui/button.tsx';
import { DetailPage } from '../../shared/ui/detail-page.tsx';
import { Icon } from '../../shared/ui/icon.tsx';
import { FailureNotice, Notice } from '../../shared/ui/notice.tsx';
import { PageSkeleton } from '../../shared/ui/page-skeleton.tsx';
import { PermissionButton } from '../../shared/ui/permission-button.tsx';
import { useNarrow } from '../../shared/ui/use-narrow.ts';
import { useUrlState } from '../../shared/ui/use-url-state.ts';

const LIST = '/device/list';

/** Page of one device, with its state, its readings and its commands. */
export default function DevicePage() {
  const { number = '' } = useParams();
  const { data, error, refetch } = useQuery(deviceQuery(number));
  useCrumbTitle(data?.name);
  if (data) return <Loaded device={data} />;
  return error ? <FailureNotice error={error} retry={() => void refetch()} /> : <PageSkeleton />;
}

/** The first moment after the last day that is paid for. */
const endOfDay = (day: string) => new Date(Date.parse(day) + 86_400_000).toISOString();

/** True if readings of the device are hidden until it is renewed. */
const hasExpired = ({ term }: DeviceDetail) => term === 'expired' || term === 'lapsed';

function Loaded({ device }: { device: DeviceDetail }) {
  const { text, time } = useViewer();
  const go = useGo();
  const [params, change] = useUrlState();
  const { act, dialogs } = useDeviceActions();
  const seesCurves = usePermission('asset:view');
  const seesCommands = usePermission('device-commands:view');
  const seesLogs = usePermission('management-logs:view');
  const isDeleted = device.deletedAt !== null;
  const isExpired = hasExpired(device);
  const neverHeard =
    device.lastSeenAt === null ? (
      <>
        {text('connect.notice')}{' '}
        <Link to={`${LIST}/${device.number}/connect`}>{text('menu.device-connect')}</Link>
      </>
    ) : null;
  const expiredNote = (
    <ExpiredNotes
      expired={
        device.expiresOn === null
          ? []
          : [{ id: device.id, name: device.number, expiredAt: endOfDay(device.expiresOn) }]
      }
    />
  );
  const button = (
    action: Parameters<typeof act>[0],
    permission: Parameters<typeof usePermission>[0],
    done?: () => void,
  ) => (
    <PermissionButton permission={permission} onClick={() => act(action, [device], done)}>
      {text(`devices.${action}`)}
    </PermissionButton>
  );
  return (
    <>
      <DetailPage
        title={device.name}
        back={{ to: LIST, label: text('menu.device-list') }}
        tags={<Connection device={device} />}
        facts={[
          { label: text('devices.number'), value: <span className="number">{device.number}</span> },
          {
            label: text('devices.asset'),
            value: device.asset ? (
              <AssetLink assetId={device.asset.id}>{device.asset.name}</AssetLink>
            ) : (
              <span className="tag">{text('devices.unbound')}</span>
            ),
          },
          {
            label: text('devices.last-seen'),
            value: device.lastSeenAt ? <Age since={device.lastSeenAt} /> : EN_RULE,
          },
          { label: text('devices.battery'), value: <Battery device={device} /> },
          {
            label: text('devices.signal'),
            value: (
              <bdi dir="ltr">{device.signal === null ? EN_RULE : withUnit('signal', device.signal)}</bdi>
            ),
          },
          { label: text('devices.expires'), value: <Term device={device} /> },
          { label: text('devices.model'), value: device.model || EN_RULE },
          { label: text('devices.organization'), value: device.organizationName },
        ]}
        notice={
          device.deletedAt === null
            ? isExpired
              ? expiredNote
              : neverHeard
            : text('devices.deleted.notice', {
                time: time(device.deletedAt, 'date-time'),
                name: device.deletedBy,
              })
        }
        actions={
          isDeleted ? (
            button('restore', 'device-list:delete')
          ) : (
            <>
              <PermissionButton
                permission="device-list:edit"
                variant="primary"
                onClick={() => change({ edit: 1 }, 'push')}
              >
                <Icon name="edit" />
                {text('devices.edit')}
              </PermissionButton>
              <Link className={buttonClass()} to={`${LIST}/${device.number}/connect`}>
                {text('connect.open')}
              </Link>
              {button(device.asset ? 'unbind' : 'bind', 'device-list:bind')}
              {button('command', 'device-commands:send')}
              {device.asset ? button('replace', 'device-list:replace') : null}
              {button('new-key', 'device-list:key')}
              {button('set-token', 'device-list:key')}
              {device.asset ? null : button('move', 'device-list:move')}
              {button('delete', 'device-list:delete', () => go(LIST))}
            </>
          )
        }
        tabs={[
          {
            key: 'sensors',
            label: text('devices.glance'),
            content: () => (
              <>
                <DeviceSensors device={device} />
                <DeviceGlance device={device} />
              </>
            ),
          },
          ...(seesCurves
            ? [{ key: 'curve', label: text('asset.tab.curve'), content: () => <Curve device={device} /> }]
            : []),
          {
            key: 'overview',
            label: text('devices.tab.overview'),
            content: () => <DeviceOverview device={device} />,
          },
          {
            key: 'places',
            label: text('devices.places'),
            content: () => <DevicePlaces number={device.number} />,
          },
          {
            key: 'renewals',
            label: text('renewals.history'),
            content: () => <DeviceRenewals number={device.number} />,
          },
          {
            key: 'clock',
            label: text('devices.clock'),
            content: () => <DeviceClockTab number={device.number} />,
          },
          ...(device.hasUnmapped
            ? [
                {
                  key: 'unmapped',
                  label: text('mappings.unmapped'),
                  content: () => <UnmappedTab device={device} />,
                },
              ]
            : []),
          ...(seesCommands
            ? [
                {
                  key: 'commands',
                  label: text('menu.device-commands'),
                  ...(device.openCommands > 0 ? { count: device.openCommands } : {}),
                  content: () => <DeviceCommands number={device.number} />,
                },
              ]
            : []),
        ]}
      />
      {seesLogs ? (
        <div className="page">
          <Link to={`/management/logs?objectKind=device&objectId=${device.number}`}>
            {text('devices.log', { number: device.number })}
          </Link>
        </div>
      ) : null}
      {params.get('edit') && !isDeleted ? (
        <DeviceForm device={device} onClose={() => change({ edit: null })} />
      ) : null}
      {dialogs}
    </>
  );
}

function Curve({ device }: { device: DeviceDetail }) {
  const { text } = useViewer();
  const narrow = useNarrow();
  const { data: bindings } = useQuery(deviceBindingsQuery(device.number));
  const channels = useMemo(() => device.sensors.flatMap((sensor) => sensor.channels), [device.sensors]);
  /**
   * The current channels, and the channels to which the device's readings belonged while it was not bound to
   * an asset.
   */
  const own = useMemo(
    () =>
      (bindings ?? []).filter(
        ({ asset, channelId }) =>
          asset === null && !channels.some((channel) => channel.channelId === channelId),
      ),
    [bindings, channels],
  );
  const live = useMemo(
    () =>
      new Map<number, LiveValue>(
        channels.flatMap(({ channelId, value, measuredAt }) =>
          value === null || measuredAt === null
            ? []
            : [[channelId, { value, at: Date.parse(measuredAt), level: null }] as const],
        ),
      ),
    [channels],
  );
  const ofKind = (kind: 'quantity' | 'switch') =>
    [...channels, ...own].filter(({ indicator }) => INDICATORS[indicator].kind === kind);
  const quantities = ofKind('quantity');
  if (live.size === 0 && own.length === 0 && !hasExpired(device))
    return (
      <section className="panel">
        <Notice icon="channels" title={text('devices.curve.none')} />
      </section>
    );
  return (
    <CurvePanel
      subject={`${device.name} · ${device.number}`}
      quantities={quantities}
      switches={ofKind('switch')}
      mainChannelId={quantities[0]?.channelId ?? null}
      around={null}
      newestAt={device.lastSeenAt}
      live={live}
      narrow={narrow}
    />
  );
}
