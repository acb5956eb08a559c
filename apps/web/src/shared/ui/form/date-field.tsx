import DatePicker from 'antd/es/date-picker';
import dayjs from 'dayjs';
import { FieldFrame, type FieldProps } from './field-frame.tsx';
import { useField } from './form-context.ts';
import { isTab, KeyFrame } from './key-frame.tsx';

const SHAPE = 'YYYY-MM-DD';

/** A day of the calendar, as `2026-05-31`. */
export function DateField({ clearable = false, ...props }: FieldProps & { clearable?: boolean }) {
  const { value, set, fault, required } = useField<string>(props.name);
  return (
    <FieldFrame {...props} required={required} fault={fault}>
      {(control) => (
        <KeyFrame take={isTab}>
          <DatePicker
            {...control}
            {...(fault ? { status: 'error' as const } : {})}
            className="form-select"
            format={SHAPE}
            value={value ? dayjs(value, SHAPE) : null}
            allowClear={clearable}
            disabled={props.disabled ?? false}
            onChange={(next) => set(next?.format(SHAPE))}
          />
        </KeyFrame>
      )}
    </FieldFrame>
  );
}
