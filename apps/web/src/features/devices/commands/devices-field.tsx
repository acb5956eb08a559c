import { useQuery } from '@tanstack/react-query';
import Select from 'antd/es/select';
import { useState } from 'react';
import { useText } from '../../../shared/i18n/use-text.ts';
import { FieldFrame } from '../../../shared/ui/form/field-frame.tsx';
import { useField } from '../../../shared/ui/form/form-context.ts';
import { isTab, KeyFrame } from '../../../shared/ui/form/key-frame.tsx';
import { useSettled } from '../../../shared/ui/form/use-settled.ts';
import { foundDevicesQuery } from './commands.queries.ts';

/** Field that selects several devices, found by number or name. */
export function DevicesField({ name, label, help }: { name: string; label?: string; help?: string }) {
  const { text } = useText();
  const { value = [], set, fault } = useField<string[]>(name);
  const [typed, setTyped] = useState('');
  const { data = [], isFetching } = useQuery(foundDevicesQuery(useSettled(typed)));
  return (
    <FieldFrame
      wide
      label={label ?? text('commands.devices')}
      help={help ?? text('commands.devices.help')}
      required={false}
      fault={fault}
    >
      {(control) => (
        <KeyFrame take={isTab}>
          <Select
            {...control}
            {...(fault ? { status: 'error' as const } : {})}
            mode="multiple"
            className="form-select"
            value={value}
            loading={isFetching}
            showSearch={{ filterOption: false, onSearch: setTyped, autoClearSearchValue: false }}
            notFoundContent={text(isFetching ? 'common.loading' : 'common.list.no-match')}
            options={data.map((device) => ({
              value: device.number,
              label: device.number,
              hint: `${device.name} · ${device.organizationName}`,
            }))}
            optionRender={({ data: { label, hint } }) => (
              <span>
                {label} <span className="small tertiary">{hint}</span>
              </span>
            )}
            onChange={(next: string[]) => set(next)}
          />
        </KeyFrame>
      )}
    </FieldFrame>
  );
}
