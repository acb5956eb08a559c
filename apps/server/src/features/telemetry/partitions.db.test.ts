import { createTestDatabase } from '@isotherm/testkit/test-database';
import pg from 'pg';
import { expect, test } from 'vitest';
import { preparePartitions } from './partitions.ts';

test('several processes can create the partitions at the same time', async () => {
  const database = await createTestDatabase();
  const pools = Array.from(
    { length: 8 },
    () => new pg.Pool({ connectionString: database.connectionString, max: 1 }),
  );
  try {
    await Promise.all(pools.map((pool) => preparePartitions(pool, true)));
    const { rows } = await (pools[0] as pg.Pool).query<{ count: number }>(
      `select count(*)::int as count from pg_inherits
        where inhparent = 'reading'::regclass and inhrelid::regclass::text ~ '^reading_\\d{8}$'`,
    );
    expect(rows[0]?.count).toBe(31 + 1 + 7);
  } finally {
    await Promise.all(pools.map((pool) => pool.end()));
    await database.drop();
  }
});

test('while a backup locks the readings, no partition is created, and writers wait 2 s at most', async () => {
  const database = await createTestDatabase();
  const pool = new pg.Pool({ connectionString: database.connectionString, max: 3 });
  const backup = await pool.connect();
  try {
    await backup.query('begin');
    await backup.query('lock table reading in access share mode');
    const creating = preparePartitions(pool, false).catch((error: { code?: string }) => error.code);
    // The insert may wait for the creation of partitions, until the lock timeout of the creation.
    await pool.query('insert into reading (channel_id, delay_s, measured_at, value) values (1, 1, now(), 5)');
    expect(await creating).toBe('55P03');
    await backup.query('rollback');
    await preparePartitions(pool, false);
  } finally {
    backup.release();
    await pool.end();
    await database.drop();
  }
});
