import './waybills.css';
import type { WaybillDetail } from '@isotherm/contracts/waybills';
import { MOST_TRIP_DEVICES } from '@isotherm/domain/waybills/trip-devices';
import { useMemo, useState } from 'react';
import { useText } from '../../../shared/i18n/use-text.ts';
import { Button } from '../../../shared/ui/button.tsx';
import { AsyncSelect } from '../../../shared/ui/form/choice-fields.tsx';
import { FieldFrame } from '../../../shared/ui/form/field-frame.tsx';
import { useField } from '../../../shared/ui/form/form-context.ts';
import { Icon } from '../../../shared/ui/icon.tsx';
import { findTripDevices } from './waybills.queries.ts';

/** Field for the devices that are bound to the chosen asset for the trip only. */
export function TripDevicesField({ waybill }: { waybill: WaybillDetail | undefined }) {
  const { text } = useText();
  const { value: assetId } = useField<number>('assetId');
  const { value: ids = [], set, fault } = useField<number[]>('deviceIds');
  const [labels, setLabels] = useState<ReadonlyMap<number, string>>(
    () => new Map(waybill?.devices.map(({ id, number, name }) => [id, labelOf(number, name)])),
  );
  const source = useMemo(
    () => ({
      key: ['waybills', 'trip-devices', assetId ?? 0],
      search: async (search: string) => {
        if (assetId === undefined) return [];
        const devices = await findTripDevices(assetId, search);
        setLabels((known) => {
          const all = new Map(known);
          for (const { id, number, name } of devices) all.set(id, labelOf(number, name));
          return all;
        });
        return devices.map(({ id, number, name, assetName, onTrip }) => ({
          value: id,
          label: labelOf(number, name),
          hint:
            onTrip !== null
              ? text('waybills.trip-devices.on-trip', { waybill: onTrip })
              : assetName === null
                ? ''
                : text('waybills.trip-devices.now-on', { asset: assetName }),
        }));
      },
    }),
    [assetId, text],
  );
  return (
    <div className="form-wide">
      <FieldFrame
        wide
        label={text('waybills.trip-devices')}
        help={text('waybills.trip-devices.help')}
        required={false}
        fault={fault}
      >
        {({ id }) => (
          <AsyncSelect
            id={id}
            source={source}
            value={undefined}
            clearable={false}
            disabled={assetId === undefined || ids.length >= MOST_TRIP_DEVICES}
            placeholder={text(
              assetId === undefined ? 'waybills.trip-devices.asset-first' : 'waybills.trip-devices.add',
            )}
            onChange={(value) => {
              if (typeof value === 'number' && !ids.includes(value)) set([...ids, value]);
            }}
          />
        )}
      </FieldFrame>
      {ids.length > 0 ? (
        <ul className="waybill-devices">
          {ids.map((id) => (
            <li key={id} className="row">
              <span>{labels.get(id) ?? id}</span>
              <Button
                variant="quiet"
                size="small"
                icon
                className="end"
                aria-label={text('waybills.trip-devices.remove', { device: labels.get(id) ?? String(id) })}
                onClick={() => set(ids.filter((each) => each !== id))}
              >
                <Icon name="bin" />
              </Button>
            </li>
          ))}
        </ul>
      ) : null}
    </div>
  );
}

const labelOf = (number: string, name: string) => [number, name].filter(Boolean).join(' · ');
