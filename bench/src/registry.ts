import { parseArgs } from 'node:util';
import { sendCommands } from '@isotherm/contracts/commands';
import { listDevices } from '@isotherm/contracts/device-registry';
import { describeMachine, percentile, perform, type Stage } from './stage.ts';
import { bestOfThree, timed } from './timed.ts';

const { values: options } = parseArgs({
  options: {
    organizations: { type: 'string', default: '5000' },
    devices: { type: 'string', default: '100000' },
    entry: { type: 'string' },
  },
});

const TOLD = 5_000;
const CHANNELS = ['temperature', 'battery', 'power'];

/** Devices of three channels each, spread over a flat tree below the demo's organisation; nine of ten are heard from. */
async function fill({ pool }: Stage): Promise<void> {
  const devices = Number(options.devices);
  await pool.query(
    `with root as (select id, path from organization where code = 'DEMO'),
          numbered as (select n, nextval(pg_get_serial_sequence('organization', 'id')) as id
                         from generate_series(1, $1::int) as n)
     insert into organization (id, parent_id, code, name, level, path) overriding system value
     select n.id, r.id, 'BENCH-' || n, 'Health centre ' || n, 'unit', r.path || n.id || '/' from numbered n, root r`,
    [Number(options.organizations)],
  );
  await pool.query(
    `with places as (select array_agg(id) as ids from organization where code like 'BENCH-%')
     insert into device (organization_id, number, name, model, serial, key_hash, expires_at, created_at)
     select ids[1 + n % array_length(ids, 1)], (20000000 + n)::text, 'Logger ' || n, 'TH-' || n % 30, 'SN-' || n * 7, '',
            case when n % 4 = 0 then null else now() + (n % 900 - 200) * interval '1 day' end,
            now() - n * interval '1 minute'
       from generate_series(1, $1::int) as n, places`,
    [devices],
  );
  await pool.query(
    `insert into sensor (device_id, index, serial, name) select id, 1, serial, 'Air' from device where number like '2%'`,
  );
  await pool.query(
    `insert into channel (sensor_id, device_id, indicator, name)
     select s.id, s.device_id, i.indicator, 'Air' from sensor s join device d on d.id = s.device_id and d.number like '2%',
            unnest($1::text[]) as i(indicator)`,
    [CHANNELS],
  );
  await pool.query(
    `insert into channel_latest (channel_id, measured_at, received_at, value)
     select c.id, now(), now(), case c.indicator when 'power' then c.id % 2 else 50 end from channel c
       join device d on d.id = c.device_id where d.number like '2%'`,
  );
  await pool.query(
    `insert into device_presence (device_id, last_seen_at)
     select id, now() - (id % 50) * interval '1 minute' from device where number like '2%' and id % 10 <> 0`,
  );
  await pool.query('vacuum analyze organization, device, sensor, channel, channel_latest, device_presence');
}

function listQueries(organizationId: number): Record<string, string>[] {
  const last = String(Math.floor(Number(options.devices) / 20));
  const sorts = ['number', 'name', 'model', 'organization', 'lastSeenAt', 'expiresOn', 'createdAt'];
  const filters: Record<string, string>[] = [
    { connection: 'online' },
    { connection: 'offline' },
    { connection: 'never-seen' },
    { term: 'to-renew' },
    { term: 'lapsed' },
    { bound: 'unbound' },
    { supply: 'charging' },
    { type: 'logger' },
    { model: 'TH-7' },
    { organizationId: String(organizationId) },
    { connection: 'offline', model: 'TH-7', term: 'to-renew' },
  ];
  return [
    ...sorts.flatMap((sort) =>
      ['asc', 'desc'].flatMap((order) => ['1', '100', last].map((page) => ({ sort, order, page }))),
    ),
    ...filters.flatMap((filter) => ['number', 'lastSeenAt'].map((sort) => ({ ...filter, sort }))),
  ];
}

const SEARCHES = ['20004711', '2000', 'logger 4711', 'sn-7007', 'th-12', 'nobody is called this'];

async function main(stage: Stage): Promise<Record<string, number>> {
  const { client, pool } = stage;
  console.log(await describeMachine(pool));
  await fill(stage);
  const { rows } = await pool.query<{ id: number }>(
    `select id::int from organization where code = 'BENCH-1'`,
  );
  async function measure(queries: readonly Record<string, string>[]) {
    let slowest = { ms: 0, query: {} };
    const times: number[] = [];
    for (const query of queries) {
      const ms = await bestOfThree(() => client.call(listDevices, { query }));
      times.push(ms);
      if (ms > slowest.ms) slowest = { ms, query };
    }
    console.log(
      `  ${queries.length} pages: p50 ${percentile(
        [...times].sort((a, b) => a - b),
        0.5,
      )} ms; slowest ${Math.round(slowest.ms)} ms: ${JSON.stringify(slowest.query)}`,
    );
    return percentile(
      times.sort((a, b) => a - b),
      0.95,
    );
  }
  const listP95Ms = await measure(listQueries(rows[0]?.id ?? 0));
  const searchP95Ms = await measure(SEARCHES.map((search) => ({ search })));

  const devices = Array.from({ length: TOLD }, (_, i) => String(20_000_001 + i));
  const batchMs = await timed(async () => {
    const { batch } = await client.call(sendCommands, {
      body: { devices, order: { kind: 'upload-interval', seconds: 300 } },
    });
    if (batch?.states.reserved !== TOLD) throw new Error('not all were told');
  });
  const seconds = (ms: number) => Math.round(ms / 10) / 100;
  return {
    list_p95_ms: listP95Ms,
    search_p95_ms: searchP95Ms,
    batch_5k_reserved_s: seconds(batchMs),
  };
}

await perform(main, options.entry ? { entry: options.entry } : {});
