import type { WaybillDetail } from '@isotherm/contracts/waybills';
import { useViewer, type Viewer } from '../../../shared/format/viewer.tsx';

type TripDeviceView = WaybillDetail['devices'][number];

/** Devices that are bound for the trip, since when, and to which asset they go back. */
export function TripDevicesPanel({ waybill }: { waybill: WaybillDetail }) {
  const viewer = useViewer();
  if (waybill.devices.length === 0) return null;
  return (
    <section className="panel waybill-section">
      <h2>{viewer.text('waybills.trip-devices')}</h2>
      <ol className="waybill-custody">
        {waybill.devices.map((device) => (
          <li key={`${device.id} ${device.boundAt}`}>
            <div className="strong">{[device.number, device.name].filter(Boolean).join(' · ')}</div>
            <div className={device.missed === null ? 'secondary' : 'strong'}>
              {boundWords(device, viewer)}
            </div>
            {device.homeAssetName === null ? null : (
              <div className="small tertiary">
                {viewer.text(
                  device.releasedAt === null
                    ? 'waybills.trip-devices.returns'
                    : 'waybills.trip-devices.returned',
                  { asset: device.homeAssetName },
                )}
              </div>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}

function boundWords(
  { boundAt, releasedAt, missed }: TripDeviceView,
  { text, time }: Pick<Viewer, 'text' | 'time'>,
): string {
  if (missed !== null) return text(`waybills.trip-devices.missed.${missed}`);
  if (boundAt === null) return text('waybills.trip-devices.planned');
  const from = time(boundAt, 'date-time');
  return releasedAt === null
    ? text('waybills.trip-devices.bound', { from })
    : text('waybills.trip-devices.released', { from, until: time(releasedAt, 'date-time') });
}
