import { AppError } from '@isotherm/contracts/errors';
import { MAX_READINGS_PER_MESSAGE } from '@isotherm/contracts/ingest';
import { mapPayload, unfold, unreadValues } from '@isotherm/domain/readings/payload-mapping';
import type {
  HardwareFault,
  HardwareMessage,
  HardwareMessages,
} from '@isotherm/protocol/hardware/hardware-message';
import { positionPaths } from '@isotherm/protocol/hardware/hardware-position';
import { jsonOf } from '../../platform/json.ts';
import { type KnownDevice, MAX_UNMAPPED_NAMES, type UnmappedValuesStore } from '../devices/index.ts';
import type { Ingest } from './ingest.ts';

/** Maximum payload size: ten times what a network server forwards at once. */
const MAX_PAYLOAD_BYTES = 1024 * 1024;
/** Maximum length of a device name; a longer name cannot be a device's. */
const MAX_DEVICE_NAME = 120;
/** Parts that were decoded and contain no values; an undecoded uplink is kept with its device. */
const WITHOUT_VALUES: ReadonlySet<HardwareFault> = new Set(['event', 'undecoded', 'simulated']);
/** The gateway adds the reception level of an uplink, for which most devices have no channel. */
const NETWORK_SIGNAL = 'signal';
/** Errors after which nothing was stored: the sender keeps the message and repeats it. */
const COMES_AGAIN = new Set(['ingest.busy', 'ingest.unavailable']);

/** A payload of a third-party protocol, as a gateway received it. */
export interface HardwarePayload {
  gateway: 'mqtt' | 'http';
  address: string;
  /** The sender under which messages are kept for inspection: a device, or an API key by its name. */
  sender: Pick<KnownDevice, 'number' | 'organizationId'>;
  payload: Buffer;
  /**
   * Time of receipt in epoch ms, used as the time of readings without one; it is the same for every retry.
   */
  receivedAt: number;
  read(payload: unknown): HardwareMessages;
  /** Called with all values of each message, before its readings are stored. */
  keep?: OnValues;
  /** Returns the device of a message; null if there is none with that name. */
  find(device: string | null): Promise<KnownDevice | null> | KnownDevice | null;
}

export interface HardwareResult {
  /** Number of readings stored now or stored already before. */
  accepted: number;
  /** Number of readings outside the physical range and of positions not on the earth, or with an impossible time. */
  rejected: number;
  /** Number of messages of devices that are not registered or not in the sender's scope. */
  unknownDevices: number;
  /** Number of uplinks that the network's operator simulated: they are counted and not stored. */
  simulated: number;
}

/** Receives all values of a message under the device's own names. */
export type OnValues = (deviceId: number, values: HardwareMessage['values']) => Promise<void>;

export interface HardwareIngest {
  /**
   * Translates and stores a message; resolves after the commit. Throws what `Ingest.take` throws,
   * `request.malformed` if nothing could be read, `request.too_large`.
   */
  take(message: HardwarePayload): Promise<HardwareResult>;
}

