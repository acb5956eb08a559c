import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { StoredFixes } from '@isotherm/domain/geo/fixes';
import { storableDegrees } from '@isotherm/domain/geo/sealed-track';
import { retainedFrom } from '@isotherm/domain/readings/retention';
import { DAY_MS } from '@isotherm/domain/readings/sealed-day';
import { createTestDatabase, type TestDatabase } from '@isotherm/testkit/test-database';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAudit } from '../../platform/audit/audit.ts';
import { migrate } from '../../platform/db/migrate.ts';
import { transaction } from '../../platform/db/pool.ts';
import { createLog } from '../../platform/log.ts';
import { createSealing } from '../../platform/sealing.ts';
import { type PositionRow, storePositions } from './live-places.ts';
import { preparePartitions } from './partitions.ts';
import { releaseExpired } from './retention.ts';
import { sealClosedDays } from './seal.ts';
import { loadTrackColumns, NO_TRACK } from './tracks.ts';
import { verifySealedDays } from './verify-sealed.ts';

const MIGRATIONS = fileURLToPath(new URL('../../../migrations', import.meta.url));
const log = createLog('silent', false);
const clock = { now: () => Date.now() };
const today = Math.floor(Date.now() / DAY_MS);

let database: TestDatabase;
let pool: pg.Pool;
const seal = () => sealClosedDays({ pool, owner: pool, clock, log, sealAfterMs: 0 });

