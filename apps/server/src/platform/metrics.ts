import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/**
 * Creates all metrics of the program, served at /metrics in the Prometheus format. Gauges are computed at
 * each scrape, so that they are right even if no event happens.
 */
export function createMetrics() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  return {
    registry,
    /** Adds a gauge whose value is the result of `read` at each scrape. */
    gauge(name: string, help: string, read: () => number): void {
      new Gauge({
        name,
        help,
        registers,
        collect() {
          this.set(read());
        },
      });
    },
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
      help: 'Readings refused in messages that were otherwise accepted',
      labelNames: ['gateway'],
      registers,
    }),
    refusedLogins: new Counter({
      name: 'isotherm_device_logins_refused_total',
      help: 'Device logins refused because of wrong credentials',
      labelNames: ['gateway'],
      registers,
    }),
    packetBytesThrownAway: new Counter({
      name: 'isotherm_packet_bytes_thrown_away_total',
      help: 'Bytes of packet streams outside packets with a correct checksum',
      labelNames: ['gateway'],
      registers,
    }),
    replayedPackets: new Counter({
      name: 'isotherm_packets_replayed_total',
      help: 'Encrypted packets refused because of their counter',
      labelNames: ['gateway'],
      registers,
    }),
    commitSeconds: new Histogram({
      name: 'isotherm_commit_seconds',
      help: 'Duration of a group commit, including alarm evaluation',
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
      registers,
    }),
    alarmsRaised: new Counter({
      name: 'isotherm_alarms_raised_total',
      help: 'Alarms raised',
      labelNames: ['kind', 'level'],
      registers,
    }),
    backupFailures: new Counter({
      name: 'isotherm_backup_failures_total',
      help: 'Nightly backups that failed in this process',
      registers,
    }),
    requestSeconds: new Histogram({
      name: 'isotherm_http_request_seconds',
      help: 'Duration of API calls by route and status class',
      labelNames: ['route', 'status'],
      buckets: [0.005, 0.025, 0.1, 0.25, 1, 5],
      registers,
    }),
  };
}

export type Metrics = ReturnType<typeof createMetrics>;
