import { createTestDatabase, type TestDatabase } from '@isotherm/testkit/test-database';
import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPool } from '../db/pool.ts';
import { createLog } from '../log.ts';
import { createLeases, type Leases } from './leases.ts';

const log = createLog('silent', false);
let database: TestDatabase;
let pool: pg.Pool;
const started: Leases[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool(database.connectionString, 4, log, 'test');
});
afterAll(async () => {
  await Promise.all(started.map((leases) => leases.stop()));
  await pool.end();
  await database.drop();
});

async function start(kind: string, own: string) {
  const held = new Set<string>();
  const leases = createLeases({
    pool,
    log,
    kind,
    own,
    onTaken: (name) => held.add(name),
    onLost: (name) => held.delete(name),
  });
  await leases.start();
  started.push(leases);
  return { leases, held };
}

/** Changes a lease so that it looks like that of a process that died some seconds ago. */
const die = (kind: string, name: string, secondsAgo: number) =>
  pool.query(`insert into lease values ($1, $2, gen_random_uuid(), now() - $3::int * interval '1 second')`, [
    kind,
    name,
    secondsAgo,
  ]);

test('a process holds its own lease, and a running process takes over the lease of a dead one', async () => {
  await die('first', 'dead', 0);
  const one = await start('first', 'one');
  const two = await start('first', 'two');
  expect([...one.held, ...two.held]).toEqual(['one', 'two']);
  await expect
    .poll(() => [...one.held, ...two.held].sort(), { timeout: 5_000 })
    .toEqual(['dead', 'one', 'two']);
});

test('a lease that is released at a stop can be taken at once', async () => {
  const one = await start('second', 'one');
  const two = await start('second', 'two');
  await one.leases.stop();
  await expect.poll(() => [...two.held], { timeout: 2_500 }).toEqual(['two', 'one']);
});

test('a restarted process gets its own lease back', async () => {
  await die('third', 'again', 60);
  const survivor = await start('third', 'survivor');
  await expect.poll(() => survivor.held.has('again'), { timeout: 5_000 }).toBe(true);
  const again = await start('third', 'again');
  expect(again.held).toEqual(new Set(['again']));
  expect(await survivor.leases.holds('again')).toBe(false);
  await expect.poll(() => survivor.held.has('again'), { timeout: 5_000 }).toBe(false);
  expect(await again.leases.holds('again')).toBe(true);
});
