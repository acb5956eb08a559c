import { INDICATORS, type Indicator } from '../readings/indicator.ts';
import type { Bounds, Signal, SignalType } from './signal.ts';

/**
 * The signal of a policy's condition. It is that of the compiled rules (signal.ts), but names another channel of the
 * device by its quantity and the number of its sensor, since a policy applies to many devices.
 */
export type PolicySignal =
  | Exclude<Signal, { otherChannelId: number }>
  | ({ type: 'difference' } & OtherSensor)
  | ({ type: 'while' } & OtherSensor & Bounds);

interface OtherSensor {
  otherQuantity: Indicator;
  /** Number of the sensor in the device, from 1. */
  otherSensor: number;
  maxAgeMs: number;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Every evaluation reads the window of the channel: a long one costs as much as it has readings. */
export const WINDOW_MIN_MS = 5 * MINUTE_MS;
export const WINDOW_MAX_MS = 24 * HOUR_MS;
export const HORIZON_MAX_MS = 12 * HOUR_MS;
/** A value of another channel that is older than this counts as unknown. */
export const OTHER_MAX_AGE_MS = 30 * MINUTE_MS;
/** Sensors of a device have numbers from 1 to this. */
export const SENSOR_MAX = 64;
const LIMIT_MAX = 1e6;

/** Signals whose values are those of the quantity, and are limited like them. */
const WITH_VALUE_LIMITS: ReadonlySet<SignalType> = new Set(['forecast', 'while']);

export const hasValueLimits = (signal: PolicySignal | null): boolean =>
  signal === null || WITH_VALUE_LIMITS.has(signal.type);

export type SignalFault = 'signal-quantity' | 'window' | 'horizon' | 'bounds' | 'sensor';

const isWholeMinutes = (ms: number, min: number, max: number) =>
  ms >= min && ms <= max && ms % MINUTE_MS === 0;

const isCalled = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);

function areBounds({ low, high }: Bounds): boolean {
  if (low === null && high === null) return false;
  if ((low !== null && !isCalled(low)) || (high !== null && !isCalled(high))) return false;
  return low === null || high === null || low < high;
}

/** What is wrong with the signal of a condition about this quantity; null if nothing is. */
export function signalFault(quantity: Indicator | 'contact', signal: PolicySignal): SignalFault | null {
  if (quantity === 'contact') return 'signal-quantity';
  const isSwitch = INDICATORS[quantity].kind === 'switch';
  // A door has no rate; how long and how often it is open does count.
  if (isSwitch && ['rate', 'forecast', 'difference'].includes(signal.type)) return 'signal-quantity';
  if ('windowMs' in signal && !isWholeMinutes(signal.windowMs, WINDOW_MIN_MS, WINDOW_MAX_MS)) return 'window';
  if (signal.type === 'forecast' && !isWholeMinutes(signal.horizonMs, MINUTE_MS, HORIZON_MAX_MS))
    return 'horizon';
  if ('low' in signal && !areBounds(signal)) return 'bounds';
  if ('otherSensor' in signal) {
    const { otherSensor, otherQuantity } = signal;
    if (!Number.isInteger(otherSensor) || otherSensor < 1 || otherSensor > SENSOR_MAX) return 'sensor';
    if (signal.type === 'difference' && otherQuantity !== quantity) return 'sensor';
  }
  return null;
}

/** What is wrong with the limits of a signal that is not limited like the quantity; null if nothing is. */
export function signalLimitsFault(
  signal: PolicySignal,
  { low, high }: Bounds,
): 'no-limit' | 'limit-value' | null {
  if (low === null && high === null) return 'no-limit';
  if (signal.type === 'rate') {
    const isFall = low === null || (low < 0 && low >= -LIMIT_MAX);
    const isRise = high === null || (high > 0 && high <= LIMIT_MAX);
    return isFall && isRise ? null : 'limit-value';
  }
  if (low !== null || high === null || !(high > 0 && high <= LIMIT_MAX)) return 'limit-value';
  if (signal.type === 'difference') return null;
  if (!Number.isInteger(high)) return 'limit-value';
  return signal.type === 'outside-time' && high * MINUTE_MS >= signal.windowMs ? 'limit-value' : null;
}
