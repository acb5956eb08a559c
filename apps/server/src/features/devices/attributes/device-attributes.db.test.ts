import { createTestDatabase, type TestDatabase } from '@isotherm/testkit/test-database';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDeviceAttributes } from './device-attributes.ts';

let database: TestDatabase;
let pool: pg.Pool;
const deviceIds: number[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  pool = new pg.Pool({ connectionString: database.connectionString, max: 6 });
  const { rows } = await pool.query<{ id: number }>(
    `with o as (insert into organization (code, name, level, path) values ('ATTRIBUTES', 'Attributes', 'org', '/attributes/')
                returning id)
     insert into device (organization_id, number, name, key_hash, acquisition_interval_ms)
     select o.id, (28000000 + g)::text, g::text, '', 60000 from o, generate_series(1, 4) g returning id`,
  );
  deviceIds.push(...rows.map(({ id }) => id));
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

test.each([
  ['one device', 1, 1],
  ['several devices', 4, 2],
])(
  'attributes sent by %s at once leave database connections to others, and none is lost',
  async (_who, devices, most) => {
    const some = deviceIds.slice(0, devices);
    const { keep, client } = createDeviceAttributes(pool, { now: () => Date.now() });
    let seen = 0;
    const count = () => {
      seen = Math.max(seen, pool.totalCount - pool.idleCount);
    };
    pool.on('acquire', count);
    await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        keep(some[index % devices] as number, { [`n${index}`]: index }),
      ),
    );
    pool.off('acquire', count);
    expect(seen).toBe(most);
    const kept = await Promise.all(some.map(client));
    for (const index of Array.from({ length: 40 }, (_, at) => at))
      expect(kept[index % devices]?.get(`n${index}`)).toBe(String(index));
  },
);
