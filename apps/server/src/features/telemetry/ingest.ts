import { AppError } from '@isotherm/contracts/errors';
import type { IngestResult } from '@isotherm/contracts/ingest';
import type { Clock } from '../../platform/clock.ts';
import type { Metrics } from '../../platform/metrics.ts';
import type { DeviceDirectory, KnownDevice } from '../devices/index.ts';
import { parseMessage } from './parse-message.ts';
import type { ReadingWriter } from './reading-writer.ts';
import type { RejectedMessages } from './rejected-messages.ts';

/** A message as a gateway received it. */
export interface IncomingMessage {
  gateway: 'mqtt' | 'http';
  address: string;
  device: KnownDevice;
  payload: Buffer;
}

export interface Ingest {
  /** The device that may send with these credentials, or null. */
  authenticate: DeviceDirectory['authenticate'];
  refresh: DeviceDirectory['refresh'];
  /**
   * The way of a reading: decode → identify → normalise → store → evaluate; resolves after the commit, and
   * only then may the gateway say "got it". Throws `request.malformed`, `ingest.too_many_readings`,
   * `ingest.busy` (queue full; nothing taken), `ingest.unavailable`.
   */
  take(message: IncomingMessage): Promise<IngestResult>;
  /** Resolves when a message would not be refused as `ingest.busy`. */
  room(): Promise<void>;
  /** Keeps and counts what a gateway could not hand on at all. */
  refuse(
    gateway: 'mqtt' | 'http',
    deviceNumber: string,
    address: string,
    code: string,
    payload: Buffer,
  ): void;
}

export function createIngest(
  directory: DeviceDirectory,
  writer: ReadingWriter,
  rejected: RejectedMessages,
  metrics: Metrics,
  clock: Clock,
): Ingest {
  function refuse(
    gateway: 'mqtt' | 'http',
    deviceNumber: string,
    address: string,
    code: string,
    payload: Buffer,
  ) {
    metrics.rejectedMessages.inc({ gateway, code });
    rejected.keep({ receivedAt: clock.now(), gateway, deviceNumber, address, code, detail: {}, payload });
  }

  return {
    authenticate: directory.authenticate,
    refresh: directory.refresh,
    room: writer.room,
    refuse,
    async take({ gateway, address, device, payload }) {
      const receivedAt = clock.now();
      let readings: ReturnType<typeof parseMessage>;
      try {
        readings = parseMessage(payload, device.channels, receivedAt);
      } catch (error) {
        if (error instanceof AppError) refuse(gateway, device.number, address, error.code, payload);
        throw error;
      }
      try {
        await writer.write({ deviceId: device.id, receivedAt, readings });
      } catch (error) {
        if (error instanceof AppError && error.code === 'ingest.refused')
          refuse(gateway, device.number, address, error.code, payload);
        throw error;
      }
      if (readings.rejected.length > 0) {
        metrics.rejectedReadings.inc({ gateway }, readings.rejected.length);
        rejected.keep({
          receivedAt,
          gateway,
          deviceNumber: device.number,
          address,
          code: 'readings-refused',
          detail: readings.rejected.slice(0, 100),
          payload,
        });
      }
      return {
        accepted: readings.at.length,
        rejected: readings.rejected,
        rejectedPositions: readings.rejectedPositions,
      };
    },
  };
}
