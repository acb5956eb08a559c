import './asset.css';
import type { EarlierChannel } from '@isotherm/contracts/assets';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { isQuantity } from '../../shared/assets/asset-words.ts';
import { INDICATOR_LABEL } from '../../shared/format/labels.ts';
import { EN_RULE } from '../../shared/format/number.ts';
import { useViewer } from '../../shared/format/viewer.tsx';
import { FailureNotice } from '../../shared/ui/notice.tsx';
import { TableFrame } from '../../shared/ui/table-frame.tsx';
import { earlierChannelsQuery } from './assets.queries.ts';

/** Additional time that the chart shows before the first and after the last reading. */
const BESIDE_MS = 3_600_000;

/**
 * Collapsed list of the channels that measured the asset earlier; their history stays with the asset
 * (decision 9).
 */
export function EarlierChannels({ assetId }: { assetId: number }) {
  const { text, time } = useViewer();
  const { data, error, refetch } = useQuery(earlierChannelsQuery(assetId));
  if (error && !data) return <FailureNotice error={error} retry={() => void refetch()} />;
  if (!data || data.length === 0) return null;
  return (
    <details className="panel earlier">
      <summary>{text('asset.earlier.title', { count: data.length })}</summary>
      <p className="small secondary">{text('asset.earlier.reason')}</p>
      <TableFrame label={text('asset.earlier.title', { count: data.length })}>
        <thead>
          <tr>
            <th>{text('asset.sensors.channel')}</th>
            <th>{text('asset.sensors.indicator')}</th>
            <th>{text('asset.earlier.device')}</th>
            <th>{text('asset.earlier.sensor')}</th>
            <th className="figure">{text('asset.earlier.from')}</th>
            <th className="figure">{text('asset.earlier.until')}</th>
            <th>{text('asset.tab.curve')}</th>
          </tr>
        </thead>
        <tbody>
          {data.map((channel) => (
            <tr key={channel.channelId}>
              <td className="strong">{channel.name}</td>
              <td className="secondary">{text(INDICATOR_LABEL[channel.indicator])}</td>
              <td className="secondary">{channel.deviceNumber}</td>
              <td className="secondary">{channel.sensorSerial || EN_RULE}</td>
              <td className="figure secondary">{time(channel.from, 'date-time')}</td>
              <td className="figure secondary">{time(channel.until, 'date-time')}</td>
              <td>
                {isQuantity(channel) ? (
                  <Link to={curveOf(assetId, channel, data)}>{text('asset.earlier.curve')}</Link>
                ) : (
                  EN_RULE
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </TableFrame>
    </details>
  );
}

/**
 * Returns the address of the chart for the time of a channel, with the switch channels of the same device.
 */
function curveOf(assetId: number, channel: EarlierChannel, all: readonly EarlierChannel[]): string {
  const beside = all.filter(
    (each) =>
      !isQuantity(each) &&
      each.deviceNumber === channel.deviceNumber &&
      each.from <= channel.until &&
      each.until >= channel.from,
  );
  const at = (moment: string, by: number) => new Date(Date.parse(moment) + by).toISOString();
  const query = new URLSearchParams({
    channels: [channel, ...beside].map(({ channelId }) => channelId).join(),
    from: at(channel.from, -BESIDE_MS),
    to: at(channel.until, BESIDE_MS),
  });
  return `/asset/${assetId}?${query}`;
}
