import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JobState } from '@isotherm/contracts/jobs';
import { createTestDatabase } from '@isotherm/testkit/test-database';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { migrate } from '../db/migrate.ts';
import { type FileStore, StoreAway } from '../files/file-store.ts';
import { createLocalStore } from '../files/local-store.ts';
import { createSpool, type Spool } from '../files/spool.ts';
import type { Caller } from '../http/caller.ts';
import { createLog } from '../log.ts';
import type { JobContent, JobKind, JobWork } from './job-kind.ts';
import { createJobRunner, type JobRunner } from './job-runner.ts';

const MIGRATIONS = new URL('../../../migrations', import.meta.url).pathname;
let database: Awaited<ReturnType<typeof createTestDatabase>>;
let pool: pg.Pool;
let folder: string;
const log = createLog('silent', false);
const clock = { now: () => Date.now() };
const caller = { scope: '/', permissions: new Set(['monitor-records:export']) } as unknown as Caller;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = new pg.Pool({ connectionString: database.connectionString, max: 8 });
  pool.on('error', () => undefined);
  await migrate(pool, MIGRATIONS);
  await pool.query(
    `insert into organization (id, code, name, level, path) overriding system value
     values (1, 'A', 'A', 'hq', '/1/'), (2, 'B', 'B', 'hq', '/2/');
     insert into account (organization_id, username, realname, password_hash, account_type)
     values (1, 'ann', 'Ann', '', 'staff'), (2, 'bob', 'Bob', '', 'staff')`,
  );
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});
afterEach(() => pool.query('truncate job, stored_file'));

type Run = (work: JobWork) => JobContent | Promise<JobContent>;
const file = (body: JobContent['body']): JobContent => ({ fileName: 'a.csv', mediaType: 'text/csv', body });
async function* text(...parts: string[]) {
  for (const part of parts) yield Buffer.from(part);
}

/** Starts a worker. */
function worker(
  run: Run,
  over: {
    store?: FileStore;
    spool?: Spool;
    check?: JobKind['check'];
    callerNow?: () => Promise<Caller | null>;
  } = {},
): JobRunner {
  folder ??= mkdtempSync(join(tmpdir(), 'isotherm-runner-'));
  const kind: JobKind = {
    name: 'readings-export',
    permission: 'monitor-records:export',
    parameters: z.unknown(),
    check: over.check ?? (async () => undefined),
    run: async (_caller, _parameters, work) => run(work),
  };
  const runner = createJobRunner({
    pool,
    clock,
    log,
    store: over.store ?? createLocalStore(folder),
    spool: over.spool ?? createSpool(join(folder, 'spool')),
    kindOf: () => kind,
    callerNow: over.callerNow ?? (async () => caller),
    storePausesMs: [5, 5],
  });
  runner.start();
  onTestFinished(() => runner.stop());
  return runner;
}

async function ordered(username = 'ann'): Promise<number> {
  const { rows } = await pool.query<{ id: number }>(
    `insert into job (account_id, organization_id, kind, subject, parameters, language, ordered_at)
     select id, organization_id, 'readings-export', '', '{}', 'en', now() from account where username = $1 returning id`,
    [username],
  );
  return rows[0]?.id as number;
}
interface Row {
  state: JobState;
  error: string | null;
  error_values: object | null;
  attempts: number;
  fence: number;
  progress: number;
  file_key: string | null;
}
const rowOf = async (id: number) =>
  (await pool.query<Row>('select * from job where id = $1', [id])).rows[0] as Row;
const until = (id: number, state: JobState) =>
  vi.waitFor(
    async () => {
      const row = await rowOf(id);
      expect(row.state).toBe(state);
      return row;
    },
    { timeout: 10_000, interval: 20 },
  );
const stored = () => readdirSync(folder).filter((name) => name !== 'spool');
const spooled = () => readdirSync(join(folder, 'spool'));
const announced = async () => (await pool.query('select key from stored_file')).rows.map(({ key }) => key);
/** Something that happens once, and can be waited for. */
function event() {
  let happens = () => {};
  const happened = new Promise<void>((resolve) => {
    happens = resolve;
  });
  return { happens, happened };
}
/** A body that waits until it is let go. */
function gate() {
  const opening = event();
  const beginning = event();
  async function* body() {
    yield Buffer.from('first');
    beginning.happens();
    await opening.happened;
    yield Buffer.from('second');
  }
  return { body, open: opening.happens, begun: beginning.happened };
}

