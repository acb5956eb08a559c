import { changeAssetStatus } from '@isotherm/contracts/asset-status';
import { createCalibration } from '@isotherm/contracts/calibrations';
import { unbindDevices } from '@isotherm/contracts/device-batches';
import { listDevices } from '@isotherm/contracts/device-registry';
import { type ProvisionItem, provisionDevices } from '@isotherm/contracts/devices';
import { INGEST_PATH } from '@isotherm/contracts/ingest';
import { type ApiClient, logIn } from '@isotherm/simulator/client/api-client';
import { type Cluster, type ClusterProcess, startCluster } from '@isotherm/testkit/cluster';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { queryDatabase } from './stored.ts';

/** Time from the response to a change until every process applies it (issue 11, fault 9). */
const IN_FORCE_WITHIN_MS = 1_000;
const KEY = 'f'.repeat(40);

let cluster: Cluster;
let processes: ClusterProcess[];
/** The user who is signed in at the first process. */
let manager: ApiClient;

interface Fridge {
  number: string;
  assetId: number;
  channelId: number;
  sensorId: number;
}
let nextNumber = 52_000_001;

beforeAll(async () => {
  cluster = await startCluster();
  processes = await cluster.start(['web,ingest,worker', 'web,ingest', 'web,ingest']);
  manager = await signIn('demo.manager', processes[0] as ClusterProcess);
});
afterAll(() => cluster?.stop());

function signIn(username: string, { url }: ClusterProcess): Promise<ApiClient> {
  const account = cluster.accounts.find((each) => each.username === username);
  if (!account) throw new Error(`no account ${username}`);
  return logIn(url, account.username, account.password);
}

const query = <T>(text: string, values?: unknown[]) => queryDatabase<T>(cluster.databaseUrl, text, values);

function fridgeItem(number: string): ProvisionItem {
  return {
    asset: { code: `C-${number}`, name: `Changed ${number}`, kind: 'refrigerator' },
    device: { number, name: `Changed ${number}`, key: KEY },
    sensors: [
      {
        index: 1,
        serial: number,
        name: 'Air',
        channels: [
          {
            indicator: 'temperature',
            name: 'Air',
            rules: [{ kind: 'high', level: 1, limit: 8, triggerAfterMs: 0 }],
          },
        ],
      },
    ],
  };
}

/**
 * Creates one refrigerator per process. Each process receives the first readings of its refrigerator, and
 * then has it in its caches.
 */
async function fridges(): Promise<Fridge[]> {
  const numbers = processes.map(() => String(nextNumber++));
  await manager.call(provisionDevices, { body: { items: numbers.map(fridgeItem) } });
  const made = await query<Fridge>(
    `select d.number, c.asset_id as "assetId", c.id as "channelId", c.sensor_id::int as "sensorId"
       from channel c join device d on d.id = c.device_id where d.number = any($1) order by d.number`,
    [numbers],
  );
  for (const [index, fridge] of made.entries()) {
    await send(fridge, index, 5);
    await send(fridge, index, 5);
  }
  return made;
}

/** Sends a reading to a process; resolves with its time after the acknowledgement. */
async function send({ number }: Fridge, process: number, value: number): Promise<number> {
  const at = Date.now();
  const answer = await fetch((processes[process] as ClusterProcess).url + INGEST_PATH, {
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from(`${number}:${KEY}`).toString('base64')}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ readings: [{ channel: 'temperature-1', at, value }] }),
  });
  expect(answer.status).toBe(200);
  return at;
}

/**
 * Sends readings to each process until one reading is evaluated with the new state. This reading must have
 * been sent within the time limit.
 */
async function expectInForce(
  made: readonly Fridge[],
  value: number,
  isNew: (fridge: Fridge, at: number) => Promise<boolean>,
): Promise<void> {
  const changedAt = Date.now();
  const delays = await Promise.all(
    made.map(async (fridge, process) => {
      for (;;) {
        const at = await send(fridge, process, value);
        if (await isNew(fridge, at)) return at - changedAt;
        if (at - changedAt > IN_FORCE_WITHIN_MS) return at - changedAt;
      }
    }),
  );
  for (const delay of delays) expect(delay).toBeLessThanOrEqual(IN_FORCE_WITHIN_MS);
}

async function raisesAlarm({ channelId }: Fridge): Promise<boolean> {
  return (await query('select from alarm where channel_id = $1', [channelId])).length > 0;
}

