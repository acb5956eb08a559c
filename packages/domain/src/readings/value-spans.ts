import type { Series } from './series.ts';

/** A time in which all readings of a channel had a property. */
export interface ValueSpan {
  from: number;
  /** When the first reading without the property came, or nothing more was known; null if it lasts at the end of the series. */
  to: number | null;
  min: number;
  max: number;
}

/**
 * The times in which the readings have a property, such as a door that is open, or a value above its limit. A reading counts for
 * `allowanceMs` at most: a longer silence ends a span.
 */
export function spansOf(
  { at, value }: Series,
  has: (value: number) => boolean,
  allowanceMs: number,
): ValueSpan[] {
  const spans: ValueSpan[] = [];
  let open: ValueSpan | null = null;
  for (let index = 0; index < at.length; index++) {
    const [moment, one] = [at[index] as number, value[index] as number];
    const known = (at[index - 1] ?? moment) + allowanceMs;
    if (open && known < moment) {
      open.to = known;
      open = null;
    }
    if (!has(one)) {
      if (open) open.to = moment;
      open = null;
    } else if (open) {
      open.min = Math.min(open.min, one);
      open.max = Math.max(open.max, one);
    } else {
      open = { from: moment, to: null, min: one, max: one };
      spans.push(open);
    }
  }
  return spans;
}
