/**
 * What hardware of others sends, in one shape: a moment's values under the names that the sender gave them.
 * Which channel a name belongs to is said by a payload mapping (`@isotherm/domain/readings/payload-mapping`).
 */
export interface HardwareMessage {
  /** How the sender's network names the device (DevEUI, or a gateway's name for it); null: the sender itself. */
  device: string | null;
  /** Epoch ms; null when the message says no time, and the time of receipt is as good as any. */
  at: number | null;
  values: Readonly<Record<string, unknown>>;
}

/**
 * `shape`: not such a message at all. `time`: a time is given and is none. `event`: well formed, of a kind that
 * carries no values of a device.
 */
export type HardwareFault = 'shape' | 'time' | 'event';

export interface HardwareMessages {
  messages: HardwareMessage[];
  /** One for each part that could not be read; the good parts are kept. */
  faults: HardwareFault[];
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Epoch ms of an RFC 3339 time, with as many decimals as the sender likes; null when it is none. */
export function instantOf(value: unknown): number | null {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(value))
    return null;
  const ms = Date.parse(value);
  return Number.isNaN(ms) ? null : ms;
}

/** The DevEUI as it is written everywhere else: 16 lower-case hexadecimal digits; null when it is none. */
export function devEuiOf(value: unknown): string | null {
  return typeof value === 'string' && /^[0-9a-f]{16}$/i.test(value) ? value.toLowerCase() : null;
}

/** The strongest of several receptions, in dBm, as a value beside the sensor's own; nothing when none says. */
export function signalOf(receptions: unknown): { signal: number } | undefined {
  if (!Array.isArray(receptions)) return undefined;
  const strengths = receptions.flatMap((each) =>
    isRecord(each) && typeof each.rssi === 'number' ? [each.rssi] : [],
  );
  return strengths.length === 0 ? undefined : { signal: Math.max(...strengths) };
}
