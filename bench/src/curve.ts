import { listMonitorCards, listSparklines } from '@isotherm/contracts/assets';
import type { ProvisionItem } from '@isotherm/contracts/devices';
import { getCurve } from '@isotherm/contracts/telemetry';
import { deviceKey } from '@isotherm/simulator/fleet/provision';
import { provisionLoad } from '@isotherm/simulator/load/load';
import { DAY_MS, fillDay, seal, today } from './history.ts';
import { describeMachine, percentile, perform, type Stage } from './stage.ts';

const ASSETS = 500;
/** Number of channels with a year of readings, one a minute. */
const LONG_CHANNELS = 12;
const YEAR_DAYS = 365;
const CALLS = 60;
const MONTH_POINTS = 1_600;
const YEAR_POINTS = 800;

function wallItems(): ProvisionItem[] {
  return Array.from({ length: ASSETS }, (_, i) => {
    const number = String(72_000_000 + i);
    return {
      asset: { code: `WALL-${number}`, name: `Wall ${number}`, kind: 'refrigerator' },
      device: { number, name: `Wall logger ${number}`, key: deviceKey('measured in the open', number) },
      sensors: [
        {
          index: 1,
          serial: `${number}-1`,
          name: 'Air',
          channels: [
            {
              indicator: 'temperature',
              name: 'Air',
              rules: [
                { kind: 'high', level: 3, limit: 8, triggerAfterMs: 600_000 },
                { kind: 'low', level: 3, limit: 2, triggerAfterMs: 600_000 },
              ],
            },
          ],
        },
      ],
    };
  });
}

async function timed(call: (round: number) => Promise<unknown>, calls = CALLS): Promise<number[]> {
  for (let round = 0; round < 5; round++) await call(round);
  const times: number[] = [];
  for (let round = 0; round < calls; round++) {
    const begin = performance.now();
    await call(round);
    times.push(performance.now() - begin);
  }
  return times.sort((a, b) => a - b);
}

async function main({ client, pool }: Stage): Promise<Record<string, number>> {
  console.log(await describeMachine(pool));
  await provisionLoad(client, wallItems(), 100);
  const { rows } = await pool.query<{ channel: number; asset: number }>(
    `select c.id as channel, d.asset_id as asset from channel c join device d on d.id = c.device_id
      where d.number like '72%' order by c.id`,
  );
  const channels = rows.map((row) => row.channel);
  const long = channels.slice(0, LONG_CHANNELS);
  for (let day = today - YEAR_DAYS; day < today - 1; day++) await fillDay(pool, day, long);
  const sealed = await seal(pool);
  for (const day of [today - 1, today]) await fillDay(pool, day, channels);
  await pool.query('delete from reading where measured_at > now()');
  await pool.query(
    `insert into channel_latest select distinct on (channel_id) channel_id, measured_at, now(), value from reading
      where measured_at > now() - interval '10 minutes' order by channel_id, measured_at desc on conflict do nothing`,
  );
  await pool.query('analyze');
  console.log(`${sealed} readings sealed; ${ASSETS} assets with a reading a minute, a day and a half hot`);

  const curve = (days: number, points: number) => (round: number) =>
    client.call(getCurve, {
      query: {
        channels: String(long[round % long.length]),
        from: new Date((today - 1 - days) * DAY_MS).toISOString(),
        to: new Date((today - 1) * DAY_MS).toISOString(),
        points: String(points),
      },
    });
  const month = await timed(curve(31, MONTH_POINTS));
  row('31 days, a reading a minute', month);
  const year = await timed(curve(YEAR_DAYS - 1, YEAR_POINTS));
  row('a year, a reading a minute', year);
  const assetIds = rows.map((each) => each.asset).join(',');
  const wall = await timed(async () => {
    const cards = client.call(listMonitorCards, {});
    const lines = await client.call(listSparklines, { query: { assetIds } });
    if (lines.length !== ASSETS || (await cards).cards.length < ASSETS) throw new Error('assets are missing');
  });
  row(`wall: cards and last 24 h of ${ASSETS} assets`, wall);
  return {
    month_p95_ms: percentile(month, 0.95),
    year_p95_ms: percentile(year, 0.95),
    wall_p95_ms: percentile(wall, 0.95),
  };
}

function row(name: string, times: readonly number[]): void {
  const part = (share: number) => percentile(times, share).toFixed(1);
  console.log(`  ${name.padEnd(42)} p50 ${part(0.5)} ms, p95 ${part(0.95)} ms, most ${part(1)} ms`);
}

await perform(main);
