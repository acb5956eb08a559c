import { fromWallClock, toWallClock } from '../../shared/ui/date-picker.tsx';

/** The local days of a range, with their beginnings and ends cut by the range. */
export function dayRange(
  from: string,
  to: string,
  zone: string,
): { day: string; begin: string; end: string }[] {
  const days: { day: string; begin: string; end: string }[] = [];
  const last = Date.parse(to);
  let midnight = toWallClock(from, zone).startOf('day');
  while (days.length < 100) {
    const next = midnight.add(1, 'day');
    const [begin, end] = [fromWallClock(midnight, zone), fromWallClock(next, zone)];
    if (begin >= last) break;
    days.push({
      day: midnight.format('YYYY-MM-DD'),
      begin: new Date(Math.max(begin, Date.parse(from))).toISOString(),
      end: new Date(Math.min(end, last)).toISOString(),
    });
    midnight = next;
  }
  return days;
}
