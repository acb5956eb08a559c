import { parseArgs } from 'node:util';
import { provisionLoad } from '@isotherm/simulator/load/load';
import { bareInsertRate } from './bare-insert.ts';
import { benchDevices, CHANNELS_PER_DEVICE, DEVICES_PER_CALL, INSIDE } from './bench-fleet.ts';
import { holdConnections } from './held-connections.ts';
import { startHttpLoad } from './http-load.ts';
import { paceMqtt, saturateMqtt } from './mqtt-run.ts';
import { startPacketLoad } from './packet-load.ts';
import {
  describeMachine,
  percentile,
  perform,
  processorSeconds,
  residentMb,
  type Stage,
  sleep,
} from './stage.ts';

const { values: options } = parseArgs({
  options: {
    /** Duration of each measurement in seconds. */
    seconds: { type: 'string', default: '15' },
    'warm-up': { type: 'string', default: '5' },
    /** Program to measure, instead of building the current sources. */
    entry: { type: 'string' },
    /** Database to measure on (for example the coordinator of a Citus cluster) instead of an embedded one. */
    database: { type: 'string' },
    /** Folder into which a CPU profile of the server is written. */
    'cpu-profile': { type: 'string' },
    phases: { type: 'string', default: 'paced,connections,bare,http,packets,mqtt' },
  },
});
const measureMs = Number(options.seconds) * 1000;
const warmUpMs = Number(options['warm-up']) * 1000;
const phases = new Set(options.phases.split(','));

const HTTP_DEVICES = 200;
const HTTP_CONNECTIONS = 48;
const PACKET_DEVICES = 48;
const MQTT_DEVICES = 200;
const DEVICES = HTTP_DEVICES + PACKET_DEVICES + MQTT_DEVICES;
const PACED_PER_SECOND = 5_000;
const CONNECTIONS = 10_000;
const SMALL_DEVICES_PER_CALL = 500;

async function main(stage: Stage): Promise<Record<string, number>> {
  const { client, pool, serverPid } = stage;
  console.log(await describeMachine(pool));
  const http = benchDevices(70_000_000, HTTP_DEVICES, INSIDE);
  const mqtt = benchDevices(71_000_000, MQTT_DEVICES, INSIDE);
  const packets = benchDevices(72_000_000, PACKET_DEVICES, INSIDE);
  for (const { items } of [http, mqtt, packets]) await provisionLoad(client, items, DEVICES_PER_CALL);
  console.log(`${DEVICES} devices, ${DEVICES * CHANNELS_PER_DEVICE} channels, three rules on each`);

  const result: Record<string, number> = {};
  let acknowledged = 0;

  if (phases.has('paced')) {
    const run = await paceMqtt(stage.mqttPort, mqtt.devices, PACED_PER_SECOND, warmUpMs, measureMs, () =>
      residentMb(serverPid),
    );
    acknowledged += run.acknowledged;
    result.ack_p50_ms = percentile(run.latenciesMs, 0.5);
    result.ack_p99_ms = percentile(run.latenciesMs, 0.99);
    result.server_rss_mb = run.residentMb;
    row('paced load', `${Math.round(run.perSecond)} messages/s over MQTT QoS 1`);
    row('send to acknowledgement', `p50 ${result.ack_p50_ms} ms, p99 ${result.ack_p99_ms} ms`);
    row('server memory at this load', `${result.server_rss_mb} MB`);
    await expectStored(stage, acknowledged);
  }
  if (phases.has('connections')) {
    const many = benchDevices(74_000_000, CONNECTIONS, INSIDE, 1);
    await provisionLoad(client, many.items, SMALL_DEVICES_PER_CALL);
    const held = await holdConnections(stage.mqttPort, many.devices, () => residentMb(serverPid));
    acknowledged += held.acknowledged;
    result.mqtt_connections = held.connections;
    result.mqtt_rss_mb = held.residentMb;
    row('MQTT connections held', `${held.connections}, each heard; server memory ${held.residentMb} MB`);
    await expectStored(stage, acknowledged);
  }
  if (phases.has('bare')) {
    result.bare_insert_per_s = Math.round(await bareInsertRate(pool, warmUpMs, measureMs));
    row('bare durable insert', `${result.bare_insert_per_s} rows/s`);
  }
  if (phases.has('http')) {
    const load = startHttpLoad(stage.port, http.devices, HTTP_CONNECTIONS);
    const rate = await measureLoad(stage, load);
    acknowledged += load.acknowledgedReadings;
    result.readings_per_s = Math.round(rate);
    row('HTTP, 500 readings a batch', `${result.readings_per_s} readings/s`);
    if (result.bare_insert_per_s) {
      result.ratio_to_bare_insert = Math.round((rate / result.bare_insert_per_s) * 1000) / 1000;
      row('ratio to bare insert', String(result.ratio_to_bare_insert));
    }
    row('server memory after it', `${residentMb(serverPid)} MB`);
    await expectStored(stage, acknowledged);
    // On an external database, the partitions may be on other nodes.
    if (!options.database) {
      const { rows } = await pool.query<{ bytes: string }>(
        `select sum(pg_total_relation_size(relid)) as bytes from pg_partition_tree('reading') where isleaf`,
      );
      result.bytes_per_reading = Math.round((Number(rows[0]?.bytes) / acknowledged) * 10) / 10;
      row('on disk, index included', `${result.bytes_per_reading} bytes per reading`);
    }
  }
  if (phases.has('packets')) {
    const load = await startPacketLoad(stage.tcpPort, packets.devices);
    const rate = await measureLoad(stage, load);
    acknowledged += load.acknowledgedReadings;
    result.packet_readings_per_s = Math.round(rate);
    row('gateway packets, 500 readings each', `${result.packet_readings_per_s} readings/s`);
    row('on the wire', `${load.bytesPerReading.toFixed(2)} bytes per reading`);
    if (result.bare_insert_per_s) {
      result.packet_ratio_to_bare_insert = Math.round((rate / result.bare_insert_per_s) * 1000) / 1000;
      row('ratio to bare insert', String(result.packet_ratio_to_bare_insert));
    }
    row('server memory after it', `${residentMb(serverPid)} MB`);
    await expectStored(stage, acknowledged);
  }
  if (phases.has('mqtt')) {
    const busyBefore = processorSeconds(serverPid);
    const loadBefore = process.cpuUsage();
    const run = await saturateMqtt(stage.mqttPort, mqtt.devices, warmUpMs, measureMs);
    acknowledged += run.acknowledged;
    result.mqtt_messages_per_s = Math.round(run.perSecond);
    row('MQTT QoS 1, one reading each', `${result.mqtt_messages_per_s} messages/s`);
    result.saturated_rss_mb = residentMb(serverPid);
    row('server processor time', perItem(serverPid, busyBefore, loadBefore, run.acknowledged, 'message'));
    row('server memory after it', `${result.saturated_rss_mb} MB`);
    await expectStored(stage, acknowledged);
  }
  return result;
}