test('a job runs and its file is recorded; nothing else is left', async () => {
  const id = await ordered();
  worker(({ progress }) => {
    progress(0.5);
    return file(text('a', 'b'));
  });
  const row = await until(id, 'done');
  expect(stored()).toEqual([row.file_key]);
  expect(await announced()).toEqual([row.file_key]);
  expect(spooled()).toEqual([]);
  rmSync(folder, { recursive: true });
});

test('a worker whose lease has expired can store nothing, and another one has done the job', async () => {
  const slow = gate();
  const first = worker(() => file(slow.body()));
  const id = await ordered();
  await slow.begun;
  // The first worker hangs: its lease runs out before it is renewed.
  await pool.query(
    `update job set lease_until = now() - interval '1 second', fence = fence + 1, state = 'running' where id = $1`,
    [id],
  );
  worker(() => file(text('done by another')));
  const row = await until(id, 'done');
  slow.open();
  await first.stop();
  expect(await rowOf(id)).toMatchObject({ state: 'done', file_key: row.file_key });
  expect(stored()).toEqual([row.file_key]);
  expect(spooled()).toEqual([]);
});

test('a running job is cancelled between two portions', async () => {
  const slow = gate();
  const aborted = new Promise<void>((resolve) => {
    worker(({ signal }) => {
      signal.addEventListener('abort', () => resolve());
      return file(slow.body());
    });
  });
  const id = await ordered();
  await slow.begun;
  await pool.query('update job set cancel_requested = true where id = $1', [id]);
  await aborted;
  slow.open();
  await until(id, 'cancelled');
  expect(spooled()).toEqual([]);
  expect(await announced()).toEqual([]);
});

test('a worker that stops gives its job back, and it is not counted as an attempt', async () => {
  const slow = gate();
  const runner = worker(() => file(slow.body()));
  const id = await ordered();
  await slow.begun;
  const stopping = runner.stop();
  slow.open();
  await stopping;
  expect(await rowOf(id)).toMatchObject({ state: 'waiting', attempts: 0 });
});

test('a job that is interrupted with an error of its own is given back too', async () => {
  const id = await ordered();
  const beginning = event();
  const first = worker(async ({ signal }) => {
    beginning.happens();
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    throw new Error('the connection is closed');
  });
  await beginning.happened;
  await first.stop();
  expect(await rowOf(id)).toMatchObject({ state: 'waiting', attempts: 0, error: null });
});

test('a worker that stops while it checks the rights of a job does not begin the work', async () => {
  const id = await ordered();
  const checking = event();
  const permitting = event();
  const run = vi.fn(() => file(text('never')));
  const runner = worker(run, {
    callerNow: async () => {
      checking.happens();
      await permitting.happened;
      return caller;
    },
  });
  await checking.happened;
  const stopping = runner.stop();
  permitting.happens();
  await stopping;
  expect(run).not.toHaveBeenCalled();
  expect(await rowOf(id)).toMatchObject({ state: 'waiting', attempts: 0 });
});

test('a worker that stops while it looks for jobs claims none', async () => {
  const id = await ordered();
  const asking = event();
  const answering = event();
  const ask = pool.query.bind(pool) as (...values: unknown[]) => Promise<unknown>;
  const query = vi.spyOn(pool, 'query').mockImplementationOnce(async (...values: unknown[]) => {
    const answer = await ask(...values);
    asking.happens();
    await answering.happened;
    return answer;
  });
  onTestFinished(() => query.mockRestore());
  const runner = worker(() => file(text('never')));
  await asking.happened;
  const stopping = runner.stop();
  answering.happens();
  await stopping;
  expect(await rowOf(id)).toMatchObject({ state: 'waiting', attempts: 0, fence: 0 });
});

test('a job whose worker has died three times fails', async () => {
  const id = await ordered();
  await pool.query(
    `update job set state = 'running', attempts = 3, lease_until = now() - interval '1 second' where id = $1`,
    [id],
  );
  worker(() => file(text('never')));
  expect(await until(id, 'failed')).toMatchObject({ error: 'job.crashed' });
});

