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
  /** Of an uplink that the network did not decode. */
  undecoded?: UndecodedUplink;
}

export interface UndecodedUplink {
  /** Null if the network did not give it. */
  port: number | null;
  /** Base64, as the network sent it. */
  payload: string;
}

/**
 * `shape`: not such a message. `time`: an invalid time. `event`: a valid event without values of a device.
 * `undecoded`: an uplink without decoded values. `simulated`: an uplink that no device sent.
 */
export const HARDWARE_FAULTS = ['shape', 'time', 'event', 'undecoded', 'simulated'] as const;
export type HardwareFault = (typeof HARDWARE_FAULTS)[number];

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

/** Longer than the largest payload of LoRaWAN (242 bytes). */
const MAX_PAYLOAD_LENGTH = 400;
/** Strict, as the database decodes it. */
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
/** Largest `FPort` of LoRaWAN. */
const MAX_PORT = 255;

/** An uplink whose values nobody decoded; its signal strength is not a reading of a working sensor. */
export function undecodedUplink(
  device: string,
  at: number,
  port: unknown,
  payload: unknown,
): HardwareMessages {
  // Without a payload, the uplink had only MAC commands.
  if (typeof payload !== 'string' || payload === '') return { messages: [], faults: ['event'] };
  if (payload.length > MAX_PAYLOAD_LENGTH || !BASE64.test(payload))
    return { messages: [], faults: ['shape'] };
  const undecoded = { port: isPort(port) ? port : null, payload };
  return { messages: [{ device, at, values: {}, undecoded }], faults: ['undecoded'] };
}

function isPort(port: unknown): port is number {
  return Number.isInteger(port) && (port as number) >= 0 && (port as number) <= MAX_PORT;
}

/** Whether the network decoded values. */
export function hasValues(decoded: unknown): decoded is Readonly<Record<string, unknown>> {
  return isRecord(decoded) && Object.keys(decoded).length > 0;
}

/** The strongest of several receptions in dBm, as an additional value; nothing without any. */
export function signalOf(receptions: unknown): { signal: number } | undefined {
  if (!Array.isArray(receptions)) return undefined;
  const strengths = receptions.flatMap((each) =>
    isRecord(each) && typeof each.rssi === 'number' ? [each.rssi] : [],
  );
  return strengths.length === 0 ? undefined : { signal: Math.max(...strengths) };
}
