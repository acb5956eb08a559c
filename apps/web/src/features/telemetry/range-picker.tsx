import { MAX_CURVE_RANGE_MS } from '@isotherm/contracts/telemetry';
import DatePicker from 'antd/es/date-picker';
import dayjs, { type Dayjs } from 'dayjs';
import timezone from 'dayjs/plugin/timezone';
import utc from 'dayjs/plugin/utc';
import type { TimeRange } from '../../shared/chart/curve-model.ts';
import { useViewer } from '../../shared/format/viewer.tsx';
import { type CurveWindow, LATEST_NAMES, type LatestName } from './curve-window.ts';

dayjs.extend(utc);
dayjs.extend(timezone);

const LABEL: Record<LatestName, string> = {
  '6h': 'curve.range.6h',
  '24h': 'curve.range.24h',
  '7d': 'curve.range.7d',
  '30d': 'curve.range.30d',
};

/** Named ranges that end now, and a free one in the viewer's zone. */
export function RangePicker({
  window,
  shown,
  onLatest,
  onFixed,
}: {
  window: CurveWindow;
  shown: TimeRange | null;
  onLatest: (name: LatestName) => void;
  onFixed: (range: TimeRange) => void;
}) {
  const { text, zone } = useViewer();
  const inZone = (moment: number) => dayjs(moment).tz(zone);
  const value: [Dayjs, Dayjs] | null = shown ? [inZone(shown.from), inZone(shown.to)] : null;
  return (
    <>
      <fieldset className="segments" aria-label={text('curve.range')}>
        {LATEST_NAMES.map((name) => (
          <button
            key={name}
            type="button"
            aria-pressed={window.kind === 'latest' && window.name === name}
            onClick={() => onLatest(name)}
          >
            {text(LABEL[name])}
          </button>
        ))}
      </fieldset>
      <DatePicker.RangePicker
        className="curve-dates"
        showTime={{ format: 'HH:mm' }}
        format="YYYY-MM-DD HH:mm"
        allowClear={false}
        value={value}
        maxDate={dayjs().tz(zone).endOf('day')}
        disabledDate={(day, { from }) =>
          from ? Math.abs(day.valueOf() - from.valueOf()) > MAX_CURVE_RANGE_MS : false
        }
        onChange={(next) => {
          const [from, to] = next ?? [];
          // What was picked is a wall-clock time of the viewer's zone, whatever zone the browser is in.
          if (from && to) onFixed({ from: wallClock(from, zone), to: wallClock(to, zone) });
        }}
      />
    </>
  );
}

function wallClock(picked: Dayjs, zone: string): number {
  return dayjs.tz(picked.format('YYYY-MM-DDTHH:mm:ss'), zone).valueOf();
}
