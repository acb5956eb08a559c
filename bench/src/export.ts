import { parseArgs } from 'node:util';
import { createAuthorization } from '@isotherm/contracts/authorizations';
import { exportReadings } from '@isotherm/contracts/telemetry';
import { provisionLoad } from '@isotherm/simulator/load/load';
import { benchDevices, CHANNELS_PER_DEVICE, DEVICES_PER_CALL, INSIDE } from './bench-fleet.ts';
import { DAY_MS, fillDay, repeatSealedDay, seal, today } from './history.ts';
import { describeMachine, perform, residentMb, type Stage } from './stage.ts';

const { values: options } = parseArgs({
  options: {
    channels: { type: 'string', default: '1000' },
    days: { type: 'string', default: '31' },
  },
});
const CHANNELS = Number(options.channels);
const DAYS = Number(options.days);
const LOOK_EVERY_MS = 250;

async function main({ client, pool, url, serverPid }: Stage): Promise<Record<string, number>> {
  console.log(await describeMachine(pool));
  const { items } = benchDevices(73_000_000, Math.ceil(CHANNELS / CHANNELS_PER_DEVICE), INSIDE);
  await provisionLoad(client, items, DEVICES_PER_CALL);
  const { rows } = await pool.query<{ id: number; organization: number }>(
    `select c.id, d.organization_id as organization from channel c join device d on d.id = c.device_id
      where d.number like '73%' order by c.id limit $1`,
    [CHANNELS],
  );
  const channels = rows.map((row) => row.id);
  const last = today - 2;
  await fillDay(pool, last, channels);
  await seal(pool);
  await repeatSealedDay(pool, last, DAYS - 1);
  const { secret } = await client.call(createAuthorization, {
    body: {
      name: 'Export benchmark',
      organizationId: rows[0]?.organization ?? 0,
      permissions: ['monitor-records:export'],
      kind: 'key',
    },
  });
  const result: Record<string, number> = { readings: CHANNELS * DAYS * 1440 };
  for (const format of ['csv', 'xlsx'] as const) {
    const before = residentMb(serverPid);
    let most = before;
    const watch = setInterval(() => {
      most = Math.max(most, residentMb(serverPid));
    }, LOOK_EVERY_MS);
    const begin = performance.now();
    const response = await fetch(`${url}/api${exportReadings.path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        channels,
        format,
        zone: 'Asia/Shanghai',
        from: new Date((last - DAYS + 1) * DAY_MS).toISOString(),
        to: new Date((last + 1) * DAY_MS).toISOString(),
      }),
    });
    if (!response.ok || !response.body) throw new Error(`the export answered ${response.status}`);
    let bytes = 0;
    for await (const chunk of response.body) bytes += (chunk as Uint8Array).length;
    clearInterval(watch);
    const seconds = (performance.now() - begin) / 1000;
    console.log(
      `  ${format.padEnd(5)} ${Math.round(bytes / 1e6)} MB in ${seconds.toFixed(1)} s; server memory ${before} MB before, ${most} MB at most`,
    );
    result[`${format}_readings_per_s`] = Math.round((result.readings as number) / seconds);
    result[`${format}_rss_growth_mb`] = most - before;
  }
  return result;
}

await perform(main);
