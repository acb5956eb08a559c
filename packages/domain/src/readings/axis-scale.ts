import { offsetOf } from './local-days.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const TIME_STEPS = [
  10 * SECOND,
  30 * SECOND,
  MINUTE,
  2 * MINUTE,
  5 * MINUTE,
  10 * MINUTE,
  15 * MINUTE,
  30 * MINUTE,
  HOUR,
  2 * HOUR,
  3 * HOUR,
  6 * HOUR,
  12 * HOUR,
  DAY,
  2 * DAY,
  5 * DAY,
  10 * DAY,
  20 * DAY,
];
const TICK_EVERY_PX = 92;

export interface TimeTick {
  at: number;
  /** True at midnight in the user's time zone; the label then shows the date. */
  midnight: boolean;
}

/** Returns ticks at round times in the user's time zone, also across clock changes. */
export function timeTicks(
  from: number,
  to: number,
  widthPx: number,
  zone: string,
): { ticks: TimeTick[]; step: number } {
  const wanted = Math.max(2, Math.floor(widthPx / TICK_EVERY_PX));
  const step = TIME_STEPS.find((each) => (to - from) / each <= wanted) ?? 30 * DAY;
  const offset = offsetOf(zone);
  const ticks: TimeTick[] = [];
  // Ticks are computed in local time, so that they stay on full hours when the offset changes.
  let local = Math.ceil((from + offset(from)) / step) * step;
  for (; ; local += step) {
    const at = local - offset(local - offset(local));
    if (at > to) return { ticks, step };
    if (at >= from) ticks.push({ at, midnight: local % DAY === 0 });
  }
}

export interface ValueScale {
  min: number;
  max: number;
  step: number;
}

const STEP_FACTORS = [1, 2, 5, 10];
const ROOM = 0.06;

/** Returns a scale with round numbers that contains all values with a margin. */
export function valueScale(values: Iterable<number>, lines = 7): ValueScale {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  if (!Number.isFinite(low)) return { min: 0, max: 10, step: 2 };
  const room = Math.max((high - low) * ROOM, 0.5);
  const bottom = low - room;
  const top = high + room;
  const raw = (top - bottom) / lines;
  const magnitude = 10 ** Math.floor(Math.log10(raw));
  const step = magnitude * (STEP_FACTORS.find((factor) => factor * magnitude >= raw) as number);
  return { min: Math.floor(bottom / step) * step, max: Math.ceil(top / step) * step, step };
}