/** Measures the readings acknowledged per second after a warm-up; waits for pending ones. */
async function measureLoad(
  { serverPid }: Stage,
  load: { readonly acknowledgedReadings: number; finish(): Promise<void> },
): Promise<number> {
  const busyBefore = processorSeconds(serverPid);
  const loadBefore = process.cpuUsage();
  await sleep(warmUpMs);
  const before = load.acknowledgedReadings;
  const begin = performance.now();
  await sleep(measureMs);
  const rate = ((load.acknowledgedReadings - before) * 1000) / (performance.now() - begin);
  await load.finish();
  row(
    'server processor time',
    perItem(serverPid, busyBefore, loadBefore, load.acknowledgedReadings, 'reading'),
  );
  return rate;
}

/**
 * Checks that each acknowledged reading is stored once: the key prevents duplicates, and the count shows
 * missing ones.
 */
async function expectStored(stage: Stage, acknowledged: number): Promise<void> {
  // Old readings that arrive at about the rate of real time look like those of a clock that is behind
  // (docs/decisions/0011).
  const { rows } = await stage.pool.query<{ count: string }>(
    'select (select count(*) from reading) + (select count(*) from estimated_reading) as count',
  );
  const stored = Number(rows[0]?.count);
  row('acknowledged / stored', `${acknowledged} / ${stored}`);
  if (stored !== acknowledged) throw new Error(`${acknowledged - stored} acknowledged readings are missing`);
}

function perItem(
  pid: number,
  secondsBefore: number,
  loadBefore: NodeJS.CpuUsage,
  items: number,
  name: string,
): string {
  const { user, system } = process.cpuUsage(loadBefore);
  const microseconds = (seconds: number) => ((seconds / items) * 1e6).toFixed(1);
  return `${microseconds(processorSeconds(pid) - secondsBefore)} µs per ${name}; the load itself ${microseconds((user + system) / 1e6)} µs`;
}

function row(name: string, value: string): void {
  console.log(`  ${name.padEnd(30)} ${value}`);
}

await perform(main, {
  ...(options.entry ? { entry: options.entry } : {}),
  ...(options.database ? { databaseUrl: options.database } : {}),
  ...(options['cpu-profile'] ? { cpuProfile: options['cpu-profile'] } : {}),
});
