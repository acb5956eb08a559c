import { AppError } from '@isotherm/contracts/errors';
import type { IngestResult } from '@isotherm/contracts/ingest';
import { isRightLead, leadOf } from '@isotherm/domain/devices/device-clock';
import type { Clock } from '../../platform/clock.ts';
import type { Metrics } from '../../platform/metrics.ts';
import type { DeviceDirectory, Presence } from '../devices/index.ts';
import { acceptDecoded, type DecodedMessage } from './accept-decoded.ts';
import type { MessageClock, PendingMessage } from './batch.ts';
import { createClockBudget } from './clock-budget.ts';
import type { IncomingMessage, RefusedMessage } from './incoming-message.ts';
import type { AcceptedReadings, Channels, TimeFrame, UntimedReading } from './normalise.ts';
import { parseMessage } from './parse-message.ts';
import type { ReadingWriter } from './reading-writer.ts';
import type { RejectedMessages } from './rejected-messages.ts';
import { StaleBindings } from './stale-bindings.ts';

export interface Ingest {
  /** Returns the device with these credentials, or null. */
  authenticate: DeviceDirectory['authenticate'];
  /** Returns the device with this number. For gateways that authenticate devices in another way. */
  find: DeviceDirectory['find'];
  refresh: DeviceDirectory['refresh'];
  /**
   * Ingests a message: decode → identify → normalise → store → evaluate. Resolves after the commit; only
   * then may the gateway acknowledge it. Throws `request.malformed`, `ingest.too_many_readings`,
   * `ingest.busy` (queue full; nothing stored), `ingest.unavailable`.
   */
  take(message: IncomingMessage): Promise<IngestResult>;
  /** Like `take`, for a message that the gateway has decoded; `payload` is kept if it is refused. */
  takeDecoded(message: IncomingMessage, decoded: DecodedMessage): Promise<IngestResult>;
  /** Resolves when the queue has room, so that a message would not be refused with `ingest.busy`. */
  room(): Promise<void>;
  /** Stores and counts a message that a gateway could not process at all. */
  refuse(message: RefusedMessage, code: string): void;
}

type ReadMessage = (channels: Channels, time: TimeFrame) => AcceptedReadings;

export function createIngest(
  directory: DeviceDirectory,
  writer: ReadingWriter,
  rejected: RejectedMessages,
  metrics: Metrics,
  clock: Clock,
  /** A clock that never runs backwards; it is only used to decide whether a reading is from the future. */
  futureCheck: Clock,
  heard: Presence['heard'],
  /** Stores readings with impossible times for inspection. */
  keepUntimed: (deviceId: number, readings: readonly UntimedReading[], receivedAt: number) => Promise<void>,
): Ingest {
  const mayJudge = createClockBudget();

  function refuse(message: RefusedMessage, code: string) {
    metrics.rejectedMessages.inc({ gateway: message.gateway, code });
    rejected.keep(message, clock.now(), code, {});
  }

  /**
   * This is one async function from the reading to the response, because under load its state exists
   * thousands of times.
   */
  async function store(message: IncomingMessage, read: ReadMessage): Promise<IngestResult> {
    const { gateway, device } = message;
    const pending = readPending(message, read);
    try {
      await writer.write(pending);
      if (pending.readings.untimed.length > 0)
        await keepUntimed(device.id, pending.readings.untimed, pending.receivedAt);
    } catch (error) {
      if (error instanceof StaleBindings) return storeAgain(message, read);
      if (error instanceof AppError && error.code === 'ingest.refused') refuse(message, error.code);
      throw error;
    }
    const { readings, receivedAt } = pending;
    // The notification by the trigger may take a moment, so the device is reloaded at once: its next message
    // needs the new offset.
    if (pending.clock !== null && pending.clock.offsetMs !== device.clockOffsetMs)
      await directory.reload(device.number).catch(() => undefined);
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

  /** Stores a message again with the bindings that are now in the database. */
  async function storeAgain(message: IncomingMessage, read: ReadMessage): Promise<IngestResult> {
    const device = await directory.reload(message.device.number);
    if (!device) throw new AppError('ingest.unavailable');
    return store({ ...message, device }, read);
  }

  function readPending(message: IncomingMessage, read: ReadMessage): PendingMessage {
    const { device } = message;
    const receivedAt = clock.now();
    const now = futureCheck.now();
    try {
      const readings = read(device.channels, { now, offsetMs: device.clockOffsetMs });
      return {
        deviceId: device.id,
        bindingVersion: device.bindingVersion,
        receivedAt,
        readings,
        clock: clockOf(message, readings, [receivedAt, now], read, mayJudge),
      };
    } catch (error) {
      if (error instanceof AppError) refuse(message, error.code);
      throw error;
    }
  }

  return {
    authenticate: directory.authenticate,
    find: directory.find,
    refresh: directory.refresh,
    room: writer.room,
    refuse,
    take: (message) => store(message, (channels, time) => parseMessage(message.payload, channels, time)),
    takeDecoded: (message, decoded) =>
      store(message, (channels, time) => acceptDecoded(decoded, channels, time)),
  };
}

/**
 * Returns evidence about the device's clock in a message; null if the clock is known to be right and the
 * message agrees.
 */
function clockOf(
  { gateway, device }: IncomingMessage,
  { sentAt, newestAt }: AcceptedReadings,
  clocks: readonly [number, number],
  read: ReadMessage,
  mayJudge: (deviceId: number, receivedAt: number) => boolean,
): MessageClock | null {
  const { clockOffsetMs: offsetMs, acquisitionIntervalMs: intervalMs } = device;
  const leadMs = leadOf(sentAt ?? newestAt, clocks);
  if (offsetMs === 0 && isRightLead(leadMs, intervalMs)) return null;
  if (leadMs === Number.NEGATIVE_INFINITY) return null;
  if (offsetMs === 0 && leadMs < 0 && !mayJudge(device.id, clocks[0])) return null;
  // With MQTT, a message may have been queued by the device's library or by a broker, so its time is not the
  // send time.
  const isSendTime = sentAt !== null && gateway === 'http';
  const now = clocks[1];
  return {
    offsetMs,
    leadMs,
    intervalMs,
    isSendTime,
    read: (offset) => read(device.channels, { now, offsetMs: offset }),
  };
}
