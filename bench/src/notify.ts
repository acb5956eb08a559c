import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { listAlarmMessages } from '@isotherm/contracts/alarm-messages';
import { assignPolicy, createPolicy } from '@isotherm/contracts/alarm-policies';
import { createReceiver } from '@isotherm/contracts/receivers';
import { basicAuthorization, ingestPool, postReadings } from '@isotherm/simulator/client/uplink';
import { provisionLoad } from '@isotherm/simulator/load/load';
import { type BenchDevice, benchDevices } from './bench-fleet.ts';
import { ledgerPerSecond } from './ledger-rate.ts';
import { startSinks } from './message-sinks.ts';
import { describeMachine, percentile, perform, type Stage, sleep } from './stage.ts';
import { timed } from './timed.ts';

const { values: options } = parseArgs({
  options: {
    /** Messages in the backlog, half of them e-mails and half URL pushes. */
    messages: { type: 'string', default: '100000' },
    /** Rows of the list of messages. */
    rows: { type: 'string', default: '10000000' },
    /** Alarms of level 5 that are raised in the backlog. */
    gravest: { type: 'string', default: '50' },
    entry: { type: 'string' },
    'cpu-profile': { type: 'string' },
  },
});

const MESSAGES = Number(options.messages);
const ROWS = Number(options.rows);
const GRAVEST = Number(options.gravest);
/** Devices of the backlog: fewer than 200 e-mails about each, which is the limit of a day. */
const DEVICES = Math.max(20, Math.ceil(MESSAGES / 2 / 150));
const TOO_WARM = 12;
const RULES_OLDER_THAN_MS = 3_000;
const HAND_OVER_WITHIN_MS = 60_000;
const GIVEN_UP_AFTER_MS = 30 * 60_000;
const ROUNDS = 5;
/** The rows of the list were due over so many days before now. */
const LISTED_DAYS = 365;

/** Pages and filters of the list, as the page requests them. */
const QUERIES: Readonly<Record<string, Record<string, string>>> = {
  first: {},
  'page 50': { page: '50' },
  'last page': { page: '200' },
  oldest: { order: 'asc' },
  'one year': { from: new Date(Date.now() - 364 * 86_400_000).toISOString() },
  failed: { state: 'failed' },
  success: { state: 'success' },
  unsent: { state: 'unsent' },
  pending: { state: 'pending' },
  backlogged: { state: 'backlogged' },
  'in progress': { state: 'in-progress' },
  'by SMS': { channel: 'sms' },
  'by URL push': { channel: 'url-push' },
  'level 5': { level: '5' },
  'level 5 failed by e-mail': { level: '5', state: 'failed', channel: 'email' },
  'search for a recipient': { search: 'Backlog receiver 17' },
  'search for a device': { search: '7600001' },
  'search without a result': { search: 'no such recipient' },
};

/** What has arrived at the sinks. */
const arrived = { mails: 0, signed: 0, pushes: 0, gravestMails: 0, gravestPushes: 0, firstAt: 0, lastAt: 0 };
/** When the last message of each kind arrived. */
const lastOf = { mails: 0, pushes: 0 };

function count(kind: 'mails' | 'pushes', isGravest: boolean): void {
  if (isGravest) {
    arrived[kind === 'mails' ? 'gravestMails' : 'gravestPushes'] += 1;
    return;
  }
  arrived[kind] += 1;
  arrived.lastAt = performance.now();
  arrived.firstAt ||= arrived.lastAt;
  lastOf[kind] = arrived.lastAt;
}

const sinks = await startSinks({
  onMail(recipient, isSigned) {
    if (isSigned) arrived.signed += 1;
    count('mails', recipient.startsWith('gravest'));
  },
  onPush: (path) => count('pushes', path.startsWith('/gravest')),
});
const folder = mkdtempSync(join(tmpdir(), 'isotherm-dkim-'));
const keyFile = join(folder, 'dkim.pem');
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
writeFileSync(keyFile, privateKey.export({ type: 'pkcs8', format: 'pem' }));
Object.assign(process.env, {
  ISOTHERM_SMTP_URL: `smtp://127.0.0.1:${sinks.smtpPort}`,
  ISOTHERM_MAIL_FROM: 'alarms@bench.example',
  ISOTHERM_DKIM_SELECTOR: 'bench',
  ISOTHERM_DKIM_KEY: keyFile,
  ISOTHERM_OUTGOING_ALLOW: '127.0.0.1',
});

