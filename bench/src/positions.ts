import { parseArgs } from 'node:util';
import { provisionLoad } from '@isotherm/simulator/load/load';
import { type BenchDevice, benchDevices } from './bench-fleet.ts';
import { headOf, type Requests, startHttpLoad } from './http-load.ts';
import { sealedPositionBytes } from './sealed-positions.ts';
import { describeMachine, perform, type Stage, sleep } from './stage.ts';

/*
 * Positions that are acknowledged after their commit, without geofences, with geofences far apart, and with dense ones, in which
 * a vehicle is half of its time. A message has the positions of one minute, one every 10 s, as of a gateway that buffers; messages
 * are sent as fast as they are acknowledged. Vehicles drive in and out of fences, at 72 km/h.
 */
const { values: options } = parseArgs({
  options: {
    /** Duration of each measurement in seconds, after each vehicle has sent twice. */
    seconds: { type: 'string', default: '15' },
    vehicles: { type: 'string', default: '50000' },
    fences: { type: 'string', default: '1000' },
    /** Program to measure, instead of building the current sources. */
    entry: { type: 'string' },
  },
});
const measureMs = Number(options.seconds) * 1000;
const VEHICLES = Number(options.vehicles);
const FENCES = Number(options.fences);
const CONNECTIONS = 192;
const DEVICES_PER_CALL = 500;
const WARM_UP_LOOK_MS = 200;
const PER_MESSAGE = 6;
const APART_MS = 10_000;
/** Distance of the fences on a grid: a vehicle passes one in 17 minutes, or in less than 2. Each has a radius of 500 m. */
const GRID_M = { sparse: 20_000, dense: 2_000 };
/** A vehicle drives this far between two positions. */
const STEP_M = 200;
const DEGREE_M = 111_195;
const SOUTH = 30;
const WEST = 120;
const ACROSS = Math.ceil(Math.sqrt(FENCES));
/** The load begins hours ago, so that no position is in the future. */
const AGE_MS = 12 * 3_600_000;

const latitudeOf = (row: number, gridM: number) => SOUTH + (row * gridM) / DEGREE_M;
/** Degrees of longitude of so many metres at a latitude. */
const eastwards = (metres: number, latitude: number) =>
  metres / (DEGREE_M * Math.cos((latitude * Math.PI) / 180));

/** A vehicle drives eastwards through a row of fences, and back at its end. */
function positionsOf(device: BenchDevice, startMs: number, gridM: number): Requests {
  const row = Number(device.number) % ACROSS;
  const latitude = latitudeOf(row, gridM);
  const steps = Math.round((ACROSS * gridM) / STEP_M);
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
        const longitude = (WEST + eastwards(place * STEP_M, latitude)).toFixed(6);
        positions.push(
          `{"at":${at},"latitude":${latitude.toFixed(6)},"longitude":${longitude},"speedKmh":72}`,
        );
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
  const plain = await measure(stage, devices, Date.now() - AGE_MS, GRID_M.sparse);
  row('without geofences', `${plain} positions/s`);
  const fenced = await measureFenced(stage, devices, Date.now() - (AGE_MS / 3) * 2, 'sparse');
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
  grid: keyof typeof GRID_M,
): Promise<number> {
  const { pool } = stage;
  // Positions are judged by the versions of their own time, so that fences of before are deleted and not ended.
  await pool.query('delete from geofence_event; delete from geofence_version; delete from geofence');
  const shapes = Array.from({ length: FENCES }, (_, index) => {
    const latitude = latitudeOf(Math.floor(index / ACROSS), GRID_M[grid]);
    const longitude = WEST + eastwards((index % ACROSS) * GRID_M[grid], latitude);
    return { kind: 'circle', radiusM: 500, centre: { latitude, longitude } };
  });
  await pool.query(
    `with made as (
       insert into geofence (organization_id, name, changed_by, changed_at)
       select (select organization_id from device where number = $2), 'Fence ' || n, 'bench', now()
         from generate_series(0, jsonb_array_length($1::jsonb) - 1) n
       returning id, substr(name, 7)::int as n
     )
     insert into geofence_version (geofence_id, valid_from, shape, margin_m, shared)
     select id, now() - interval '40 days', $1::jsonb -> n, 50, true from made`,
    [JSON.stringify(shapes), devices[0]?.number],
  );
  const countOf = async () => {
    const { rows } = await pool.query<{ count: number }>('select count(*)::int as count from geofence_event');
    return rows[0]?.count ?? 0;
  };
  const rate = await measure(stage, devices, startMs, GRID_M[grid]);
  const events = await countOf();
  if (events === 0) throw new Error('no vehicle entered a fence');
  row(`with ${FENCES} geofences, ${grid}`, `${rate} positions/s, ${events} events`);
  return rate;
}

/** Positions that are acknowledged in each second, after each vehicle has sent twice. */
async function measure(
  stage: Stage,
  devices: readonly BenchDevice[],
  startMs: number,
  gridM: number,
): Promise<number> {
  const load = startHttpLoad(stage.port, devices, CONNECTIONS, startMs, (device, start) =>
    positionsOf(device, start, gridM),
  );
  // The first messages of a vehicle come after hours of silence, and are judged with positions of long before.
  while (load.acknowledgedReadings < 2 * devices.length * PER_MESSAGE) await sleep(WARM_UP_LOOK_MS);
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
