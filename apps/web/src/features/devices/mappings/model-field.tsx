import { useQuery } from '@tanstack/react-query';
import AutoComplete from 'antd/es/auto-complete';
import { useText } from '../../../shared/i18n/use-text.ts';
import { FieldFrame } from '../../../shared/ui/form/field-frame.tsx';
import { useField } from '../../../shared/ui/form/form-context.ts';
import { isTab, KeyFrame } from '../../../shared/ui/form/key-frame.tsx';
import { deviceModelsQuery } from './mappings.queries.ts';

/** Field for a device model as in the registry. Existing models are suggested, and a new one can be typed. */
export function ModelField({ name }: { name: string }) {
  const { text } = useText();
  const { value, set, fault, required } = useField<string>(name);
  const { data: models = [] } = useQuery(deviceModelsQuery);
  return (
    <FieldFrame
      label={text('mappings.model')}
      help={text('mappings.model.help')}
      required={required}
      fault={fault}
    >
      {(control) => (
        <KeyFrame take={isTab}>
          <AutoComplete
            {...control}
            {...(fault ? { status: 'error' as const } : {})}
            className="form-select"
            allowClear
            value={value ?? ''}
            placeholder={text('mappings.model.every')}
            showSearch={{
              filterOption: (typed, option) =>
                String(option?.value).toLowerCase().includes(typed.trim().toLowerCase()),
            }}
            options={models.map(({ model, devices }) => ({
              value: model,
              label: (
                <span>
                  {model}{' '}
                  <span className="small tertiary">{text('mappings.devices.count', { count: devices })}</span>
                </span>
              ),
            }))}
            onChange={(next: string | undefined) => set(next ?? '')}
          />
        </KeyFrame>
      )}
    </FieldFrame>
  );
}
