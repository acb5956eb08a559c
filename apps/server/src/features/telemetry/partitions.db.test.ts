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
