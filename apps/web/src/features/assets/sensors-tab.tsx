import { switchLabel } from '@isotherm/i18n/alarm-words';
import './asset.css';
import type { AssetDetail } from '@isotherm/contracts/assets';
import { Link } from 'react-router';
import { usePermission } from '../../shared/access/permissions.ts';
import { isQuantity } from '../../shared/assets/asset-words.ts';
import { formatSetting } from '../../shared/format/duration.ts';
import { INDICATOR_LABEL } from '../../shared/format/labels.ts';
import { limitsText } from '../../shared/format/limits.ts';
import { EN_RULE, withUnit } from '../../shared/format/number.ts';
import { Age, useViewer } from '../../shared/format/viewer.tsx';
import { useText } from '../../shared/i18n/use-text.ts';
import { buttonClass } from '../../shared/ui/button.tsx';
import { Notice } from '../../shared/ui/notice.tsx';
import { TableFrame } from '../../shared/ui/table-frame.tsx';
import { EarlierChannels } from './earlier-channels.tsx';

/** Empty state for an asset without a device. */
export function NoDevice() {
  const { text } = useText();
  const mayOpen = usePermission('device-list:view');
  return (
    <Notice
      icon="channels"
      title={text('asset.sensors.empty')}
      action={
        mayOpen ? (
          <Link className={buttonClass()} to="/device/list">
            {text('menu.device-list')}
          </Link>
        ) : null
      }
    >
      {text('asset.sensors.empty-reason')}
    </Notice>
  );
}

/** Tab with the devices of an asset, their sensors and the latest value of each channel. */
export function SensorsTab({ asset }: { asset: AssetDetail }) {
  const { text } = useViewer();
  return (
    <>
      {asset.devices.length === 0 ? <NoDevice /> : null}
      {asset.devices.map((device) => (
        <section key={device.id} className="panel asset-device">
          <div className="asset-device-head">
            <h2>{device.name}</h2>
            <span className="secondary">{[device.number, device.model].filter(Boolean).join(' · ')}</span>
            <span className="small tertiary asset-device-facts">
              {text('asset.sensors.every', { interval: formatSetting(device.acquisitionIntervalMs, text) })}
              {device.battery === null
                ? ''
                : ` · ${text('common.indicator.battery')} ${Math.round(device.battery)} %`}
              {device.signal === null ? '' : ` · ${withUnit('signal', device.signal)}`}
              {device.position?.speedKmh == null
                ? ''
                : ` · ${text('asset.sensors.speed', { speed: Math.round(device.position.speedKmh) })}`}
            </span>
          </div>
          <TableFrame label={device.name}>
            <thead>
              <tr>
                <th>{text('asset.sensors.channel')}</th>
                <th>{text('asset.sensors.indicator')}</th>
                <th>{text('asset.sensors.sensor')}</th>
                <th className="figure">{text('asset.sensors.value')}</th>
                <th className="figure">{text('asset.fact.limits')}</th>
                <th className="figure">{text('asset.sensors.measured')}</th>
              </tr>
            </thead>
            <tbody>
              {device.channels.map((channel) => (
                <tr key={channel.channelId}>
                  <td className="strong">{channel.name}</td>
                  <td className="secondary">{text(INDICATOR_LABEL[channel.indicator])}</td>
                  <td className="secondary">
                    S{channel.sensorIndex} · {channel.sensorSerial}
                  </td>
                  <td className="figure">
                    <bdi dir="ltr">
                      {channel.value === null
                        ? EN_RULE
                        : isQuantity(channel)
                          ? withUnit(channel.indicator, channel.value)
                          : text(switchLabel(channel.indicator, channel.value))}
                    </bdi>
                  </td>
                  <td className="figure secondary">
                    <bdi dir="ltr">{isQuantity(channel) ? limitsText(channel, text) : EN_RULE}</bdi>
                  </td>
                  <td className="figure secondary">
                    {channel.measuredAt ? <Age since={channel.measuredAt} /> : EN_RULE}
                  </td>
                </tr>
              ))}
            </tbody>
          </TableFrame>
        </section>
      ))}
      <EarlierChannels assetId={asset.id} />
    </>
  );
}