beforeAll(async () => {
  database = await createTestDatabase();
  pool = new pg.Pool({ connectionString: database.connectionString, max: 8 });
  await preparePartitions(pool, true);
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

/** A position each minute, with what the numbers of devices and days make different. */
const rowAt = (deviceId: number, day: number, minute: number): PositionRow => ({
  device_id: deviceId,
  at: day * DAY_MS + minute * 60_000,
  latitude: storableDegrees(31 + deviceId / 10 + minute / 1_000 + (day % 7) / 100),
  longitude: storableDegrees(121.4 - minute / 900),
  speed_kmh: minute % 5 === 0 ? null : Math.round(minute * 3) / 10,
  heading_deg: minute % 3 === 0 ? null : minute % 360,
});
const send = (rows: readonly PositionRow[]) =>
  transaction(pool, (tx) => storePositions(tx, rows, rows, (today + 1) * DAY_MS));
const told = ({ at, latitude, longitude, speed_kmh: speedKmh }: PositionRow) => ({
  at,
  latitude,
  longitude,
  speedKmh,
});
const minutes = (count: number) => Array.from({ length: count }, (_, minute) => minute);
const columnsOf = async (deviceId: number, from: number, to: number) =>
  (await loadTrackColumns(pool, [deviceId], from, to)).get(deviceId) ?? NO_TRACK;
const all = async (deviceId: number, from = today - 400, to = today + 1) => [
  ...new StoredFixes(await columnsOf(deviceId, from * DAY_MS, to * DAY_MS)),
];
const count = async (from: string) =>
  (await pool.query<{ n: number }>(`select count(*)::int as n from ${from}`)).rows[0]?.n;
const partitions = () =>
  count(`pg_inherits where inhparent = 'position'::regclass and inhrelid <> 'position_default'::regclass`);

test('a closed day becomes one row per device, its partition is dropped, and every position is still there', async () => {
  const days = [today - 3, today - 2];
  const sent = [1, 2].map((device) =>
    days.flatMap((day) => minutes(600).map((minute) => rowAt(device, day, minute))),
  );
  for (const rows of sent) await send(rows);
  await send([rowAt(1, today, 0)]);
  expect(await partitions()).toBe(31 + 1 + 7);
  expect((await seal())?.readings).toBe(2 * 2 * 600);
  expect(await partitions()).toBe(1 + 7);
  expect(await count('sealed_track')).toBe(4);
  expect(await all(2)).toEqual(sent[1]?.map(told));
  expect(await all(1)).toEqual([...(sent[0] ?? []), rowAt(1, today, 0)].map(told));
  const [from, to] = [(sent[0] ?? [])[5]?.at as number, (sent[0] ?? [])[900]?.at as number];
  expect((await columnsOf(1, from, to)).at).toHaveLength(895);
});

test('late positions are merged into their day, and one that was sent again changes nothing', async () => {
  const late = [rowAt(1, today - 3, 700), rowAt(1, today - 40, 3)];
  await send([...late, { ...rowAt(1, today - 3, 10), latitude: 0 }]);
  const before = await all(1);
  expect(before.filter(({ latitude }) => latitude === 0)).toEqual([]);
  expect(before).toEqual(expect.arrayContaining(late.map(told)));
  await seal();
  expect(await count(`position where measured_at < now() - interval '30 hours'`)).toBe(0);
  expect(await all(1)).toEqual(before);
  expect(await seal()).toEqual({ days: 0, readings: 0 });
});

test('two processes seal while devices send late positions, and nothing is lost or stored twice', async () => {
  const rows = minutes(240).map((minute) => rowAt(5, today - 5, minute));
  const other = new pg.Pool({ connectionString: database.connectionString, max: 4 });
  const sealing = { done: false };
  const sealAgain = async (by: pg.Pool) => {
    while (!sealing.done) await sealClosedDays({ pool: by, owner: by, clock, log, sealAfterMs: 0 });
  };
  const sealers = Promise.all([sealAgain(pool), sealAgain(other)]);
  for (let from = 0; from < rows.length; from += 8) await send(rows.slice(from, from + 8));
  sealing.done = true;
  await sealers;
  await seal();
  await other.end();
  expect(await all(5)).toEqual(rows.map(told));
  expect(await count('position where device_id = 5')).toBe(0);
});

test('a sealed day that was damaged is found', async () => {
  expect((await verifySealedDays(pool)).damaged).toEqual([]);
  const { rows } = await pool.query<{ positions: Buffer }>(
    'select positions from sealed_track where device_id = 2 and day = $1',
    [new Date((today - 2) * DAY_MS).toISOString().slice(0, 10)],
  );
  const [{ positions }] = rows as [{ positions: Buffer }];
  const damaged = Buffer.from(positions);
  damaged[60] = (damaged[60] as number) ^ 8;
  const set = (bytes: Buffer) =>
    pool.query('update sealed_track set positions = $1 where positions = $2', [
      bytes,
      bytes === damaged ? positions : damaged,
    ]);
  await set(damaged);
  expect((await verifySealedDays(pool)).damaged).toEqual([{ deviceId: 2, day: today - 2 }]);
  await set(positions);
  expect(await verifySealedDays(pool)).toMatchObject({ damaged: [], positions: expect.any(Number) });
});

test('positions past their retention are deleted with an entry in the log of their organisation', async () => {
  const keptFrom = retainedFrom(clock.now(), 5) as number;
  await pool.query(`insert into organization (code, name, level, path) values ('OLD', 'Old', 'hq', '/77/')`);
  const device = await pool.query<{ id: number }>(
    `insert into device (id, organization_id, number, name, key_hash) overriding system value
     select 900, id, '99000001', 'Old', '' from organization where code = 'OLD' returning id::int`,
  );
  const { id } = device.rows[0] as { id: number };
  await send([rowAt(id, keptFrom - 1, 5), rowAt(id, keptFrom - 1, 6), rowAt(id, keptFrom, 7)]);
  await seal();
  const audit = createAudit(pool, createSealing('a secret of the tests, long enough for anybody'), clock);
  expect(await releaseExpired({ pool, audit, clock, retentionYears: 0 })).toBe(0);
  expect(await releaseExpired({ pool, audit, clock, retentionYears: 5 })).toBe(2);
  expect(await all(id, keptFrom - 2)).toEqual([told(rowAt(id, keptFrom, 7))]);
  const { rows } = await pool.query(
    `select username, organization_path as path, before from audit_entry where object_kind = 'track'`,
  );
  expect(rows).toEqual([
    { username: 'system', path: '/77/', before: expect.objectContaining({ devices: [id], rows: 2 }) },
  ]);
});

test('the migration moves all positions into their days', async () => {
  const empty = await createTestDatabase('empty');
  const folder = mkdtempSync(join(tmpdir(), 'isotherm-migrations-'));
  const own = new pg.Pool({ connectionString: empty.connectionString, max: 2 });
  try {
    for (const file of readdirSync(MIGRATIONS).filter((name) => name < '0452'))
      cpSync(join(MIGRATIONS, file), join(folder, file));
    await migrate(own, folder);
    await own.query(
      `insert into position (device_id, measured_at, latitude, longitude, speed_kmh)
       select device, now() - n * interval '37 hours', 31.2345678, -0.0000123, 62.5
         from generate_series(1, 100) n, generate_series(1, 3) device`,
    );
    await migrate(own, MIGRATIONS);
    const { rows } = await own.query(
      `select count(*)::int as n, count(*) filter (where tableoid = 'position_default'::regclass)::int as old,
              min(latitude) as latitude, max(longitude) as longitude, min(speed_kmh) as speed from position`,
    );
    expect(rows).toEqual([
      { n: 300, old: expect.any(Number), latitude: 31.23457, longitude: -0.00001, speed: 62.5 },
    ]);
    // 37 h × 38 is less than 60 days, 37 h × 39 is more.
    expect(rows[0].old).toBe(3 * (100 - 38));
  } finally {
    await own.end();
    await empty.drop();
    rmSync(folder, { recursive: true, force: true });
  }
});
