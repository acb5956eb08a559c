import type { ChannelValue, Sparkline } from '@isotherm/contracts/assets';

/**
 * Adds the latest reading from the WebSocket to a sparkline: it extends the range of the last time bucket,
 * or adds new buckets and drops the oldest.
 */
export function withNewest(line: Sparkline, newest: ChannelValue | null): Sparkline {
  if (newest?.value == null || newest.measuredAt === null || newest.channelId !== line.channelId) return line;
  const count = line.min.length;
  const index = Math.floor((Date.parse(newest.measuredAt) - Date.parse(line.from)) / line.stepMs);
  if (index < count - 1) return line;
  const shift = index - count + 1;
  if (shift >= count) return line;
  const grown = (values: readonly (number | null)[]) => [
    ...values.slice(shift),
    ...Array.from({ length: shift }, () => null),
  ];
  const { value } = newest;
  const min = grown(line.min);
  const max = grown(line.max);
  min[count - 1] = Math.min(min[count - 1] ?? value, value);
  max[count - 1] = Math.max(max[count - 1] ?? value, value);
  const from = new Date(Date.parse(line.from) + shift * line.stepMs).toISOString();
  return { ...line, from, min, max };
}
