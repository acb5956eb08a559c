import { switchLabel } from '@isotherm/i18n/alarm-words';
import './registry.css';
import type { DeviceDetail, DeviceSensor } from '@isotherm/contracts/device-registry';
import { INDICATORS } from '@isotherm/domain/readings/indicator';
import { useState } from 'react';
import { usePermission } from '../../../shared/access/permissions.ts';
import { INDICATOR_LABEL } from '../../../shared/format/labels.ts';
import { limitsText } from '../../../shared/format/limits.ts';
import { EN_RULE, withUnit } from '../../../shared/format/number.ts';
import { Age } from '../../../shared/format/viewer.tsx';
import { useText } from '../../../shared/i18n/use-text.ts';
import { Button } from '../../../shared/ui/button.tsx';
import { SwitchField } from '../../../shared/ui/form/choice-fields.tsx';
import { FormDrawer, FormSection } from '../../../shared/ui/form/form-drawer.tsx';
import { TextField } from '../../../shared/ui/form/text-fields.tsx';
import { Notice } from '../../../shared/ui/notice.tsx';
import { TableFrame } from '../../../shared/ui/table-frame.tsx';
import { toast } from '../../../shared/ui/toast.tsx';
import { sensorForm, useDeviceChanges } from './registry.queries.ts';

type Channel = DeviceSensor['channels'][number];

function valueWords({ indicator, value }: Channel, text: ReturnType<typeof useText>['text']): string {
  if (value === null) return EN_RULE;
  return INDICATORS[indicator].kind === 'quantity'
    ? withUnit(indicator, value)
    : text(switchLabel(indicator, value));
}

function isOutside({ value, low, high }: Channel): boolean {
  return value !== null && ((low !== null && value < low) || (high !== null && value > high));
}

/** Tab with the channels of each sensor, their values and limits. Sensors can be renamed and disabled. */
export function DeviceSensors({ device }: { device: DeviceDetail }) {
  const { text } = useText();
  const mayEdit = usePermission('device-list:edit') && device.deletedAt === null;
  const [editing, setEditing] = useState<DeviceSensor | null>(null);
  if (device.sensors.length === 0) return <Notice icon="channels" title={text('devices.sensors.none')} />;
  return (
    <section className="panel">
      <TableFrame label={text('devices.section.sensors')}>
        <thead>
          <tr>
            <th scope="col">{text('devices.sensor.name')}</th>
            <th scope="col">{text('asset.sensors.channel')}</th>
            <th scope="col" className="figure">
              {text('asset.sensors.value')}
            </th>
            <th scope="col" className="figure">
              {text('asset.fact.limits')}
            </th>
            <th scope="col" className="figure">
              {text('asset.sensors.measured')}
            </th>
            {mayEdit ? <th scope="col" aria-label={text('devices.sensor.edit')} /> : null}
          </tr>
        </thead>
        {device.sensors.map((sensor) => (
          <tbody key={sensor.index}>
            {sensor.channels.map((channel, at) => (
              <tr key={channel.channelId}>
                <td>
                  {at === 0 ? (
                    <>
                      <span className="strong">
                        {sensor.index} · {sensor.name}
                      </span>{' '}
                      <span className="small tertiary">{sensor.serial || EN_RULE}</span>{' '}
                      {sensor.disabled ? <span className="tag">{text('devices.sensor.off')}</span> : null}
                    </>
                  ) : null}
                </td>
                <td>
                  {channel.name}{' '}
                  {channel.name === text(INDICATOR_LABEL[channel.indicator]) ? null : (
                    <span className="small tertiary">{text(INDICATOR_LABEL[channel.indicator])}</span>
                  )}
                </td>
                <td className={isOutside(channel) ? 'figure strong device-outside' : 'figure strong'}>
                  <bdi dir="ltr">{valueWords(channel, text)}</bdi>
                  {isOutside(channel) ? (
                    <span className="small"> · {text('devices.sensor.outside')}</span>
                  ) : null}
                </td>
                <td className="figure secondary">
                  <bdi dir="ltr">
                    {channel.low === null && channel.high === null ? EN_RULE : limitsText(channel, text)}
                  </bdi>
                </td>
                <td className="figure secondary">
                  {channel.measuredAt ? <Age since={channel.measuredAt} /> : EN_RULE}
                </td>
                {mayEdit ? (
                  <td className="figure">
                    {at === 0 ? (
                      <Button variant="link" onClick={() => setEditing(sensor)}>
                        {text('devices.sensor.edit')}
                      </Button>
                    ) : null}
                  </td>
                ) : null}
              </tr>
            ))}
          </tbody>
        ))}
      </TableFrame>
      {editing ? (
        <SensorForm number={device.number} sensor={editing} onClose={() => setEditing(null)} />
      ) : null}
    </section>
  );
}

function SensorForm({
  number,
  sensor,
  onClose,
}: {
  number: string;
  sensor: DeviceSensor;
  onClose: () => void;
}) {
  const { text } = useText();
  const changes = useDeviceChanges();
  const { name, serial, disabled } = sensor;
  return (
    <FormDrawer
      title={text('devices.sensor', { index: sensor.index })}
      submitLabel={text('common.action.save')}
      schema={sensorForm}
      initial={{ name, serial, disabled }}
      submit={async (values) => {
        await changes.editSensor(number, sensor.index, values);
        toast('success', text('devices.edit.done', { number }));
      }}
      onClose={onClose}
    >
      <FormSection>
        <TextField name="name" label={text('devices.sensor.name')} />
        <TextField name="serial" label={text('devices.sensor.serial')} />
        <SwitchField
          name="disabled"
          label={text('devices.sensor.off')}
          help={text('devices.sensor.off.help')}
        />
      </FormSection>
    </FormDrawer>
  );
}
