import { parseArgs } from 'node:util';
import { provisionLoad } from '@isotherm/simulator/load/load';
import { type BenchDevice, benchDevices, DEVICES_PER_CALL, INSIDE } from './bench-fleet.ts';
import { startHttpLoad } from './http-load.ts';
import { describeMachine, perform, type Stage, sleep } from './stage.ts';

const { values: options } = parseArgs({
  options: {
    /** Duration of each measurement in seconds. */
    seconds: { type: 'string', default: '15' },
    'warm-up': { type: 'string', default: '5' },
    entry: { type: 'string' },
  },
});
const measureMs = Number(options.seconds) * 1000;
const warmUpMs = Number(options['warm-up']) * 1000;

/**
 * Number of ingest processes of each run: up and down again, so that a machine that becomes slower affects
 * all counts equally.
 */
const RUNS = [1, 2, 4, 4, 2, 1];
const DEVICES = 240;
const CONNECTIONS = 48;
const FIRST_NUMBER = 76_000_000;
/** Time between the readings of two runs, so that devices continue after the readings of the previous run. */
const RUN_APART_MS = 120_000;
const SAMPLE_EVERY_MS = 50;
const SHOWN_WAITS = 6;

/** Number of samples by the name of what the writers waited for; `running` if they did not wait. */
type Waits = Map<string, number>;

async function main(stage: Stage): Promise<Record<string, number>> {
  const { client, pool } = stage;
  console.log(await describeMachine(pool));
  const { devices, items } = benchDevices(FIRST_NUMBER, DEVICES, INSIDE);
  await provisionLoad(client, items, DEVICES_PER_CALL);
  const rates = new Map<number, number[]>();
  const waitsOf = new Map<number, Waits>();
  const start = Date.now() - RUNS.length * RUN_APART_MS;
  for (const [index, processes] of RUNS.entries()) {
    const waits = waitsOf.get(processes) ?? new Map<string, number>();
    waitsOf.set(processes, waits);
    const rate = await run(stage, devices, processes, start + index * RUN_APART_MS, waits);
    console.log(
      `  ${processes} ${processes === 1 ? 'process' : 'processes'}: ${Math.round(rate)} readings/s`,
    );
    rates.set(processes, [...(rates.get(processes) ?? []), rate]);
  }
  for (const [processes, waits] of waitsOf) console.log(`  writers of ${processes}: ${describe(waits)}`);
  const mean = (processes: number) => {
    const all = rates.get(processes) as number[];
    return all.reduce((sum, rate) => sum + rate, 0) / all.length;
  };
  const ratio = (processes: number) => Math.round((mean(processes) / mean(1)) * 1000) / 1000;
  return {
    readings_per_s_1: Math.round(mean(1)),
    readings_per_s_2: Math.round(mean(2)),
    readings_per_s_4: Math.round(mean(4)),
    ratio_2_to_1: ratio(2),
    ratio_4_to_1: ratio(4),
    /**
     * Share of the database time of the writers in which they wait for lanes (group locks), with four
     * processes.
     */
    lane_wait_share_4: Math.round(shareOf(waitsOf.get(4) as Waits, 'Lock:advisory') * 1000) / 1000,
  };
}

/**
 * Measures the readings per second that a number of processes acknowledge, each with its share of the
 * devices.
 */
async function run(
  stage: Stage,
  devices: readonly BenchDevice[],
  processes: number,
  startMs: number,
  waits: Waits,
): Promise<number> {
  const servers = await Promise.all(Array.from({ length: processes }, () => stage.startServer('ingest')));
  const loads = servers.map(({ port }, index) =>
    startHttpLoad(
      port,
      devices.filter((_, device) => device % processes === index),
      CONNECTIONS / processes,
      startMs,
    ),
  );
  const acknowledged = () => loads.reduce((sum, load) => sum + load.acknowledgedReadings, 0);
  await sleep(warmUpMs);
  const before = acknowledged();
  const begin = performance.now();
  while (performance.now() - begin < measureMs) {
    await sleep(SAMPLE_EVERY_MS);
    await sampleWaits(stage, waits);
  }
  const rate = ((acknowledged() - before) * 1000) / (performance.now() - begin);
  await Promise.all(loads.map((load) => load.finish()));
  await Promise.all(servers.map((server) => server.end()));
  return rate;
}

async function sampleWaits({ pool }: Stage, waits: Waits): Promise<void> {
  const { rows } = await pool.query<{ wait: string; count: number }>(
    `select case when state = 'idle in transaction' then 'the process'
                 else coalesce(wait_event_type || ':' || wait_event, 'running') end as wait, count(*)::int as count
       from pg_stat_activity
      where application_name = 'isotherm-ingest' and datname = current_database() and state <> 'idle'
      group by 1`,
  );
  for (const { wait, count } of rows) waits.set(wait, (waits.get(wait) ?? 0) + count);
}

function shareOf(waits: Waits, wait: string): number {
  const total = [...waits.values()].reduce((sum, count) => sum + count, 0);
  return (waits.get(wait) ?? 0) / total;
}

function describe(waits: Waits): string {
  return [...waits.keys()]
    .map((wait) => ({ wait, share: shareOf(waits, wait) }))
    .sort((a, b) => b.share - a.share)
    .slice(0, SHOWN_WAITS)
    .map(({ wait, share }) => `${wait} ${Math.round(share * 100)} %`)
    .join(', ');
}

// The main server runs no jobs, and only the measured processes run ingest.
await perform(main, { roles: 'web', ...(options.entry ? { entry: options.entry } : {}) });
