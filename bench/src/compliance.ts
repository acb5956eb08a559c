import { orderComplianceReport } from '@isotherm/contracts/compliance';
import { provisionLoad } from '@isotherm/simulator/load/load';
import { benchDevices, CHANNELS_PER_DEVICE, DEVICES_PER_CALL, INSIDE } from './bench-fleet.ts';
import { DAY_MS, fillDay, seal, today } from './history.ts';
import { jobEnd } from './job-end.ts';
import type { During } from './report-load.ts';
import { residentMb, type Stage } from './stage.ts';

const STEP_SECONDS = 300;
/** Each 50th day of a channel was outside its limits, so that its readings are read. */
const OUTSIDE_EACH = 50;

/**
 * Measures a compliance report over many assets and days. One day of 50 channels is sealed as usual; its rows are cloned for
 * the other channels and days, those of one channel that was outside its limits for each 50th.
 */
export async function measureCompliance(
  { client, pool, serverPid }: Stage,
  during: During,
  assets: number,
  days: number,
): Promise<Record<string, number>> {
  const { items } = benchDevices(75_000_000, Math.ceil(assets / CHANNELS_PER_DEVICE), INSIDE);
  await provisionLoad(client, items, DEVICES_PER_CALL);
  const { rows: channels } = await pool.query<{ id: number }>(
    `select c.id from channel c join device d on d.id = c.device_id where d.number like '75%' order by c.id limit $1`,
    [assets],
  );
  const ids = channels.map(({ id }) => id);
  // Each channel has an asset of its own.
  const { rows: made } = await pool.query<{ id: number }>(
    `insert into asset (organization_id, kind, code, name)
     select a.organization_id, 'refrigerator', 'COMP-' || n, 'Compliance ' || n
       from generate_series(1, $1::int) n, lateral (select organization_id from asset where code like 'BENCH-75%' limit 1) a
     returning id::float8 as id`,
    [ids.length],
  );
  await pool.query(
    `update channel set asset_id = asset from unnest($1::int4[], $2::bigint[]) as u(channel, asset) where id = channel`,
    [ids, made.map(({ id }) => id)],
  );
  await pool.query(`update device set acquisition_interval_ms = $1 where number like '75%'`, [
    STEP_SECONDS * 1000,
  ]);
  const last = today - 2;
  const from = (last - days + 1) * DAY_MS;
  await pool.query(`update binding set valid_from = $1 where channel_id = any($2)`, [new Date(from), ids]);
  await pool.query(`update alarm_rule set valid_from = $1 where channel_id = any($2)`, [new Date(from), ids]);
  const first = ids.slice(0, CHANNELS_PER_DEVICE);
  await fillDay(pool, last, first, STEP_SECONDS);
  await pool.query(
    `update reading set value = 9 where channel_id = $1 and measured_at >= $2::timestamptz and measured_at < $2 + interval '2 hours'`,
    [first[0], new Date(last * DAY_MS)],
  );
  await seal(pool);
  await pool.query(
    `create temporary table sample as
       select row_number() over (order by channel_id) - 1 as n, s.* from sealed_day s where channel_id = any($1)`,
    [first],
  );
  await pool.query(
    `insert into sealed_day
     select c.channel, s.day - d, first_at - make_interval(days => d), last_at - make_interval(days => d), sum, count, scale,
            first_value, last_value, min, max, unit_ms, gaps, value_deltas, hours, late, facts, facts_count
       from generate_series(0, $2::int - 1) d
      cross join unnest($1::int4[]) with ordinality as c(channel, at)
       join sample s on s.n = (c.at + d) % ${OUTSIDE_EACH}
     on conflict do nothing`,
    [ids, days],
  );
  await pool.query('vacuum analyze sealed_day');
  const before = residentMb(serverPid);
  const body = {
    pack: 'who' as const,
    format: 'csv' as const,
    zone: 'Asia/Shanghai',
    from: new Date(from).toISOString(),
    to: new Date((last + 1) * DAY_MS).toISOString(),
  };
  const { job, seconds, most } = await during(() =>
    jobEnd(client, () => client.call(orderComplianceReport, { body }), serverPid),
  );
  console.log(
    `  compliance over ${ids.length} assets and ${days} days: ${((job.bytes ?? 0) / 1e6).toFixed(1)} MB in ${seconds.toFixed(1)} s; server memory ${before} MB before, ${most} MB at most`,
  );
  return { compliance_s: Number(seconds.toFixed(1)) };
}
