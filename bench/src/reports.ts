import { parseArgs } from 'node:util';
import { orderRecordReport, REPORT_FORMATS } from '@isotherm/contracts/reports';
import { provisionLoad } from '@isotherm/simulator/load/load';
import { benchDevices, CHANNELS_PER_DEVICE, DEVICES_PER_CALL, INSIDE } from './bench-fleet.ts';
import { measureCompliance } from './compliance.ts';
import { DAY_MS, fillDay, repeatSealedDay, seal, today } from './history.ts';
import { jobEnd } from './job-end.ts';
import { describeMachine, perform, residentMb, type Stage } from './stage.ts';

/**
 * Measures reports. Records over one-minute readings: each format is ordered as a job, as by a user, and timed from the
 * order until the file is ready. Compliance over many assets and a year (compliance.ts). `--parts` chooses among them.
 */
const { values: options } = parseArgs({
  options: {
    channels: { type: 'string', default: '200' },
    days: { type: 'string', default: '31' },
    assets: { type: 'string', default: '5000' },
    'compliance-days': { type: 'string', default: '365' },
    parts: { type: 'string', default: 'records,compliance' },
  },
});
const CHANNELS = Number(options.channels);
const DAYS = Number(options.days);

async function main(stage: Stage): Promise<Record<string, number>> {
  console.log(await describeMachine(stage.pool));
  const parts = options.parts.split(',');
  return {
    ...(parts.includes('records') ? await measureRecords(stage) : {}),
    ...(parts.includes('compliance')
      ? await measureCompliance(stage, Number(options.assets), Number(options['compliance-days']))
      : {}),
  };
}

async function measureRecords({ client, pool, serverPid }: Stage): Promise<Record<string, number>> {
  const { items } = benchDevices(74_000_000, Math.ceil(CHANNELS / CHANNELS_PER_DEVICE), INSIDE);
  await provisionLoad(client, items, DEVICES_PER_CALL);
  const { rows } = await pool.query<{ id: number; asset: number }>(
    `select c.id, c.asset_id as asset from channel c join device d on d.id = c.device_id
      where d.number like '74%' order by c.id limit $1`,
    [CHANNELS],
  );
  const last = today - 2;
  await fillDay(
    pool,
    last,
    rows.map(({ id }) => id),
  );
  await seal(pool);
  await repeatSealedDay(pool, last, DAYS - 1);
  const result: Record<string, number> = { readings: rows.length * DAYS * 1440 };
  const assets = [...new Set(rows.map(({ asset }) => asset))];
  const before = residentMb(serverPid);
  let most = before;
  for (const format of REPORT_FORMATS) {
    const begin = performance.now();
    const ordered = await client.call(orderRecordReport, {
      body: {
        assets,
        format,
        zone: 'Asia/Shanghai',
        from: new Date((last - DAYS + 1) * DAY_MS).toISOString(),
        to: new Date((last + 1) * DAY_MS).toISOString(),
      },
    });
    const end = await jobEnd(client, ordered, serverPid);
    const { job } = end;
    most = Math.max(most, end.most);
    const seconds = (performance.now() - begin) / 1000;
    console.log(
      `  ${format.padEnd(5)} ${((job.bytes ?? 0) / 1e6).toFixed(1)} MB in ${seconds.toFixed(1)} s; server memory ${before} MB before, ${most} MB at most`,
    );
    result[`${format}_s`] = Number(seconds.toFixed(1));
  }
  result.report_rss_mb = most;
  return result;
}

await perform(main);
