import type { DeviceStats } from '@isotherm/contracts/device-stats';
import type { ReactNode } from 'react';
import { EN_RULE, fixed, withUnit } from '../../../shared/format/number.ts';
import { useViewer } from '../../../shared/format/viewer.tsx';
import { DeviceFigures } from './device-figures.tsx';

type Device = Pick<DeviceStats['signals'][number], 'number' | 'name' | 'organizationName'>;

/** Panel of the batteries that will be empty within a month by forecast. */
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
  return (
    <section className="panel stats-panel">
      <h2 className="stats-title">{title}</h2>
      <p className="small secondary">{means}</p>
      {devices.length === 0 ? (
        <p>{none}</p>
      ) : (
        <DeviceFigures label={title} columns={columns} devices={devices} figures={figures} />
      )}
    </section>
  );
}
