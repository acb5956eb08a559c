import { parseArgs } from 'node:util';
import * as sheets from '@e965/xlsx';
import { getAssetTree } from '@isotherm/contracts/asset-groups';
import { listAssets } from '@isotherm/contracts/asset-registry';
import { sendCommands } from '@isotherm/contracts/commands';
import { getDeviceTemplate, importDevices, listDevices } from '@isotherm/contracts/device-registry';
import { getDeviceStats, STATS_DAYS } from '@isotherm/contracts/device-stats';
import { fillOrganizations } from './organizations.ts';
import { describeMachine, percentile, perform, type Stage } from './stage.ts';

const { values: options } = parseArgs({
  options: {
    organizations: { type: 'string', default: '5000' },
    assets: { type: 'string', default: '50000' },
    devices: { type: 'string', default: '100000' },
    imported: { type: 'string', default: '10000' },
    batch: { type: 'string', default: '5000' },
    entry: { type: 'string' },
  },
});
const ROUNDS = 3;
const TREE_RUNS = 10;
const COUNTED_DAYS = 92;
const STATS_RUNS = 5;
const FIRST_NUMBER = 30_000_000;
const FIRST_IMPORTED = 40_000_000;
/** The server runs without workers, because their jobs would count the days that the benchmark fills in. */
const ROLES = 'web,ingest';
/** Quantities that each device measures. */
const INDICATORS = ['temperature', 'humidity', 'battery'];

/** Creates devices at assets of 5,000 organisations, three channels each, most of them seen recently. */
async function fill({ pool }: Stage): Promise<void> {
  // All rows use a fixed time, so that the data do not depend on the time of day.
  const { rows: clock } = await pool.query<{ now: string; today: string }>(
    `select now()::text as now, (now() at time zone 'UTC')::date::text as today`,
  );
  const { now, today } = clock[0] as { now: string; today: string };
  await fillOrganizations(pool, Number(options.organizations));
  await pool.query(
    `with places as (select array_agg(id order by id) as ids from organization where code like 'BENCH-%')
     insert into asset (organization_id, kind, code, name, plate, national_code, factory_number, status)
     select ids[1 + n % array_length(ids, 1)],
            (array['refrigerator', 'cold-store', 'vehicle', 'cold-box', 'container'])[1 + n % 5], 'BA-' || n,
            (array['Vaccine fridge', 'Cold room', 'Truck', 'Box', 'Container'])[1 + n % 5] || ' ' || n,
            case when n % 5 = 2 then '沪A' || lpad(n::text, 5, '0') else '' end, '6923' || lpad(n::text, 9, '0'), 'SN' || n,
            (array['normal', 'normal', 'normal', 'repair', 'scrapped'])[1 + n % 5]
       from generate_series(1, $1::int) n, places`,
    [Number(options.assets)],
  );
  await pool.query(
    `with kept as (select array_agg(id order by id) as ids, array_agg(organization_id order by id) as owners
                     from asset where code like 'BA-%')
     insert into device (organization_id, asset_id, number, name, model, serial, key_hash, expires_at, type)
     select owners[at], case when n % 10 > 0 then ids[at] end, ($2::int + n)::text, 'Logger ' || n,
            'TH-' || n % 7, 'DS' || n, sha256(n::text::bytea), $3::timestamptz + (n % 900 - 90) * interval '1 day', 'logger'
       from generate_series(1, $1::int) n, kept, lateral (select 1 + n % array_length(ids, 1) as at) as place`,
    [Number(options.devices), FIRST_NUMBER, now],
  );
  await pool.query(
    `insert into sensor (device_id, index, serial, name) select id, 1, 'S' || number, 'Probe' from device where number >= $1`,
    [String(FIRST_NUMBER)],
  );
  await pool.query(
    `insert into channel (sensor_id, device_id, asset_id, indicator, name)
     select s.id, d.id, d.asset_id, indicator, indicator
       from sensor s join device d on d.id = s.device_id, unnest($2::text[]) indicator where d.number >= $1`,
    [String(FIRST_NUMBER), INDICATORS],
  );
  await pool.query(
    `insert into channel_latest (channel_id, measured_at, received_at, value)
     select c.id, $2::timestamptz - c.id % 90 * interval '1 minute', $2::timestamptz - c.id % 90 * interval '1 minute',
            20 + c.id % 60
       from channel c join device d on d.id = c.device_id where d.number >= $1 and c.id % 50 > 0`,
    [String(FIRST_NUMBER), now],
  );
  await pool.query(
    `insert into device_presence (device_id, last_seen_at)
     select id, $2::timestamptz - id % 90 * interval '1 minute' from device where number >= $1 and id % 50 > 0`,
    [String(FIRST_NUMBER), now],
  );
  // Inserts a month of daily counts. One battery in forty is discharging.
  await pool.query(
    `insert into device_day (day, device_id, received, due, battery)
     select $3::date - ago, d.id, 2880 - (d.id + ago) % 90, 2880, 30 + d.id % 60
       from device d, generate_series(1, $2::int) ago where d.number >= $1`,
    [String(FIRST_NUMBER), COUNTED_DAYS, today],
  );
  await pool.query(
    `insert into organization_day
     select t.day, d.organization_id, sum(t.received), sum(t.due), count(*), 0,
            count(*) filter (where t.received < 0.95 * t.due), count(*) filter (where t.battery <= 20), 0
       from device_day t join device d on d.id = t.device_id group by 1, 2`,
  );
  await pool.query(
    `insert into device_completeness
     select device_id, days, sum(received), sum(due) from device_day, unnest($1::int[]) days
      where day >= $2::date - days group by 1, 2`,
    [STATS_DAYS, today],
  );
  await pool.query(
    `insert into counted_day select $2::date - ago, $3::timestamptz from generate_series(1, $1::int) ago`,
    [COUNTED_DAYS, today, now],
  );
  await pool.query(
    `insert into battery_outlook select id, 1, date_part('epoch', $2::timestamptz) / 86400 + id % 400
       from device where number >= $1 and id % 40 = 0`,
    [String(FIRST_NUMBER), now],
  );
  await pool.query(
    'vacuum analyze device_day, organization_day, device_completeness, battery_outlook, organization, asset, device, sensor, channel, channel_latest, device_presence',
  );
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begin = performance.now();
  await work();
  return performance.now() - begin;
}

