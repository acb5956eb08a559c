import type { Dayjs } from 'dayjs';
import { EN_RULE } from '../../format/number.ts';
import { useViewer, type Viewer } from '../../format/viewer.tsx';
import { DatePicker, fromWallClock, pickerFormats, toWallClock } from '../date-picker.tsx';
import type { FilterValues, ListFilter } from './list-types.ts';

/** Filter of a list by a period; sets the query keys `from` and `to`. */
export function periodFilter({ text, time }: Viewer): ListFilter {
  return {
    keys: ['from', 'to'],
    label: text('logs.period'),
    control: (values, change) => <PeriodField values={values} onChange={change} />,
    describe: ({ from, to }) =>
      [from, to].map((moment) => (moment ? time(moment, 'date-time') : '…')).join(` ${EN_RULE} `),
  };
}

/** Fields for the start and the end in the user's time zone, even if the browser has another one. */
export function PeriodField({
  values,
  onChange,
}: {
  values: FilterValues;
  onChange: (values: Record<string, string | null>) => void;
}) {
  const { text, zone, language } = useViewer();
  const inZone = (moment: string | undefined) => (moment ? toWallClock(moment, zone) : null);
  const momentOf = (picked: Dayjs | null | undefined) =>
    picked ? new Date(fromWallClock(picked, zone)).toISOString() : null;
  return (
    <DatePicker.RangePicker
      className="list-period"
      aria-label={text('logs.period')}
      showTime={{ format: 'HH:mm' }}
      format={pickerFormats('date-time', language)}
      allowEmpty={[true, true]}
      placeholder={[text('logs.from'), text('logs.to')]}
      value={[inZone(values.from), inZone(values.to)]}
      onChange={(next) => onChange({ from: momentOf(next?.[0]), to: momentOf(next?.[1]) })}
    />
  );
}
