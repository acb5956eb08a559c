import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createSocketTicket } from '@isotherm/contracts/identity';
import { SOCKET_PATH, serverMessage } from '@isotherm/contracts/realtime';
import { getPagePermissions, getSite } from '@isotherm/contracts/settings';
import { provisionLoad } from '@isotherm/simulator/load/load';
import { WebSocket } from 'ws';
import { AT_ONCE, benchDevices, DEVICES_PER_CALL, INSIDE } from './bench-fleet.ts';
import type { AttackPlan } from './hostile-attacks.ts';
import { drain, openAll } from './mqtt-run.ts';
import { describeMachine, percentile, perform, residentMb, type Stage, sleep } from './stage.ts';
import { timed } from './timed.ts';

const { values: options } = parseArgs({
  options: {
    /** Duration of each flood in seconds. */
    seconds: { type: 'string', default: '10' },
    packets: { type: 'string', default: '1000000' },
    /** Runs only this attack; by default all. */
    only: { type: 'string' },
    entry: { type: 'string' },
  },
});

/**
 * The floods. `calm` measures the bystander (a normal user and device) without an attack, on the same
 * machine in the same run.
 */
const FLOODS = ['calm', 'sockets', 'silent', 'bodies', 'logins', 'exports', 'devices'];
const CALL_EVERY_MS = 50;
const ALARM_EVERY_MS = 100;
const LAST_ALARM_WITHIN_MS = 10_000;
const SETTLE_MS = 5_000;
const TOO_WARM = 12.3;
const MOST = { bystander_p95_ms: 250, alarm_p99_ms: 500, rss_growth_mb: 30 };
const DEMO_PASSWORD = 'Isotherm-2026';

interface Fared {
  callsMs: number[];
  alarmsMs: number[];
  missing: number;
}

/**
 * Creates the bystander: a normal user who works, and a device whose alarms are measured, both from
 * 127.0.0.1.
 */
async function createBystander(stage: Stage) {
  const alarming = benchDevices(74_000_000, 40, AT_ONCE);
  await provisionLoad(stage.client, alarming.items, DEVICES_PER_CALL);
  const { ticket } = await stage.client.call(createSocketTicket, { body: {} });
  const query = new URLSearchParams({ username: stage.client.username, ticket });
  const socket = new WebSocket(`${stage.url.replace('http', 'ws')}${SOCKET_PATH}?${query}`);
  await once(socket, 'open');
  const waiting = new Map<string, number>();
  let heard: number[] = [];
  socket.on('message', (data) => {
    const message = serverMessage.parse(JSON.parse(String(data)));
    if (message.event !== '0003') return;
    const name = `${message.alarm.deviceNumber}/${message.alarm.channelName}`;
    const sentAt = waiting.get(name);
    if (sentAt === undefined) return;
    waiting.delete(name);
    heard.push(performance.now() - sentAt);
  });
  const breakers = await openAll(stage.mqttPort, alarming.devices, Date.now(), () => {});
  let samples = 0;

  /** Works until `isOver` returns true; returns the durations of calls and alarms. */
  async function work(isOver: () => boolean): Promise<Fared> {
    heard = [];
    waiting.clear();
    const callsMs: number[] = [];
    const calling = (async () => {
      while (!isOver()) {
        callsMs.push(
          await timed(() => stage.client.call(getPagePermissions, { query: { menuname: 'monitor' } })),
        );
        await sleep(CALL_EVERY_MS);
      }
    })();
    while (!isOver()) {
      const at = samples++;
      const device = alarming.devices[at % alarming.devices.length];
      const channel = device?.channels[Math.floor(at / alarming.devices.length)];
      // Each sample is the first reading of a channel, so that its alarm is new. After the last channel,
      // only calls continue.
      if (device && channel) {
        waiting.set(`${device.number}/${channel}`, performance.now());
        breakers[at % alarming.devices.length]?.sendReading(channel, TOO_WARM);
      }
      await sleep(ALARM_EVERY_MS);
    }
    await calling;
    const deadline = Date.now() + LAST_ALARM_WITHIN_MS;
    while (waiting.size > 0 && Date.now() < deadline) await sleep(50);
    const sorted = (list: number[]) => list.sort((a, b) => a - b);
    return { callsMs: sorted(callsMs), alarmsMs: sorted(heard), missing: waiting.size };
  }
  async function stop(): Promise<void> {
    socket.terminate();
    await drain(breakers);
  }
  return { work, stop };
}

/** Inserts a month of readings, so that an export exceeds the buffers of the connection. */
async function fillHistory({ pool }: Stage, device: string): Promise<number[]> {
  const { rows } = await pool.query<{ id: number }>(
    `select c.id::int from channel c join device d on d.id = c.device_id where d.number = $1 order by c.id limit 20`,
    [device],
  );
  const ids = rows.map(({ id }) => id);
  await pool.query(
    `insert into reading (channel_id, delay_s, measured_at, value)
     select c, 0, now() - i * interval '20 seconds' - interval '1 minute', 5 + (i % 20) / 10.0
       from unnest($1::int[]) c, generate_series(1, 30000) i on conflict do nothing`,
    [ids],
  );
  return ids;
}

