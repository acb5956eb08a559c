import { firstAtOrAfter, type Series } from '../readings/series.ts';
import type { LimitRule } from './alarm-machine.ts';

/**
 * Whether a defrost is detected is a function of the readings of a bounded time before the first reading
 * outside the limit, and not of a state. Late readings and replays therefore give the same alarms.
 */

/**
 * Without a switch, a defrost is recognised by its ramp: from the lowest reading of the time before, which is
 * inside the limit, the temperature rises steadily by at least 1 °C with 0.1 to 1 °C per minute. An open
 * door is usually faster, and a failed compressor slower.
 */
const RAMP_MIN_C = 1;
const RAMP_MIN_C_PER_MIN = 0.1;
const RAMP_MAX_C_PER_MIN = 1;
/** A ramp has at least this number of readings, and none that is lower than the one before by more than the noise. */
const RAMP_READINGS = 3;
const RAMP_NOISE_C = 0.2;
const MINUTE_MS = 60_000;
/** A switch has the value 0 or 1. */
const ON = 0.5;

/**
 * Says for each reading from index `from` on whether a defrost is detected. The readings before `from` must cover
 * at least the delay of the rule.
 */
export function defrostsOf(
  rule: LimitRule,
  readings: Series,
  from: number,
  others: ReadonlyMap<number, Series>,
): Uint8Array {
  const flags = new Uint8Array(readings.at.length - from);
  const { defrost } = rule;
  if (!defrost) return flags;
  const isDefrosting =
    defrost.channelId === null
      ? (index: number) => isRamp(rule, defrost.delayMs, readings, index)
      : onCheck(defrost.delayMs, readings, others.get(defrost.channelId));
  for (let i = from; i < readings.at.length; i++) if (isDefrosting(i)) flags[i - from] = 1;
  return flags;
}

/** Returns a function that checks whether the switch was reported as on at most the delay before a reading. */
function onCheck(delayMs: number, { at }: Series, reports: Series | undefined): (index: number) => boolean {
  const on = reports ? reports.at.filter((_, i) => (reports.value[i] as number) > ON) : new Float64Array();
  return (index) => {
    const now = at[index] as number;
    const last = firstAtOrAfter(on, now + 1) - 1;
    return last >= 0 && (on[last] as number) >= now - delayMs;
  };
}

function isRamp(rule: LimitRule, delayMs: number, { at, value }: Series, index: number): boolean {
  const top = value[index] as number;
  const begin = (at[index] as number) - delayMs;
  let bottom = index;
  for (let i = index - 1; i >= 0 && (at[i] as number) >= begin; i--) {
    if ((value[i] as number) > (value[i + 1] as number) + RAMP_NOISE_C) break;
    if ((value[i] as number) < (value[bottom] as number)) bottom = i;
  }
  const rise = top - (value[bottom] as number);
  if (index - bottom + 1 < RAMP_READINGS || rise < RAMP_MIN_C) return false;
  if ((value[bottom] as number) >= rule.limit) return false;
  const perMinute = rise / (((at[index] as number) - (at[bottom] as number)) / MINUTE_MS);
  return perMinute >= RAMP_MIN_C_PER_MIN && perMinute <= RAMP_MAX_C_PER_MIN;
}
