/**
 * Readings of a channel in order of time, with each time once. Times are in epoch ms, values are decimals
 * (decimal.ts).
 */
export interface Series {
  at: Float64Array;
  value: Float64Array;
}

export const NO_READINGS: Series = { at: new Float64Array(0), value: new Float64Array(0) };

/** Returns the index of the first reading at or after `moment`. */
export function firstAtOrAfter(at: Float64Array, moment: number): number {
  let low = 0;
  let high = at.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((at[middle] as number) < moment) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Returns the readings from `from` (inclusive) to `to` (exclusive). */
export function sliceSeries(series: Series, from: number, to: number): Series {
  const begin = firstAtOrAfter(series.at, from);
  const end = Math.max(begin, firstAtOrAfter(series.at, to));
  if (begin === 0 && end === series.at.length) return series;
  return { at: series.at.subarray(begin, end), value: series.value.subarray(begin, end) };
}

/**
 * Merges two series. A reading is identified by channel and time: if both contain it, that of `first` is
 * kept.
 */
export function mergeSeries(first: Series, second: Series): Series {
  if (second.at.length === 0) return first;
  if (first.at.length === 0) return second;
  const at = new Float64Array(first.at.length + second.at.length);
  const value = new Float64Array(at.length);
  let count = 0;
  let i = 0;
  let j = 0;
  while (i < first.at.length || j < second.at.length) {
    const a = i < first.at.length ? (first.at[i] as number) : Number.POSITIVE_INFINITY;
    const b = j < second.at.length ? (second.at[j] as number) : Number.POSITIVE_INFINITY;
    at[count] = Math.min(a, b);
    value[count] = (a <= b ? first.value[i] : second.value[j]) as number;
    count++;
    if (a <= b) i++;
    if (b <= a) j++;
  }
  return { at: at.subarray(0, count), value: value.subarray(0, count) };
}
