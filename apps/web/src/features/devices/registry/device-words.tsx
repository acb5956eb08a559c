import type { DeviceRecord } from '@isotherm/contracts/device-registry';
import { formatDuration } from '@isotherm/i18n/figures';
import { EN_RULE, withUnit } from '../../../shared/format/number.ts';
import { useText } from '../../../shared/i18n/use-text.ts';
import { Icon } from '../../../shared/ui/icon.tsx';

/** Whether it is heard from; what is well is quiet. */
export function Connection({ device }: { device: Pick<DeviceRecord, 'connection' | 'offlineForMs'> }) {
  const { text } = useText();
  const { connection, offlineForMs } = device;
  const label = text(`devices.connection.${connection}`);
  if (connection === 'online') return <span className="secondary">{label}</span>;
  return (
    <span className="tag">
      <Icon name="unlinked" small />
      {offlineForMs === null
        ? label
        : text('devices.offline-for', { duration: formatDuration(offlineForMs, text) })}
    </span>
  );
}

/** Until when it is paid for, and whether that wants attention. */
export function Term({ device }: { device: Pick<DeviceRecord, 'term' | 'toBeRenewed' | 'expiresOn'> }) {
  const { text } = useText();
  if (device.expiresOn === null) return <span className="tertiary">{EN_RULE}</span>;
  return (
    <span className="row">
      <span className="number">{device.expiresOn}</span>
      {device.toBeRenewed ? <span className="tag">{text(`devices.term.${device.term}`)}</span> : null}
    </span>
  );
}

/** Percent, and whether it is being charged. */
export function Battery({ device }: { device: Pick<DeviceRecord, 'battery' | 'supply'> }) {
  const { text } = useText();
  const level = device.battery === null ? EN_RULE : withUnit('battery', device.battery);
  return (
    <span className="row">
      <bdi dir="ltr" className="number">
        {level}
      </bdi>
      {device.supply === 'charging' ? (
        <span className="small tertiary">{text('devices.supply.charging')}</span>
      ) : null}
    </span>
  );
}
