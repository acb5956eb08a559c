import { commandAnswer } from '@isotherm/contracts/commands';
import { AppError } from '@isotherm/contracts/errors';
import type { IngestResult } from '@isotherm/contracts/ingest';
import type { Downlink, KnownDevice, PacketCounters } from '../features/devices/index.ts';
import type { Ingest } from '../features/telemetry/index.ts';
import type { Clock } from '../platform/clock.ts';
import { jsonOf } from '../platform/json.ts';
import { keysOf, type PacketSource, takePayload } from './packet-intake.ts';

/** Maximum number of refused readings that a response lists. */
const MAX_LISTED = 100;

export type PacketSender = Omit<PacketSource, 'reassembly'>;

/** A payload published by a device, to the built-in server or to another broker. */
export interface MqttPayload {
  device: KnownDevice;
  address: string;
  payload: Buffer;
}

/** Result of a payload; `error` is the code if it could not be parsed. */
export type MqttAnswer = IngestResult & { error?: string };

export const isPartial = ({ error, rejected, rejectedPositions }: MqttAnswer): boolean =>
  error !== undefined || rejected.length + rejectedPositions > 0;

/**
 * Ingest of published payloads. All functions resolve after the commit, and reject if the payload must be
 * sent again.
 */
export interface MqttIntake {
  readings(from: MqttPayload): Promise<MqttAnswer>;
  packets(from: MqttPayload, sender: PacketSender): Promise<MqttAnswer>;
  /** Returns the sender for `packets`; it is valid for as long as the device's key. */
  packetSender(device: KnownDevice, address: string): Promise<PacketSender>;
  commandAnswer(from: MqttPayload): Promise<void>;
  /**
   * Runs work when the queue has room; while it is full the message stays unacknowledged, which slows the
   * sender down.
   */
  whenThereIsRoom<T>(work: () => Promise<T>): Promise<T>;
}

export function createMqttIntake(parts: {
  ingest: Ingest;
  counters: PacketCounters;
  downlink: Downlink;
  clock: Clock;
}): MqttIntake {
  const { ingest, counters, downlink, clock } = parts;

  async function whenThereIsRoom<T>(work: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (!isBusy(error)) throw error;
        await ingest.room();
      }
    }
  }

  /** Like `whenThereIsRoom`, but as a single async function, because it runs for each message. */
  async function take(store: () => Promise<IngestResult>): Promise<MqttAnswer> {
    for (;;) {
      try {
        const result = await store();
        return result.rejected.length > MAX_LISTED
          ? { ...result, rejected: result.rejected.slice(0, MAX_LISTED) }
          : result;
      } catch (error) {
        if (!isBusy(error))
          return { accepted: 0, rejected: [], rejectedPositions: 0, error: refusalOf(error) };
        await ingest.room();
      }
    }
  }

  return {
    whenThereIsRoom,
    readings: (from) => take(() => ingest.take({ gateway: 'mqtt', ...from })),
    packets: ({ device, payload }, sender) =>
      take(() => takePayload(ingest, sender, device, payload, clock.now())),
    packetSender: async (device, address) => ({
      gateway: 'mqtt',
      address,
      keys: keysOf(device),
      window: await counters.window(device),
    }),
    async commandAnswer(from) {
      const answered = commandAnswer.safeParse(jsonOf(from.payload));
      if (answered.success) return downlink.answered(from.device.id, answered.data);
      ingest.refuse({ gateway: 'mqtt', ...from }, 'request.malformed');
    },
  };
}

const isBusy = (error: unknown) => error instanceof AppError && error.code === 'ingest.busy';

/**
 * Returns the error code of a message that cannot be parsed. Such a message is acknowledged, because it
 * would otherwise be sent forever, and the device gets the reason. Rethrows errors that are not caused by
 * the message.
 */
export function refusalOf(error: unknown): string {
  if (!(error instanceof AppError) || error.code === 'ingest.unavailable') throw error;
  return error.code;
}
