import { analyzeAlarms, listAlarmHistory } from '@isotherm/contracts/alarm-history';
import { provisionLoad } from '@isotherm/simulator/load/load';
import { benchDevices, DEVICES_PER_CALL, INSIDE } from './bench-fleet.ts';
import { describeMachine, percentile, perform, type Stage } from './stage.ts';
import { timed } from './timed.ts';

const ALARMS = 5_000_000;
const DEVICES = 2_000;
/** The alarms were raised over so many days before now. */
const DAYS = 1_825;
const ROUNDS = 8;
const DAY_MS = 86_400_000;

/** Pages, sorts and filters of the list over the last 90 days, as the page requests them. */
const QUERIES: Readonly<Record<string, Record<string, string>>> = {
  first: {},
  'page 50': { page: '50' },
  'last page': { page: '500' },
  oldest: { order: 'asc' },
  level: { sort: 'level' },
  'level ascending': { sort: 'level', order: 'asc' },
  'only level 5': { level: '5' },
  'rare kind': { kind: 'fast-fall' },
  'not acknowledged': { acknowledged: 'false' },
  'one reason': { reason: 'defrost', sort: 'level' },
  'one hour of the week': { weekday: '3', hour: '14' },
  'search for an asset': { search: 'Bench 7400001' },
  'search without a result': { search: 'no such asset' },
};

const sorted = (times: readonly number[]) => [...times].sort((a, b) => a - b);

/** Stores past alarms: one in fifty of level 5, nine in ten acknowledged. */
async function fill(pool: Stage['pool']): Promise<void> {
  await pool.query(
    `with c as materialized (
       select row_number() over (order by c.id) - 1 as place, c.id as channel_id, s.id as asset_id, s.organization_id
         from channel c join device d on d.id = c.device_id join asset s on s.id = d.asset_id
        where c.indicator = 'temperature'
     )
     insert into alarm (channel_id, rule_id, asset_id, organization_id, kind, subject, level, peak_level, state, since,
                        raised_at, ended_at, end_reason, limit_value, recovery_margin, trigger_after_ms, value,
                        peak_value, peak_at, late, recorded_at, acknowledged_at, acknowledged_level, acknowledged_reason)
     select c.channel_id, n, c.asset_id, c.organization_id,
            case when n % 1000 = 0 then 'fast-fall' when n % 3 = 0 then 'low' else 'high' end, 'channel',
            l.level, l.level, 'ended', r.at - interval '5 min', r.at, r.at + interval '20 min', 'recovered', 8, 0.5,
            300000, 9, 10, r.at + interval '10 min', false, r.at + interval '2 s',
            case when n % 10 > 0 then r.at + make_interval(secs => 60 + n % 7200) end,
            case when n % 10 > 0 then l.level end,
            case when n % 10 > 0 then (array['door-open', 'loading', 'defrost', 'power-failure', 'other'])[n % 5 + 1] end
       from generate_series(1, $1::int) n
       cross join lateral (select now() - make_interval(secs => (n::float8 / $1) * $2 * 86400) as at) r
       cross join lateral (select case when n % 50 = 0 then 5 when n % 20 = 0 then 4 when n % 7 = 0 then 3
                                       when n % 3 = 0 then 2 else 1 end as level) l
       join c on c.place = n::bigint * 7919 % (select count(*) from c)`,
    [ALARMS, DAYS],
  );
}

async function main({ client, pool }: Stage): Promise<Record<string, number>> {
  console.log(await describeMachine(pool));
  const { items } = benchDevices(74_000_000, DEVICES, INSIDE, 1);
  await provisionLoad(client, items, DEVICES_PER_CALL);
  const filled = await timed(() => fill(pool));
  await pool.query('vacuum analyze alarm');
  const { rows } = await pool.query<{ alarms: number; megabytes: number }>(
    `select count(*)::float8 as alarms, (pg_total_relation_size('alarm') / 1e6)::float8 as megabytes from alarm`,
  );
  const { alarms = 0, megabytes = 0 } = rows[0] ?? {};
  console.log(`  ${alarms} alarms (${Math.round(megabytes)} MB) stored in ${Math.round(filled / 1000)} s`);

  const times: number[] = [];
  for (const [name, query] of Object.entries(QUERIES)) {
    const ofQuery: number[] = [];
    for (let round = -1; round < ROUNDS; round++) {
      const ms = await timed(() => client.call(listAlarmHistory, { query }));
      if (round >= 0) ofQuery.push(ms);
    }
    times.push(...ofQuery);
    console.log(`  ${name}: median ${Math.round(percentile(sorted(ofQuery), 0.5))} ms`);
  }
  const measure = async (days: number) => {
    const query = {
      from: new Date(Date.now() - days * DAY_MS).toISOString(),
      to: new Date().toISOString(),
    };
    const ofPeriod: number[] = [];
    for (let round = -1; round < ROUNDS; round++) {
      const ms = await timed(() => client.call(analyzeAlarms, { query }));
      if (round >= 0) ofPeriod.push(ms);
    }
    return Math.round(percentile(sorted(ofPeriod), 0.95));
  };
  const quarter = await measure(90);
  const year = await measure(365);
  console.log(`  analysis of 90 days ${quarter} ms, of 365 days ${year} ms (p95)`);
  return {
    alarms,
    alarms_list_p95_ms: Math.round(percentile(sorted(times), 0.95)),
    analysis_p95_ms: quarter,
    analysis_year_p95_ms: year,
  };
}

await perform(main);
