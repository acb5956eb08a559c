/**
 * A message of third-party hardware in a common shape: values at a moment under the sender's names. A payload
 * mapping assigns the names to channels (`@isotherm/domain/readings/payload-mapping`).
 */
export interface HardwareMessage {
  /**
   * The device's name in the sender's network (DevEUI, or a gateway's name for it); null: the sender itself.
   */
  device: string | null;
  /** Epoch ms; null if the message has no time, and the time of receipt is used. */
  at: number | null;
  values: Readonly<Record<string, unknown>>;
}

/**
 * `shape`: not such a message. `time`: an invalid time. `event`: a valid event without values of a device.
 */
export type HardwareFault = 'shape' | 'time' | 'event';

export interface HardwareMessages {
  messages: HardwareMessage[];
  /** One for each part that could not be read; the others are kept. */
  faults: HardwareFault[];
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Epoch ms of an RFC 3339 time with any number of decimals; null if it is invalid. */
export function instantOf(value: unknown): number | null {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(value))
    return null;
  const ms = Date.parse(value);
  return Number.isNaN(ms) ? null : ms;
}

/** The DevEUI normalised to 16 lower-case hexadecimal digits; null if it is invalid. */
export function devEuiOf(value: unknown): string | null {
  return typeof value === 'string' && /^[0-9a-f]{16}$/i.test(value) ? value.toLowerCase() : null;
}

/** The strongest of several receptions in dBm, as an additional value; nothing without any. */
export function signalOf(receptions: unknown): { signal: number } | undefined {
  if (!Array.isArray(receptions)) return undefined;
  const strengths = receptions.flatMap((each) =>
    isRecord(each) && typeof each.rssi === 'number' ? [each.rssi] : [],
  );
  return strengths.length === 0 ? undefined : { signal: Math.max(...strengths) };
}
