import { AppError } from '@isotherm/contracts/errors';
import type { IngestResult } from '@isotherm/contracts/ingest';
import type { Clock } from '../../platform/clock.ts';
import type { Metrics } from '../../platform/metrics.ts';
import type { DeviceDirectory, Presence } from '../devices/index.ts';
import { acceptDecoded, type DecodedMessage } from './accept-decoded.ts';
import type { IncomingMessage, RefusedMessage } from './incoming-message.ts';
import type { AcceptedReadings, Channels } from './normalise.ts';
import { parseMessage } from './parse-message.ts';
import type { ReadingWriter } from './reading-writer.ts';
import type { RejectedMessages } from './rejected-messages.ts';

export interface Ingest {
  /** The device that may send with these credentials, or null. */
  authenticate: DeviceDirectory['authenticate'];
  /** The device of this number, for a gateway that lets it prove itself in another way. */
  find: DeviceDirectory['find'];
  refresh: DeviceDirectory['refresh'];
  /**
   * The way of a reading: decode → identify → normalise → store → evaluate; resolves after the commit, and
   * only then may the gateway say "got it". Throws `request.malformed`, `ingest.too_many_readings`,
   * `ingest.busy` (queue full; nothing taken), `ingest.unavailable`.
   */
  take(message: IncomingMessage): Promise<IngestResult>;
  /** The same way for what the gateway has decoded; `payload` is what is kept of it when it is refused. */
  takeDecoded(message: IncomingMessage, decoded: DecodedMessage): Promise<IngestResult>;
  /** Resolves when a message would not be refused as `ingest.busy`. */
  room(): Promise<void>;
  /** Keeps and counts what a gateway could not hand on at all. */
  refuse(message: RefusedMessage, code: string): void;
}

export function createIngest(
  directory: DeviceDirectory,
  writer: ReadingWriter,
  rejected: RejectedMessages,
  metrics: Metrics,
  clock: Clock,
  heard: Presence['heard'],
): Ingest {
  function refuse(message: RefusedMessage, code: string) {
    metrics.rejectedMessages.inc({ gateway: message.gateway, code });
    rejected.keep(message, clock.now(), code, {});
  }

  async function store(
    message: IncomingMessage,
    read: (channels: Channels, now: number) => AcceptedReadings,
  ): Promise<IngestResult> {
    const { gateway, device } = message;
    const receivedAt = clock.now();
    let readings: AcceptedReadings;
    try {
      readings = read(device.channels, receivedAt);
    } catch (error) {
      if (error instanceof AppError) refuse(message, error.code);
      throw error;
    }
    try {
      await writer.write({ deviceId: device.id, receivedAt, readings });
    } catch (error) {
      if (error instanceof AppError && error.code === 'ingest.refused') refuse(message, error.code);
      throw error;
    }
    heard(device.id, receivedAt);
    if (readings.rejected.length > 0) {
      metrics.rejectedReadings.inc({ gateway }, readings.rejected.length);
      rejected.keep(message, receivedAt, 'readings-refused', readings.rejected.slice(0, 100));
    }
    return {
      accepted: readings.at.length,
      rejected: readings.rejected,
      rejectedPositions: readings.rejectedPositions,
    };
  }

  return {
    authenticate: directory.authenticate,
    find: directory.find,
    refresh: directory.refresh,
    room: writer.room,
    refuse,
    take: (message) => store(message, (channels, now) => parseMessage(message.payload, channels, now)),
    takeDecoded: (message, decoded) =>
      store(message, (channels, now) => acceptDecoded(decoded, channels, now)),
  };
}
