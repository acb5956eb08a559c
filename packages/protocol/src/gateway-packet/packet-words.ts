import type { GivenKind } from '@isotherm/domain/devices/command';
import type { Indicator } from '@isotherm/domain/readings/indicator';

/** Numeric codes of the protocol (docs/gateway-packet.md). A code is never reused. */

/** Sync word `C0 1D`, with which a packet starts. */
export const SYNC = [0xc0, 0x1d] as const;
export const VERSION = 1;

export const PACKET_TYPES = {
  challenge: 0x01,
  hello: 0x02,
  welcome: 0x03,
  'time-request': 0x04,
  time: 0x05,
  readings: 0x10,
  backlog: 0x11,
  events: 0x12,
  positions: 0x13,
  command: 0x20,
  'command-result': 0x21,
  ack: 0x30,
} as const;
export type PacketType = keyof typeof PACKET_TYPES;

export const ENCRYPTIONS = { none: 0, 'aes-128-gcm': 1, 'sm4-gcm': 2 } as const;
export type Encryption = keyof typeof ENCRYPTIONS;

/** Codes of the indicators. A channel is identified by its sensor index and an indicator code. */
export const INDICATOR_CODES = {
  temperature: 1,
  humidity: 2,
  battery: 3,
  signal: 4,
  voltage: 5,
  power: 6,
  door: 7,
  defrost: 8,
  illuminance: 9,
  oxygen: 10,
  'carbon-dioxide': 11,
  slope: 12,
  acceleration: 13,
  amplitude: 14,
  button: 15,
} as const satisfies Record<Indicator, number>;

/**
 * Kinds of events that devices report. An event is stored as a reading of the quantity `indicator`, with the
 * time of the event; `scale` applies as for readings.
 */
export const EVENTS = {
  power: { code: 1, indicator: 'power', scale: 0 },
  door: { code: 2, indicator: 'door', scale: 0 },
  battery: { code: 3, indicator: 'battery', scale: 0 },
  shock: { code: 4, indicator: 'acceleration', scale: 2 },
  button: { code: 5, indicator: 'button', scale: 0 },
} as const satisfies Record<string, { code: number; indicator: Indicator; scale: number }>;
export type EventKind = keyof typeof EVENTS;

export const ACK_CODES = {
  /** The message is durably stored and evaluated. */
  stored: 0,
  /** The message is durably stored, except for the listed readings. */
  'stored-in-part': 1,
  /** The message was rejected and kept for inspection. The sender must not resend it. */
  refused: 2,
  /** The server is temporarily unavailable. The sender should resend the message later. */
  later: 3,
  /** The sender is not authorised, and the connection is closed. */
  denied: 4,
  /** The counter of the packet is too old. The sender must encrypt it again. */
  replayed: 5,
} as const;
export type AckCode = keyof typeof ACK_CODES;

/** Reasons why a reading of an acknowledged packet was refused. */
export const ACK_FAULTS = {
  'unknown-channel': 1,
  'outside-physical-range': 2,
  'before-2000': 3,
  'in-the-future': 4,
} as const;
export type AckFault = keyof typeof ACK_FAULTS;

export const COMMANDS = {
  reboot: 1,
  shutdown: 2,
  /** Parameter 1 is the interval in seconds. */
  'acquisition-interval': 3,
  /** Parameter 1 is the interval in seconds. */
  'upload-interval': 4,
  /** Parameter 1 is the time in minutes without a reading after which the gateway counts as offline. */
  'offline-standard': 5,
  /**
   * Limits of the device's own buzzer. Parameters: 1 sensor, 2 indicator, 3 lower limit, 4 upper limit;
   * limits are in hundredths.
   */
  'alarm-limits': 6,
} as const satisfies Record<GivenKind, number>;
export type CommandName = keyof typeof COMMANDS;

export const COMMAND_STATES = { configuring: 1, success: 2, failed: 3 } as const;
export type CommandState = keyof typeof COMMAND_STATES;

/** Returns the keyword of a code, or null if the code is unknown. */
export function wordOf<T extends string>(words: Record<T, number>, code: number): T | null {
  for (const word in words) if (words[word] === code) return word;
  return null;
}

const INDICATOR_BY_CODE = Object.keys(INDICATOR_CODES).reduce<(Indicator | undefined)[]>((list, name) => {
  list[INDICATOR_CODES[name as Indicator]] = name as Indicator;
  return list;
}, []);

export function indicatorOf(code: number): Indicator | null {
  return INDICATOR_BY_CODE[code] ?? null;
}

/** Errors that a packet can have. */
export const PACKET_FAULTS = [
  'no-sync',
  'too-short',
  'unknown-version',
  'header-check',
  'unknown-flags',
  'too-long',
  'wrong-length',
  'crc',
  'unknown-type',
  'unknown-encryption',
  'no-key',
  'seal',
  'bad-split',
  'truncated',
  'trailing-bytes',
  'out-of-range',
  'too-many-readings',
  'unknown-word',
] as const;
export type PacketFaultCode = (typeof PACKET_FAULTS)[number];

/** Error inside the codec. The public functions return it as a value instead of throwing it. */
export class PacketFault extends Error {
  readonly code: PacketFaultCode;
  constructor(code: PacketFaultCode) {
    super(code);
    this.code = code;
  }
}
