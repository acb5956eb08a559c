import './registry.css';
import type { DeviceBinding } from '@isotherm/contracts/device-registry';
import { INDICATORS } from '@isotherm/domain/readings/indicator';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
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
                  <Link to={`/asset/${binding.asset.id}`}>{binding.asset.name}</Link>
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
                  <Link to={chartOf(number, binding)}>{text('devices.places.chart')}</Link>
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

/** Returns the address of the chart for a binding. A binding without an end shows only its latest part. */
function chartOf(number: string, { channelId, asset, from, until }: DeviceBinding): string {
  const query = new URLSearchParams({ channels: String(channelId) });
  if (from && until) {
    query.set('from', from);
    query.set('to', until);
  }
  if (asset) return `/asset/${asset.id}?${query}`;
  query.set('tab', 'curve');
  return `/device/list/${number}?${query}`;
}
