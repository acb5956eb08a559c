import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { createTestDatabase, databaseUrl, type TestDatabase } from '@isotherm/testkit/test-database';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { prepareJobs } from '../jobs/jobs.ts';
import { createLog } from '../log.ts';
import { migrate } from './migrate.ts';
import { createPool } from './pool.ts';
import { prepareRights } from './rights.ts';

const MIGRATIONS = fileURLToPath(new URL('../../../migrations', import.meta.url));
const log = createLog('silent', false);

let database: TestDatabase;
let owner: pg.Pool;
const pools: pg.Pool[] = [];
const made: { databases: string[]; roles: string[] } = { databases: [], roles: [] };

function connect(url: string): pg.Pool {
  const pool = createPool(url, 2, log, 'test');
  pools.push(pool);
  return pool;
}

beforeAll(async () => {
  database = await createTestDatabase();
  owner = connect(database.connectionString);
  await owner.query(`
    insert into audit_entry (seq, at, username, address, organization_path, action, object_kind, object_id, object_name,
           previous_hash, hash) values (1, now(), 'a', '', '/1/', 'create', 'role', '1', 'R', '', '');
    insert into audit_head (seq, hash, mac) values (1, '', '')`);
});
afterAll(async () => {
  await Promise.all(pools.filter((pool) => pool !== owner).map((pool) => pool.end()));
  for (const name of made.databases) await owner.query(`drop database ${name} with (force)`);
  for (const name of made.roles.reverse()) await owner.query(`drop role ${name}`);
  await owner.end();
  await database.drop();
});

const addresses = (over: { databaseUrl?: string; ownerUrl?: string } = {}) => ({
  databaseUrl: database.connectionString,
  ownerUrl: null,
  ...over,
});

async function whoIs(pool: pg.Pool) {
  const { rows } = await pool.query('select session_user as session, current_user as now');
  return rows[0];
}

const DENIED = { code: '42501' };
const TAMPERING = [
  `update audit_entry set username = 'b'`,
  'delete from audit_entry',
  'truncate audit_entry',
  `update waybill_custody set person = 'b'`,
  'delete from waybill_custody',
  `update waybill_handover set signature = ''`,
  'delete from waybill_photo',
  `update waybill_event set digest = 'b'`,
  `update waybill_pre_cool set reason = 'b'`,
  `update report set sha256 = sha256(''::bytea)`,
  'delete from report',
  'drop table audit_entry',
  'alter table audit_entry disable trigger all',
  'drop trigger audit_entry_append_only on audit_entry',
  'delete from audit_head',
  'truncate audit_head',
  `insert into schema_migration (name) values ('9999_forged.sql')`,
];

describe('the application’s database role', () => {
  let app: pg.Pool;
  beforeAll(async () => {
    app = connect(await prepareRights(owner, addresses(), log));
  });

  it('the application role has its own login if the database trusts its socket', async () => {
    expect(await whoIs(app)).toEqual({ session: 'isotherm_app', now: 'isotherm_app' });
  });

  it.each(TAMPERING)('the application role cannot do this: %s', async (statement) => {
    await expect(app.query(statement)).rejects.toMatchObject(DENIED);
  });

  it('the application role cannot become the owner again', async () => {
    await expect(app.query('set role app')).rejects.toMatchObject(DENIED);
    await app.query('reset role');
    await expect(app.query('delete from audit_entry')).rejects.toMatchObject(DENIED);
  });

  it('the application role appends to the audit log and reads it', async () => {
    await app.query(`insert into audit_entry select 2, at, account_id, username, session_id, address, organization_path,
      action, object_kind, object_id, object_name, before, after, reason, previous_hash, hash from audit_entry`);
    expect((await app.query('select count(*) as count from audit_entry')).rows[0].count).toBe(2);
    await app.query('update audit_head set seq = 2');
  });

  it('the application role reads and writes every other table', async () => {
    const { rows } = await owner.query(
      `select relname from pg_class
        where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
          and not (has_table_privilege('isotherm_app', oid, 'select') and has_table_privilege('isotherm_app', oid, 'insert')
               and has_table_privilege('isotherm_app', oid, 'update') and has_table_privilege('isotherm_app', oid, 'delete'))
        order by relname`,
    );
    expect(rows.map((row) => row.relname)).toEqual([
      'audit_entry',
      'audit_head',
      'daily_review',
      'electronic_signature',
      'ledger_entry',
      'report',
      'schema_migration',
      'waybill_custody',
      'waybill_event',
      'waybill_handover',
      'waybill_notice',
      'waybill_photo',
      'waybill_pre_cool',
    ]);
    await app.query(`insert into organization (code, name, level, path) values ('HQ', 'HQ', 'hq', '/1/')`);
    await app.query(`insert into reading values (1, 0, now(), 4)`);
    await app.query('delete from reading');
  });

  it('the application role owns the job queue', async () => {
    await prepareJobs(app, log);
    await app.query(`select graphile_worker.add_job('none')`);
    expect((await app.query('select from graphile_worker.jobs')).rows).toHaveLength(1);
  });

  it('the application role gets rights on tables of later migrations', async () => {
    await owner.query('create table later (id bigint generated always as identity primary key, name text)');
    await prepareRights(owner, addresses(), log);
    await app.query(`insert into later (name) values ('a')`);
    await owner.query('drop table later');
  });

  it('the rights need no change at the next start', async () => {
    const version = async () =>
      (await owner.query(`select max(xmin::text::bigint) as version from pg_class`)).rows[0].version;
    const before = await version();
    await prepareRights(owner, addresses(), log);
    expect(await version()).toBe(before);
  });

  it.each([
    'update audit_entry set seq = 9',
    'delete from audit_entry',
    'truncate audit_entry',
    'delete from audit_head',
  ])('even the owner may not change or delete audit entries: %s', async (statement) => {
    await expect(owner.query(statement)).rejects.toMatchObject({
      message: expect.stringMatching(/append-only/),
    });
  });
});