/** Changes the limit directly in the database: triggers and revisions notify the processes. */
async function editLimit(made: readonly Fridge[], limit: number): Promise<void> {
  const channelIds = made.map(({ channelId }) => channelId);
  await query(
    `with ended as (
       update alarm_rule set enabled = false, valid_until = now(), end_reason = 'rule-edited'
        where channel_id = any($1::int4[]) and enabled returning *
     ), touched as (
       update alarm_rule_revision set revision = revision + 1 where bucket in (select unnest($1::int4[]) % 256)
     )
     insert into alarm_rule (channel_id, kind, level, limit_value, trigger_after_ms, valid_from)
     select channel_id, kind, level, $2, trigger_after_ms, now() from ended`,
    [channelIds, limit],
  );
}

test('a change of a rule is applied by every process within a second', async () => {
  const made = await fridges();
  await editLimit(made, 4);
  await expectInForce(made, 5, raisesAlarm);
});

test('a change of the status of an asset is applied by every process within a second', async () => {
  const made = await fridges();
  for (const { assetId } of made)
    await manager.call(changeAssetStatus, {
      path: `/asset/${assetId}/status`,
      body: { from: 'normal', to: 'deactivated', reason: 'Test' },
    });
  for (const [index, fridge] of made.entries()) {
    await send(fridge, index, 20);
    expect(await raisesAlarm(fridge)).toBe(false);
  }
  for (const { assetId } of made)
    await manager.call(changeAssetStatus, {
      path: `/asset/${assetId}/status`,
      body: { from: 'deactivated', to: 'normal', reason: 'Test' },
    });
  await expectInForce(made, 20, raisesAlarm);
});

test('a new certificate corrects readings in every process within a second', async () => {
  const made = await fridges();
  for (const { number, sensorId, channelId } of made)
    await manager.call(createCalibration, {
      body: {
        sensorId,
        certificate: `K-${number}`,
        laboratory: 'Test',
        calibratedOn: '2026-01-01',
        dueOn: '2099-01-01',
        appliedFrom: new Date().toISOString(),
        points: [{ channelId, reference: 10, reading: 5, uncertainty: null }],
      },
    });
  await expectInForce(made, 5, raisesAlarm);
});

test('within a second after a device is unbound, its readings are no longer assigned to the asset in any process', async () => {
  const made = await fridges();
  await manager.call(unbindDevices, {
    body: { numbers: made.map(({ number }) => number), reason: 'Test' },
  });
  await expectInForce(made, 5, async ({ number, channelId }, at) => {
    const [row] = await query<{ id: number }>(
      `select c.id from reading r join channel c on c.id = r.channel_id join device d on d.id = c.device_id
        where d.number = $1 and r.measured_at = to_timestamp($2::float8 / 1000)`,
      [number, at],
    );
    return row !== undefined && row.id !== channelId;
  });
});

test('a call that needs a revoked permission is refused by every process within a second', async () => {
  const auditors = await Promise.all(processes.map((process) => signIn('demo.auditor', process)));
  for (const auditor of auditors) await auditor.call(listDevices, { query: {} });
  await query(
    `delete from account_role where account_id = (select id from account where username = 'demo.auditor')`,
  );
  const changedAt = Date.now();
  for (const auditor of auditors) {
    let askedAt = Date.now();
    while (
      await auditor.call(listDevices, { query: {} }).then(
        () => true,
        () => false,
      )
    )
      askedAt = Date.now();
    expect(askedAt - changedAt).toBeLessThanOrEqual(IN_FORCE_WITHIN_MS);
  }
});

test('if the notification of a change is lost because the connection is interrupted, every process still applies the change within a second', async () => {
  const made = await fridges();
  const connections = () =>
    query<{ pid: number }>(`select pid from pg_stat_activity where application_name = 'isotherm-bus'`);
  const before = await connections();
  expect(before).toHaveLength(processes.length);
  // Without triggers there are no notifications, as if they were lost with the connection.
  await query(
    `set session_replication_role = replica;
     with certificate as (
       insert into calibration (sensor_id, serial, certificate, laboratory, calibrated_on, due_on, applied_from, changed_by, changed_at)
       select id, serial, 'K-' || id, 'Test', '2026-01-01', '2099-01-01', now(), '', now()
         from sensor where id in (${made.map(({ sensorId }) => sensorId)})
       returning id, sensor_id)
     insert into calibration_point (calibration_id, channel_id, position, reference, reading)
     select k.id, c.id, 1, 10, 5 from certificate k join channel c using (sensor_id);
     select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'isotherm-bus'`,
  );
  await expectInForce(made, 5, raisesAlarm);
  await expect.poll(async () => (await connections()).length).toBe(processes.length);
});
