import { commandAnswersTopic, commandsTopic } from '@isotherm/contracts/commands';
import { MAX_INGEST_BODY_BYTES, packetsTopic, readingsTopic, resultsTopic } from '@isotherm/contracts/ingest';
import { readThingsboardTopic, type ThingsboardTopic } from '@isotherm/protocol/hardware/thingsboard-topics';
import type {
  DeviceAttributes,
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
import { type Alertors, withAlertors } from './alertors.ts';
import { createDeviceWatch } from './device-watch.ts';
import type { MqttOutcome } from './mqtt-acknowledgements.ts';
import { type MqttApplication, type MqttClient, REASON } from './mqtt-connection.ts';
import { createMqttIntake, isPartial, type MqttAnswer, type PacketSender } from './mqtt-intake.ts';
import { createMqttServer, type MqttServer } from './mqtt-server.ts';
import type { SharedAttributes } from './shared-attributes.ts';
import { openThingsboardSession, type ThingsboardSession } from './thingsboard-session.ts';
import { createKeyWatch } from './withdrawn-keys.ts';

const MQTT_5 = 5;
/** Topic prefixes of the ThingsBoard device API, which has more topics than are served here. */
const FOREIGN_PREFIXES = ['v1/', 'v2/'];
/** Maximum number of refused readings that a reason string lists. */
const MOST_NAMED = 5;

type Taker = (client: MqttClient, session: Session, payload: Buffer) => Promise<MqttOutcome | null>;

interface Session {
  device: KnownDevice;
  /** Handlers by the device's own topics. */
  topics: ReadonlyMap<string, Taker>;
  /** Created with the first packet, because most devices send JSON. */
  source: PacketSender | null;
  /** Ends the delivery of commands; set once the device has subscribed to them. */
  hangUp: (() => void) | null;
  /** Created with the first message or subscription of the ThingsBoard device API. */
  thingsboard: ThingsboardSession | null;
  unwatch(): void;
}

export interface MqttParts {
  ingest: Ingest;
  hardware: HardwareIngest;
  directory: Pick<DeviceDirectory, 'findByName' | 'authenticateToken'>;
  counters: PacketCounters;
  downlink: Downlink;
  invalidations: Invalidations;
  firmware: DeviceFirmware;
  attributes: DeviceAttributes;
  shared: SharedAttributes;
  metrics: Metrics;
  log: Logger;
  clock: Clock;
  limit: ConnectionLimit;
  alertors: Alertors;
}

/**
 * Creates the MQTT 3.1.1 and 5 gateway for devices. A message is acknowledged only after the commit; if that
 * fails the connection is closed, so that the device sends again. Payloads are JSON, or gateway packets on
 * their own topic.
 */
export function createMqttGateway(parts: MqttParts): MqttServer {
  const { ingest, directory, counters, downlink, metrics, log, clock, limit } = parts;
  const devices = createDeviceWatch(parts.invalidations, 'device');
  const keys = createKeyWatch(parts.invalidations, ingest.refresh);
  const intake = createMqttIntake({ ingest, counters, downlink, clock });

  /** Returns the current device, because the registry may have changed since it connected. */
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

  function thingsboardOf(client: MqttClient, session: Session): ThingsboardSession {
    session.thingsboard ??= openThingsboardSession({ ...parts, intake, devices }, client, session.device);
    return session.thingsboard;
  }

  async function takeForeign(
    client: MqttClient,
    session: Session,
    payload: Buffer,
    topic: ThingsboardTopic,
  ): Promise<null> {
    await thingsboardOf(client, session).take(topic, await present(session), payload);
    return null;
  }

  async function refuseTopic(
    client: MqttClient,
    { device }: Session,
    topic: string,
    payload: Buffer,
  ): Promise<MqttOutcome | null> {
    ingest.refuse({ gateway: 'mqtt', address: client.address, device, payload }, 'topic');
    // The message is ignored, because hardware that was disconnected for an unknown topic would reconnect
    // and repeat it forever.
    if (FOREIGN_PREFIXES.some((prefix) => topic.startsWith(prefix))) return null;
    // With MQTT 3.1.1, closing the connection is the only way to refuse a message.
    if (client.version !== MQTT_5) throw new Error(`topic ${topic} is not this device's`);
    return { code: REASON.notAuthorized, reason: "not this device's topic" };
  }

  const application: MqttApplication<Session> = {
    async authenticate(client, username, password) {
      const sender = { gateway: 'mqtt' as const, address: client.address };
      const device = password?.length
        ? await ingest.authenticate(username ?? '', password.toString('utf8'), sender)
        : await directory.authenticateToken(username ?? '', sender);
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
      return {
        session: { device, topics, source: null, hangUp: null, thingsboard: null, unwatch },
        name: device.number,
      };
    },

    publish(client, session, topic, payload) {
      const taker = session.topics.get(topic);
      if (taker) return taker(client, session, payload);
      const known = readThingsboardTopic(topic);
      if (known) return takeForeign(client, session, payload, known);
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
      if (filter === resultsTopic(device.number)) return true;
      // Third-party topics are the same for all devices, so messages on them are sent only to this
      // connection.
      if (!FOREIGN_PREFIXES.some((prefix) => filter.startsWith(prefix))) return false;
      thingsboardOf(client, session).subscribed(filter);
      return true;
    },

    unsubscribed(session, filter) {
      if (filter === commandsTopic(session.device.number)) {
        session.hangUp?.();
        session.hangUp = null;
      } else session.thingsboard?.unsubscribed(filter);
    },

    ended(session) {
      session.hangUp?.();
      session.hangUp = null;
      session.thingsboard?.end();
      session.unwatch();
    },
  };

  return createMqttServer(
    withAlertors(application, parts.alertors, metrics),
    MAX_INGEST_BODY_BYTES,
    limit,
    (error, { name }) => log.debug({ client: name, error: error.message }, 'mqtt client'),
  );
}

function stillKnown(device: KnownDevice | null): KnownDevice {
  if (!device) throw new Error('credentials withdrawn');
  return device;
}

/**
 * Reports to a device which parts of a message were refused: on its results topic, and with MQTT 5 in the
 * acknowledgement.
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
