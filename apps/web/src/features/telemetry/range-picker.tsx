import { MAX_CURVE_RANGE_MS } from '@isotherm/contracts/telemetry';
import type { TextId } from '@isotherm/i18n/text-id';
import type { Dayjs } from 'dayjs';
import type { TimeRange } from '../../shared/chart/curve-model.ts';
import { useViewer } from '../../shared/format/viewer.tsx';
import { DatePicker, fromWallClock, pickerFormats, toWallClock } from '../../shared/ui/date-picker.tsx';
import { type CurveWindow, LATEST_NAMES, type LatestName } from './curve-window.ts';

const LABEL: Record<LatestName, TextId> = {
  '6h': 'curve.range.6h',
  '24h': 'curve.range.24h',
  '7d': 'curve.range.7d',
  '30d': 'curve.range.30d',
};

/** Picker with named ranges that end now, and a free range in the user's time zone. */
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
  const { text, zone, language } = useViewer();
  const value: [Dayjs, Dayjs] | null = shown
    ? [toWallClock(shown.from, zone), toWallClock(shown.to, zone)]
    : null;
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
        format={pickerFormats('date-time', language)}
        allowClear={false}
        value={value}
        maxDate={toWallClock(Date.now(), zone).endOf('day')}
        disabledDate={(day, { from }) =>
          from ? Math.abs(day.valueOf() - from.valueOf()) > MAX_CURVE_RANGE_MS : false
        }
        onChange={(next) => {
          const [from, to] = next ?? [];
          if (from && to) onFixed({ from: fromWallClock(from, zone), to: fromWallClock(to, zone) });
        }}
      />
    </>
  );
}
