import { commandAnswersTopic, commandsTopic } from '@isotherm/contracts/commands';
import { packetsTopic, readingsTopic, resultsTopic } from '@isotherm/contracts/ingest';
import { defaultGapAllowanceMs } from '@isotherm/domain/alarms/alarm-machine';
import type pg from 'pg';
import type { DeviceDirectory, Downlink, KnownDevice, PacketCounters } from '../features/devices/index.ts';
import type { HardwareIngest, Ingest } from '../features/telemetry/index.ts';
import type { Clock } from '../platform/clock.ts';
import { createLeases } from '../platform/leases/leases.ts';
import type { Logger } from '../platform/log.ts';
import type { Metrics } from '../platform/metrics.ts';
import { chirpstackEventOf, takeChirpstackEvent } from './broker-chirpstack.ts';
import { type BrokerConnection, type BrokerMessage, createBrokerConnection } from './broker-connection.ts';
import {
  createMqttIntake,
  isPartial,
  type MqttAnswer,
  type MqttPayload,
  type PacketSender,
} from './mqtt-intake.ts';

/** Prefix of shared subscriptions: processes that use this name share the messages. */
const SHARE = '$share/isotherm';
const ANY = '+';
const SWEEP_EVERY_MS = 10_000;
const FIRST_RETRY_MS = 100;
const MAX_RETRY_MS = 5_000;
const ADDRESS = 'broker';
const LEASE_KIND = 'broker-session';

export interface BrokerParts {
  url: string;
  /** Client id of this process. */
  clientId: string;
  /** Topic filter of ChirpStack's events at this broker; null if there is none. */
  chirpstackTopic: string | null;
  /** Connection pool for leases only, so that nothing delays their renewal. */
  pool: pg.Pool;
  ingest: Ingest;
  hardware: HardwareIngest;
  directory: DeviceDirectory;
  counters: PacketCounters;
  downlink: Downlink;
  metrics: Metrics;
  log: Logger;
  clock: Clock;
}

interface Listener {
  hangUp: () => void;
  until: number;
}

/**
 * Creates the gateway for devices at an operator's own broker. The broker authenticates them: its access
 * list restricts each to its own topics (docs/operating.md), and the topic identifies the device. A message
 * is acknowledged to the broker after its commit; a device gets the result if it sets its results topic as
 * the response topic. Sessions at the broker outlive their process and are taken over by another one.
 */
