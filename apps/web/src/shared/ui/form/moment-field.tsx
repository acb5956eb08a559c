import { useViewer } from '../../format/viewer.tsx';
import { DatePicker, fromWallClock, pickerFormats, toWallClock } from '../date-picker.tsx';
import { FieldFrame, type FieldProps } from './field-frame.tsx';
import { useField } from './form-context.ts';
import { isTab, KeyFrame } from './key-frame.tsx';

/**
 * Field for a date and a time to the minute. It is picked in the user's time zone and stored as ISO 8601 in
 * UTC.
 */
export function MomentField(props: FieldProps) {
  const { zone, language } = useViewer();
  const { value, set, fault, required } = useField<string>(props.name);
  return (
    <FieldFrame {...props} required={required} fault={fault}>
      {(control) => (
        <KeyFrame take={isTab}>
          <DatePicker
            {...control}
            {...(fault ? { status: 'error' as const } : {})}
            className="form-select"
            showTime={{ format: 'HH:mm' }}
            format={pickerFormats('date-time', language)}
            value={value ? toWallClock(value, zone) : null}
            allowClear={false}
            disabled={props.disabled ?? false}
            // Enter accepts the typed time, and must not submit the form as well.
            onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
            onChange={(next) =>
              set(next ? new Date(fromWallClock(next.startOf('minute'), zone)).toISOString() : undefined)
            }
          />
        </KeyFrame>
      )}
    </FieldFrame>
  );
}
