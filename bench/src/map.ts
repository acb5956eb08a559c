import { parseArgs } from 'node:util';
import { getTrack, listMapMarks } from '@isotherm/contracts/maps';
import { createProductProfile } from '@isotherm/contracts/product-profiles';
import { createWaybill, deliverWaybill, departWaybill, printTripReport } from '@isotherm/contracts/waybills';
import { basicAuthorization, ingestPool, postReadings } from '@isotherm/simulator/client/uplink';
import { provisionLoad } from '@isotherm/simulator/load/load';
import { type BenchDevice, benchDevices, INSIDE } from './bench-fleet.ts';
import { DAY_MS, seal } from './history.ts';
import { describeMachine, percentile, perform, type Stage } from './stage.ts';
import { timed } from './timed.ts';

/*
 * The region that a map shows, the track of a month, and the report of a trip. Assets are near 400 towns, half of them at the
 * last position of a vehicle, half at a place that was entered.
 */
const { values: options } = parseArgs({
  options: {
    assets: { type: 'string', default: '200000' },
    /** Program to measure, instead of building the current sources. */
    entry: { type: 'string' },
  },
});
const ASSETS = Number(options.assets);
const DEVICES_PER_CALL = 500;
const TOWNS = 400;
const ROUNDS = 12;
/** Heights of regions in degrees: from a part of a town to the world. */
const HEIGHTS = { district: 0.02, town: 0.2, region: 2, country: 20, world: 170 };
const TRACK_DAYS = 31;
const TRIP_HOURS = 60;
/** The first requests of a process are slower, while its code is compiled. */
const TRACK_ROUNDS = { first: 8, measured: 40 };
const MIN_MS = 60_000;
const READINGS_AT_ONCE = 500;

/** Position of a town: most of them are in the east of China, the others anywhere. */
const townSql = (n: string) =>
  `case when ${n} % 10 < 8 then 23 + ${n} * 7919 % 1700 / 100.0 else -40 + ${n} * 7919 % 9000 / 100.0 end`;
const townLongitudeSql = (n: string) =>
  `case when ${n} % 10 < 8 then 104 + ${n} * 104729 % 1700 / 100.0 else -170 + ${n} * 104729 % 34000 / 100.0 end`;

async function placeAssets(pool: Stage['pool']): Promise<void> {
  const place = (n: string) => `${townSql(`(${n} % ${TOWNS})`)} + ln(1 + ${n} % 97) * cos(${n}) * 0.05`;
  const longitude = (n: string) =>
    `${townLongitudeSql(`(${n} % ${TOWNS})`)} + ln(1 + ${n} % 97) * sin(${n}) * 0.05`;
  await pool.query(
    `update asset set latitude = ${place('id')}, longitude = ${longitude('id')}
      where id in (select asset_id from device where number >= '7900')`,
  );
  await pool.query(
    `insert into asset_position (asset_id, device_id, measured_at, latitude, longitude, speed_kmh)
     select a.id, d.id, now() - interval '1 min', a.latitude, a.longitude, 60
       from asset a join device d on d.asset_id = a.id
      where a.latitude is not null and a.id % 2 = 0 and d.number >= '7900' on conflict do nothing`,
  );
  await pool.query('vacuum analyze asset, asset_position, device');
}

/** Requests regions around towns, each of another place. Returns the times, in ms. */
async function measureRegions({ client, pool }: Stage): Promise<number[]> {
  const { rows: towns } = await pool.query<{ latitude: number; longitude: number }>(
    `select (${townSql('n')})::float8 as latitude, (${townLongitudeSql('n')})::float8 as longitude
       from generate_series(0, $1::int - 1) n`,
    [TOWNS],
  );
  const all: number[] = [];
  for (const [name, height] of Object.entries(HEIGHTS)) {
    const times: number[] = [];
    const counts: number[] = [];
    for (let round = -1; round < ROUNDS; round++) {
      const town = towns[(round + 1) * 29] as (typeof towns)[0];
      const [south, north] = [town.latitude - height / 2, town.latitude + height / 2].map((each) =>
        Math.min(85, Math.max(-85, each)),
      );
      const [west, east] = [town.longitude - height, town.longitude + height].map((each) =>
        Math.min(180, Math.max(-180, each)),
      );
      const bounds = [west, south, east, north].map((each) => (each as number).toFixed(4)).join(',');
      const ms = await timed(async () => {
        const { inView } = await client.call(listMapMarks, { query: { bounds } });
        counts.push(inView);
      });
      if (round >= 0) times.push(ms);
    }
    all.push(...times);
    console.log(
      `  ${name}: median ${Math.round(
        percentile(
          [...times].sort((a, b) => a - b),
          0.5,
        ),
      )} ms, ${Math.min(...counts)} to ${Math.max(...counts)} assets`,
    );
  }
  return all.sort((a, b) => a - b);
}

