import { INDICATORS, type Indicator } from '../readings/indicator.ts';
import type { Bounds, SignalType, WindowSignal } from './signal.ts';

/**
 * The signal of a policy's condition. Unlike a signal of compiled rules (signal.ts), it refers to another
 * channel of the device by quantity and sensor number, because a policy applies to many devices.
 */
export type PolicySignal = (
  | WindowSignal
  | ({ type: 'difference' } & OtherSensor)
  | ({ type: 'while' } & OtherSensor & Bounds)
) & {
  /** Further conditions, which must be met as well. */
  and?: readonly (OtherSensor & Bounds)[] | undefined;
};

export interface OtherSensor {
  otherQuantity: Indicator;
  /** Number of the sensor in the device, starting at 1. */
  otherSensor: number;
  maxAgeMs: number;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/**
 * Limits for the window of a signal. Every evaluation reads all readings in the window, so a long window
 * costs more.
 */
export const WINDOW_MIN_MS = 5 * MINUTE_MS;
export const WINDOW_MAX_MS = 24 * HOUR_MS;
export const HORIZON_MAX_MS = 12 * HOUR_MS;
/** A value of another channel that is older than this counts as unknown. */
export const OTHER_MAX_AGE_MS = 30 * MINUTE_MS;
/** Largest number of further conditions of a signal. */
export const MAX_AND = 3;
/** Largest number of a sensor in a device; the numbers start at 1. */
export const SENSOR_MAX = 64;
const LIMIT_MAX = 1e6;

/** Signals whose values and limits are in the unit of the quantity. */
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

/** Checks the signal of a condition about this quantity; returns null if it is valid. */
export function signalFault(quantity: Indicator | 'contact', signal: PolicySignal): SignalFault | null {
  if (quantity === 'contact') return 'signal-quantity';
  const isSwitch = INDICATORS[quantity].kind === 'switch';
  // A rate, a forecast or a difference makes no sense for a switch, but the time and the number of times
  // that it is open do.
  if (isSwitch && ['rate', 'forecast', 'difference'].includes(signal.type)) return 'signal-quantity';
  if ('windowMs' in signal && !isWholeMinutes(signal.windowMs, WINDOW_MIN_MS, WINDOW_MAX_MS)) return 'window';
  if (signal.type === 'forecast' && !isWholeMinutes(signal.horizonMs, MINUTE_MS, HORIZON_MAX_MS))
    return 'horizon';
  const further = signal.and ?? [];
  if ('low' in signal && !areBounds(signal)) return 'bounds';
  if (!further.every(areBounds)) return 'bounds';
  if (further.length > MAX_AND || !further.every(isSensor)) return 'sensor';
  if ('otherSensor' in signal) {
    if (!isSensor(signal)) return 'sensor';
    if (signal.type === 'difference' && signal.otherQuantity !== quantity) return 'sensor';
  }
  return null;
}

const isSensor = ({ otherSensor }: OtherSensor) =>
  Number.isInteger(otherSensor) && otherSensor >= 1 && otherSensor <= SENSOR_MAX;

/**
 * Checks the limits of a signal whose values are not in the unit of the quantity; returns null if they are
 * valid.
 */
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
