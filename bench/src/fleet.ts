import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { parseArgs } from 'node:util';
import { INGEST_PATH } from '@isotherm/contracts/ingest';
import { provisionLoad } from '@isotherm/simulator/load/load';
import { type BenchDevice, benchDevices, INSIDE } from './bench-fleet.ts';
import { openSender } from './mqtt-load.ts';
import { silenceScanMs } from './silence.ts';
import { describeMachine, percentile, perform, type Stage, type StageServer, sleep } from './stage.ts';

const { values: options } = parseArgs({
  options: {
    devices: { type: 'string', default: '20000' },
    minutes: { type: 'string', default: '3' },
    entry: { type: 'string' },
  },
});
const DEVICES = Number(options.devices);
const MINUTES = Number(options.minutes);
const MINUTE_MS = 60_000;
/** Duration of the burst: loggers send at the full minute. */
const BURST_MS = 4_000;
const FIRST_NUMBER = 75_000_000;
const DEVICES_PER_CALL = 400;
const OPENING_AT_ONCE = 50;
const HTTP_CONNECTIONS = 64;
/** Number of channels whose rule changes at the same time. */
const CHANGED_CHANNELS = 10_000;
/** Number of channels with a no-data rule each, for `silence_scan_ms`. */
const WATCHED_CHANNELS = 50_000;
const CHANGE_RUNS = 5;
/** The values of the load are within this limit at first, and outside after the change. */
const LIMIT = 8;
const CHANGED_LIMIT = 6;
const BETWEEN = 7;
/** Value of every reading of the load. */
const VALUE = 4.2;

/** Sends a reading of one device and resolves when it is acknowledged. */
type Send = (value: number) => Promise<void>;

interface FleetDevice {
  number: string;
  server: number;
  send: Send;
}

async function main(stage: Stage): Promise<Record<string, number>> {
  const { client, pool } = stage;
  console.log(await describeMachine(pool));
  const other = await stage.startServer('ingest');
  const servers: Pick<StageServer, 'port' | 'mqttPort'>[] = [stage, other];
  const { devices, items } = benchDevices(FIRST_NUMBER, DEVICES, INSIDE, 1);
  await provisionLoad(client, items, DEVICES_PER_CALL);
  const fleet = await connect(devices, servers);
  console.log(`${DEVICES} devices at ${servers.length} processes, half over MQTT, half over HTTP`);

  const first = await burst(fleet);
  console.log(`  the first minute, with empty caches: p99 ${percentile(first, 0.99)} ms`);
  const before = await transactions(stage);
  const latencies: number[] = [];
  for (let minute = 0; minute < MINUTES; minute++) {
    const begin = performance.now();
    latencies.push(...(await burst(fleet)));
    await sleep(MINUTE_MS - (performance.now() - begin));
  }
  const perMessage = ((await transactions(stage)) - before) / (MINUTES * DEVICES);
  latencies.sort((a, b) => a - b);

  const changed = fleet.slice(0, Math.min(CHANGED_CHANNELS, DEVICES / 2));
  const rest = fleet.slice(changed.length);
  const single: number[] = [];
  for (let run = 0; run < CHANGE_RUNS; run++)
    single.push(await changeTakes(stage, servers, rest.slice(run * 10, run * 10 + 10)));
  single.sort((a, b) => a - b);
  // Ingest continues during the measurement at the rate of all devices.
  let isOver = false;
  const pauses: number[] = [];
  const going = (async () => {
    const beside = rest.slice(CHANGE_RUNS * 10);
    for (let turn = 0; !isOver; turn++) {
      const begin = performance.now();
      await (beside[turn % beside.length] as FleetDevice).send(VALUE);
      pauses.push(performance.now() - begin);
      await sleep(2);
    }
  })();
  const ruleChange = await changeTakes(stage, servers, changed);
  isOver = true;
  await going;

  const [stored] = (await pool.query<{ count: number }>('select count(*)::int as count from reading')).rows;
  for (const close of closers.splice(0)) close();
  return {
    transactions_per_message: Math.round(perMessage * 1000) / 1000,
    burst_ack_p99_ms: percentile(latencies, 0.99),
    rule_change_s: Math.round(ruleChange) / 1000,
    rule_change_ack_max_ms: Math.round(Math.max(...pauses)),
    change_s: Math.round(single.at(-1) as number) / 1000,
    silence_scan_ms: await silenceScanMs(WATCHED_CHANNELS),
    stored_readings: stored?.count ?? 0,
  };
}

const closers: (() => void)[] = [];