/** Creates a policy for all cold stores whose level 5 notifies by e-mail and URL push; returns its organisation and id. */
async function gravestPolicy({ client, pool }: Stage, device: BenchDevice) {
  const { rows } = await pool.query<{ id: number }>(
    'select organization_id::int as id from device where number = $1',
    [device.number],
  );
  const organizationId = rows[0]?.id as number;
  const receiver = await client.call(createReceiver, {
    body: { organizationId, name: 'On duty', email: 'gravest@bench.example', language: 'en' },
  });
  const { id } = await client.call(createPolicy, {
    body: {
      organizationId,
      name: 'Lost at once',
      definition: {
        conditions: [{ quantity: 'temperature', low: null, high: 8, recoveryMargin: 0, recoverAfterMs: 0 }],
        steps: [
          {
            level: 5,
            triggerAfterMs: 1_000,
            recipients: [receiver.id],
            channels: ['email', 'url-push'],
            url: `http://127.0.0.1:${sinks.httpPort}/gravest`,
          },
        ],
        recipientType: 'receivers',
      },
    },
  });
  await client.call(assignPolicy, {
    path: `/alarm/policy/${id}/assignment`,
    body: { kind: 'organization', id: organizationId, assetKind: 'cold-store' },
  });
  return { organizationId, policyId: id };
}

/** Stores past alarms of level 3, one of each device of the backlog. */
async function storeAlarms(pool: Stage['pool'], devices: readonly BenchDevice[]): Promise<void> {
  await pool.query(
    `insert into alarm (channel_id, rule_id, asset_id, organization_id, kind, subject, level, peak_level, state, since,
                        raised_at, limit_value, recovery_margin, trigger_after_ms, value, peak_value, peak_at, late, recorded_at)
     select c.id, 0, d.asset_id, d.organization_id, 'high', 'channel', 3, 3, 'active', now(), now(), 8, 0.5, 0, 9, 10, now(),
            false, now()
       from channel c join device d on d.id = c.device_id where d.number = any($1)`,
    [devices.map(({ number }) => number)],
  );
}

const TARGETS = `with target as materialized (
  select a.id, alarm_facts(a.id) as facts, row_number() over (order by a.id) - 1 as place from alarm a
   where a.rule_id = 0)`;

/** Queues the backlog: half e-mails, each to a receiver of its own, and half URL pushes, each to an address of its own. */
async function queueBacklog(pool: Stage['pool'], source: { organizationId: number; policyId: number }) {
  await pool.query(
    `insert into alarm_receiver (organization_id, name, country_code, mobile, email, wechat, language, time_zone, description,
                                 changed_by, changed_at)
     select $1, 'Backlog receiver ' || n, '+86', '', 'backlog-' || n || '@bench.example', '', 'en', 'UTC', '', 'bench', now()
       from generate_series(1, $2::int) n`,
    [source.organizationId, MESSAGES / 2],
  );
  for (const channel of ['email', 'url-push'])
    await pool.query(
      `${TARGETS}
       insert into alarm_notification (alarm_id, policy_id, kind, step_level, channel, recipient_type, recipient_id, url,
                                       facts, first_due_at, due_at)
       select t.id, $1, 'raised', 3, $2, case $2 when 'email' then 'receivers' else 'url' end,
              case $2 when 'email' then r.id else 0 end,
              case $2 when 'email' then '' else $3 || r.place end, t.facts, now(), now()
         from (select id, row_number() over (order by id) as place from alarm_receiver
                where name like 'Backlog receiver %') r
         join target t on t.place = r.place % (select count(*) from target)`,
      [source.policyId, channel, `http://127.0.0.1:${sinks.httpPort}/backlog/`],
    );
  await pool.query('analyze alarm_notification, alarm_receiver, alarm');
}

/** Raises alarms of level 5, one after the other; returns how long each hand-over took, in ms. */
async function raiseGravest(stage: Stage, devices: readonly BenchDevice[]): Promise<number[]> {
  const times: number[] = [];
  const pool = ingestPool(stage.url, 1);
  for (const { number, key } of devices) {
    const before = { mails: arrived.gravestMails, pushes: arrived.gravestPushes };
    const now = Date.now();
    const readings = [now - 2_000, now].map((at) => ({ channel: 'temperature-1', at, value: TOO_WARM }));
    await postReadings(pool, basicAuthorization(number, key), JSON.stringify({ readings }));
    const begin = performance.now();
    const waits = { mails: true, pushes: true };
    while ((waits.mails || waits.pushes) && performance.now() - begin < HAND_OVER_WITHIN_MS) {
      await sleep(2);
      for (const kind of ['mails', 'pushes'] as const) {
        const isHere =
          kind === 'mails' ? arrived.gravestMails > before.mails : arrived.gravestPushes > before.pushes;
        if (!waits[kind] || !isHere) continue;
        waits[kind] = false;
        times.push(performance.now() - begin);
      }
    }
    for (const isMissing of Object.values(waits)) if (isMissing) times.push(HAND_OVER_WITHIN_MS);
  }
  await pool.destroy();
  return times;
}