/** Creates the ingest of third-party devices: values become channels by the payload mapping of the model. */
export function createHardwareIngest(
  ingest: Ingest,
  onValues: OnValues,
  unmapped: Pick<UnmappedValuesStore, 'keep'>,
): HardwareIngest {
  return {
    async take({ gateway, address, sender, payload, receivedAt, read, find, keep }) {
      const refuse = (code: string) => ingest.refuse({ gateway, address, device: sender, payload }, code);
      if (payload.length > MAX_PAYLOAD_BYTES) {
        refuse('request.too_large');
        throw new AppError('request.too_large');
      }
      const { messages, faults } = read(jsonOf(payload));
      const isUnreadable = faults.some((fault) => !WITHOUT_VALUES.has(fault));
      if (isUnreadable) refuse('request.malformed');
      if (isUnreadable && messages.length === 0) throw new AppError('request.malformed');
      if (messages.length > MAX_READINGS_PER_MESSAGE) {
        refuse('ingest.too_many_readings');
        throw new AppError('ingest.too_many_readings', {
          count: messages.length,
          max: MAX_READINGS_PER_MESSAGE,
        });
      }

      const simulated = faults.filter((fault) => fault === 'simulated').length;
      if (simulated > 0) refuse('simulated');
      const result: HardwareResult = { accepted: 0, rejected: 0, unknownDevices: 0, simulated };
      for (const [name, ofDevice] of byDevice(messages)) {
        const device = name !== null && name.length > MAX_DEVICE_NAME ? null : await find(name);
        if (!device) {
          result.unknownDevices += ofDevice.length;
          continue;
        }
        for (const { values, undecoded = null, position } of ofDevice) {
          await onValues(device.id, values);
          unmapped.keep(device.id, receivedAt, { values: unreadOf(device, values, position), undecoded });
          await keep?.(device.id, values);
        }
        for (const part of inParts(
          translate(device, ofDevice, receivedAt),
          positionsOf(ofDevice, receivedAt),
        )) {
          const taken = await takeSome({ gateway, address, device }, part);
          result.accepted += taken.accepted;
          result.rejected += taken.rejected;
        }
      }
      if (result.unknownDevices > 0) refuse('unknown-device');
      return result;
    },
  };

  /** If one device's message is refused, it is kept for inspection and the others are not affected. */
  async function takeSome(
    message: { gateway: 'mqtt' | 'http'; address: string; device: KnownDevice },
    part: Part,
  ): Promise<{ accepted: number; rejected: number }> {
    try {
      const taken = await ingest.take({ ...message, payload: Buffer.from(JSON.stringify(part)) });
      return { accepted: taken.accepted, rejected: taken.rejected.length + taken.rejectedPositions };
    } catch (error) {
      if (!(error instanceof AppError) || COMES_AGAIN.has(error.code)) throw error;
      return { accepted: 0, rejected: part.readings.length + part.positions.length };
    }
  }
}

/** What the server takes at once. */
interface Part {
  readings: object[];
  positions: object[];
}

/** All positions are in the first part, since a rule may ask where a device is; a message has no more of them than fit. */
function inParts(readings: readonly object[], positions: object[]): Part[] {
  const first = MAX_READINGS_PER_MESSAGE - positions.length;
  if (readings.length + positions.length === 0) return [];
  const parts: Part[] = [{ readings: readings.slice(0, first), positions }];
  for (let from = first; from < readings.length; from += MAX_READINGS_PER_MESSAGE)
    parts.push({ readings: readings.slice(from, from + MAX_READINGS_PER_MESSAGE), positions: [] });
  return parts;
}

const positionsOf = (messages: readonly HardwareMessage[], now: number): object[] =>
  messages.flatMap(({ at, position }) => (position ? [{ at: at ?? now, ...position }] : []));

function byDevice(messages: readonly HardwareMessage[]): Map<string | null, HardwareMessage[]> {
  const groups = new Map<string | null, HardwareMessage[]>();
  for (const message of messages) {
    const group = groups.get(message.device);
    if (group) group.push(message);
    else groups.set(message.device, [message]);
  }
  return groups;
}

/**
 * Translates values to readings. A mapping must name channels of the device; a value without a mapping is
 * used only if its own name is a channel.
 */
function translate(device: KnownDevice, messages: readonly HardwareMessage[], now: number) {
  const { entries, list } = device.mapping;
  const mapped = new Set(entries.map(({ channel }) => channel));
  return messages
    .flatMap((message) => unfold(list, message))
    .flatMap(({ at, values }) =>
      mapPayload(entries, values)
        .filter(({ channel }) => mapped.has(channel) || device.channels.has(channel))
        .map(({ channel, value }) => ({ channel, at: at ?? now, value })),
    );
}

const NO_PATHS: ReadonlySet<string> = new Set();

function unreadOf(
  { mapping, channels }: KnownDevice,
  values: HardwareMessage['values'],
  position: HardwareMessage['position'],
) {
  const known = position ? positionPaths(values) : NO_PATHS;
  return unreadValues(mapping, values, MAX_UNMAPPED_NAMES + 1, (channel) => channels.has(channel)).filter(
    ({ path }) => path !== NETWORK_SIGNAL && !known.has(path),
  );
}