async function planOf(stage: Stage): Promise<Omit<AttackPlan, 'name'>> {
  const fleet = benchDevices(75_000_000, 12, INSIDE);
  await provisionLoad(stage.client, fleet.items, DEVICES_PER_CALL);
  const [first] = fleet.devices;
  if (!first) throw new Error('there is no device to attack');
  const { rows } = await stage.pool.query<{ id: number }>('select id::int from asset order by id limit 500');
  const { salt } = await stage.client.call(getSite);
  return {
    url: stage.url,
    mqttPort: stage.mqttPort,
    tcpPort: stage.tcpPort,
    salt,
    seconds: Number(options.seconds),
    packets: Number(options.packets),
    account: { username: 'demo.auditor', password: DEMO_PASSWORD },
    assets: rows.map(({ id }) => id),
    channels: await fillHistory(stage, first.number),
    device: { number: first.number, key: first.key },
  };
}

async function runAttack(attackers: ChildProcess, plan: AttackPlan): Promise<number> {
  const ended = new AbortController();
  const { signal } = ended;
  const answered = once(attackers, 'message', { signal }) as Promise<[{ sent: number }]>;
  const gone = once(attackers, 'exit', { signal }).then(() => {
    throw new Error(`${plan.name}: the attackers have ended`);
  });
  attackers.send(plan);
  try {
    const [{ sent }] = await Promise.race([answered, gone]);
    return sent;
  } finally {
    ended.abort();
    answered.catch(() => undefined);
    gone.catch(() => undefined);
  }
}

async function main(stage: Stage): Promise<Record<string, number>> {
  console.log(await describeMachine(stage.pool));
  const plan = await planOf(stage);
  const bystander = await createBystander(stage);
  const program = fileURLToPath(new URL('./hostile-attacks.ts', import.meta.url));
  const attackers = fork(program, [], { execArgv: ['--import', 'tsx'] });
  const failed: string[] = [];
  const result: Record<string, number> = {};
  let passed = 0;

  async function flood(name: string): Promise<void> {
    let isOver = false;
    const working = bystander.work(() => isOver);
    const sent = await runAttack(attackers, { ...plan, name });
    isOver = true;
    const fared = await working;
    const p95 = percentile(fared.callsMs, 0.95);
    const p99 = percentile(fared.alarmsMs, 0.99);
    console.log(
      `  ${name}: ${sent} sent; calls of a bystander p95 ${p95} ms (${fared.callsMs.length}), alarms p99 ${p99} ms (${fared.alarmsMs.length}, ${fared.missing} never came)`,
    );
    if (name === 'calm') return;
    result.bystander_p95_ms = Math.max(result.bystander_p95_ms ?? 0, p95);
    result.alarm_p99_ms = Math.max(result.alarm_p99_ms ?? 0, p99);
    if (p95 <= MOST.bystander_p95_ms && p99 <= MOST.alarm_p99_ms && fared.missing === 0) passed++;
    else failed.push(name);
    await sleep(SETTLE_MS);
  }

  try {
    try {
      for (const name of FLOODS) if (!options.only || options.only === name) await flood(name);
    } finally {
      await bystander.stop();
    }
    if (!options.only || options.only === 'fuzz') {
      // The first run is not measured, because it stores the first malformed message of each kind.
      await runAttack(attackers, { ...plan, name: 'fuzz', packets: Math.min(20_000, plan.packets) });
      await sleep(SETTLE_MS);
      const before = residentMb(stage.serverPid);
      const begun = performance.now();
      result.fuzz_packets = await runAttack(attackers, { ...plan, name: 'fuzz' });
      const seconds = (performance.now() - begun) / 1000;
      await sleep(2 * SETTLE_MS);
      result.rss_growth_mb = residentMb(stage.serverPid) - before;
      await stage.client.call(getPagePermissions, { query: { menuname: 'monitor' } });
      console.log(
        `  fuzz: ${result.fuzz_packets} packets in ${Math.round(seconds)} s, server memory ${result.rss_growth_mb} MB above ${before} MB`,
      );
      if (result.rss_growth_mb <= MOST.rss_growth_mb && result.fuzz_packets >= plan.packets) passed++;
      else failed.push('fuzz');
    }
  } finally {
    if (attackers.connected) attackers.disconnect();
  }
  for (const name of failed) console.log(`  failed: ${name}`);
  console.log(`${passed} passed, ${failed.length} failed`);
  if (failed.length > 0) process.exitCode = 1;
  return result;
}

// The server runs without jobs, which would seal the readings that exports read.
await perform(main, { roles: 'web,ingest', ...(options.entry ? { entry: options.entry } : {}) });
