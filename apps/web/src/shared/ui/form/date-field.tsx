import dayjs from 'dayjs';
import { useViewer } from '../../format/viewer.tsx';
import { DatePicker, pickerFormats } from '../date-picker.tsx';
import { FieldFrame, type FieldProps } from './field-frame.tsx';
import { useField } from './form-context.ts';
import { isTab, KeyFrame } from './key-frame.tsx';

/** Field for a calendar day, such as `2027-05-31`; null if empty. */
export function DateField(props: FieldProps) {
  const { language } = useViewer();
  const { value, set, fault, required } = useField<string | null>(props.name);
  return (
    <FieldFrame {...props} required={required} fault={fault}>
      {(control) => (
        <KeyFrame take={isTab}>
          <DatePicker
            {...control}
            {...(fault ? { status: 'error' as const } : {})}
            className="form-select"
            format={pickerFormats('date', language)}
            value={value ? dayjs.utc(value) : null}
            allowClear={!required}
            disabled={props.disabled ?? false}
            onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
            onChange={(next) => set(next ? next.format('YYYY-MM-DD') : null)}
          />
        </KeyFrame>
      )}
    </FieldFrame>
  );
}
