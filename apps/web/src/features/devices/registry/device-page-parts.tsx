import './registry.css';
import '../upgrade/upgrade.css';
import type { DeviceDetail } from '@isotherm/contracts/device-registry';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { usePermission } from '../../../shared/access/permissions.ts';
import { formatSetting } from '../../../shared/format/duration.ts';
import { EN_RULE } from '../../../shared/format/number.ts';
import { useViewer } from '../../../shared/format/viewer.tsx';
import { Definitions } from '../../../shared/ui/detail-page.tsx';
import { FailureNotice, Notice } from '../../../shared/ui/notice.tsx';
import { TableFrame } from '../../../shared/ui/table-frame.tsx';
import { CommandState, orderWords } from '../commands/command-words.tsx';
import { deviceCommandsQuery } from '../commands/commands.queries.ts';
import { UpgradeTag } from '../upgrade/upgrade-words.tsx';
import { Term } from './device-words.tsx';

export function DeviceOverview({ device }: { device: DeviceDetail }) {
  const { text, time } = useViewer();
  const or = (value: string | null) => value || EN_RULE;
  return (
    <section className="panel device-overview">
      <h2>{text('devices.section.identity')}</h2>
      <Definitions
        facts={[
          { label: text('devices.type'), value: text(`devices.type.${device.type}`) },
          { label: text('devices.model'), value: or(device.model) },
          { label: text('devices.serial'), value: or(device.serial) },
          { label: text('devices.firmware'), value: <DeviceFirmware firmware={device.firmware} /> },
          { label: text('devices.firmware.upgrade'), value: <LastUpgrade firmware={device.firmware} /> },
          { label: text('devices.organization'), value: device.organizationName },
          { label: text('devices.expires'), value: <Term device={device} /> },
        ]}
      />
      <h2>{text('devices.section.periods')}</h2>
      <Definitions
        facts={[
          {
            label: text('devices.acquisition'),
            value: formatSetting(device.acquisitionIntervalS * 1000, text),
          },
          { label: text('devices.upload'), value: formatSetting(device.uploadIntervalS * 1000, text) },
          {
            label: text('devices.offline-after'),
            value: formatSetting(device.offlineAfterMinutes * 60_000, text),
          },
          { label: text('devices.zone'), value: device.timeZone },
        ]}
      />
      <h2>{text('devices.section.network')}</h2>
      <Definitions
        facts={[
          {
            label: text('devices.gateway'),
            value: device.gatewayNumber ? (
              <Link to={`/device/list/${device.gatewayNumber}`}>{device.gatewayNumber}</Link>
            ) : (
              EN_RULE
            ),
          },
          { label: text('devices.eui'), value: or(device.devEui) },
          {
            label: text('devices.token'),
            value: text(device.hasToken ? 'devices.token.kept' : 'devices.token.none'),
          },
          { label: text('devices.behind'), value: device.behind },
        ]}
      />
      <h2>{text('devices.section.origin')}</h2>
      <Definitions
        facts={[
          { label: text('devices.created'), value: time(device.createdAt, 'date-time') },
          {
            label: text('devices.changed'),
            value: device.changedBy
              ? `${time(device.changedAt, 'date-time')} · ${device.changedBy}`
              : EN_RULE,
          },
        ]}
      />
    </section>
  );
}

function DeviceFirmware({ firmware: { version, reportedAt } }: Pick<DeviceDetail, 'firmware'>) {
  const { text, time } = useViewer();
  if (version === null || reportedAt === null) return EN_RULE;
  return text('devices.firmware.reported', { version, time: time(reportedAt, 'date-time') });
}

function LastUpgrade({ firmware: { upgrade } }: Pick<DeviceDetail, 'firmware'>) {
  const sees = usePermission('device-upgrade:view');
  if (!upgrade) return EN_RULE;
  const { version, rolloutId } = upgrade;
  return (
    <span className="row">
      {sees ? <Link to={`/device/upgrade/${rolloutId}`}>{version}</Link> : version}
      <UpgradeTag upgrade={upgrade} />
    </span>
  );
}

/** Tab with the recent commands of a device and their results. */
export function DeviceCommands({ number }: { number: string }) {
  const { text, time } = useViewer();
  const { data, error, refetch } = useQuery(deviceCommandsQuery(number));
  if (error) return <FailureNotice error={error} retry={() => void refetch()} />;
  if (!data) return <div className="panel skeleton skeleton-body" />;
  if (data.items.length === 0)
    return (
      <section className="panel">
        <Notice icon="devices" title={text('commands.empty.title')} />
      </section>
    );
  return (
    <section className="panel">
      <TableFrame label={text('menu.device-commands')}>
        <thead>
          <tr>
            <th scope="col">{text('commands.requested')}</th>
            <th scope="col">{text('commands.what')}</th>
            <th scope="col">{text('commands.state')}</th>
            <th scope="col">{text('commands.by')}</th>
          </tr>
        </thead>
        <tbody>
          {data.items.map((command) => (
            <tr key={command.id}>
              <td className="number">{time(command.requestedAt, 'date-time-seconds')}</td>
              <td>{orderWords(command.order, text)}</td>
              <td>
                <CommandState command={command} />
              </td>
              <td className="secondary">{command.requestedBy}</td>
            </tr>
          ))}
        </tbody>
      </TableFrame>
    </section>
  );
}