export async function createBrokerGateway(parts: BrokerParts): Promise<{ stop(): Promise<void> }> {
  const { ingest, downlink, metrics, log, clock } = parts;
  const intake = createMqttIntake(parts);
  const senders = new WeakMap<KnownDevice, PacketSender>();
  /**
   * The broker does not report which devices are subscribed, so recently seen devices are assumed to listen.
   */
  const listeners = new Map<number, Listener>();

  const readings = (from: MqttPayload) => intake.readings(from);
  async function packets(from: MqttPayload): Promise<MqttAnswer> {
    const sender = senders.get(from.device) ?? (await intake.packetSender(from.device, ADDRESS));
    senders.set(from.device, sender);
    return intake.packets(from, sender);
  }
  async function answers(from: MqttPayload): Promise<null> {
    await intake.commandAnswer(from);
    return null;
  }
  const TAKERS = new Map<string, (from: MqttPayload) => Promise<MqttAnswer | null>>([
    [readingsTopic(ANY), readings],
    [packetsTopic(ANY), packets],
    [commandAnswersTopic(ANY), answers],
  ]);

  async function take(message: BrokerMessage): Promise<void> {
    const event = parts.chirpstackTopic === null ? null : chirpstackEventOf(message.topic);
    if (!event) return takeOwn(message);
    if (!(await takeChirpstackEvent({ ...parts, intake }, event, message.payload, ADDRESS)))
      refuseUnknown(message.topic);
  }

  function refuseUnknown(topic: string): void {
    metrics.rejectedMessages.inc({ gateway: 'mqtt', code: 'unknown-device' });
    log.debug({ topic }, 'message of no device');
  }

  async function takeOwn({ topic, payload, responseTopic, correlationData }: BrokerMessage): Promise<void> {
    const [, , number = ''] = topic.split('/');
    const taker = TAKERS.get(topic.replace(`/${number}/`, `/${ANY}/`));
    const device = taker && (await ingest.find(number));
    if (!device) return refuseUnknown(topic);
    heard(device);
    const answer = await taker({ device, address: ADDRESS, payload });
    if (!answer) return;
    // A response to any other topic would allow the device to send in the server's name.
    const results = resultsTopic(device.number);
    if (responseTopic === results || isPartial(answer))
      publish(
        results,
        Buffer.from(JSON.stringify(answer)),
        correlationData ? { correlationData } : undefined,
      );
  }

  function heard(device: KnownDevice): void {
    const until = clock.now() + defaultGapAllowanceMs(device.acquisitionIntervalMs);
    const known = listeners.get(device.id);
    if (known) {
      known.until = until;
      return;
    }
    const hangUp = downlink.open({ id: device.id, credentialHash: null }, ({ id, order }) =>
      publish(commandsTopic(device.number), Buffer.from(JSON.stringify({ id, ...order }))),
    );
    listeners.set(device.id, { hangUp, until });
  }

  function forget(isGone: (listener: Listener) => boolean): void {
    for (const [deviceId, listener] of listeners) {
      if (!isGone(listener)) continue;
      listeners.delete(deviceId);
      listener.hangUp();
    }
  }
  const sweep = setInterval(() => forget(({ until }) => until < clock.now()), SWEEP_EVERY_MS);

  /**
   * Connections by client id. The broker queues a share of the messages for each session, connected or not.
   */
  const connections = new Map<string, BrokerConnection>();
  let isConnected = false;
  metrics.gauge('isotherm_broker_connected', '1 while connected to the external MQTT broker', () =>
    isConnected ? 1 : 0,
  );
  metrics.gauge(
    'isotherm_broker_sessions',
    'Sessions at the external MQTT broker that this process serves: its own, and those of processes that died',
    () => connections.size,
  );

  /** Publishes over this process's own session. */
  const publish: BrokerConnection['publish'] = (topic, payload, properties) =>
    connections.get(parts.clientId)?.publish(topic, payload, properties);

  const serve = (clientId: string): BrokerConnection =>
    createBrokerConnection({
      url: parts.url,
      clientId,
      log,
      filters: [...TAKERS.keys(), parts.chirpstackTopic]
        .filter((filter) => filter !== null)
        .map((filter) => `${SHARE}/${filter}`),
      mayConnect: () => sessions.holds(clientId),
      /**
       * Retries while the database is unreachable, because the broker would redeliver only on a new
       * connection.
       */
      async onMessage(message, signal) {
        for (let waitMs = FIRST_RETRY_MS; ; waitMs = Math.min(MAX_RETRY_MS, waitMs * 2)) {
          try {
            return await take(message);
          } catch (error) {
            if (waitMs === FIRST_RETRY_MS)
              log.warn({ error: (error as Error).message }, 'a message of the broker waits');
            await new Promise((wake) => setTimeout(wake, waitMs));
            if (signal.aborted) return;
          }
        }
      },
      onConnected(isNow) {
        if (clientId !== parts.clientId) return;
        isConnected = isNow;
        if (!isNow) forget(() => true);
      },
    });

  const sessions = createLeases({
    pool: parts.pool,
    log,
    kind: LEASE_KIND,
    own: parts.clientId,
    onTaken(clientId) {
      if (clientId !== parts.clientId) log.warn({ clientId }, 'session of a dead process taken over');
      connections.set(clientId, serve(clientId));
    },
    onLost(clientId) {
      log.info({ clientId }, 'session is served by another process');
      void connections.get(clientId)?.stop();
      connections.delete(clientId);
    },
  });
  await sessions.start();

  return {
    async stop() {
      clearInterval(sweep);
      await Promise.all([...connections.values()].map((connection) => connection.stop()));
      await sessions.stop();
      forget(() => true);
    },
  };
}
