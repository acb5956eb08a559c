import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestDatabase, type TestDatabase } from '@isotherm/testkit/test-database';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { migrate, OutdatedProgramError, SCHEMA_RELEASE } from './migrate.ts';

let database: TestDatabase;
let pool: pg.Pool;
let dir: string;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = new pg.Pool({ connectionString: database.connectionString, max: 2 });
  dir = mkdtempSync(join(tmpdir(), 'isotherm-migrations-'));
  writeFileSync(join(dir, '9998_next.sql'), 'create table next_release (id integer)');
});
afterAll(async () => {
  await pool.end();
  await database.drop();
  rmSync(dir, { recursive: true });
});

test('a program of the previous release keeps running, and an older one refuses to start with an explanation', async () => {
  const next = SCHEMA_RELEASE + 1;
  expect(await migrate(pool, dir, next)).toEqual(['9998_next.sql']);
  // The current program has nothing to do, since all of its migrations are applied.
  rmSync(join(dir, '9998_next.sql'));
  expect(await migrate(pool, dir, SCHEMA_RELEASE)).toEqual([]);
  const outdated = migrate(pool, dir, SCHEMA_RELEASE - 1);
  await expect(outdated).rejects.toThrow(OutdatedProgramError);
  await expect(outdated).rejects.toThrow(
    `this program is of schema release ${SCHEMA_RELEASE - 1}, the database was changed by one of release ${next}`,
  );
});
