import { randomBytes } from 'node:crypto';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createTestDatabase, type TestDatabase } from '@isotherm/testkit/test-database';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { loadSeries, preparePartitions } from './features/telemetry/index.ts';
import { sealClosedDays } from './features/telemetry/seal.ts';
import { refuseUnfinishedRestore } from './platform/backup/restore-backup.ts';
import { writeBackup } from './platform/backup/write-backup.ts';
import { createLog } from './platform/log.ts';
import { restoreVerified, SECRET_FILE } from './restore.ts';
import { createCalls } from './testing/calls.ts';
import { startTestServer, TEST_SECRET } from './testing/test-server.ts';

/**
 * Restores a backup of a database with a million readings (unsealed, sealed and late), alarms, an audit log
 * and files, and compares it with the original.
 */
const MIGRATIONS = fileURLToPath(new URL('../migrations', import.meta.url));
const CHANNELS = 100;
const DAY_MS = 86_400_000;
const SEALED_READINGS = 500_000;
const HOT_READINGS = 500_000;
const LATE_READINGS = 400;

const now = Date.now();
const today = Math.floor(now / DAY_MS);
/**
 * The database that is backed up. Its server has stopped, because its background jobs would change the
 * original.
 */
let original: { database: TestDatabase; pool: pg.Pool };
let folder: string;
/** Path of the full backup, and of one from before the readings were inserted. */
let path: string;
let small: string;
const opened: { pool: pg.Pool; database: TestDatabase }[] = [];

beforeAll(async () => {
  const source = await createTestDatabase();
  original = { database: source, pool: new pg.Pool({ connectionString: source.connectionString, max: 4 }) };
  const server = await startTestServer({
    databaseUrl: source.connectionString,
    environment: { ISOTHERM_ENVIRONMENT: 'development' },
  });
  await createCalls(server);
  await server.stop();
  folder = mkdtempSync(join(tmpdir(), 'isotherm-backup-'));
  path = join(folder, 'first.backup');
  await insertFiles();
  small = join(folder, 'small.backup');
  await writeBackup({ pool: original.pool, path: small, files: {}, now });
  await preparePartitions(original.pool, true);
  await insertReadings(today - 3, SEALED_READINGS, 2);
  await insertReadings(today - 3, LATE_READINGS, 7_200, '137 milliseconds');
  const sealer = { pool: original.pool, owner: original.pool, clock: { now: () => now } };
  await sealClosedDays({ ...sealer, log: createLog('silent', false), sealAfterMs: DAY_MS });
  await insertReadings(today, HOT_READINGS, 2);
  // Late readings of a sealed day, which are in the default partition until they are merged.
  await insertReadings(today - 3, LATE_READINGS, 90_000, '251 milliseconds');
  await writeBackup({ pool: original.pool, path, files: {}, now });
  // The timeout is long because a million readings are inserted and half of them sealed.
}, 120_000);
afterEach(async () => {
  for (const { pool, database } of opened.splice(0)) {
    await pool.end();
    await database.drop();
  }
});
afterAll(async () => {
  await original.pool.end();
  await original.database.drop();
  rmSync(folder, { recursive: true, force: true });
});

/** Inserts readings spread evenly over a day and the channels, whose ids are above those of the demo. */
async function insertReadings(
  day: number,
  count: number,
  delayS: number,
  shift = '0 seconds',
): Promise<void> {
  const perChannel = count / CHANNELS;
  await original.pool.query(
    `insert into reading (channel_id, delay_s, measured_at, value)
     select 900000 + channel, $5, $1::timestamptz + n * ($2 * interval '1 millisecond') + $6::interval,
            (round((5 + sin(n / 50.0 + channel))::numeric, 1))::real
       from generate_series(0, $3::int - 1) n, generate_series(1, $4::int) channel`,
    [
      new Date(day * DAY_MS),
      Math.floor(DAY_MS / perChannel / 1000) * 1000,
      perChannel,
      CHANNELS,
      delayS,
      shift,
    ],
  );
}

