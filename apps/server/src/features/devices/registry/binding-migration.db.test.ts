import { readFile } from 'node:fs/promises';
import { createTestDatabase, type TestDatabase } from '@isotherm/testkit/test-database';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';

/**
 * Tests that channels written by the previous release become bindings: those stored before the migration,
 * and those written by a process that still runs.
 */
let database: TestDatabase;
let pool: pg.Pool;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = new pg.Pool({ connectionString: database.connectionString, max: 1 });
  await pool.query(`
    insert into organization (code, name, level, path) values ('A', 'A', 'org', '/1/');
    insert into asset (organization_id, kind, code, name) values (1, 'refrigerator', 'F', 'F');
    insert into device (organization_id, number, name, key_hash, created_at) values
      (1, '10000001', 'one', '', '2026-01-01'), (1, '10000002', 'two', '', '2026-01-01');
    insert into sensor (device_id, index, serial, name) values (1, 1, 'S1', 's'), (2, 1, 'S2', 's')`);
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

async function bindings(): Promise<unknown[]> {
  const { rows } = await pool.query({
    text: `select sensor_id::int, channel_id, to_char(valid_from at time zone 'UTC', 'MM-DD'),
                  to_char(valid_until at time zone 'UTC', 'MM-DD'), sensor_serial
             from binding order by sensor_id, valid_from`,
    rowMode: 'array',
  });
  return rows;
}

test('the migration converts channels, retired channels and replaced sensors to bindings without gaps', async () => {
  await pool.query(`
    drop table binding cascade;
    drop trigger binding_of_channel on channel;
    drop function binding_of_channel, invalidate_bindings;
    alter table device drop binding_version, drop rebound_at`);
  // Device one measured for the asset, then on a channel of its own; then device two measured for the asset
  // instead.
  await pool.query(`
    insert into channel (id, sensor_id, device_id, asset_id, indicator, name, retired_at) overriding system value values
      (1, 1, 1, 1, 'temperature', 't', '2026-02-01'), (2, 2, 2, null, 'temperature', 't', null),
      (3, 1, 1, null, 'temperature', 't', '2026-02-10'), (4, 2, 2, null, 'temperature', 't', '2026-03-01'),
      (5, 1, 1, null, 'temperature', 't', null);
    update channel set asset_id = 1 where id = 2;
    insert into channel_source values (2, '2026-03-01', '10000001', 'S0')`);
  await pool.query(
    await readFile(new URL('../../../../migrations/0120_binding.sql', import.meta.url), 'utf8'),
  );
  expect(await bindings()).toEqual([
    [1, 1, null, '02-01', 'S1'],
    [1, 3, '02-01', '02-10', 'S1'],
    [1, 2, '02-10', '03-01', 'S0'],
    [1, 5, '03-01', null, null],
    [2, 4, null, '03-01', 'S2'],
    [2, 2, '03-01', null, null],
  ]);
});

test('a process of the previous release can register, unbind and replace devices', async () => {
  await pool.query(`
    delete from binding;
    delete from channel_source;
    delete from channel`);
  await pool.query(`
    insert into channel (id, sensor_id, device_id, asset_id, indicator, name) overriding system value values
      (11, 1, 1, 1, 'temperature', 't'), (12, 2, 2, null, 'temperature', 't')`);
  expect(await bindings()).toEqual([
    [1, 11, null, null, null],
    [2, 12, null, null, null],
  ]);
  // The device is unbound.
  await pool.query(`
    update channel set retired_at = '2026-04-01' where id = 11;
    insert into channel (id, sensor_id, device_id, asset_id, indicator, name) overriding system value
    values (13, 1, 1, null, 'temperature', 't')`);
  expect(await bindings()).toEqual([
    [1, 11, null, '04-01', 'S1'],
    [1, 13, '04-01', null, null],
    [2, 12, null, null, null],
  ]);
  // The device is replaced by device two.
  await pool.query(`
    update channel set retired_at = now() where id = 12;
    update channel set device_id = 2, sensor_id = 2 where id = 13;
    insert into channel (id, sensor_id, device_id, indicator, name) overriding system value
    values (14, 1, 1, 'temperature', 't')`);
  const { rows } = await pool.query({
    text: `select sensor_id::int, channel_id, valid_until = 'infinity' as open from binding order by sensor_id, valid_from`,
    rowMode: 'array',
  });
  expect(rows).toEqual([
    [1, 11, false],
    [1, 13, false],
    [1, 14, true],
    [2, 12, false],
    [2, 13, true],
  ]);
  const versions = await pool.query('select binding_version > 1 as changed from device order by id');
  expect(versions.rows).toEqual([{ changed: true }, { changed: true }]);
});
