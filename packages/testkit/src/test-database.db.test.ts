import { createTestDatabase, type TestDatabase } from '@isotherm/testkit/test-database';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';

let database: TestDatabase;
let other: TestDatabase;

beforeAll(async () => {
  [database, other] = await Promise.all([createTestDatabase(), createTestDatabase()]);
});
afterAll(async () => {
  await Promise.all([database.drop(), other.drop()]);
});

async function query(target: TestDatabase, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: target.connectionString });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

test('a test database has every migration applied', async () => {
  const names = await query(database, 'select name from schema_migration order by name');
  expect(names.length).toBeGreaterThan(0);
});

test('a test database is separate from every other one', async () => {
  await query(database, 'create table mine (id int)');
  expect(await query(other, "select 1 from information_schema.tables where table_name = 'mine'")).toEqual([]);
});