/** Inserts one file of each kind; their content does not matter here. */
async function insertFiles(): Promise<void> {
  const { rows } = await original.pool.query<{ id: number }>('select id from asset limit 1');
  await original.pool.query(
    `insert into record_file (subject_kind, subject_id, name, media_type, bytes, added_by, added_at)
     values ('calibration', 1, 'certificate.pdf', 'application/pdf', $1, 'demo.manager', now())`,
    [randomBytes(300_000)],
  );
  await original.pool.query(
    `with file as (insert into asset_file (asset_id, kind, name) values ($1, 'manual', 'manual.pdf') returning id)
     insert into asset_file_version (file_id, number, media_type, bytes, note, uploaded_by, uploaded_at)
     select id, 1, 'application/pdf', $2, '', 'demo.manager', now() from file`,
    [rows[0]?.id, randomBytes(200_000)],
  );
  await original.pool.query(
    `insert into stored_image (id, use, media_type, bytes, width, height, created_at)
     values ('0123456789abcdef0123456789abcdef', 'avatar', 'image/png', $1, 64, 64, now())`,
    [randomBytes(100_000)],
  );
}

async function emptyDatabase(): Promise<pg.Pool> {
  const database = await createTestDatabase('empty');
  const pool = new pg.Pool({ connectionString: database.connectionString, max: 4 });
  opened.push({ pool, database });
  return pool;
}

/** Returns number and content of the rows of each table, computed by the database alone. */
async function contentOf(pool: pg.Pool): Promise<Record<string, string>> {
  const { rows } = await pool.query<{ name: string }>(
    `select relname as name from pg_class
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
        and relpersistence = 'p' and relname <> 'outbox'`,
  );
  const content: Record<string, string> = {};
  for (const { name } of rows) {
    const found = await pool.query(
      `select count(*) || ':' || coalesce(sum(hashtextextended(t::text, 0)::numeric), 0) as content from "${name}" t`,
    );
    content[name] = found.rows[0].content;
  }
  return content;
}

it('a restored database has the same readings, alarms, audit log and files, and can be written to', async () => {
  const pool = await emptyDatabase();
  const restored = await restoreVerified({ pool, path, migrationsDir: MIGRATIONS }, TEST_SECRET);

  const content = await contentOf(original.pool);
  expect(await contentOf(pool)).toEqual(content);
  for (const table of [
    'alarm',
    'audit_entry',
    'asset_file_version',
    'stored_image',
    'record_file',
    'account',
  ])
    expect(restored.rows[table], table).toBeGreaterThan(0);
  expect(restored.rows.reading).toBeGreaterThanOrEqual(HOT_READINGS + LATE_READINGS);
  expect(restored.sealedReadings).toBeGreaterThanOrEqual(SEALED_READINGS + LATE_READINGS);
  expect(restored.sealedDays).toBeGreaterThanOrEqual(CHANNELS);
  expect(restored.auditEntries).toBe(restored.rows.audit_entry);
  expect(restored.files.find(({ table }) => table === 'stored_image')?.files).toBeGreaterThan(0);

  const span = [[900_001, 900_100], (today - 4) * DAY_MS, now + DAY_MS] as const;
  expect(await loadSeries(pool, ...span)).toEqual(await loadSeries(original.pool, ...span));
  // Triggers, foreign keys and sequences are restored.
  await expect(pool.query('delete from audit_entry')).rejects.toThrow('append');
  await expect(pool.query('delete from organization')).rejects.toThrow('foreign key');
  await refuseUnfinishedRestore(pool);
  const again = await startTestServer({ databaseUrl: opened[0]?.database.connectionString as string });
  try {
    await again.logIn('demo.manager');
  } finally {
    await again.stop();
  }
});

it('nothing is restored into a database that is not empty', async () => {
  const before = await contentOf(original.pool);
  await expect(
    restoreVerified({ pool: original.pool, path, migrationsDir: MIGRATIONS }, TEST_SECRET),
  ).rejects.toThrow('The database is not empty: it contains ');
  expect(await contentOf(original.pool)).toEqual(before);
});

it('a damaged or truncated file is refused before anything is restored', async () => {
  const pool = await emptyDatabase();
  const bytes = readFileSync(small);
  const broken = join(folder, 'broken.backup');
  const restore = () => restoreVerified({ pool, path: broken, migrationsDir: MIGRATIONS }, TEST_SECRET);
  for (const [content, sentence] of [
    [bytes.subarray(0, bytes.length >> 1), 'its end is missing'],
    [Buffer.concat([bytes, Buffer.from('x')]), 'there are bytes after its end'],
    [flipped(bytes, bytes.length >> 1), /its checksum is wrong|it is damaged|its end is missing/],
    [Buffer.from('select 1;\n'), 'it is not a backup of Isotherm'],
  ] as const) {
    writeFileSync(broken, content);
    await expect(restore()).rejects.toThrow(sentence);
  }
  expect(await contentOf(pool)).toEqual({});
});