test('one organisation has one running job, and another one does not wait for it', async () => {
  const slow = gate();
  let runs = 0;
  worker(() => (++runs === 1 ? file(slow.body()) : file(text('x'))));
  const first = await ordered();
  await slow.begun;
  const second = await ordered();
  const other = await ordered('bob');
  await until(other, 'done');
  expect(await rowOf(second)).toMatchObject({ state: 'waiting' });
  slow.open();
  await until(first, 'done');
  await until(second, 'done');
});

test('a file that was stored, but whose record failed, is deleted, and the error names the code', async () => {
  await pool.query(`
    create function refuse_done() returns trigger language plpgsql as $$
    begin raise exception 'no' using errcode = 'P0042'; end $$;
    create trigger refuse_done before update on job for each row when (new.state = 'done') execute function refuse_done()`);
  onTestFinished(async () => {
    await pool.query('drop trigger refuse_done on job; drop function refuse_done');
  });
  const before = stored();
  const id = await ordered();
  worker(() => file(text('x')));
  expect(await until(id, 'failed')).toMatchObject({
    error: 'job.unrecorded',
    error_values: { code: 'P0042' },
  });
  expect(stored()).toEqual(before);
  expect(await announced()).toEqual([]);
});

test.each([
  ['the disk is full', 'job.disk_full', Object.assign(new Error('no space'), { code: 'ENOSPC' })],
  ['the work has a fault', 'job.failed', new Error('a fault')],
] as const)('when %s, the job fails with %s and leaves no file', async (_case, code, error) => {
  const id = await ordered();
  async function* broken() {
    yield Buffer.from('x');
    throw error;
  }
  worker(() => file(broken()));
  expect(await until(id, 'failed')).toMatchObject({ error: code });
  expect(spooled()).toEqual([]);
  expect(await announced()).toEqual([]);
});

test('a storage that is away for a moment is tried again; one that stays away fails the job', async () => {
  const local = createLocalStore(folder);
  let tries = 0;
  let away = 2;
  const store: FileStore = {
    ...local,
    put: (key, path) => (++tries <= away ? Promise.reject(new StoreAway('away')) : local.put(key, path)),
  };
  const id = await ordered();
  const runner = worker(() => file(text('x')), { store });
  expect((await until(id, 'done')).file_key).not.toBeNull();
  expect(tries).toBe(3);
  away = 1_000;
  const lost = await ordered();
  runner.nudge();
  expect(await until(lost, 'failed')).toMatchObject({ error: 'job.storage_away' });
  expect(spooled()).toEqual([]);
});

test('rights that are lost while a job runs leave no file', async () => {
  let checks = 0;
  const id = await ordered();
  worker(() => file(text('x')), {
    check: async () => {
      if (++checks > 1) throw Object.assign(new Error('moved'), { name: 'AppError' });
    },
  });
  await until(id, 'failed');
  expect(checks).toBe(2);
  expect(await announced()).toEqual([]);
});

/** The account of a job with the scope that it has now. */
async function ownerNow(): Promise<Caller> {
  const { rows } = await pool.query<{ path: string }>(
    `select o.path from account a join organization o on o.id = a.organization_id where a.username = 'ann'`,
  );
  return { ...caller, scope: rows[0]?.path as string };
}

test.each([
  [
    'an organisation that is moved below another one',
    `update organization set path = '/2/1/' where id = 1`,
    'done',
  ],
  [
    'a user who is moved to another organisation',
    'update account set organization_id = 2 where id = 1',
    'failed',
  ],
] as const)(
  '%s while a report runs: the report has the rights after the move',
  async (_what, move, state) => {
    const scopes: string[] = [];
    const { body, open, begun } = gate();
    const id = await ordered();
    worker(() => file(body()), {
      callerNow: ownerNow,
      check: async ({ scope }) => scopes.push(scope),
    });
    await begun;
    await pool.query(move);
    open();
    const row = await until(id, state);
    await pool.query(`update organization set path = '/1/' where id = 1`);
    await pool.query('update account set organization_id = 1 where id = 1');
    expect(scopes).toEqual(state === 'done' ? ['/1/', '/2/1/'] : ['/1/']);
    expect(row.error).toBe(state === 'done' ? null : 'job.forbidden');
    expect(await announced()).toEqual(state === 'done' ? [row.file_key] : []);
  },
);
