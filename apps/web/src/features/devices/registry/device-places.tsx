import './registry.css';
import type { DeviceBinding } from '@isotherm/contracts/device-registry';
import { INDICATORS } from '@isotherm/domain/readings/indicator';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { AssetLink } from '../../../shared/assets/asset-link.tsx';
import { INDICATOR_LABEL } from '../../../shared/format/labels.ts';
import { EN_RULE } from '../../../shared/format/number.ts';
import { useViewer } from '../../../shared/format/viewer.tsx';
import { FailureNotice } from '../../../shared/ui/notice.tsx';
import { TableFrame } from '../../../shared/ui/table-frame.tsx';
import { deviceBindingsQuery } from './registry.queries.ts';

/** Tab with the bindings of the device, the latest first (decision 23), including unbound periods. */
export function DevicePlaces({ number }: { number: string }) {
  const { text, time } = useViewer();
  const { data, error, refetch } = useQuery(deviceBindingsQuery(number));
  if (error && !data) return <FailureNotice error={error} retry={() => void refetch()} />;
  if (!data) return <div className="panel skeleton skeleton-body" />;
  return (
    <section className="panel device-tab">
      <p className="small secondary">{text('devices.places.help')}</p>
      <TableFrame label={text('devices.places')}>
        <thead>
          <tr>
            <th scope="col">{text('devices.asset')}</th>
            <th scope="col">{text('asset.sensors.channel')}</th>
            <th scope="col">{text('asset.sensors.indicator')}</th>
            <th scope="col">{text('devices.sensor.serial')}</th>
            <th scope="col" className="figure">
              {text('devices.places.from')}
            </th>
            <th scope="col" className="figure">
              {text('devices.places.until')}
            </th>
            <th scope="col">{text('asset.tab.curve')}</th>
          </tr>
        </thead>
        <tbody>
          {data.map((binding) => (
            <tr key={`${binding.channelId}:${binding.from}`}>
              <td className="strong">
                {binding.asset ? (
                  <AssetLink assetId={binding.asset.id}>{binding.asset.name}</AssetLink>
                ) : (
                  text('devices.places.own')
                )}
              </td>
              <td className="secondary">{binding.name}</td>
              <td className="secondary">{text(INDICATOR_LABEL[binding.indicator])}</td>
              <td className="secondary">{binding.sensorSerial || EN_RULE}</td>
              <td className="figure secondary">
                {binding.from ? time(binding.from, 'date-time') : text('devices.places.start')}
              </td>
              <td className="figure secondary">
                {binding.until ? time(binding.until, 'date-time') : text('devices.places.open')}
              </td>
              <td>
                {INDICATORS[binding.indicator].kind === 'quantity' ? (
                  <ChartLink number={number} binding={binding} />
                ) : (
                  EN_RULE
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </TableFrame>
    </section>
  );
}

/** Link to the chart of a binding. A binding without an end shows only its latest part. */
function ChartLink({ number, binding }: { number: string; binding: DeviceBinding }) {
  const { text } = useViewer();
  const { channelId, asset, from, until } = binding;
  const query = new URLSearchParams({ channels: String(channelId) });
  if (from && until) {
    query.set('from', from);
    query.set('to', until);
  }
  const label = text('devices.places.chart');
  if (asset) {
    return (
      <AssetLink isButton assetId={asset.id} to={`?${query}`}>
        {label}
      </AssetLink>
    );
  }
  query.set('tab', 'curve');
  return <Link to={`/device/list/${number}?${query}`}>{label}</Link>;
}
