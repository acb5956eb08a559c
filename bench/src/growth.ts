import { parseArgs } from 'node:util';
import { provisionLoad } from '@isotherm/simulator/load/load';
import { benchDevices, DEVICES_PER_CALL, INSIDE } from './bench-fleet.ts';
import { fillDay, repeatSealedDay, seal, sealedBytes, today } from './history.ts';
import { startHttpLoad } from './http-load.ts';
import { describeMachine, perform, type Stage, sleep } from './stage.ts';

const { values: options } = parseArgs({
  options: {
    /** Number of readings stored before the second measurement. */
    rows: { type: 'string', default: '20000000' },
    seconds: { type: 'string', default: '10' },
    'warm-up': { type: 'string', default: '5' },
    /** Number of measurements of each kind; the result is the median. */
    rounds: { type: 'string', default: '3' },
  },
});

const DEVICES = 200;
const CONNECTIONS = 48;
const HISTORY_STEP_S = 300;

async function ingestRate(port: number, devices: Parameters<typeof startHttpLoad>[1]): Promise<number> {
  const load = startHttpLoad(port, devices, CONNECTIONS);
  await sleep(Number(options['warm-up']) * 1000);
  const rates: number[] = [];
  for (let round = 0; round < Number(options.rounds); round++) {
    const before = load.acknowledgedReadings;
    const begin = performance.now();
    await sleep(Number(options.seconds) * 1000);
    rates.push(((load.acknowledgedReadings - before) * 1000) / (performance.now() - begin));
  }
  await load.finish();
  return rates.sort((a, b) => a - b)[rates.length >> 1] as number;
}

async function main({ client, pool, port }: Stage): Promise<Record<string, number>> {
  console.log(await describeMachine(pool));
  const { devices, items } = benchDevices(74_000_000, DEVICES, INSIDE);
  await provisionLoad(client, items, DEVICES_PER_CALL);
  const { rows } = await pool.query<{ id: number }>(
    `select c.id from channel c join device d on d.id = c.device_id where d.number like '74%' order by c.id`,
  );
  const empty = await ingestRate(port, devices);
  console.log(
    `  empty: ${Math.round(empty)} readings/s over HTTP, three rules on each of ${rows.length} channels`,
  );

  const channels = rows.map((row) => row.id);
  const aDay = await fillDay(pool, today - 3, channels, HISTORY_STEP_S);
  await seal(pool);
  const days = Math.max(1, Math.ceil(Number(options.rows) / aDay) - 1);
  await repeatSealedDay(pool, today - 3, days - 1);
  // The latest closed day is not sealed yet.
  const hot = await fillDay(pool, today - 2, channels, HISTORY_STEP_S);
  // Autovacuum would run minutes later anyway, so it is not part of the measurement.
  await pool.query('vacuum analyze');
  await pool.query('checkpoint');
  const stored = aDay * days + hot;
  const megabytes = Math.round((await sealedBytes(pool)) / 1e6);
  console.log(`  ${stored} readings stored; ${aDay * days} of them sealed in ${megabytes} MB`);

  const full = await ingestRate(port, devices);
  console.log(`  full: ${Math.round(full)} readings/s`);
  return {
    stored_readings: stored,
    empty_readings_per_s: Math.round(empty),
    full_readings_per_s: Math.round(full),
    ratio_full_to_empty: Math.round((full / empty) * 1000) / 1000,
  };
}

await perform(main);