/** Stores and seals a month of positions, one a minute, and reads them as the replay does. */
async function measureTrack({ client, pool }: Stage, device: BenchDevice): Promise<number[]> {
  const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  for (let day = TRACK_DAYS; day > 0; day--) {
    const from = new Date(today - day * DAY_MS);
    await pool.query(
      `create table if not exists position_${from.toISOString().slice(0, 10).replaceAll('-', '')} partition of position
         for values from ('${from.toISOString()}') to ('${new Date(from.getTime() + DAY_MS).toISOString()}')`,
    );
  }
  await pool.query(
    `insert into position (device_id, measured_at, latitude, longitude, speed_kmh, heading_deg)
     select d.id, to_timestamp($2::float8 / 1000) + make_interval(mins => n), round((31 + n / 3000.0 + 0.2 * sin(n / 40.0))::numeric, 5),
            round((121 - n / 2500.0 + 0.1 * cos(n / 25.0))::numeric, 5), 60, n % 360
       from device d, generate_series(0, $3::int - 1) n where d.number = $1`,
    [device.number, today - TRACK_DAYS * DAY_MS, TRACK_DAYS * 1440],
  );
  await seal(pool);
  const { rows } = await pool.query<{ id: number }>(
    'select asset_id::int as id from device where number = $1',
    [device.number],
  );
  const range = {
    from: new Date(today - TRACK_DAYS * DAY_MS).toISOString(),
    to: new Date(today).toISOString(),
  };
  const times: number[] = [];
  let [points, shown] = [0, 0];
  for (let round = -TRACK_ROUNDS.first; round < TRACK_ROUNDS.measured; round++) {
    const ms = await timed(async () => {
      const { at, place } = await client.call(getTrack, { path: `/map/track/${rows[0]?.id}`, query: range });
      points = (place.at(-1) ?? -1) + 1;
      shown = at.length;
    });
    if (round >= 0) times.push(ms);
  }
  console.log(
    `  track of ${TRACK_DAYS} days: median ${Math.round(percentile(times, 0.5))} ms, ${shown} of ${points} positions`,
  );
  return times.sort((a, b) => a - b);
}

/** Ships goods for 60 hours with a reading and a position each minute; returns the times of its report, in s. */
async function measureReport({ client, pool, url }: Stage, device: BenchDevice): Promise<number[]> {
  const { rows } = await pool.query<{ id: number; organizationId: number }>(
    'select asset_id::int as id, organization_id::int as "organizationId" from device where number = $1',
    [device.number],
  );
  const { id: assetId, organizationId } = rows[0] as (typeof rows)[0];
  const to = Math.floor(Date.now() / MIN_MS) * MIN_MS - 10 * MIN_MS;
  const from = to - TRIP_HOURS * 60 * MIN_MS;
  const sender = ingestPool(url, 1);
  for (let begin = 0; begin < TRIP_HOURS * 60; begin += READINGS_AT_ONCE) {
    const minutes = Array.from(
      { length: Math.min(READINGS_AT_ONCE, TRIP_HOURS * 60 - begin) },
      (_, at) => begin + at,
    );
    await postReadings(
      sender,
      basicAuthorization(device.number, device.key),
      JSON.stringify({
        readings: minutes.map((n) => ({
          channel: 'temperature-1',
          at: from + n * MIN_MS,
          value: Math.round((5 + 4 * Math.sin(n / 90)) * 10) / 10,
        })),
        positions: minutes.map((n) => ({
          at: from + n * MIN_MS,
          latitude: 31 + n / 3000,
          longitude: 121 - n / 2500,
          speedKmh: 60,
        })),
      }),
    );
  }
  await sender.destroy();
  const profile = await client.call(createProductProfile, {
    body: {
      organizationId,
      name: 'Vaccine',
      code: 'BENCH',
      temperatureLow: 2,
      temperatureHigh: 8,
      budget: [],
    },
  });
  const iso = (at: number) => new Date(at).toISOString();
  const { id } = await client.call(createWaybill, {
    body: {
      organizationId,
      number: 'BENCH-1',
      consignorUnit: 'Bench plant',
      consigneeUnit: 'Bench hospital',
      assetId,
      plannedDepartureAt: iso(from),
      profileId: profile.id,
      goods: [{ product: 'Vaccine', batch: '1', quantity: 10, unit: 'boxes' }],
    },
  });
  await client.call(departWaybill, {
    path: `/waybill/${id}/depart`,
    body: { at: iso(from), assetId, person: 'Bench' },
  });
  await client.call(deliverWaybill, {
    path: `/waybill/${id}/deliver`,
    body: { at: iso(to), person: 'Bench' },
  });
  const times: number[] = [];
  for (let round = 0; round < 4; round++)
    times.push(
      (await timed(() =>
        client.call(printTripReport, { path: `/waybill/${id}/report`, query: { zone: 'UTC' } }),
      )) / 1000,
    );
  console.log(
    `  trip report: ${times.map((each) => each.toFixed(2)).join(', ')} s, the first one of the process included`,
  );
  return times.sort((a, b) => a - b);
}

async function main(stage: Stage): Promise<Record<string, number>> {
  const { client, pool } = stage;
  console.log(await describeMachine(pool));
  const { devices, items } = benchDevices(79_000_000, ASSETS, INSIDE, 1);
  const provisioned = await timed(() => provisionLoad(client, items, DEVICES_PER_CALL));
  await pool.query(`update binding set valid_from = now() - interval '40 days'`);
  await placeAssets(pool);
  console.log(`  ${ASSETS} assets in ${Math.round(provisioned / 1000)} s`);
  const regions = await measureRegions(stage);
  const track = await measureTrack(stage, devices[0] as BenchDevice);
  const report = await measureReport(stage, devices[1] as BenchDevice);
  return {
    viewport_p95_ms: percentile(regions, 0.95),
    track_p95_ms: percentile(track, 0.95),
    trip_pdf_s: Math.round(percentile(report, 1) * 100) / 100,
    assets: ASSETS,
  };
}

await perform(main, { roles: 'web,ingest', ...(options.entry ? { entry: options.entry } : {}) });
