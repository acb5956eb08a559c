import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startEmbeddedPostgres } from '@isotherm/postgres/embedded-postgres';
import { sealClosedDays } from '@isotherm/server/features/telemetry/seal';
import { migrate } from '@isotherm/server/platform/db/migrate';
import { createLog } from '@isotherm/server/platform/log';
import pg from 'pg';

const MIGRATIONS = fileURLToPath(new URL('../../apps/server/migrations', import.meta.url));
export const DAY_MS = 86_400_000;
export const today = Math.floor(Date.now() / DAY_MS);

/** Creates a database with the server's tables, without a server. */
export async function historyDatabase(): Promise<{ pool: pg.Pool; stop(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'isotherm-bench-'));
  const database = await startEmbeddedPostgres({
    dataDir: join(folder, 'postgres'),
    logFile: join(folder, 'postgres.log'),
  });
  const pool = new pg.Pool({ connectionString: database.connectionString, max: 6 });
  pool.on('error', (error) => console.error(`database: ${error.message}`));
  await migrate(pool, MIGRATIONS);
  return {
    pool,
    async stop() {
      await pool.end();
      await database.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/**
 * Inserts readings of a day (days since 1970) in order of arrival: a compressor cycle with noise, in tenths
 * of a degree. Returns their number.
 */
export async function fillDay(
  pool: pg.Pool,
  day: number,
  channelIds: readonly number[],
  stepSeconds = 60,
): Promise<number> {
  const from = new Date(day * DAY_MS);
  const name = `reading_${from.toISOString().slice(0, 10).replaceAll('-', '')}`;
  await pool.query(
    `create table if not exists ${name} partition of reading
       for values from ('${from.toISOString()}') to ('${new Date(from.getTime() + DAY_MS).toISOString()}')`,
  );
  const { rowCount } = await pool.query(
    `insert into reading (channel_id, delay_s, measured_at, value)
     select channel, 2, t, (round((4.8 + 1.1 * sin(extract(epoch from t) / (400 + channel % 11 * 60))
                                   + (random() - 0.5) * 0.3)::numeric, 1))::real
       from generate_series($1::timestamptz, $1::timestamptz + interval '1 day' - interval '1 second',
                            make_interval(secs => $3)) t,
            unnest($2::int4[]) channel`,
    [from, channelIds, stepSeconds],
  );
  return rowCount ?? 0;
}

/** Seals all closed days. */
export async function seal(pool: pg.Pool): Promise<number> {
  const report = await sealClosedDays({
    pool,
    owner: pool,
    log: createLog('warn', false),
    clock: { now: () => Date.now() },
    sealAfterMs: 0,
  });
  if (!report) throw new Error('somebody else is sealing');
  return report.readings;
}

/** Copies the sealed rows of a day to the `days` days before it. */
export async function repeatSealedDay(pool: pg.Pool, day: number, days: number): Promise<void> {
  await pool.query(
    `insert into sealed_day
     select channel_id, day - n, first_at - make_interval(days => n), last_at - make_interval(days => n), sum, count,
            scale, first_value, last_value, min, max, unit_ms, gaps, value_deltas, hours, late, facts, facts_count
       from sealed_day, generate_series(1, $2::int) n where day = date '1970-01-01' + $1::int`,
    [day, days],
  );
}

export async function sealedBytes(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ bytes: number }>(
    `select pg_total_relation_size('sealed_day')::float8 as bytes`,
  );
  return rows[0]?.bytes ?? Number.NaN;
}
