import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** Every metric of the program, served at /metrics in Prometheus' format. */
export function createMetrics() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  return {
    registry,
    readings: new Counter({
      name: 'isotherm_readings_total',
      help: 'Readings committed, resends included',
      registers,
    }),
    messages: new Counter({
      name: 'isotherm_messages_total',
      help: 'Device messages committed',
      registers,
    }),
    rejectedMessages: new Counter({
      name: 'isotherm_rejected_messages_total',
      help: 'Device messages that could not be understood',
      labelNames: ['gateway', 'code'],
      registers,
    }),
    rejectedReadings: new Counter({
      name: 'isotherm_rejected_readings_total',
      help: 'Readings refused within messages that were otherwise taken',
      labelNames: ['gateway'],
      registers,
    }),
    refusedLogins: new Counter({
      name: 'isotherm_device_logins_refused_total',
      help: 'Devices turned away for wrong credentials',
      labelNames: ['gateway'],
      registers,
    }),
    queuedReadings: new Gauge({
      name: 'isotherm_queued_readings',
      help: 'Readings waiting for the database',
      registers,
    }),
    packetBytesThrownAway: new Counter({
      name: 'isotherm_packet_bytes_thrown_away_total',
      help: 'Bytes of packet streams that belonged to no packet with a right checksum',
      labelNames: ['gateway'],
      registers,
    }),
    replayedPackets: new Counter({
      name: 'isotherm_packets_replayed_total',
      help: 'Sealed packets refused because of their counter',
      labelNames: ['gateway'],
      registers,
    }),
    packetConnections: new Gauge({
      name: 'isotherm_packet_connections',
      help: 'Gateways connected by TCP',
      registers,
    }),
    brokerConnected: new Gauge({
      name: 'isotherm_broker_connected',
      help: '1 while connected to the external MQTT broker',
      registers,
    }),
    commitSeconds: new Histogram({
      name: 'isotherm_commit_seconds',
      help: 'Time of one group commit, judging included',
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
      registers,
    }),
    alarmsRaised: new Counter({
      name: 'isotherm_alarms_raised_total',
      help: 'Alarms raised',
      labelNames: ['kind', 'level'],
      registers,
    }),
    sockets: new Gauge({ name: 'isotherm_sockets', help: 'Console sockets open', registers }),
    requestSeconds: new Histogram({
      name: 'isotherm_http_request_seconds',
      help: 'API calls by route and status class',
      labelNames: ['route', 'status'],
      buckets: [0.005, 0.025, 0.1, 0.25, 1, 5],
      registers,
    }),
  };
}

export type Metrics = ReturnType<typeof createMetrics>;