/** Connects devices by MQTT and HTTP alternately, distributed over the processes. */
async function connect(
  devices: readonly BenchDevice[],
  servers: readonly Pick<StageServer, 'port' | 'mqttPort'>[],
): Promise<FleetDevice[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: HTTP_CONNECTIONS });
  closers.push(() => agent.destroy());
  const fleet: FleetDevice[] = [];
  const one = async (device: BenchDevice, index: number) => {
    const server = Math.floor(index / 2) % servers.length;
    const { port, mqttPort } = servers[server] as StageServer;
    const send = index % 2 === 0 ? await overMqtt(mqttPort, device) : overHttp(agent, port, device);
    fleet[index] = { number: device.number, server, send };
  };
  for (let from = 0; from < devices.length; from += OPENING_AT_ONCE)
    await Promise.all(
      devices.slice(from, from + OPENING_AT_ONCE).map((device, offset) => one(device, from + offset)),
    );
  return fleet;
}

async function overMqtt(port: number, device: BenchDevice): Promise<Send> {
  let acknowledged = (): void => undefined;
  const sender = await openSender(
    port,
    device,
    Date.now(),
    () => acknowledged(),
    () => {
      throw new Error(`the server dropped device ${device.number}`);
    },
  );
  closers.push(() => sender.close());
  return (value) =>
    new Promise((resolve) => {
      acknowledged = resolve;
      sender.sendReading(device.channels[0] as string, value);
    });
}

function overHttp(agent: Agent, port: number, { number, key, channels }: BenchDevice): Send {
  const authorization = `Basic ${Buffer.from(`${number}:${key}`).toString('base64')}`;
  return async (value) => {
    const body = JSON.stringify({ readings: [{ channel: channels[0], at: Date.now(), value }] });
    const sent = request({
      agent,
      host: '127.0.0.1',
      port,
      path: INGEST_PATH,
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json', 'content-length': body.length },
    });
    sent.end(body);
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    answer.resume();
    await once(answer, 'end');
    if (answer.statusCode !== 200) throw new Error(`device ${number} was answered ${answer.statusCode}`);
  };
}

/**
 * Sends one reading of each device, spread over the first seconds of a minute; returns the times to
 * acknowledgement.
 */
async function burst(fleet: readonly FleetDevice[]): Promise<number[]> {
  const begin = performance.now();
  const latencies: number[] = [];
  const sends: Promise<void>[] = [];
  for (const [index, device] of fleet.entries()) {
    const dueIn = (index / fleet.length) * BURST_MS - (performance.now() - begin);
    if (dueIn > 1) await sleep(dueIn);
    const sentAt = performance.now();
    sends.push(
      device.send(VALUE).then(() => {
        latencies.push(performance.now() - sentAt);
      }),
    );
  }
  await Promise.all(sends);
  return latencies.sort((a, b) => a - b);
}

/**
 * Returns the number of transactions of the whole database so far, including jobs, ticks and API requests.
 */
async function transactions({ pool }: Stage): Promise<number> {
  // This wait is needed because sessions report their statistics at most once a second.
  await sleep(2_000);
  const { rows } = await pool.query<{ count: number }>(
    `select (xact_commit + xact_rollback)::int as count from pg_stat_database where datname = current_database()`,
  );
  return rows[0]?.count ?? Number.NaN;
}

/**
 * Measures the milliseconds from the beginning of a rule change until each process evaluates a reading with
 * it.
 */
async function changeTakes(
  { pool }: Stage,
  servers: readonly unknown[],
  devices: readonly FleetDevice[],
): Promise<number> {
  const numbers = devices.map(({ number }) => number);
  const begin = performance.now();
  const changing = editLimits(pool, numbers);
  const isInForce = async (device: FleetDevice) => {
    for (;;) {
      const sentAt = performance.now();
      await device.send(BETWEEN);
      const { rows } = await pool.query(
        `select from alarm a join channel c on c.id = a.channel_id join device d on d.id = c.device_id
          where d.number = $1 and a.ended_at is null`,
        [device.number],
      );
      if (rows.length > 0) return sentAt - begin;
      await sleep(20);
    }
  };
  const asked = servers.map((_, server) => devices.find((each) => each.server === server));
  const times = await Promise.all(asked.map((device) => isInForce(device as FleetDevice)));
  await changing;
  return Math.max(...times, 0);
}

/** Writes new versions of the rules of these devices' channels, in one transaction. */
async function editLimits(pool: Stage['pool'], numbers: readonly string[]): Promise<void> {
  await pool.query(
    `with channels as (
       select c.id, c.device_id from channel c join device d on d.id = c.device_id where d.number = any($1)
     ), ended as (
       update alarm_rule r set enabled = false, valid_until = now(), end_reason = 'rule-edited'
        where r.channel_id in (select id from channels) and r.enabled and r.limit_value = $2 returning r.*
     ), touched as (
       update alarm_rule_revision set revision = revision + 1 where bucket in (select device_id % 256 from channels)
     )
     insert into alarm_rule (channel_id, kind, level, limit_value, trigger_after_ms, valid_from)
     select channel_id, kind, 1, $3, 0, now() from ended`,
    [numbers, LIMIT, CHANGED_LIMIT],
  );
}

await perform(main, options.entry ? { entry: options.entry } : {});
