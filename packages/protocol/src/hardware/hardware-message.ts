/** A position in a message of third-party hardware: degrees in WGS-84. */
export interface HardwarePosition {
  latitude: number;
  longitude: number;
  speedKmh: number | null;
  /** Direction of travel in degrees, clockwise from north. */
  headingDeg: number | null;
}

/**
 * A message of third-party hardware in a common format: values at a time, with the names of the sender. A
 * payload mapping assigns the names to channels (`@isotherm/domain/readings/payload-mapping`).
 */
export interface HardwareMessage {
  /**
   * Name of the device in the sender's network (DevEUI, or a gateway's name for the device); null for the
   * sender itself.
   */
  device: string | null;
  /** Time in epoch ms; null if the message contains no time. Then the time of receipt is used. */
  at: number | null;
  values: Readonly<Record<string, unknown>>;
  /** Present if the device was located. */
  position?: HardwarePosition;
  /** Present if the message is an uplink that the network did not decode. */
  undecoded?: UndecodedUplink;
}

export interface UndecodedUplink {
  /** LoRaWAN port (`FPort`); null if the network did not send it. */
  port: number | null;
  /** Payload in Base64, as the network sent it. */
  payload: string;
}

/**
 * Errors of a message. `shape`: it has another structure. `time`: its time is invalid. `event`: it is a
 * valid event without values of a device. `undecoded`: an uplink without decoded values. `simulated`: an
 * uplink that no device sent.
 */
export const HARDWARE_FAULTS = ['shape', 'time', 'event', 'undecoded', 'simulated'] as const;
export type HardwareFault = (typeof HARDWARE_FAULTS)[number];

export interface HardwareMessages {
  messages: HardwareMessage[];
  /** One error for each part that could not be read. The other parts are used. */
  faults: HardwareFault[];
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Converts an RFC 3339 time with any number of decimals to epoch ms; null if it is invalid. */
export function instantOf(value: unknown): number | null {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(value))
    return null;
  const ms = Date.parse(value);
  return Number.isNaN(ms) ? null : ms;
}

/** Normalises a DevEUI to 16 lower-case hexadecimal digits; null if it is invalid. */
export function devEuiOf(value: unknown): string | null {
  return typeof value === 'string' && /^[0-9a-f]{16}$/i.test(value) ? value.toLowerCase() : null;
}

/** Largest length of a Base64 payload, above that of the largest LoRaWAN payload (242 bytes). */
const MAX_PAYLOAD_LENGTH = 400;
/** Strict pattern for Base64, because the database decodes it strictly. */
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
/** Largest `FPort` of LoRaWAN. */
const MAX_PORT = 255;

/**
 * Returns an uplink whose values were not decoded. Its signal strength is not used as a reading, because
 * nothing shows that the sensor works.
 */
export function undecodedUplink(
  device: string,
  at: number,
  port: unknown,
  payload: unknown,
): HardwareMessages {
  // An uplink without a payload contained only MAC commands.
  if (typeof payload !== 'string' || payload === '') return { messages: [], faults: ['event'] };
  if (payload.length > MAX_PAYLOAD_LENGTH || !BASE64.test(payload))
    return { messages: [], faults: ['shape'] };
  const undecoded = { port: isPort(port) ? port : null, payload };
  return { messages: [{ device, at, values: {}, undecoded }], faults: ['undecoded'] };
}

function isPort(port: unknown): port is number {
  return Number.isInteger(port) && (port as number) >= 0 && (port as number) <= MAX_PORT;
}

/** Returns whether the network decoded values. */
export function hasValues(decoded: unknown): decoded is Readonly<Record<string, unknown>> {
  return isRecord(decoded) && Object.keys(decoded).length > 0;
}

/**
 * Returns the strongest signal of several receptions in dBm, as an additional value; nothing if there is
 * none.
 */
export function signalOf(receptions: unknown): { signal: number } | undefined {
  if (!Array.isArray(receptions)) return undefined;
  const strengths = receptions.flatMap((each) =>
    isRecord(each) && typeof each.rssi === 'number' ? [each.rssi] : [],
  );
  return strengths.length === 0 ? undefined : { signal: Math.max(...strengths) };
}
