import type { DeviceStats } from '@isotherm/contracts/device-stats';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { EN_RULE, fixed, withUnit } from '../../../shared/format/number.ts';
import { useViewer } from '../../../shared/format/viewer.tsx';
import { TableFrame } from '../../../shared/ui/table-frame.tsx';

type Device = Pick<DeviceStats['signals'][number], 'number' | 'name' | 'organizationName'>;

/** Batteries that end within a month, as far as their trend says. */
export function EndingBatteries({ batteries }: { batteries: DeviceStats['batteries'] }) {
  const { text } = useViewer();
  return (
    <Outlook
      title={text('stats.batteries')}
      means={text('stats.batteries.means')}
      none={text('stats.batteries.none')}
      columns={[text('devices.battery'), text('stats.per-day'), text('stats.days-left')]}
      devices={batteries}
      figures={({ battery, perDay, daysLeft }) => [
        battery === null ? EN_RULE : withUnit('battery', battery),
        `${fixed(-perDay, 1)} %`,
        String(Math.floor(daysLeft)),
      ]}
    />
  );
}

export function WeakSignals({ signals }: { signals: DeviceStats['signals'] }) {
  const { text } = useViewer();
  return (
    <Outlook
      title={text('stats.signals')}
      means={text('stats.signals.means')}
      none={text('stats.signals.none')}
      columns={[text('devices.signal')]}
      devices={signals}
      figures={({ signal }) => [withUnit('signal', signal)]}
    />
  );
}

function Outlook<T extends Device>({
  title,
  means,
  none,
  columns,
  devices,
  figures,
}: {
  title: string;
  means: string;
  none: string;
  columns: readonly string[];
  devices: readonly T[];
  figures: (device: T) => readonly ReactNode[];
}) {
  const { text } = useViewer();
  return (
    <section className="panel stats-panel">
      <h2 className="stats-title">{title}</h2>
      <p className="small secondary">{means}</p>
      {devices.length === 0 ? (
        <p>{none}</p>
      ) : (
        <TableFrame label={title}>
          <thead>
            <tr>
              <th scope="col">{text('devices.number')}</th>
              <th scope="col">{text('devices.name')}</th>
              {columns.map((column) => (
                <th key={column} scope="col" className="figure">
                  {column}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {devices.map((device) => (
              <tr key={device.number}>
                <td>
                  <Link className="number" to={`/device/list/${device.number}`}>
                    {device.number}
                  </Link>
                </td>
                <td>
                  {device.name} <span className="small tertiary">{device.organizationName}</span>
                </td>
                {figures(device).map((figure, at) => (
                  <td key={columns[at]} className="figure">
                    <bdi dir="ltr">{figure}</bdi>
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </TableFrame>
      )}
    </section>
  );
}
