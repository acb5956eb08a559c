import { retainedFrom } from '@isotherm/domain/readings/retention';
import { DAY_MS } from '@isotherm/domain/readings/sealed-day';
import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAudit } from '../../platform/audit/audit.ts';
import { createLog } from '../../platform/log.ts';
import { createSealing } from '../../platform/sealing.ts';
import { fridge, startTestServer, TEST_KEY, type TestServer } from '../../testing/test-server.ts';
import { type RetentionOptions, releaseExpired } from './retention.ts';
import { sealClosedDays } from './seal.ts';

const log = createLog('silent', false);
const clock = { now: () => Date.now() };
const keptFrom = (retainedFrom(clock.now(), 5) as number) * DAY_MS;
let server: TestServer;
let options: RetentionOptions;

beforeAll(async () => {
  server = await startTestServer();
  const pool: pg.Pool = server.pool;
  const sealing = createSealing('a secret of the tests, long enough for anybody');
  options = { pool, audit: createAudit(pool, sealing, clock), clock, retentionYears: 5 };
  await server.provision(await server.logIn('demo.manager'), [fridge('63000001'), fridge('63000002')]);
  for (const number of ['63000001', '63000002'])
    await server.ingest(number, TEST_KEY, {
      readings: [keptFrom - 700 * DAY_MS, keptFrom - 1, keptFrom, keptFrom + DAY_MS].map((at) => ({
        channel: 'temperature-1',
        at,
        value: 5,
      })),
    });
  await sealClosedDays({ pool, owner: pool, clock, log, sealAfterMs: 0 });
});
afterAll(() => server.stop());

const days = async () => {
  const { rows } = await server.pool.query<{ day: number }>(
    `select day - date '1970-01-01' as day from sealed_day order by 1`,
  );
  return rows.map(({ day }) => day - keptFrom / DAY_MS);
};
const entries = async () => {
  const { rows } = await server.pool.query<{ username: string; path: string; before: object }>(
    `select username, organization_path as path, before from audit_entry
      where action = 'delete' and object_kind = 'reading'`,
  );
  return rows;
};

test('with unlimited retention nothing is deleted', async () => {
  expect(await releaseExpired({ ...options, retentionYears: 0 })).toBe(0);
  expect(await days()).toHaveLength(8);
});

test("readings past their retention are deleted, the others stay, and the deletion is in their organisation's audit log", async () => {
  expect(await releaseExpired(options)).toBe(4);
  expect(await days()).toEqual([0, 0, 1, 1]);
  const { rows } = await server.pool.query<{ path: string }>(
    `select path from organization where code = 'DEMO-HOSPITAL'`,
  );
  expect(await entries()).toMatchObject([
    {
      username: 'system',
      path: rows[0]?.path,
      before: {
        from: new Date(keptFrom - 700 * DAY_MS).toISOString().slice(0, 10),
        to: new Date(keptFrom).toISOString().slice(0, 10),
        rows: 4,
      },
    },
  ]);
});

test('a retention run that deletes nothing is not logged', async () => {
  expect(await releaseExpired(options)).toBe(0);
  expect(await entries()).toHaveLength(1);
});

test('if the audit log cannot be written, nothing is deleted', async () => {
  const record = () => Promise.reject(new Error('no log'));
  await expect(releaseExpired({ ...options, audit: { record }, retentionYears: 1 })).rejects.toThrow(
    'no log',
  );
  expect(await days()).toHaveLength(4);
});
