import './registry.css';
import type { DeviceClock } from '@isotherm/contracts/device-registry';
import { useQuery } from '@tanstack/react-query';
import { offsetText } from '../../../shared/format/clock-offset.ts';
import { withUnit } from '../../../shared/format/number.ts';
import { useViewer } from '../../../shared/format/viewer.tsx';
import { FailureNotice } from '../../../shared/ui/notice.tsx';
import { TableFrame } from '../../../shared/ui/table-frame.tsx';
import { deviceClockQuery } from './registry.queries.ts';

/**
 * Tab about the clock of a device (decision 34): its offset, the periods in which it was wrong, and the
 * readings that were rejected because of their time.
 */
export function DeviceClockTab({ number }: { number: string }) {
  const { text } = useViewer();
  const { data, error, refetch } = useQuery(deviceClockQuery(number));
  if (error && !data) return <FailureNotice error={error} retry={() => void refetch()} />;
  if (!data) return <div className="panel skeleton skeleton-body" />;
  return (
    <>
      <section className="panel device-tab">
        <h2>{text('devices.clock')}</h2>
        <p className="strong">{offsetText(data.offsetMs, text)}</p>
        <p className="small secondary">{text('devices.clock.help')}</p>
        {data.wrong.length > 0 ? <WrongTimes wrong={data.wrong} /> : null}
      </section>
      {data.untimed.length > 0 ? <UntimedReadings untimed={data.untimed} /> : null}
    </>
  );
}

function WrongTimes({ wrong }: Pick<DeviceClock, 'wrong'>) {
  const { text, time } = useViewer();
  return (
    <TableFrame label={text('devices.clock.wrong')}>
      <thead>
        <tr>
          <th scope="col">{text('devices.clock.offset')}</th>
          <th scope="col" className="figure">
            {text('devices.places.from')}
          </th>
          <th scope="col" className="figure">
            {text('devices.places.until')}
          </th>
        </tr>
      </thead>
      <tbody>
        {wrong.map(({ from, until, offsetMs }) => (
          <tr key={from}>
            <td className="strong">{offsetText(offsetMs, text)}</td>
            <td className="figure secondary">{time(from, 'date-time-seconds')}</td>
            <td className="figure secondary">
              {until ? time(until, 'date-time-seconds') : text('devices.places.open')}
            </td>
          </tr>
        ))}
      </tbody>
    </TableFrame>
  );
}

function UntimedReadings({ untimed }: Pick<DeviceClock, 'untimed'>) {
  const { text, time } = useViewer();
  return (
    <section className="panel device-tab">
      <h2>{text('devices.untimed')}</h2>
      <p className="small secondary">{text('devices.untimed.help')}</p>
      <TableFrame label={text('devices.untimed')}>
        <thead>
          <tr>
            <th scope="col">{text('asset.sensors.channel')}</th>
            <th scope="col" className="figure">
              {text('devices.untimed.device-time')}
            </th>
            <th scope="col" className="figure">
              {text('asset.sensors.value')}
            </th>
            <th scope="col" className="figure">
              {text('devices.untimed.received')}
            </th>
          </tr>
        </thead>
        <tbody>
          {untimed.map(({ channelKey, channel, measuredAt, value, receivedAt }) => (
            <tr key={`${channelKey}:${measuredAt}`}>
              <td className="strong">{channel ? channel.name : channelKey}</td>
              <td className="figure">{time(measuredAt, 'date-time-seconds')}</td>
              <td className="figure">
                <bdi dir="ltr">{channel ? withUnit(channel.indicator, value) : value}</bdi>
              </td>
              <td className="figure secondary">{time(receivedAt, 'date-time-seconds')}</td>
            </tr>
          ))}
        </tbody>
      </TableFrame>
    </section>
  );
}
