import type { FastifyInstance } from 'fastify';
import type pg from 'pg';
import {
  type Contacts,
  createDeviceAttributes,
  createPacketCounters,
  type DeviceDirectory,
  type DeviceFirmware,
  type Downlink,
} from '../features/devices/index.ts';
import type { HardwareIngest, Ingest } from '../features/telemetry/index.ts';
import type { Invalidations } from '../platform/cache/invalidations.ts';
import type { Clock } from '../platform/clock.ts';
import type { Certificates } from '../platform/connections/certificates.ts';
import { createConnectionLimit } from '../platform/connections/connection-limits.ts';
import type { FindMachine } from '../platform/http/mount.ts';
import type { Logger } from '../platform/log.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { Alertors } from './alertors.ts';
import { type BrokerParts, createBrokerGateway } from './broker.ts';
import { mountHardwareHttp } from './hardware-http.ts';
import { mountIngestHttp } from './http.ts';
import { createMqttGateway } from './mqtt.ts';
import { createSharedAttributes } from './shared-attributes.ts';
import { createTcpGateway } from './tcp.ts';
import { mountThingsboardHttp } from './thingsboard-http.ts';

export interface GatewayNeeds {
  devicePool: pg.Pool;
  /** Creates the pool for the leases of broker sessions, so that nothing delays their renewal. */
  createLeasePool: () => pg.Pool;
  ingest: Ingest;
  hardware: HardwareIngest;
  directory: DeviceDirectory;
  downlink: Downlink;
  firmware: DeviceFirmware;
  contacts: Contacts;
  findMachine: FindMachine;
  alertors: Alertors & { stop(): Promise<void> };
  invalidations: Invalidations;
  metrics: Metrics;
  clock: Clock;
  log: Logger;
  certificates: Certificates | null | undefined;
  /** Maximum numbers of open connections. */
  limits: { mqtt: number; tcp: number };
  listenOn: {
    host: string;
    /** Address for MQTT without TLS. */
    plainHost: string;
    mqttPort: number;
    tcpPort: number;
    /** Null without a certificate. */
    mqttsPort: number | null;
  };
  broker: Pick<BrokerParts, 'url' | 'clientId' | 'chirpstackTopic'> | null | undefined;
}

/** The open gateways and their ports; `mqttsPort` is null without a certificate. */
export interface Gateways {
  mqttPort: number;
  tcpPort: number;
  mqttsPort: number | null;
  /** Refuses new connections and messages, and closes the open ones. */
  stop(): Promise<void>;
  /** Stores what is still counted in memory, after every gateway has stopped. */
  flush(): Promise<void>;
}

/** Opens everything through which devices send: HTTP, MQTT, TCP packets and the operator's broker. */
export async function startGateways(app: FastifyInstance, needs: GatewayNeeds): Promise<Gateways> {
  const { ingest, hardware, directory, downlink, firmware, invalidations, metrics, log, clock } = needs;
  const { limits, listenOn } = needs;
  const attributes = createDeviceAttributes(needs.devicePool, clock);
  const shared = createSharedAttributes({ attributes, downlink, invalidations, log });
  const counters = createPacketCounters(needs.devicePool, log);
  const common = { ingest, hardware, directory, downlink, counters, metrics, clock };

  await mountIngestHttp(app, ingest, metrics);
  await mountHardwareHttp(app, { hardware, directory, findMachine: needs.findMachine, clock });
  await mountThingsboardHttp(app, { ...common, firmware, attributes, shared });
  const mqtt = createMqttGateway({
    ...common,
    invalidations,
    firmware,
    attributes,
    shared,
    log,
    limit: createConnectionLimit({ most: limits.mqtt }),
    alertors: needs.alertors,
  });
  const mqttPort = await mqtt.listen(listenOn.plainHost, listenOn.mqttPort);
  const mqttsPort =
    listenOn.mqttsPort !== null && needs.certificates
      ? await mqtt.listenTls(needs.certificates, listenOn.host, listenOn.mqttsPort)
      : null;
  const tcp = createTcpGateway({
    ingest,
    counters,
    downlink,
    contacts: needs.contacts,
    invalidations,
    metrics,
    clock,
    limit: createConnectionLimit({ most: limits.tcp }),
  });
  const tcpPort = await tcp.listen(listenOn.host, listenOn.tcpPort);
  const leasePool = needs.broker ? needs.createLeasePool() : null;
  const broker =
    needs.broker && leasePool
      ? await createBrokerGateway({ ...common, ...needs.broker, pool: leasePool, log })
      : null;

  return {
    mqttPort,
    tcpPort,
    mqttsPort,
    async stop() {
      await broker?.stop();
      await mqtt.stop();
      await tcp.stop();
    },
    async flush() {
      await downlink.stop();
      await needs.alertors.stop();
      await counters.stop();
    },
  };
}
