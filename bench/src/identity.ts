import { parseArgs } from 'node:util';
import { getPublicKey, login } from '@isotherm/contracts/identity';
import { listLogs } from '@isotherm/contracts/logs';
import { listOrganizations } from '@isotherm/contracts/organizations';
import { encryptPassword } from '@isotherm/contracts/password-cipher';
import type { Envelope } from '@isotherm/contracts/route';
import { getPagePermissions, getSite } from '@isotherm/contracts/settings';
import { HEADER, requestSignature } from '@isotherm/contracts/signing';
import { listUsers } from '@isotherm/contracts/users';
import { fillOrganizations } from './organizations.ts';
import { describeMachine, percentile, perform, type Stage } from './stage.ts';
import { bestOfThree, timed } from './timed.ts';

const { values: options } = parseArgs({
  options: {
    organizations: { type: 'string', default: '20000' },
    users: { type: 'string', default: '100000' },
    logs: { type: 'string', default: '200000' },
    entry: { type: 'string' },
  },
});

const CALLS = 1_500;
const TREE_RUNS = 20;
const FLOOD_MS = 4_000;
const FLOOD_AT_ONCE = 48;
const NONCES = 40;

/** Creates a tree of five levels below the demo's organisation, with accounts and audit entries. */
async function fill({ pool }: Stage): Promise<void> {
  await fillOrganizations(pool, Number(options.organizations));
  await pool.query(
    `with places as (select array_agg(id) as ids from organization where code like 'BENCH-%'),
          role_of as (select id from role where code = 'driver'),
          made as (
            insert into account (organization_id, username, realname, password_hash, account_type, mobile, email,
                   last_login_at, disabled_at)
            select ids[1 + n % array_length(ids, 1)], 'bench.user' || n, (array['Wang','Li','Zhang','García','Chen'])[1 + n % 5]
                   || ' ' || chr(65 + n % 26) || n, hash, (array['staff','department','agent'])[1 + n % 3], '139' || lpad(n::text, 8, '0'),
                   'user' || n || '@example.org', now() - n * interval '1 minute', case when n % 50 = 0 then now() end
              from generate_series(1, $1::int) as n, places,
                   (select password_hash as hash from account where username = 'demo.keeper') as k returning id)
     insert into account_role select made.id, role_of.id from made, role_of`,
    [Number(options.users)],
  );
  await pool.query(
    `insert into audit_entry (seq, at, username, address, organization_path, action, object_kind, object_id, object_name,
            before, after, previous_hash, hash)
     select 10000000 + n, now() - ($1::int - n) * interval '10 seconds', 'bench.user' || n % 997, '192.0.2.' || n % 250, o.path,
            (array['create','change','delete','login','login-failed'])[1 + n % 5], (array['user','role','menu'])[1 + n % 3],
            n % 5000, 'Object ' || n % 5000, '{"name": "old"}', '{"name": "new"}', '', ''
       from generate_series(1, $1::int) as n
       join lateral (select path from organization where code = 'BENCH-' || (1 + n % 1000)) as o on true`,
    [Number(options.logs)],
  );
  await pool.query('vacuum analyze organization, account, account_role, audit_entry');
}

async function measure(works: readonly (() => Promise<unknown>)[]): Promise<number[]> {
  const times: number[] = [];
  for (const work of works) times.push(await timed(work));
  return times.sort((a, b) => a - b);
}

/**
 * Measures the additional time of a request with signature, session proof, account and permission over one
 * without.
 */
async function admission({ client }: Stage): Promise<number> {
  const open = () => client.call(getSite);
  const closed = () => client.call(getPagePermissions, { query: { menuname: 'monitor' } });
  for (let i = 0; i < 200; i++) await Promise.all([open(), closed()]);
  // The two kinds of requests alternate, so that other load on the machine affects both in the same way.
  const times = { open: [] as number[], closed: [] as number[] };
  for (let i = 0; i < CALLS; i++) {
    times.open.push(await timed(open));
    times.closed.push(await timed(closed));
  }
  const median = (list: number[]) => list.sort((a, b) => a - b)[Math.floor(list.length / 2)] ?? Number.NaN;
  return Math.round((median(times.closed) - median(times.open)) * 1000) / 1000;
}

/** Returns queries for the first, middle and last pages, every sort in both orders, and every filter. */
function userQueries(organizationId: number): Record<string, string>[] {
  const last = Math.ceil(Number(options.users) / 20);
  const pages = ['1', '2', '100', String(Math.floor(last / 2)), String(last)];
  const sorts = ['username', 'realname', 'organization', 'lastLoginAt', 'createdAt'];
  const filters: Record<string, string>[] = [
    { search: 'user4711' },
    { search: 'wang' },
    { search: '13900012' },
    { search: 'nobody is called this' },
    { state: 'disabled' },
    { state: 'locked' },
    { accountType: 'agent' },
    { organizationId: String(organizationId) },
    { search: 'garc', accountType: 'staff' },
  ];
  return [
    ...sorts.flatMap((sort) =>
      ['asc', 'desc'].flatMap((order) => pages.map((page) => ({ sort, order, page }))),
    ),
    ...filters.flatMap((filter) => sorts.slice(0, 3).map((sort) => ({ ...filter, sort }))),
  ];
}