/** Creates a database like the test database, whose owner is not a superuser. */
async function plainDatabase(attributes: string): Promise<{ url: string; pool: pg.Pool; user: string }> {
  const user = `owner_${randomBytes(4).toString('hex')}`;
  const name = `test_${user}`;
  await owner.query(`create role ${user} login ${attributes}`);
  made.roles.push(user);
  await owner.query(`create database ${name} owner ${user}`);
  made.databases.push(name);
  const url = new URL(databaseUrl(database.connectionString, name));
  url.username = user;
  const pool = connect(url.href);
  await migrate(pool, MIGRATIONS);
  return { url: url.href, pool, user };
}

describe('PostgreSQL with a user that is not a superuser', () => {
  it('the role is set at the beginning of each connection if logins need a password', async () => {
    const { url, pool, user } = await plainDatabase('createrole');
    const secured = new URL(url);
    secured.password = 'unused by a trusting socket';
    // A superuser has created the role of this cluster, so the role must be granted to this owner.
    await owner.query(`grant isotherm_app to ${user} with admin option`);
    const app = connect(await prepareRights(pool, addresses({ databaseUrl: secured.href }), log));
    expect(await whoIs(app)).toEqual({ session: user, now: 'isotherm_app' });
    for (const statement of TAMPERING) await expect(app.query(statement)).rejects.toMatchObject(DENIED);
    await prepareJobs(app, log);
  });

  it('a job queue created by the owner is transferred', async () => {
    const { url, pool, user } = await plainDatabase('createrole');
    await prepareJobs(pool, log);
    await owner.query(`grant isotherm_app to ${user} with admin option`);
    const app = connect(await prepareRights(pool, addresses({ databaseUrl: url }), log));
    await app.query(`select graphile_worker.add_job('none')`);
    expect((await app.query('select from graphile_worker.jobs')).rows).toHaveLength(1);
  });

  it('without the right to create roles the server runs as the owner, and the audit log is still protected', async () => {
    const { url, pool, user } = await plainDatabase('');
    const app = connect(await prepareRights(pool, addresses({ databaseUrl: url }), log));
    expect(await whoIs(app)).toEqual({ session: user, now: user });
    await expect(app.query('delete from audit_entry')).rejects.toThrow('append-only');
  });

  it('two logins of the operator are kept separate, and need no more rights than docs/operating.md lists', async () => {
    const { url, pool } = await plainDatabase('');
    const name = `login_${randomBytes(4).toString('hex')}`;
    await owner.query(`create role ${name} login`);
    made.roles.push(name);
    const application = new URL(url);
    application.username = name;
    const app = connect(await prepareRights(pool, { databaseUrl: application.href, ownerUrl: url }, log));
    expect(await whoIs(app)).toEqual({ session: name, now: name });
    for (const statement of TAMPERING) await expect(app.query(statement)).rejects.toMatchObject(DENIED);
    await app.query(`insert into organization (code, name, level, path) values ('HQ', 'HQ', 'hq', '/1/')`);
    await prepareJobs(app, log);
    // At the next start, the queue already has the right owner.
    await prepareRights(pool, { databaseUrl: application.href, ownerUrl: url }, log);
  });

  it('an unknown login is reported by name', async () => {
    const { url, pool } = await plainDatabase('');
    const application = new URL(url);
    application.username = 'nobody_by_this_name';
    await expect(prepareRights(pool, { databaseUrl: application.href, ownerUrl: url }, log)).rejects.toThrow(
      'nobody_by_this_name',
    );
  });
});
