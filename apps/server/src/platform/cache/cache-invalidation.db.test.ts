import type { Indicator } from '@isotherm/domain/readings/indicator';
import { createTestDatabase, type TestDatabase } from '@isotherm/testkit/test-database';
import type pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { touchRules } from '../../features/alarms/rules.repo.ts';
import { createPool, transactionOn } from '../db/pool.ts';
import { createLog } from '../log.ts';
import { type Bus, createBus } from '../realtime/bus.ts';
import { type CacheTopic, createInvalidations } from './invalidations.ts';

const log = createLog('silent', false);
const INDICATOR: Indicator = 'temperature';
let database: TestDatabase;
let pool: pg.Pool;
let bus: Bus;
let heard: { topic: CacheTopic; keys: readonly string[] | null }[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool(database.connectionString, 4, log, 'test');
  const invalidations = createInvalidations();
  for (const topic of ['device', 'rules', 'calibration', 'caller', 'templates'] as const)
    invalidations.onInvalidated(topic, (keys) => heard.push({ topic, keys }));
  bus = createBus(database.connectionString, pool, invalidations, log);
  await bus.start();
  await pool.query(`
    insert into organization (code, name, level, path) values ('A', 'A', 'org', '/1/');
    insert into asset (organization_id, kind, code, name) values (1, 'refrigerator', 'F', 'F');
    insert into role (code) values ('r');
    insert into account (organization_id, username, realname, password_hash, account_type) values (1, 'anna', 'Anna', '', 'staff');
    insert into device (organization_id, number, name, key_hash) values (1, '10000001', 'a', ''), (1, '10000002', 'b', '');
    insert into sensor (device_id, index, serial, name) values (1, 1, 's', 's');
    insert into channel (sensor_id, device_id, asset_id, indicator, name) values (1, 1, 1, '${INDICATOR}', 't')`);
});
afterAll(async () => {
  await bus.stop();
  await pool.end();
  await database.drop();
});

/** Returns the keys that a statement or a function invalidated, in the order of topics. */
async function invalidatedBy(change: string | (() => Promise<unknown>)): Promise<string[]> {
  const mark = `mark-${Math.random()}`;
  await pool.query(`select pg_notify('isotherm_cache', 'device ${mark}')`);
  await expect.poll(() => heard.some(({ keys }) => keys?.includes(mark))).toBe(true);
  heard = [];
  await (typeof change === 'string' ? pool.query(change) : change());
  await pool.query(`select pg_notify('isotherm_cache', 'device ${mark}')`);
  await expect.poll(() => heard.some(({ keys }) => keys?.includes(mark))).toBe(true);
  return heard
    .filter(({ keys }) => !keys?.includes(mark))
    .map(({ topic, keys }) => [topic, ...(keys ?? ['*'])].join(' '))
    .sort();
}

