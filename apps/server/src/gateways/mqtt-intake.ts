import { commandAnswer } from '@isotherm/contracts/commands';
import { AppError } from '@isotherm/contracts/errors';
import type { IngestResult } from '@isotherm/contracts/ingest';
import type { Downlink, KnownDevice, PacketCounters } from '../features/devices/index.ts';
import type { Ingest } from '../features/telemetry/index.ts';
import type { Clock } from '../platform/clock.ts';
import { keysOf, type PacketSource, takePayload } from './packet-intake.ts';
import { jsonOf } from './payload.ts';

/** Refused readings that an answer lists. */
const MAX_LISTED = 100;

export type PacketSender = Omit<PacketSource, 'reassembly'>;

/** A payload published by a device, through our listener or another broker. */
export interface MqttPayload {
  device: KnownDevice;
  address: string;
  payload: Buffer;
}

/** Result of a payload; `error` is the code if it could not be understood. */
export type MqttAnswer = IngestResult & { error?: string };

export const isPartial = ({ error, rejected, rejectedPositions }: MqttAnswer): boolean =>
  error !== undefined || rejected.length + rejectedPositions > 0;

/**
 * Ingest of what devices publish. All functions resolve after the commit, and reject if the payload must be
 * sent again.
 */
export interface MqttIntake {
  readings(from: MqttPayload): Promise<MqttAnswer>;
  packets(from: MqttPayload, sender: PacketSender): Promise<MqttAnswer>;
  /** Sender for `packets`; valid for as long as the device's key. */
  packetSender(device: KnownDevice, address: string): Promise<PacketSender>;
  commandAnswer(from: MqttPayload): Promise<void>;
  /** While the queue is full the message waits unacknowledged, which slows the sender down. */
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

  /** Like `whenThereIsRoom`, in a single async function: it runs for each message. */
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
 * A message that cannot be understood is acknowledged, because it would be sent forever, and the device is
 * told why. Rethrows errors that are not caused by the message.
 */
export function refusalOf(error: unknown): string {
  if (!(error instanceof AppError) || error.code === 'ingest.unavailable') throw error;
  return error.code;
}
