import { commandAnswersTopic, commandsTopic } from '@isotherm/contracts/commands';
import {
  MAX_INGEST_BODY_BYTES,
  packetsTopic,
  readingsTopic,
  resultsTopic,
  splitToken,
} from '@isotherm/contracts/ingest';
import type {
  DeviceDirectory,
  DeviceFirmware,
  Downlink,
  KnownDevice,
  PacketCounters,
} from '../features/devices/index.ts';
import type { HardwareIngest, Ingest } from '../features/telemetry/index.ts';
import type { Invalidations } from '../platform/cache/invalidations.ts';
import type { Clock } from '../platform/clock.ts';
import type { ConnectionLimit } from '../platform/connections/connection-limits.ts';
import type { Logger } from '../platform/log.ts';
import type { Metrics } from '../platform/metrics.ts';
import { type ChunkRequest, chunkRequestOf, readChunk } from './firmware-downloads.ts';
import { FOREIGN_TOPICS, type ForeignTopic } from './foreign-topics.ts';
import type { MqttOutcome } from './mqtt-acknowledgements.ts';
import { type MqttApplication, type MqttClient, REASON } from './mqtt-connection.ts';
import { createMqttIntake, isPartial, type MqttAnswer, type PacketSender, refusalOf } from './mqtt-intake.ts';
import { createMqttServer, type MqttServer } from './mqtt-server.ts';
import { createKeyWatch } from './withdrawn-keys.ts';

const MQTT_5 = 5;
/** Topics of the ThingsBoard device API, which has more than is served here. */
const FOREIGN_PREFIXES = ['v1/', 'v2/'];
/** Refused readings that a reason string lists. */
const MOST_NAMED = 5;

type Taker = (client: MqttClient, session: Session, payload: Buffer) => Promise<MqttOutcome | null>;

interface Session {
  device: KnownDevice;
  /** The device's own topics with their handlers. */
  topics: ReadonlyMap<string, Taker>;
  /** Created with the first packet: most devices send JSON. */
  source: PacketSender | null;
  /** Ends the delivery of commands; set once the device has subscribed to them. */
  hangUp: (() => void) | null;
  unwatch(): void;
}

export interface MqttParts {
  ingest: Ingest;
  hardware: HardwareIngest;
  directory: Pick<DeviceDirectory, 'findByName'>;
  counters: PacketCounters;
  downlink: Downlink;
  invalidations: Invalidations;
  firmware: DeviceFirmware;
  metrics: Metrics;
  log: Logger;
  clock: Clock;
  limit: ConnectionLimit;
}

/**
 * MQTT 3.1.1 and 5 for devices. A message is acknowledged only after the commit; if that fails the connection
 * is closed, so that the device sends again. Payloads are JSON, or gateway packets on their own topic.
 */