type Question = Record<string, string>;

/** Returns queries for the first, middle and last pages, every sort in both orders, and every filter. */
function questions(total: number, sorts: readonly string[], filters: readonly Question[]): Question[] {
  const last = Math.ceil(total / 20);
  const pages = ['1', '2', String(Math.floor(last / 2)), String(last)];
  return [
    ...sorts.flatMap((sort) =>
      ['asc', 'desc'].flatMap((order) => pages.map((page) => ({ sort, order, page }))),
    ),
    ...filters,
  ];
}

async function main(stage: Stage): Promise<Record<string, number>> {
  const { client, pool } = stage;
  console.log(await describeMachine(pool));
  const filled = await timed(() => fill(stage));
  console.log(
    `${options.devices} devices, ${options.assets} assets, ${Number(options.devices) * INDICATORS.length} channels in ${options.organizations} organisations (made in ${Math.round(filled / 1000)} s)`,
  );
  const { rows } = await pool.query<{ id: number }>(`select id from organization where code = 'BENCH-5'`);
  const organizationId = String(rows[0]?.id);

  const times: { name: string; ms: number }[] = [];
  const ask = async (
    name: string,
    route: typeof listDevices | typeof listAssets,
    asked: readonly Question[],
  ) => {
    for (let round = 0; round < ROUNDS; round++)
      for (const query of asked)
        times.push({
          name: `${name} ${new URLSearchParams(query)}`,
          ms: await timed(() => client.call(route as typeof listDevices, { query })),
        });
  };
  await ask(
    'devices',
    listDevices,
    questions(
      Number(options.devices),
      ['number', 'name', 'model', 'organization', 'lastSeenAt', 'expiresOn', 'createdAt'],
      [
        ...['online', 'offline', 'never-seen'].map((connection) => ({ connection })),
        ...['expiring', 'expired', 'to-renew'].map((term) => ({ term })),
        { bound: 'unbound' },
        { model: 'TH-3' },
        { organizationId },
        { supply: 'battery' },
        { type: 'logger' },
        { connection: 'offline', sort: 'lastSeenAt', order: 'desc' },
      ],
    ),
  );
  await ask(
    'assets',
    listAssets,
    questions(
      Number(options.assets),
      ['name', 'code', 'organization', 'status', 'createdAt'],
      [{ kind: 'vehicle' }, { status: 'repair' }, { organizationId }, { binding: 'unbound' }],
    ),
  );
  times.sort((a, b) => a.ms - b.ms);
  const list = times.map((time) => time.ms);

  const found: { name: string; ms: number }[] = [];
  const listed = times.splice(0);
  for (const search of [
    'fridge 4711',
    '沪A00042',
    '692300000',
    'SN49999',
    'BA-1234',
    'nobody is called this',
  ])
    await ask('assets', listAssets, [{ search }]);
  for (const search of ['30004711', 'Logger 99', 'DS77', 'TH-5', 'nothing has this name'])
    await ask('devices', listDevices, [{ search }]);
  found.push(...times.sort((a, b) => a.ms - b.ms));
  for (const slow of [...listed.slice(-3), ...found.slice(-2)])
    console.log(`  slowest: ${slow.name} ${Math.round(slow.ms)} ms`);

  const tree: number[] = [];
  for (let i = 0; i < TREE_RUNS; i++) tree.push(await timed(() => client.call(getAssetTree)));
  tree.sort((a, b) => a - b);

  const stats = new Map<number, number>();
  for (const days of STATS_DAYS) {
    const runs: number[] = [];
    for (let i = 0; i < STATS_RUNS; i++)
      runs.push(await timed(() => client.call(getDeviceStats, { query: { days: String(days) } })));
    runs.sort((a, b) => a - b);
    stats.set(days, percentile(runs, 0.5));
    console.log(`  statistics over ${days} days ${stats.get(days)} ms`);
  }

  const imported = await importRun(stage);
  const devices = Array.from({ length: Number(options.batch) }, (_, n) => String(FIRST_NUMBER + 1 + n));
  const batch = await timed(() =>
    client.call(sendCommands, { body: { devices, order: { kind: 'acquisition-interval', seconds: 120 } } }),
  );
  const result = {
    list_p95_ms: percentile(list, 0.95),
    search_p95_ms: percentile(
      found.map((each) => each.ms),
      0.95,
    ),
    tree_ms: percentile(tree, 0.5),
    stats_week_ms: stats.get(7) as number,
    stats_month_ms: stats.get(30) as number,
    import_10k_s: Math.round(imported / 100) / 10,
    batch_5k_s: Math.round(batch / 100) / 10,
  };
  console.log(`  any page of a list p95 ${result.list_p95_ms} ms, search p95 ${result.search_p95_ms} ms`);
  console.log(`  tree ${result.tree_ms} ms, import of ${options.imported} devices ${result.import_10k_s} s`);
  console.log(`  a change of ${options.batch} devices until they wait for it ${result.batch_5k_s} s`);
  return result;
}

