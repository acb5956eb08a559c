import type { DeviceRecord } from '@isotherm/contracts/device-registry';
import { formatDuration } from '@isotherm/i18n/figures';
import { EN_RULE, withUnit } from '../../../shared/format/number.ts';
import { dayText } from '../../../shared/format/time.ts';
import { useText } from '../../../shared/i18n/use-text.ts';
import { Icon } from '../../../shared/ui/icon.tsx';

/** Connection state of a device; the normal state is not emphasised. */
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

/** End date of the subscription, with its state. */
export function Term({ device }: { device: Pick<DeviceRecord, 'term' | 'toBeRenewed' | 'expiresOn'> }) {
  const { text } = useText();
  if (device.expiresOn === null) return <span className="tertiary">{EN_RULE}</span>;
  return (
    <span className="row">
      <span className="number">{dayText(device.expiresOn)}</span>
      {device.toBeRenewed ? <span className="tag">{text(`devices.term.${device.term}`)}</span> : null}
    </span>
  );
}

/** Battery percentage and charging state. For a device without a battery it says only that it is powered. */
export function Battery({ device }: { device: Pick<DeviceRecord, 'battery' | 'supply'> }) {
  const { text } = useText();
  if (device.battery === null && device.supply === 'charging')
    return <span className="tertiary">{text('devices.supply.external')}</span>;
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
