/**
 * A derived value that a rule compares with its limit instead of the measured value. A signal is a function
 * of the readings in a bounded time before each reading, and not of a state. A replay of any part of the
 * history therefore gives the same values, in whatever order the readings arrived.
 *
 * Each reading gives one value. NaN means that the value is unknown; the reading is then not evaluated, as
 * in a quiet span.
 */
export type Signal = (
  | WindowSignal
  /** Absolute difference from the latest value of another channel of the device. */
  | ({ type: 'difference' } & OtherChannel)
  /**
   * The measured value, but only while the latest value of another channel of the device is within the
   * bounds.
   */
  | ({ type: 'while' } & OtherChannel & Bounds)
) & {
  /**
   * Further conditions about other channels. While one of them is known not to be met, the limit is not reached, whatever
   * the value is.
   */
  and?: readonly (OtherChannel & Bounds)[] | undefined;
};

/** A signal computed from the readings of the channel itself. */
export type WindowSignal =
  /** Change in units per hour since the oldest reading of the window. */
  | { type: 'rate'; windowMs: number }
  /** Minutes outside the bounds within the window; time across a gap does not count. */
  | ({ type: 'outside-time'; windowMs: number } & Bounds)
  /**
   * Number of times that the value left the bounds within the window. A value outside the bounds after a gap
   * is counted again.
   */
  | ({ type: 'outside-count'; windowMs: number } & Bounds)
  /** Expected value after the horizon if the trend in the window continues. */
  | { type: 'forecast'; windowMs: number; horizonMs: number };

export type SignalType = Signal['type'];
export const SIGNAL_TYPES = [
  'rate',
  'outside-time',
  'outside-count',
  'forecast',
  'difference',
  'while',
] as const satisfies readonly SignalType[];

/** Values from `low` to `high` are inside; null: unbounded. */
export interface Bounds {
  low: number | null;
  high: number | null;
}

export interface OtherChannel {
  otherChannelId: number;
  /** A value of the other channel that is older than this is treated as unknown. */
  maxAgeMs: number;
}

/** True if two signals are equal; null means that there is no signal. */
export function isSameSignal(a: object | null, b: object | null): boolean {
  if (a === null || b === null) return a === b;
  const keys = Object.keys({ ...a, ...b }) as never[];
  return keys.every((key) => isSamePart(a[key], b[key]));
}

/** Further conditions are equal if they are the same in the same order; no condition is the same as none. */
function isSamePart(a: unknown, b: unknown): boolean {
  if (!Array.isArray(a) && !Array.isArray(b)) return a === b;
  const [one, other] = [a ?? [], b ?? []] as [object[], object[]];
  return one.length === other.length && one.every((part, i) => isSameSignal(part, other[i] as object));
}
