import { fromWallClock, toWallClock } from '../../shared/ui/date-picker.tsx';
import type { RecordRange } from './reports.queries.ts';

/** Value in the address for the period directly before the range; another value is the beginning of the earlier period. */
export const PERIOD_BEFORE = 'before';

/**
 * The earlier period that a range is compared with; null without one. It has the same length on the clock of the zone, so
 * that whole days are compared with whole days also when clocks change between them.
 */
export function earlierRange(range: RecordRange, compare: string | null, zone: string): RecordRange | null {
  if (compare === null) return null;
  const [from, to] = [toWallClock(range.from, zone), toWallClock(range.to, zone)];
  const lengthMs = to.diff(from);
  const isBefore = compare === PERIOD_BEFORE;
  if (!isBefore && Number.isNaN(Date.parse(compare))) return null;
  const begin = isBefore ? from.subtract(lengthMs, 'ms') : toWallClock(compare, zone);
  const moment = (at: typeof begin) => new Date(fromWallClock(at, zone)).toISOString();
  return { from: moment(begin), to: isBefore ? range.from : moment(begin.add(lengthMs, 'ms')) };
}
