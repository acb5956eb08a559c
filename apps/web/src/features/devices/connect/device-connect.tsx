import './connect.css';
import type { DeviceConnection } from '@isotherm/contracts/device-connection';
import type { DeviceDetail } from '@isotherm/contracts/device-registry';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link, useParams } from 'react-router';
import { usePermission } from '../../../shared/access/permissions.ts';
import { AssetLink } from '../../../shared/assets/asset-link.tsx';
import { formatSetting } from '../../../shared/format/duration.ts';
import { useViewer } from '../../../shared/format/viewer.tsx';
import { useCrumbTitle } from '../../../shared/tabs/use-crumb-title.ts';
import { useGo } from '../../../shared/tabs/use-go.ts';
import { buttonClass } from '../../../shared/ui/button.tsx';
import { Icon } from '../../../shared/ui/icon.tsx';
import { FailureNotice } from '../../../shared/ui/notice.tsx';
import { PageHead } from '../../../shared/ui/page-head.tsx';
import { PageSkeleton } from '../../../shared/ui/page-skeleton.tsx';
import { PermissionButton } from '../../../shared/ui/permission-button.tsx';
import { useDeviceActions } from '../registry/device-actions.tsx';
import { connectionQuery, waitedDeviceQuery } from './connect.queries.ts';
import { ConnectExamples, ConnectHelp, ConnectionData } from './connect-data.tsx';
import { ConnectProgress } from './connect-progress.tsx';
import { channelsOf, connectState } from './connect-state.ts';

/** Renders the step of the alarm test, which belongs to another feature; `step` renders its frame. */
export type TestStep = (
  asset: { id: number; name: string } | null,
  step: (isDone: boolean, content: ReactNode) => ReactNode,
) => ReactNode;

/** The first connection of a device. It shows live what arrives and what is refused. */
export function DeviceConnect({ testStep }: { testStep: TestStep }) {
  const { number = '' } = useParams();
  const { text } = useViewer();
  const device = useQuery(waitedDeviceQuery(number));
  const connection = useQuery(connectionQuery(number));
  useCrumbTitle(device.data ? text('connect.title', { number }) : undefined);
  if (device.data && connection.data)
    return <Loaded device={device.data} connection={connection.data} testStep={testStep} />;
  const failed = device.error ? device : connection;
  if (!failed.error) return <PageSkeleton />;
  return <FailureNotice error={failed.error} retry={() => void failed.refetch()} />;
}

function Loaded({
  device,
  connection,
  testStep,
}: {
  device: DeviceDetail;
  connection: DeviceConnection;
  testStep: TestStep;
}) {
  const { text } = useViewer();
  const go = useGo();
  const state = connectState(device, connection);
  return (
    <div className="page">
      <PageHead title={text('connect.title', { number: device.number })} purpose={device.name}>
        <Link className={buttonClass()} to={`/device/list/${device.number}`}>
          {text('connect.open-device')}
        </Link>
        <PermissionButton permission="device-list:create" onClick={() => go('/device/list?new=1')}>
          {text('connect.another')}
        </PermissionButton>
        {device.asset ? (
          <AssetLink
            isButton
            className={buttonClass({ variant: state === 'live' ? 'primary' : 'secondary' })}
            assetId={device.asset.id}
          >
            {text('connect.open-asset')}
          </AssetLink>
        ) : null}
      </PageHead>
      <div className="device-connect">
        <Steps device={device} isLive={state === 'live'} testStep={testStep} />
        <div className="device-connect-main">
          <ConnectProgress device={device} connection={connection} state={state} />
          <ConnectExamples device={device} connection={connection} />
        </div>
        <div className="device-connect-side">
          <ConnectionData device={device} connection={connection} />
          {state === 'live' ? null : <ConnectHelp />}
        </div>
      </div>
    </div>
  );
}

/** Steps from the registration to the alarm test, in the usual order. */
function Steps({ device, isLive, testStep }: { device: DeviceDetail; isLive: boolean; testStep: TestStep }) {
  const { text } = useViewer();
  const { act, dialogs } = useDeviceActions();
  const seesPolicies = usePermission('alarm-policies:view');
  const seesAssets = usePermission('asset:view');
  const limited = channelsOf(device).filter(({ low, high }) => low !== null || high !== null).length;
  return (
    <ol className="device-connect-steps">
      <Step isDone title={text('connect.step.register')}>
        {[device.number, device.model, device.organizationName].filter((part) => part !== '').join(', ')}{' '}
        <Link to={`/device/list/${device.number}?edit=1`}>{text('devices.edit')}</Link>
      </Step>
      <Step isDone={device.asset !== null} title={text('connect.step.bind')}>
        {device.asset ? (
          <AssetLink assetId={device.asset.id}>{device.asset.name}</AssetLink>
        ) : (
          <>
            {text('connect.step.bind.none')}{' '}
            <PermissionButton
              permission="device-list:bind"
              variant="link"
              onClick={() => act('bind', [device])}
            >
              {text('devices.bind')}
            </PermissionButton>
          </>
        )}
      </Step>
      <Step isDone={limited > 0} title={text('connect.step.limits')}>
        {limited > 0 ? (
          <>
            {text('connect.step.limits.some', { count: limited })}{' '}
            {device.asset && seesAssets ? (
              <Link to={`/asset/${device.asset.id}?tab=rules`}>{text('connect.step.limits.review')}</Link>
            ) : null}
          </>
        ) : (
          <>
            {text('connect.step.limits.none')}{' '}
            {seesPolicies ? (
              <Link
                to={device.asset && seesAssets ? `/asset/${device.asset.id}?tab=rules` : '/alarm/policies'}
              >
                {text('policies.of-asset.assign')}
              </Link>
            ) : null}
          </>
        )}
      </Step>
      <Step isDone={isLive} title={text(isLive ? 'connect.step.receive.done' : 'connect.step.receive')}>
        {isLive
          ? null
          : text('connect.state.waiting.means', {
              interval: formatSetting(device.uploadIntervalS * 1000, text),
            })}
      </Step>
      {testStep(device.asset, (isDone, content) => (
        <Step isDone={isDone} title={text('connect.step.test')}>
          {content}
        </Step>
      ))}
      {dialogs}
    </ol>
  );
}

function Step({ isDone, title, children }: { isDone: boolean; title: string; children: ReactNode }) {
  const { text } = useViewer();
  return (
    <li className={isDone ? 'device-connect-done' : undefined}>
      <span className="device-connect-mark">{isDone ? <Icon name="check" small /> : null}</span>
      <div>
        <h2>
          {title}
          {isDone ? <span className="visually-hidden"> {text('connect.step.done')}</span> : null}
        </h2>
        <p className="small secondary">{children}</p>
      </div>
    </li>
  );
}
