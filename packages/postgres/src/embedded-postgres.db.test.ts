import { chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@isotherm/postgres/embedded-postgres';
import { DataFolderInUseError } from '@isotherm/postgres/folder-lock';
import { isRunning, type Program, startProgram, waitUntilGone } from '@isotherm/testkit/processes';
import pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';

const FAST = { shared_buffers: '16MB' };
let folder: string;
let running: EmbeddedPostgres[];
let programs: Program[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'isotherm-launch-'));
  running = [];
  programs = [];
});
afterEach(async () => {
  for (const program of programs) await program.stop();
  for (const postgres of running) if (isRunning(postgres.pid)) await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function start(
  more: Partial<Parameters<typeof startEmbeddedPostgres>[0]> = {},
): Promise<EmbeddedPostgres> {
  const postgres = await startEmbeddedPostgres({
    dataDir: join(folder, 'data'),
    logFile: join(folder, 'log'),
    settings: FAST,
    ...more,
  });
  running.push(postgres);
  return postgres;
}

/** Starts PostgreSQL on the same folder in another process, which prints its pid. */
function startElsewhere(): Program {
  const module = new URL('./embedded-postgres.ts', import.meta.url).href;
  const options = { dataDir: join(folder, 'data'), logFile: join(folder, 'log'), settings: FAST };
  const program = startProgram({
    args: [
      '--import',
      'tsx',
      '--input-type=module',
      '--eval',
      `import { startEmbeddedPostgres } from ${JSON.stringify(module)};
       startEmbeddedPostgres(${JSON.stringify(options)}).then(
         (postgres) => {
           process.once('SIGTERM', () => postgres.stop().then(() => process.exit()));
           console.log('pid', postgres.pid);
         },
         (error) => { console.log(error.name, error.message); process.exit(3); });`,
    ],
  });
  programs.push(program);
  return program;
}

async function query(postgres: EmbeddedPostgres, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: postgres.connectionString });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

test('data is kept after a stop and a start, at the same address', async () => {
  const first = await start();
  await query(first, 'create table kept as select 7 as n');
  await first.stop();
  const second = await start();
  expect(second.connectionString).toBe(first.connectionString);
  expect(await query(second, 'select n from kept')).toEqual([{ n: 7 }]);
});

test('commits are durable, and no TCP port is opened', async () => {
  const postgres = await start();
  expect(
    await query(
      postgres,
      `select name, setting from pg_settings
       where name in ('fsync', 'synchronous_commit', 'full_page_writes', 'listen_addresses') order by name`,
    ),
  ).toEqual([
    { name: 'fsync', setting: 'on' },
    { name: 'full_page_writes', setting: 'on' },
    { name: 'listen_addresses', setting: '' },
    { name: 'synchronous_commit', setting: 'on' },
  ]);
});

test('a second start is refused, from this process and from another one, without affecting the first', async () => {
  const postgres = await start();
  await expect(start()).rejects.toThrow(DataFolderInUseError);
  const other = startElsewhere();
  expect((await other.exited).code).toBe(3);
  expect(other.output()).toContain(`DataFolderInUseError The data folder ${join(folder, 'data')} is in use`);
  expect(await query(postgres, 'select 1 as n')).toEqual([{ n: 1 }]);
});

test('of two simultaneous starts, exactly one succeeds', async () => {
  const pair = [startElsewhere(), startElsewhere()];
  const outcomes = await Promise.all(
    pair.map((program) => program.waitForOutput(/^(pid|DataFolderInUseError)/m)),
  );
  expect(outcomes.map((outcome) => outcome[1]).sort()).toEqual(['DataFolderInUseError', 'pid']);
});

test('PostgreSQL exits when its parent process is killed, and a new start succeeds at once', async () => {
  const other = startElsewhere();
  const [, pid] = await other.waitForOutput(/pid (\d+)/);
  other.signal('SIGKILL');
  await other.exited;
  // This start must wait for the orphaned process, which is still shutting down.
  const postgres = await start();
  expect(isRunning(Number(pid))).toBe(false);
  expect(await query(postgres, 'select 1 as n')).toEqual([{ n: 1 }]);
});

test('an unexpected exit is reported, and PostgreSQL can be started again at once', async () => {
  let tell: (signal: NodeJS.Signals | null) => void = () => {};
  const told = new Promise<NodeJS.Signals | null>((resolve) => {
    tell = resolve;
  });
  const first = await start({ onExit: (_code, signal) => tell(signal) });
  await query(first, 'create table kept as select generate_series(1, 1000) as n');
  process.kill(first.pid, 'SIGKILL');
  expect(await told).toBe('SIGKILL');
  const second = await start();
  expect(await query(second, 'select count(*)::int as n from kept')).toEqual([{ n: 1000 }]);
});

test('a stop on request is not reported as an unexpected exit', async () => {
  let told = false;
  const postgres = await start({
    onExit: () => {
      told = true;
    },
  });
  await postgres.stop();
  expect(told).toBe(false);
});

test('a stale pid file and a stale socket lock are ignored, even if their pid belongs to another process', async () => {
  const first = await start();
  const stale = `${process.pid}\n${join(folder, 'data')}\n1\n5432\n${first.connection.host}\n\n`;
  await first.stop();
  mkdirSync(first.connection.host, { mode: 0o700 });
  writeFileSync(join(folder, 'data', 'postmaster.pid'), stale);
  writeFileSync(join(first.connection.host, '.s.PGSQL.5432.lock'), stale);
  writeFileSync(join(first.connection.host, '.s.PGSQL.5432'), '');
  const second = await start();
  expect(await query(second, 'select 1 as n')).toEqual([{ n: 1 }]);
});

test('a start succeeds after a crash during the creation of the database', async () => {
  mkdirSync(join(folder, 'data.unfinished', 'base'), { recursive: true });
  writeFileSync(join(folder, 'data.unfinished', 'PG_VERSION'), '18\n');
  const postgres = await start();
  expect(await query(postgres, 'select 1 as n')).toEqual([{ n: 1 }]);
});

test('a folder with content is never replaced: a database without its PG_VERSION is not changed', async () => {
  const first = await start();
  await query(first, 'create table kept as select 1 as n');
  await first.stop();
  const version = join(folder, 'data', 'PG_VERSION');
  const content = readFileSync(version);
  rmSync(version);
  await expect(start()).rejects.toThrow(
    /is not empty \(.+\), but has no file PG_VERSION.+Nothing was changed/s,
  );
  writeFileSync(version, content, { mode: 0o600 });
  chownSync(version, statSync(join(folder, 'data')).uid, statSync(join(folder, 'data')).gid);
  expect(await query(await start(), 'select n from kept')).toEqual([{ n: 1 }]);
});

test('a data folder works even if its path is longer than the maximum length of a socket path', async () => {
  const dataDir = join(folder, 'deep'.repeat(20), 'deeper'.repeat(20), 'data');
  const postgres = await start({ dataDir });
  expect(await query(postgres, 'select 1 as n')).toEqual([{ n: 1 }]);
});

test('without user namespaces, PostgreSQL runs as another account, or the error names the folder that prevents it', async () => {
  const outcome = await start({ allowNamespace: false }).then(
    async (postgres) => query(postgres, 'select 1 as n'),
    (error: Error) => error.message,
  );
  if (typeof outcome === 'string') expect(outcome).toMatch(/cannot enter \/.+ or set DATABASE_URL\.$/s);
  else expect(outcome).toEqual([{ n: 1 }]);
});

test("a refused setting is reported with PostgreSQL's message, and the folder is released", async () => {
  await expect(start({ settings: { shared_buffers: 'plenty' } })).rejects.toThrow(/shared_buffers/);
  const postgres = await start();
  expect(await query(postgres, 'select 1 as n')).toEqual([{ n: 1 }]);
});

test('no process and no socket folder is left after a stop', async () => {
  const postgres = await start();
  const client = new pg.Client({ connectionString: postgres.connectionString });
  client.on('error', () => undefined); // The server ends while the client is connected.
  await client.connect();
  const closed = new Promise((resolve) => client.once('end', resolve));
  await postgres.stop();
  await closed;
  await waitUntilGone(postgres.pid);
  expect(() => rmSync(postgres.connection.host)).toThrow('ENOENT');
});
