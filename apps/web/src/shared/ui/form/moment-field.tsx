import DatePicker from 'antd/es/date-picker';
import dayjs from 'dayjs';
import timezone from 'dayjs/plugin/timezone';
import utc from 'dayjs/plugin/utc';
import { useViewer } from '../../format/viewer.tsx';
import { FieldFrame, type FieldProps } from './field-frame.tsx';
import { useField } from './form-context.ts';
import { isTab, KeyFrame } from './key-frame.tsx';

dayjs.extend(utc);
dayjs.extend(timezone);

/** A moment, to the minute, picked as the viewer's clocks show it and kept as ISO 8601 in UTC. */
export function MomentField(props: FieldProps) {
  const { zone } = useViewer();
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
            format="YYYY-MM-DD HH:mm"
            value={value ? dayjs(value).tz(zone) : null}
            allowClear={false}
            disabled={props.disabled ?? false}
            // Enter takes what was typed; the form is sent by the next one elsewhere.
            onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
            onChange={(next) =>
              set(next ? dayjs.tz(next.format('YYYY-MM-DDTHH:mm:00'), zone).toISOString() : undefined)
            }
          />
        </KeyFrame>
      )}
    </FieldFrame>
  );
}