const DAY = `'2026-01-01'`;
it.each([
  [`update device set key_hash = 'x' where id = 1`, ['device 10000001']],
  [`update device set name = name`, []],
  [`update device set search_text = default, changed_at = now()`, []],
  [`update device set acquisition_interval_ms = 5000 where id = 1`, ['device 10000001', 'rules 1']],
  [`update device set deleted_at = now() where id = 1`, ['device 10000001', 'rules 1']],
  [
    `insert into device (organization_id, number, name, key_hash) values (1, '10000003', 'c', '')`,
    ['device 10000003'],
  ],
  [`delete from device where number = '10000003'`, ['device 10000003']],
  [`update sensor set disabled_at = now() where id = 1`, ['device 10000001']],
  [`update channel set asset_id = null where id = 1`, ['calibration 1', 'device 10000001', 'rules 1']],
  [`update channel set asset_id = 1 where id = 1`, ['calibration 1', 'device 10000001', 'rules 1']],
  [
    `insert into payload_mapping (organization_id, device_model, entries, changed_by, changed_at) values (1, '', '[]', '', now())`,
    ['device *'],
  ],
  [
    `insert into alarm_rule (channel_id, kind, level, limit_value, trigger_after_ms) values (1, 'high', 1, 8, 0)`,
    ['rules 1'],
  ],
  [`update alarm_rule set limit_value = 9`, ['rules 1']],
  [`delete from alarm_rule`, ['rules 1']],
  [
    `insert into asset_status_change (asset_id, from_status, to_status, deed, reason, changed_by, changed_at)
     values (1, 'normal', 'defrost', 'x', '', '', now())`,
    ['rules 1'],
  ],
  [`update asset_status_change set ended_at = now()`, ['rules 1']],
  [
    `insert into calibration (sensor_id, serial, certificate, laboratory, calibrated_on, due_on, changed_by, changed_at)
     values (1, 's', 'c', 'l', ${DAY}, '2027-01-01', '', now())`,
    ['calibration *'],
  ],
  [`insert into calibration_point values (1, 1, 1, 5, 5.1, null)`, ['calibration *']],
  [`update account set disabled_at = now()`, ['caller anna']],
  [`update account set last_login_at = now()`, []],
  [`insert into account_role values (1, 1)`, ['caller anna']],
  [`insert into role_permission values (1, 'monitor:view')`, ['caller *']],
  [`delete from account_role`, ['caller anna']],
  [
    `insert into session (id, account_id, identifier, address, created_at, expires_at)
     values (gen_random_uuid(), 1, '', '', now(), now())`,
    ['caller anna'],
  ],
  [`update session set expires_at = expires_at + interval '1 hour'`, []],
  [`update session set expires_at = expires_at - interval '1 hour'`, ['caller anna']],
  [`delete from session`, ['caller anna']],
  [`update organization set path = '/1/'`, ['caller *', 'device *', 'templates *']],
  [
    `insert into message_template (organization_id, channel, kind, language, subject, body, changed_by, changed_at)
     values (1, 'sms', 'alarm', 'en', '', '{{asset}}', '', now())`,
    ['templates *'],
  ],
  [`update message_template set body = 'x'`, ['templates *']],
  [`delete from message_template`, ['templates *']],
])('caches are notified of a change: %s', async (statement, expected) => {
  expect(await invalidatedBy(statement)).toEqual(expected);
});

it('many invalidated keys are divided into several payloads; for very many keys only the topic is sent', async () => {
  const insert = (first: number, count: number) =>
    `insert into device (organization_id, number, name, key_hash)
     select 1, (${first} + i)::text, 'many', '' from generate_series(1, ${count}) i`;
  const several = await invalidatedBy(insert(20_000_000, 120));
  expect(several.map((text) => text.split(' ').length - 1)).toEqual([50, 50, 20]);
  expect(await invalidatedBy(insert(30_000_000, 10_001))).toEqual(['device *']);
});

it('a transaction that increments the revision of rules notifies of no channel, and the next one on its connection does', async () => {
  const client = await pool.connect();
  try {
    await client.query(
      `insert into alarm_rule (channel_id, kind, level, limit_value, trigger_after_ms) values (1, 'high', 1, 8, 0)`,
    );
    const revision = async () =>
      (await client.query('select revision::int from alarm_rule_revision where bucket = 1')).rows[0]
        ?.revision;
    const before = await revision();
    const change = 'update alarm_rule set limit_value = limit_value + 1';
    const touched = await invalidatedBy(() =>
      transactionOn(client, async (tx) => {
        await touchRules(tx, [1]);
        await tx.query(change);
      }),
    );
    expect(touched).toEqual([]);
    expect(await revision()).toBe(before + 1);
    expect(await invalidatedBy(() => client.query(change))).toEqual(['rules 1']);
  } finally {
    client.release();
  }
});

it('nothing is invalidated when the transaction is rolled back', async () => {
  expect(await invalidatedBy(`begin; update device set key_hash = 'y' where id = 1; rollback`)).toEqual([]);
});

it('all caches are emptied after a connection loss', async () => {
  heard = [];
  await pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'isotherm-bus' and datname = current_database()`,
  );
  // The caches are emptied once at the loss and once at the reconnect.
  await expect
    .poll(() => heard.filter(({ topic, keys }) => topic === 'rules' && keys === null).length, {
      timeout: 10_000,
    })
    .toBe(2);
});
