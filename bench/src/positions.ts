import { parseArgs } from 'node:util';
import { provisionLoad } from '@isotherm/simulator/load/load';
import { type BenchDevice, benchDevices } from './bench-fleet.ts';
import { headOf, type Requests, startHttpLoad } from './http-load.ts';
import { sealedPositionBytes } from './sealed-positions.ts';
import { describeMachine, perform, type Stage, sleep } from './stage.ts';

/*
 * Positions that are acknowledged after their commit, without geofences, with geofences, and with geofences so dense that a
 * vehicle is in one half of its time. Each vehicle sends a message a minute with a position every 10 s, as a gateway does that
 * buffers; it drives in and out of fences, at 72 km/h.
 */
const { values: options } = parseArgs({
  options: {
    /** Duration of each measurement in seconds. */
    seconds: { type: 'string', default: '15' },
    'warm-up': { type: 'string', default: '5' },
    vehicles: { type: 'string', default: '50000' },
    fences: { type: 'string', default: '1000' },
    /** Program to measure, instead of building the current sources. */
    entry: { type: 'string' },
  },
});
const measureMs = Number(options.seconds) * 1000;
const warmUpMs = Number(options['warm-up']) * 1000;
const VEHICLES = Number(options.vehicles);
const FENCES = Number(options.fences);
const CONNECTIONS = 192;
const DEVICES_PER_CALL = 500;
const PER_MESSAGE = 6;
const APART_MS = 10_000;
/** Distance of the fences on a grid: a vehicle passes one in 17 minutes, or in less than 2. Each has a radius of 500 m. */
const GRID_DEG = { usual: 0.18, dense: 0.018 };
/** A vehicle drives 200 m between two positions. */
const STEP_DEG = 0.0018;
const SOUTH = 30;
const WEST = 120;
const ACROSS = Math.ceil(Math.sqrt(FENCES));
/** The load begins hours ago, so that no position is in the future. */
const AGE_MS = 12 * 3_600_000;

/** A vehicle drives eastwards through a row of fences, and back at its end. */
function positionsOf(device: BenchDevice, startMs: number, gridDeg: number): Requests {
  const row = Number(device.number) % ACROSS;
  const latitude = (SOUTH + row * gridDeg).toFixed(6);
  const steps = Math.round((ACROSS * gridDeg) / STEP_DEG);
  let step = Number(device.number) % steps;
  let at = startMs;
  return {
    readings: PER_MESSAGE,
    advance() {
      const positions: string[] = [];
      for (let count = 0; count < PER_MESSAGE; count++, at += APART_MS) {
        step = (step + 1) % (2 * steps);
        // Back and forth, because no vehicle jumps to the beginning.
        const place = step < steps ? step : 2 * steps - step;
        const longitude = (WEST + place * STEP_DEG).toFixed(6);
        positions.push(`{"at":${at},"latitude":${latitude},"longitude":${longitude},"speedKmh":72}`);
      }
      const body = `{"positions":[${positions.join(',')}]}`;
      return Buffer.from(headOf(device, body.length) + body, 'latin1');
    },
  };
}

async function main(stage: Stage): Promise<Record<string, number>> {
  const { client, pool } = stage;
  console.log(await describeMachine(pool));
  const { devices, items } = benchDevices(77_000_000, VEHICLES, [], 1);
  await provisionLoad(client, items, DEVICES_PER_CALL);
  await pool.query(`update binding set valid_from = now() - interval '40 days'`);
  console.log(`${VEHICLES} vehicles`);
  const plain = await measure(stage, devices, Date.now() - AGE_MS, GRID_DEG.usual);
  row('without geofences', `${plain} positions/s`);
  const fenced = await measureFenced(stage, devices, Date.now() - (AGE_MS / 3) * 2, 'usual');
  const dense = await measureFenced(stage, devices, Date.now() - AGE_MS / 3, 'dense');
  const bytes = await sealedPositionBytes();
  row('sealed, each minute', `${bytes.eachMinute} bytes a position`);
  row('sealed, each 10 seconds', `${bytes.each10Seconds} bytes a position`);
  return {
    positions_per_s: fenced,
    positions_per_s_without_fences: plain,
    positions_per_s_dense: dense,
    bytes_per_position: Math.max(bytes.eachMinute, bytes.each10Seconds),
    ratio: Math.round((fenced / plain) * 100) / 100,
  };
}

/** Replaces all fences by those of a grid, and measures. */
async function measureFenced(
  stage: Stage,
  devices: readonly BenchDevice[],
  startMs: number,
  grid: keyof typeof GRID_DEG,
): Promise<number> {
  const { pool } = stage;
  await pool.query(
    `update geofence_version set valid_until = now() where valid_until = 'infinity';
     update geofence_event set until_at = now() where until_at is null and kind in ('enter', 'found')`,
  );
  await pool.query(
    `with made as (
       insert into geofence (organization_id, name, changed_by, changed_at)
       select (select organization_id from device where number = $2), $7 || ' ' || n, 'bench', now() from generate_series(0, $1 - 1) n
       returning id, substr(name, length($7) + 2)::int as n
     )
     insert into geofence_version (geofence_id, valid_from, shape, margin_m, shared)
     select id, now() - interval '40 days',
            jsonb_build_object('kind', 'circle', 'radiusM', 500, 'centre',
              jsonb_build_object('latitude', $3::float8 + n / $5::int * $6::float8, 'longitude', $4::float8 + n % $5 * $6)), 50, true
       from made`,
    [FENCES, devices[0]?.number, SOUTH, WEST, ACROSS, GRID_DEG[grid], grid],
  );
  const countOf = async () => {
    const { rows } = await pool.query<{ count: number }>('select count(*)::int as count from geofence_event');
    return rows[0]?.count ?? 0;
  };
  const before = await countOf();
  const rate = await measure(stage, devices, startMs, GRID_DEG[grid]);
  const events = (await countOf()) - before;
  if (events === 0) throw new Error('no vehicle entered a fence');
  row(`with ${FENCES} geofences, ${grid}`, `${rate} positions/s, ${events} events`);
  return rate;
}

/** Positions that are acknowledged in each second, after a warm-up. */
async function measure(
  stage: Stage,
  devices: readonly BenchDevice[],
  startMs: number,
  gridDeg: number,
): Promise<number> {
  const load = startHttpLoad(stage.port, devices, CONNECTIONS, startMs, (device, start) =>
    positionsOf(device, start, gridDeg),
  );
  await sleep(warmUpMs);
  const before = load.acknowledgedReadings;
  const begin = performance.now();
  await sleep(measureMs);
  const rate = ((load.acknowledgedReadings - before) * 1000) / (performance.now() - begin);
  await load.finish();
  return Math.round(rate);
}

function row(name: string, value: string): void {
  console.log(`  ${name.padEnd(30)} ${value}`);
}

await perform(main, options.entry ? { entry: options.entry } : {});
