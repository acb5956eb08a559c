import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DAY_MS } from '@isotherm/domain/readings/sealed-day';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@isotherm/postgres/embedded-postgres';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { migrate } from '../../platform/db/migrate.ts';
import { createLog } from '../../platform/log.ts';
import { loadSeries } from './history.ts';
import { type SealReport, sealClosedDays } from './seal.ts';

const MIGRATIONS = fileURLToPath(new URL('../../../migrations', import.meta.url));
const KEEP_SEALING = fileURLToPath(new URL('../../testing/keep-sealing.ts', import.meta.url));
const ROUNDS = 20;
/** In every fourth round the sealing process is killed instead of the database server. */
const PROCESS_EVERY = 4;
const CHANNELS = Array.from({ length: 24 }, (_, i) => i + 1);
const LONGEST_MS = 120;
const today = Math.floor(Date.now() / DAY_MS);
const log = createLog('silent', false);

const folder = mkdtempSync(join(tmpdir(), 'isotherm-seal-crash-'));
let postgres: EmbeddedPostgres;
let pool: pg.Pool;

beforeAll(async () => {
  await start();
  await migrate(pool, MIGRATIONS);
});
afterAll(async () => {
  await pool.end();
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function start(): Promise<void> {
  postgres = await startEmbeddedPostgres({
    dataDir: join(folder, 'postgres'),
    logFile: join(folder, 'postgres.log'),
  });
  pool = new pg.Pool({ connectionString: postgres.connectionString, max: 6 });
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
}

const seal = () =>
  sealClosedDays({ pool, owner: pool, clock: { now: () => Date.now() }, log, sealAfterMs: 0 });

/** Inserts readings every five minutes; every sixth one arrives late, after the day was sealed. */
async function insert(day: number, late: boolean): Promise<void> {
  await pool.query(
    `insert into reading select channel, 0, t, channel + extract(hour from t) / 10
       from generate_series($1::timestamptz, $1::timestamptz + interval '23:55', '5 minutes') t, unnest($2::int[]) channel
      where (extract(minute from t) = 25) = $3`,
    [new Date(day * DAY_MS), CHANNELS, late],
  );
}

async function makePartition(day: number): Promise<void> {
  const iso = (each: number) => new Date(each * DAY_MS).toISOString().slice(0, 10);
  await pool.query(
    `create table reading_${iso(day).replaceAll('-', '')} partition of reading
       for values from ('${iso(day)} 00:00:00+00') to ('${iso(day + 1)} 00:00:00+00')`,
  );
}

/** Checks that each reading exists once with its value, against the expected times of each day. */
async function expectWhole(days: readonly { day: number; late: boolean }[]): Promise<void> {
  const all = await loadSeries(pool, CHANNELS, (today - 100) * DAY_MS, (today + 1) * DAY_MS);
  const moments = days.flatMap(({ day, late }) =>
    Array.from({ length: 288 }, (_, i) => i)
      .filter((i) => late || i % 12 !== 5)
      .map((i) => day * DAY_MS + i * 300_000),
  );
  moments.sort((a, b) => a - b);
  for (const channel of CHANNELS) {
    const series = all.get(channel);
    expect([...(series?.at ?? [])]).toEqual(moments);
    expect(series?.value.every((value, i) => value === hourly(channel, moments[i] as number))).toBe(true);
  }
}

function hourly(channel: number, at: number): number {
  return Math.round(channel * 10 + Math.floor((at % DAY_MS) / 3_600_000)) / 10;
}

async function countHot(): Promise<number> {
  const { rows } = await pool.query<{ count: number }>('select count(*)::int as count from reading');
  return rows[0]?.count ?? -1;
}

async function sealingProcess(): Promise<ChildProcess> {
  const child = fork(KEEP_SEALING, [postgres.connectionString], { execArgv: ['--import', 'tsx'] });
  await once(child, 'message');
  return child;
}

test('after repeated SIGKILLs during sealing, no reading is lost or duplicated', {
  timeout: 180_000,
}, async () => {
  const days: { day: number; late: boolean }[] = [];
  let interrupted = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const before = days.at(-1);
    if (before) {
      await insert(before.day, true);
      before.late = true;
    }
    // The first kill is certain to happen during the sealing.
    const moment = round === 0 ? 1 : Math.random() * LONGEST_MS;
    const day = today - 40 + round;
    const processDies = round % PROCESS_EVERY === PROCESS_EVERY - 1;
    const child = processDies ? await sealingProcess() : null;
    await makePartition(day);
    await insert(day, false);
    days.push({ day, late: false });
    const sealing: Promise<SealReport | null> = child ? Promise.resolve(null) : seal();
    const outcome = sealing.then(
      (report) => report,
      () => null,
    );
    await new Promise((wake) => setTimeout(wake, moment));
    if (child) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    } else {
      await postgres.stop('SIGKILL');
      if ((await outcome)?.days !== 2) interrupted++;
      await pool.end();
      await start();
    }
    await expectWhole(days);
  }
  expect(interrupted).toBeGreaterThan(0);
  await seal();
  await expectWhole(days);
  expect(await countHot()).toBe(0);
  expect((await seal())?.readings).toBe(0);
});