export function createMqttGateway(parts: MqttParts): MqttServer {
  const { ingest, hardware, directory, counters, downlink, firmware, metrics, log, clock, limit } = parts;
  const keys = createKeyWatch(parts.invalidations, ingest.refresh);
  const intake = createMqttIntake({ ingest, counters, downlink, clock });

  /** The registry may have changed since the device connected. */
  function present(session: Session): Promise<KnownDevice> | KnownDevice {
    const known = ingest.refresh(session.device);
    return known instanceof Promise ? known.then(stillKnown) : stillKnown(known);
  }

  const takeReadings: Taker = async (client, session, payload) => {
    const found = present(session);
    const device = found instanceof Promise ? await found : found;
    const answer = await intake.readings({ device, address: client.address, payload });
    return isPartial(answer) ? answerTo(client, device, answer) : null;
  };

  const takePackets: Taker = async (client, session, payload) => {
    const device = await present(session);
    session.source ??= await intake.packetSender(device, client.address);
    const answer = await intake.packets({ device, address: client.address, payload }, session.source);
    return isPartial(answer) ? answerTo(client, device, answer) : null;
  };

  const takeAnswer: Taker = async (client, session, payload) => {
    await intake.commandAnswer({ device: await present(session), address: client.address, payload });
    return null;
  };

  async function takeForeign(
    client: MqttClient,
    session: Session,
    payload: Buffer,
    { read, isGateway }: ForeignTopic,
  ): Promise<null> {
    const sender = await present(session);
    const find = (name: string | null) =>
      isGateway && name !== null ? directory.findByName(sender.id, name) : sender;
    const receivedAt = clock.now();
    try {
      await intake.whenThereIsRoom(() =>
        hardware.take({
          gateway: 'mqtt',
          address: client.address,
          sender,
          payload,
          receivedAt,
          read,
          find,
        }),
      );
    } catch (error) {
      refusalOf(error);
    }
    return null;
  }

  /** A request for a chunk that is not available gets no answer, as with ThingsBoard. */
  async function sendChunk(
    client: MqttClient,
    session: Session,
    payload: Buffer,
    asked: ChunkRequest,
  ): Promise<null> {
    const device = await present(session);
    const part = await readChunk(firmware, device.id, asked, payload);
    if (part) client.send(asked.answerTopic, part);
    return null;
  }

  async function refuseTopic(
    client: MqttClient,
    { device }: Session,
    topic: string,
    payload: Buffer,
  ): Promise<MqttOutcome | null> {
    ingest.refuse({ gateway: 'mqtt', address: client.address, device, payload }, 'topic');
    // Hardware that was disconnected for an unknown topic would reconnect and repeat it forever.
    if (FOREIGN_PREFIXES.some((prefix) => topic.startsWith(prefix))) return null;
    // With 3.1.1, closing the connection is the only way to refuse a message.
    if (client.version !== MQTT_5) throw new Error(`topic ${topic} is not this device's`);
    return { code: REASON.notAuthorized, reason: "not this device's topic" };
  }

  const application: MqttApplication<Session> = {
    async authenticate(client, username, password) {
      // A ThingsBoard token in the user name contains both.
      const { number, key } = password
        ? { number: username ?? '', key: password.toString('utf8') }
        : splitToken(username ?? '');
      const device = await ingest.authenticate(number, key);
      if (!device) {
        metrics.refusedLogins.inc({ gateway: 'mqtt' });
        return null;
      }
      const topics = new Map([
        [readingsTopic(device.number), takeReadings],
        [packetsTopic(device.number), takePackets],
        [commandAnswersTopic(device.number), takeAnswer],
      ]);
      const unwatch = keys.watch(device, () => client.close(REASON.notAuthorized));
      return { session: { device, topics, source: null, hangUp: null, unwatch }, name: device.number };
    },

    publish(client, session, topic, payload) {
      const taker = session.topics.get(topic);
      if (taker) return taker(client, session, payload);
      const foreign = FOREIGN_TOPICS.get(topic);
      if (foreign) return takeForeign(client, session, payload, foreign);
      const chunk = chunkRequestOf(topic);
      if (chunk) return sendChunk(client, session, payload, chunk);
      return refuseTopic(client, session, topic, payload);
    },

    maySubscribe(client, session, filter) {
      const { device } = session;
      if (filter === commandsTopic(device.number)) {
        session.hangUp ??= downlink.open(device, ({ id, order }) =>
          client.send(filter, Buffer.from(JSON.stringify({ id, ...order }))),
        );
        return true;
      }
      // Messages on third-party topics, which are the same for all devices, are sent only to this connection.
      return (
        filter === resultsTopic(device.number) || FOREIGN_PREFIXES.some((prefix) => filter.startsWith(prefix))
      );
    },

    ended(session) {
      session.hangUp?.();
      session.hangUp = null;
      session.unwatch();
    },
  };

  return createMqttServer(application, MAX_INGEST_BODY_BYTES, limit, (error, { name }) =>
    log.debug({ client: name, error: error.message }, 'mqtt client'),
  );
}

function stillKnown(device: KnownDevice | null): KnownDevice {
  if (!device) throw new Error('credentials withdrawn');
  return device;
}

/**
 * Tells a device what was refused of a message: on its results topic, and with MQTT 5 in the acknowledgement.
 */
function answerTo(client: MqttClient, { number }: KnownDevice, answer: MqttAnswer): MqttOutcome {
  client.send(resultsTopic(number), Buffer.from(JSON.stringify(answer)));
  const isTaken = answer.accepted > 0;
  return { code: isTaken ? 0 : REASON.payloadFormatInvalid, reason: reasonOf(answer) };
}

function reasonOf({ error, rejected, rejectedPositions }: MqttAnswer): string {
  if (error !== undefined) return error;
  const named = rejected.slice(0, MOST_NAMED).map(({ index, fault }) => `${index} ${fault}`);
  const others = rejected.length - named.length + rejectedPositions;
  return `refused: ${named.join(', ')}${others > 0 ? ` and ${others} more` : ''}`;
}
