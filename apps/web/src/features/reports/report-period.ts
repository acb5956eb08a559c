import { checkTimeRange, type RangeFault } from '@isotherm/domain/reports/time-range';
import type { TextId } from '@isotherm/i18n/text-id';
import { useMemo } from 'react';
import { serverNow } from '../../shared/api/clock.ts';
import { useViewer } from '../../shared/format/viewer.tsx';
import { fromWallClock, toWallClock } from '../../shared/ui/date-picker.tsx';
import { useUrlState } from '../../shared/ui/use-url-state.ts';

/** Value in the address of a time that was removed. */
const REMOVED = 'none';

const FAULT_TEXT: Record<RangeFault, TextId> = {
  missing: 'errors.time.selInput',
  'no-maximum': 'errors.time.no_maximum',
  format: 'errors.time.format',
  order: 'errors.time.order',
  'too-long': 'errors.time.too_long',
};

/**
 * The range of a report in the address: by default the last full days. It is checked as requirements §5 demands; `fault` is
 * the sentence of the first fault. `days` is the longest range: null if none is set, undefined until it is known.
 */
export function useReportPeriod(days: number | null | undefined, usualDays: number) {
  const { text, zone } = useViewer();
  const [params, change] = useUrlState();
  const usual = useMemo(() => lastDays(zone, usualDays), [zone, usualDays]);
  const timeOf = (key: 'from' | 'to') => {
    const given = params.get(key);
    return given === REMOVED ? undefined : (given ?? usual[key]);
  };
  const [from, to] = [timeOf('from'), timeOf('to')];
  const checked = useMemo(() => checkTimeRange(from, to, days ?? null), [from, to, days]);
  const range = useMemo(
    () =>
      checked.fault === null
        ? { from: new Date(checked.from).toISOString(), to: new Date(checked.to).toISOString() }
        : null,
    [checked],
  );
  return {
    range,
    fault:
      checked.fault !== null && days !== undefined
        ? text(FAULT_TEXT[checked.fault], { days: days ?? 0 })
        : null,
    /** Values and changes of a `PeriodField`. */
    field: {
      values: { ...(from ? { from } : {}), ...(to ? { to } : {}) },
      onChange: (next: { from?: string | null; to?: string | null }) =>
        change({ from: next.from ?? REMOVED, to: next.to ?? REMOVED }),
    },
  };
}

/** Returns the last full days in the user's time zone. */
function lastDays(zone: string, days: number): { from: string; to: string } {
  const midnight = toWallClock(serverNow(), zone).startOf('day');
  const moment = (at: typeof midnight) => new Date(fromWallClock(at, zone)).toISOString();
  return { from: moment(midnight.subtract(days, 'day')), to: moment(midnight) };
}