function flipped(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[at] = (copy[at] as number) ^ 1;
  return copy;
}

it('a wrong secret is detected by the audit log, and the server refuses the unfinished database', async () => {
  const pool = await emptyDatabase();
  const restoring = restoreVerified({ pool, path: small, migrationsDir: MIGRATIONS }, 'x'.repeat(64));
  await expect(restoring).rejects.toThrow('The audit log has');
  await expect(refuseUnfinishedRestore(pool)).rejects.toThrow('a restore of this database was not finished');
});

it('a backup of an older release is restored in its own schema and then migrated', async () => {
  const pool = await emptyDatabase();
  const newer = join(folder, 'migrations');
  cpSync(MIGRATIONS, newer, { recursive: true });
  writeFileSync(
    join(newer, '9998_next.sql'),
    `create table of_next (accounts integer not null);
     insert into of_next select count(*) from account`,
  );
  const restored = await restoreVerified({ pool, path: small, migrationsDir: newer }, TEST_SECRET);
  expect(restored.migrated).toEqual(['9998_next.sql']);
  const { rows } = await pool.query('select accounts from of_next');
  expect(rows).toEqual([{ accounts: restored.rows.account }]);

  const next = join(folder, 'next.backup');
  await writeBackup({ pool, path: next, files: {}, now });
  const old = await emptyDatabase();
  await expect(
    restoreVerified({ pool: old, path: next, migrationsDir: MIGRATIONS }, TEST_SECRET),
  ).rejects.toThrow(/migrations that this program does not know \(9998_next\.sql\)/);
});

it('a backup shows the state of one moment, without rows that are written meanwhile', async () => {
  const target = join(folder, 'moment.backup');
  const before = await contentOf(original.pool);
  const writing = writeBackup({ pool: original.pool, path: target, files: {}, now });
  while (!readdirSync(folder).includes('moment.backup.unfinished')) await original.pool.query('select 1');
  // The role is changed before the backup copies the roles, because it copies them after the readings.
  await original.pool.query(`update role set name = name || '!'`);
  await writing;
  await original.pool.query(`update role set name = rtrim(name, '!')`);
  const pool = await emptyDatabase();
  await restoreVerified({ pool, path: target, migrationsDir: MIGRATIONS }, TEST_SECRET);
  expect(await contentOf(pool)).toEqual(before);
});

it('the secret is in the backup only if it was given, and the file is readable by its owner only', async () => {
  expect(readFileSync(path).includes(Buffer.from(TEST_SECRET))).toBe(false);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const first = await emptyDatabase();
  await restoreVerified({ pool: first, path: small, migrationsDir: MIGRATIONS }, TEST_SECRET);
  const target = join(folder, 'secret.backup');
  await writeBackup({ pool: first, path: target, files: { [SECRET_FILE]: Buffer.from(TEST_SECRET) }, now });
  const second = await emptyDatabase();
  const restored = await restoreVerified({ pool: second, path: target, migrationsDir: MIGRATIONS }, null);
  expect(restored.contents.get(SECRET_FILE)?.toString()).toBe(TEST_SECRET);
  expect(await contentOf(second)).toEqual(await contentOf(first));
});

it('a backup that is aborted at any moment ends with that error, and leaves no file', async () => {
  const target = join(folder, 'aborted.backup');
  for (let turns = 0; turns < 60; turns++) {
    const stopping = new AbortController();
    const { signal } = stopping;
    const writing = writeBackup({ pool: original.pool, path: target, files: {}, now, signal });
    const ended = expect(writing).rejects.toThrow('the program is stopping');
    while (!readdirSync(folder).some((name) => name.startsWith('aborted')))
      await original.pool.query('select 1');
    // Between the pieces of the file there are turns in which no stream is read.
    for (let turn = 0; turn < turns; turn++) await setImmediate();
    stopping.abort(new Error('the program is stopping'));
    await ended;
    expect(readdirSync(folder).filter((name) => name.startsWith('aborted'))).toEqual([]);
  }
});