/** Fills the list with settled messages of a year, a few of them failed, and measures its pages and filters. */
async function measureList({ client, pool }: Stage, policyId: number): Promise<number> {
  const filled = await timed(() =>
    pool.query(
      `${TARGETS}
       insert into alarm_notification (alarm_id, policy_id, kind, step_level, channel, recipient_type, recipient_id, url, nth,
                                       facts, first_due_at, due_at, state, error, attempts, delivered_at)
       select t.id, $1, 'repeated', 3, c.name, case c.name when 'url-push' then 'url' else 'receivers' end,
              case c.name when 'url-push' then 0 else n % 1000 + 1 end,
              case c.name when 'url-push' then 'https://hooks.example/' || n % 100 else '' end, n,
              jsonb_set(t.facts, '{level}', to_jsonb(1 + n % 5)), x.at, x.at,
              case when n % 50 = 0 then 'failed' when n % 501 = 0 then 'cancelled' else 'sent' end,
              case when n % 100 = 0 then 'daily limit' when n % 50 = 0 then 'HTTP 500' when n % 501 = 0 then 'suppressed'
                   else '' end,
              1, case when n % 50 > 0 and n % 501 > 0 then x.at + interval '3 s' end
         from generate_series(1, $2::int) n
        cross join lateral (select (array['email', 'sms', 'url-push', 'push'])[1 + n % 4] as name) c
        cross join lateral (select now() - make_interval(secs => n::float8 / $2 * $3 * 86400) as at) x
         join target t on t.place = n % (select count(*) from target)`,
      [policyId, ROWS, LISTED_DAYS],
    ),
  );
  await pool.query('vacuum analyze alarm_notification');
  console.log(`  ${ROWS} rows of the list stored in ${Math.round(filled / 1000)} s`);
  const times: number[] = [];
  for (const [name, query] of Object.entries(QUERIES)) {
    const ofQuery: number[] = [];
    for (let round = -1; round < ROUNDS; round++) {
      const ms = await timed(() => client.call(listAlarmMessages, { query }));
      if (round >= 0) ofQuery.push(ms);
    }
    times.push(...ofQuery);
    const median = ofQuery.sort((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? Number.NaN;
    console.log(`  ${name}: median ${Math.round(median)} ms`);
  }
  return percentile(
    times.sort((a, b) => a - b),
    0.95,
  );
}

/** Measures the delivery of a backlog, what is most severe in it, the ledger, and the list of messages. */
async function main(stage: Stage): Promise<Record<string, number>> {
  const { client, pool } = stage;
  console.log(await describeMachine(pool));
  const { devices, items } = benchDevices(76_000_000, DEVICES + GRAVEST, [], 1);
  await provisionLoad(client, items, 200);
  const source = await gravestPolicy(stage, devices[0] as BenchDevice);
  await storeAlarms(pool, devices.slice(GRAVEST));
  const queued = await timed(() => queueBacklog(pool, source));
  console.log(`  ${MESSAGES} messages queued in ${Math.round(queued / 1000)} s`);

  // Alarms are raised by readings of a time when the rules were in force.
  await sleep(RULES_OLDER_THAN_MS);
  const worker = await stage.startServer('worker');
  const begin = performance.now();
  const gravest = raiseGravest(stage, devices.slice(0, GRAVEST));
  while (arrived.mails + arrived.pushes < MESSAGES) {
    if (performance.now() - begin > GIVEN_UP_AFTER_MS)
      throw new Error(`incomplete: ${JSON.stringify(arrived)}`);
    await sleep(50);
  }
  const { mails, pushes, signed } = arrived;
  const sendsPerS = Math.round(MESSAGES / ((arrived.lastAt - arrived.firstAt) / 1000));
  const seconds = (at: number) => Math.round((at - arrived.firstAt) / 1000);
  console.log(
    `  ${mails} e-mails in ${seconds(lastOf.mails)} s and ${pushes} URL pushes in ${seconds(lastOf.pushes)} s, ${sendsPerS} per second`,
  );
  if (signed < MESSAGES / 2) throw new Error(`only ${signed} e-mails were signed`);
  const handOvers = (await gravest).sort((a, b) => a - b);
  console.log(`  level 5: median ${percentile(handOvers, 0.5)} ms of ${handOvers.length} hand-overs`);
  await worker.end();

  return {
    sends_per_s: sendsPerS,
    gravest_p99_ms: percentile(handOvers, 0.99),
    ledger_per_s: (await ledgerPerSecond(pool)).ledger_per_s,
    messages_p95_ms: await measureList(stage, source.policyId),
    messages: MESSAGES,
    rows: ROWS,
  };
}

await perform(main, {
  roles: 'web,ingest',
  ...(options.entry ? { entry: options.entry } : {}),
  ...(options['cpu-profile'] ? { cpuProfile: options['cpu-profile'] } : {}),
});
await sinks.stop();
rmSync(folder, { recursive: true, force: true });
