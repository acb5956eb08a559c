import { parseArgs } from 'node:util';
import { getDashboard } from '@isotherm/contracts/dashboard';
import { orderRecordReport, REPORT_FORMATS } from '@isotherm/contracts/reports';
import { provisionLoad } from '@isotherm/simulator/load/load';
import { benchDevices, CHANNELS_PER_DEVICE, DEVICES_PER_CALL, INSIDE } from './bench-fleet.ts';
import { measureCompliance } from './compliance.ts';
import { DAY_MS, fillDay, repeatSealedDay, seal, today } from './history.ts';
import { jobEnd } from './job-end.ts';
import { createReportLoad, type During } from './report-load.ts';
import { describeMachine, percentile, perform, residentMb, type Stage } from './stage.ts';
import { timed } from './timed.ts';

/**
 * Measures reports. Records over one-minute readings: each format is ordered as a job, as by a user, and timed from the
 * order until the file is ready. Compliance over many assets and a year (compliance.ts). The same while 5,000 readings a second
 * arrive and alarms are raised (`beside`). The dashboard of a large fleet. `--parts` chooses among them; `beside` needs one of
 * the first two.
 */
const { values: options } = parseArgs({
  options: {
    channels: { type: 'string', default: '200' },
    days: { type: 'string', default: '31' },
    assets: { type: 'string', default: '5000' },
    'compliance-days': { type: 'string', default: '365' },
    devices: { type: 'string', default: '100000' },
    parts: { type: 'string', default: 'records,compliance,beside' },
  },
});
const CHANNELS = Number(options.channels);
const DAYS = Number(options.days);
const DASHBOARD_ROUNDS = 40;
const DASHBOARD_DEVICES_PER_CALL = 500;

async function main(stage: Stage): Promise<Record<string, number>> {
  console.log(await describeMachine(stage.pool));
  const parts = options.parts.split(',');
  const load = parts.includes('beside') ? createReportLoad(stage) : null;
  const during: During = load ? load.during : (work) => work();
  const reports = {
    ...(parts.includes('records') ? await measureRecords(stage, during) : {}),
    ...(parts.includes('compliance')
      ? await measureCompliance(stage, during, Number(options.assets), Number(options['compliance-days']))
      : {}),
  };
  return {
    ...reports,
    ...(load ? await load.finish() : {}),
    ...(parts.includes('dashboard') ? await measureDashboard(stage) : {}),
  };
}

/** Provisions a large fleet, and reads the dashboard of its organisation. */
async function measureDashboard({ client, pool }: Stage): Promise<Record<string, number>> {
  const { items } = benchDevices(78_000_000, Number(options.devices), INSIDE, 1);
  await provisionLoad(client, items, DASHBOARD_DEVICES_PER_CALL);
  await pool.query('analyze');
  const times: number[] = [];
  for (let round = -2; round < DASHBOARD_ROUNDS; round++) {
    const ms = await timed(() => client.call(getDashboard, {}));
    if (round >= 0) times.push(ms);
  }
  times.sort((a, b) => a - b);
  const p95 = Math.round(percentile(times, 0.95));
  console.log(
    `  dashboard of ${options.devices} devices: median ${Math.round(percentile(times, 0.5))} ms, p95 ${p95} ms`,
  );
  return { dashboard_p95_ms: p95 };
}

async function measureRecords(
  { client, pool, serverPid }: Stage,
  during: During,
): Promise<Record<string, number>> {
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
    const body = {
      assets,
      format,
      zone: 'Asia/Shanghai',
      from: new Date((last - DAYS + 1) * DAY_MS).toISOString(),
      to: new Date((last + 1) * DAY_MS).toISOString(),
    };
    const { job, seconds, ...end } = await during(() =>
      jobEnd(client, () => client.call(orderRecordReport, { body }), serverPid),
    );
    most = Math.max(most, end.most);
    if (format !== 'pdf') result.report_rss_mb = most;
    console.log(
      `  ${format.padEnd(5)} ${((job.bytes ?? 0) / 1e6).toFixed(1)} MB in ${seconds.toFixed(1)} s; server memory ${before} MB before, ${most} MB at most`,
    );
    result[`${format}_s`] = Number(seconds.toFixed(1));
  }
  return result;
}

await perform(main);