const LOG_QUERIES: Record<string, string>[] = [
  {},
  { page: '100' },
  { page: '1000' },
  { order: 'asc' },
  { actor: 'bench.user17' },
  { action: 'login-failed' },
  { objectKind: 'role', objectId: '4711' },
  { search: 'object 4999' },
  { search: 'nothing like this' },
  { from: new Date(Date.now() - 86_400_000).toISOString() },
];

interface Flood {
  perSecond: number;
  /** Latency of another signed-in user during the flood. */
  bystanderP95Ms: number;
  answers: Record<string, number>;
}

/** Sends logins as fast as they are answered, while another user works. */
async function flood(stage: Stage, username: (i: number) => string): Promise<Flood> {
  const { salt } = await stage.client.call(getSite);
  const offers = await Promise.all(Array.from({ length: NONCES }, () => stage.client.call(getPublicKey)));
  const forms = offers.map(({ publicKey, nonce }) => ({
    password: encryptPassword(publicKey, nonce, 'a wrong guess'),
    serviceloginkey: nonce,
  }));
  const answers: Record<string, number> = {};
  let sent = 0;
  const end = Date.now() + FLOOD_MS;
  const path = `/api${login.path}`;

  async function attack(): Promise<void> {
    while (Date.now() < end) {
      const i = sent++;
      const fields = Object.entries({
        username: username(i),
        identifier: 'bench',
        v: '1',
        ...forms[i % NONCES],
      });
      const timestamp = Date.now();
      const body = new FormData();
      for (const [name, value] of fields) body.append(name, value);
      const response = await fetch(stage.url + path, {
        method: 'POST',
        body,
        headers: {
          [HEADER.timestamp]: String(timestamp),
          [HEADER.signature]: requestSignature(
            salt,
            'POST',
            path,
            { query: [], json: '', fields },
            timestamp,
          ),
        },
      });
      const { status } = (await response.json()) as Envelope<unknown>;
      answers[status] = (answers[status] ?? 0) + 1;
    }
  }
  const attackers = Array.from({ length: FLOOD_AT_ONCE }, attack);
  const bystander: number[] = [];
  while (Date.now() < end)
    bystander.push(
      await timed(() => stage.client.call(getPagePermissions, { query: { menuname: 'monitor' } })),
    );
  await Promise.all(attackers);
  return {
    perSecond: Math.round((sent * 1000) / FLOOD_MS),
    bystanderP95Ms: percentile(
      bystander.sort((a, b) => a - b),
      0.95,
    ),
    answers,
  };
}

async function main(stage: Stage): Promise<Record<string, number>> {
  const { client, pool } = stage;
  console.log(await describeMachine(pool));
  const admissionMs = await admission(stage);
  await fill(stage);
  await client.call(listOrganizations);
  const tree = await measure(Array.from({ length: TREE_RUNS }, () => () => client.call(listOrganizations)));
  const { rows } = await pool.query<{ id: number }>(
    `select id::int from organization where code = 'BENCH-1'`,
  );
  const queries = userQueries(rows[0]?.id ?? 0);
  let slowest = { ms: 0, query: {} };
  const users: number[] = [];
  for (const query of queries) {
    const ms = await bestOfThree(() => client.call(listUsers, { query }));
    users.push(ms);
    if (ms > slowest.ms) slowest = { ms, query };
  }
  users.sort((a, b) => a - b);
  const logs: number[] = [];
  for (const query of LOG_QUERIES) logs.push(await bestOfThree(() => client.call(listLogs, { query })));
  logs.sort((a, b) => a - b);
  const alone = await measure(
    Array.from(
      { length: 200 },
      () => () => client.call(getPagePermissions, { query: { menuname: 'monitor' } }),
    ),
  );
  const one = await flood(stage, () => 'demo.keeper');
  const across = await flood(stage, (i) => `bench.user${i % Number(options.users)}`);

  console.log(
    `  a request that needs a permission takes ${admissionMs} ms longer than one that needs nothing`,
  );
  console.log(`  tree of ${options.organizations}: p95 ${percentile(tree, 0.95)} ms`);
  console.log(
    `  ${queries.length} pages, sorts and filters of ${options.users} users: p50 ${percentile(users, 0.5)} ms, p95 ${percentile(users, 0.95)} ms; slowest ${Math.round(slowest.ms)} ms: ${JSON.stringify(slowest.query)}`,
  );
  console.log(`  log of ${options.logs}: p95 ${percentile(logs, 0.95)} ms`);
  console.log(`  a person alone waits p95 ${percentile(alone, 0.95)} ms for the permissions of a page`);
  for (const [name, { perSecond, bystanderP95Ms, answers }] of Object.entries({
    'one account': one,
    'all accounts': across,
  }))
    console.log(
      `  ${perSecond} logins/s on ${name}: others wait p95 ${bystanderP95Ms} ms; answered ${JSON.stringify(answers)}`,
    );
  return {
    permission_ms: admissionMs,
    tree_p95_ms: percentile(tree, 0.95),
    users_p95_ms: percentile(users, 0.95),
    logs_p95_ms: percentile(logs, 0.95),
    alone_p95_ms: percentile(alone, 0.95),
    flood_one_per_s: one.perSecond,
    flood_one_bystander_p95_ms: one.bystanderP95Ms,
    flood_all_per_s: across.perSecond,
    flood_all_bystander_p95_ms: across.bystanderP95Ms,
  };
}

await perform(main, options.entry ? { entry: options.entry } : {});
