import { AppError } from '@isotherm/contracts/errors';
import { mapPayload } from '@isotherm/domain/readings/payload-mapping';
import type { HardwareMessage, HardwareMessages } from '@isotherm/protocol/hardware/hardware-message';
import type { Clock } from '../../platform/clock.ts';
import type { KnownDevice } from '../devices/index.ts';
import type { Ingest } from './ingest.ts';

/** A payload in a language of others, as a gateway received it. */
export interface HardwarePayload {
  gateway: 'mqtt' | 'http';
  address: string;
  /** Who sent it, for what is kept for inspection: a device, or an API key by its name. */
  sender: Pick<KnownDevice, 'number' | 'organizationId'>;
  payload: Buffer;
  read(payload: unknown): HardwareMessages;
  /** The device that a message is of; null when there is none of that name. */
  find(device: string | null): Promise<KnownDevice | null> | KnownDevice | null;
}

export interface HardwareResult {
  /** Readings stored now or already there. */
  accepted: number;
  /** Readings that no sensor could truthfully have made, or with an impossible time. */
  rejected: number;
  /** Messages of devices that are not registered, or not in the sender's scope. */
  unknownDevices: number;
}

export interface HardwareIngest {
  /**
   * Translates and stores; resolves after the commit. Throws what `Ingest.take` throws, and
   * `request.malformed` when nothing in it could be read.
   */
  take(message: HardwarePayload): Promise<HardwareResult>;
}

/** The way of a reading for hardware of others: its values become channels by the mapping of its model. */
export function createHardwareIngest(ingest: Ingest, clock: Clock): HardwareIngest {
  return {
    async take({ gateway, address, sender, payload, read, find }) {
      const { messages, faults } = read(parse(payload));
      const isUnreadable = faults.some((fault) => fault !== 'event');
      if (isUnreadable) ingest.refuse({ gateway, address, device: sender, payload }, 'request.malformed');
      if (isUnreadable && messages.length === 0) throw new AppError('request.malformed');

      const result: HardwareResult = { accepted: 0, rejected: 0, unknownDevices: 0 };
      for (const [name, ofDevice] of byDevice(messages)) {
        const device = await find(name);
        if (!device) {
          result.unknownDevices += ofDevice.length;
          const { organizationId } = sender;
          const unknown = { number: name ?? sender.number, organizationId };
          ingest.refuse({ gateway, address, device: unknown, payload }, 'unknown-device');
          continue;
        }
        const readings = translate(device, ofDevice, clock.now());
        if (readings.length === 0) continue;
        const taken = await ingest.take({
          ...{ gateway, address, device },
          payload: Buffer.from(JSON.stringify({ readings })),
        });
        result.accepted += taken.accepted;
        result.rejected += taken.rejected.length;
      }
      return result;
    },
  };
}

function parse(payload: Buffer): unknown {
  try {
    return JSON.parse(payload.toString('utf8'));
  } catch {
    return undefined;
  }
}

function byDevice(messages: readonly HardwareMessage[]): Map<string | null, HardwareMessage[]> {
  const groups = new Map<string | null, HardwareMessage[]>();
  for (const message of messages) {
    const group = groups.get(message.device);
    if (group) group.push(message);
    else groups.set(message.device, [message]);
  }
  return groups;
}

/** What a mapping names must be a channel of the device; of what is taken by its own name, only what is one. */
function translate(device: KnownDevice, messages: readonly HardwareMessage[], now: number) {
  const mapped = new Set(device.mapping.map(({ channel }) => channel));
  return messages.flatMap(({ at, values }) =>
    mapPayload(device.mapping, values)
      .filter(({ channel }) => mapped.has(channel) || device.channels.has(channel))
      .map(({ channel, value }) => ({ channel, at: at ?? now, value })),
  );
}