/** Measures the time from the spreadsheet's upload to the response. */
async function importRun({ client }: Stage): Promise<number> {
  const template = await client.call(getDeviceTemplate);
  const book = sheets.read(template.content, { type: 'base64' });
  const name = book.SheetNames[0] as string;
  const [head = []] = sheets.utils.sheet_to_json<string[]>(book.Sheets[name] as sheets.WorkSheet, {
    header: 1,
  });
  console.log(`  columns of the import: ${head.join(', ')}`);
  const row = (n: number) => importedRow(head, String(FIRST_IMPORTED + n));
  const rows = [head, ...Array.from({ length: Number(options.imported) }, (_, n) => row(n))];
  const filled = sheets.utils.book_new();
  sheets.utils.book_append_sheet(filled, sheets.utils.aoa_to_sheet(rows), name);
  const bytes = sheets.write(filled, { type: 'buffer', bookType: 'xlsx', compression: true }) as Uint8Array;
  const begin = performance.now();
  const report = await client.call(importDevices, {
    body: { file: new File([Uint8Array.from(bytes)], 'devices.xlsx'), dryRun: 'false' },
  });
  const took = performance.now() - begin;
  if (!report.written || report.success !== Number(options.imported))
    throw new Error(`imported ${report.success}: ${JSON.stringify(report.failures[0])}`);
  return took;
}

/** Returns typical cells of a row: number, name, quantities; the rest is empty. */
function importedRow(head: readonly string[], number: string): string[] {
  return head.map((title) => {
    if (/number/i.test(title) && !/serial|gateway/i.test(title)) return number;
    if (/^name/i.test(title)) return `Imported ${number}`;
    if (/model/i.test(title)) return 'BENCH-IMPORT';
    if (/type/i.test(title)) return 'logger';
    if (/organi[sz]ation/i.test(title)) return 'BENCH-7';
    if (/sensors|channels|measures|indicators/i.test(title)) return 'temperature, humidity';
    return '';
  });
}

await perform(main, { roles: ROLES, ...(options.entry ? { entry: options.entry } : {}) });
