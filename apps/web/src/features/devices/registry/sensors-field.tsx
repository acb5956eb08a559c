import './registry.css';
import type { NewDevice } from '@isotherm/contracts/device-registry';
import { INDICATOR_NAMES } from '@isotherm/domain/readings/indicator';
import Select from 'antd/es/select';
import type { ReactNode } from 'react';
import { INDICATOR_LABEL } from '../../../shared/format/labels.ts';
import { useText } from '../../../shared/i18n/use-text.ts';
import { Button } from '../../../shared/ui/button.tsx';
import { useField } from '../../../shared/ui/form/form-context.ts';
import { isTab, KeyFrame } from '../../../shared/ui/form/key-frame.tsx';
import { Icon } from '../../../shared/ui/icon.tsx';

type Draft = Partial<NewDevice['sensors'][number]>;

/** Field for the sensors of a device in the order of their numbers, with name and quantities. */
export function SensorsField({ name }: { name: string }) {
  const { text } = useText();
  const { value = [], set, fault } = useField<Draft[]>(name);
  const change = (at: number, changes: Draft) =>
    set(value.map((each, i) => (i === at ? { ...each, ...changes } : each)));
  return (
    <div className="form-wide">
      {value.map((sensor, at) => {
        // The message below is one for all sensors; the outline shows where something is missing.
        const lacksName = fault !== undefined && (sensor.name ?? '').trim() === '';
        const lacksQuantities = fault !== undefined && (sensor.indicators ?? []).length === 0;
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a sensor is its place in the device.
          <fieldset key={at} className="device-sensor" aria-label={text('devices.sensor', { index: at + 1 })}>
            <span className="tertiary number">{at + 1}</span>
            <Cell label={text('devices.sensor.name')} required>
              <div className={lacksName ? 'field field-wrong' : 'field'}>
                <input
                  type="text"
                  aria-label={text('devices.sensor.name')}
                  aria-required
                  aria-invalid={lacksName}
                  value={sensor.name ?? ''}
                  onChange={(event) => change(at, { name: event.target.value })}
                />
              </div>
            </Cell>
            <Cell label={text('devices.sensor.serial')}>
              <div className="field">
                <input
                  type="text"
                  aria-label={text('devices.sensor.serial')}
                  value={sensor.serial ?? ''}
                  onChange={(event) => change(at, { serial: event.target.value })}
                />
              </div>
            </Cell>
            <Cell label={text('devices.sensor.indicators')} required>
              <KeyFrame take={isTab}>
                <Select
                  mode="multiple"
                  className="form-select"
                  aria-label={text('devices.sensor.indicators')}
                  aria-required
                  aria-invalid={lacksQuantities}
                  status={lacksQuantities ? 'error' : ''}
                  value={sensor.indicators ?? []}
                  options={INDICATOR_NAMES.map((each) => ({
                    value: each,
                    label: text(INDICATOR_LABEL[each]),
                  }))}
                  showSearch={{ optionFilterProp: 'label' }}
                  onChange={(indicators) => change(at, { indicators })}
                />
              </KeyFrame>
            </Cell>
            <Button
              variant="quiet"
              size="small"
              icon
              aria-label={text('devices.sensor.remove', { index: at + 1 })}
              disabled={value.length === 1}
              onClick={() => set(value.filter((_, i) => i !== at))}
            >
              <Icon name="bin" />
            </Button>
          </fieldset>
        );
      })}
      {fault ? (
        <div className="field-fault">
          <Icon name="info" small />
          {fault}
        </div>
      ) : null}
      <Button size="small" onClick={() => set([...value, { name: '', indicators: ['temperature'] }])}>
        <Icon name="plus" />
        {text('devices.sensor.add')}
      </Button>
    </div>
  );
}

/** Cell with a visible column label. Screen readers use the label of the control itself. */
function Cell({
  label,
  required = false,
  children,
}: {
  label: string;
  required?: boolean;
  children: ReactNode;
}) {
  return (
    <div className="device-sensor-cell">
      <span className="field-label" aria-hidden="true">
        {label}
        {required ? <em className="form-required">*</em> : null}
      </span>
      {children}
    </div>
  );
}
