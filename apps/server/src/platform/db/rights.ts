import pg from 'pg';
import type { Logger } from '../log.ts';
import { LOCK_KEYS } from './lock-keys.ts';
import { type Tx, transaction } from './pool.ts';

/** Name of the application's role, unless the operator has configured one (docs/decisions/0005). */
const ROLE = 'isotherm_app';
const PROBE_WITHIN_MS = 3_000;

/** Tables with restricted rights; the application may read and write all other tables. */
const NARROWER: Readonly<Record<string, string>> = {
  audit_entry: 'select, insert',
  audit_head: 'select, insert, update',
  daily_review: 'select, insert',
  electronic_signature: 'select, insert',
  ledger_entry: 'select, insert',
  report: 'select, insert',
  schema_migration: 'select',
  waybill_custody: 'select, insert',
  waybill_event: 'select, insert',
  waybill_handover: 'select, insert',
  waybill_notice: 'select, insert',
  waybill_photo: 'select, insert',
  waybill_pre_cool: 'select, insert',
};
const USUAL = 'select, insert, update, delete';

export interface DatabaseAddresses {
  /** Value of `DATABASE_URL`. */
  databaseUrl: string;
  /** Value of `DATABASE_OWNER_URL`, if the operator uses two logins. */
  ownerUrl: string | null;
}

/**
 * Grants the application's role its rights: it can append to the audit log, but neither change nor delete an
 * entry. Called after each migration, on the owner's pool. Returns the connection string with which the
 * application connects; the owner's own, with a warning, if no such role can be created.
 */
export async function prepareRights(
  owner: pg.Pool,
  { databaseUrl, ownerUrl }: DatabaseAddresses,
  log: Logger,
): Promise<string> {
  const role = ownerUrl === null ? ROLE : decodeURIComponent(new URL(databaseUrl).username);
  const ready = await transaction(owner, async (tx) => {
    await tx.query('select pg_advisory_xact_lock($1)', [LOCK_KEYS.rights]);
    // A login configured by the operator must exist; otherwise the role is created and granted to the owner.
    if (!(ownerUrl === null ? await ensureRole(tx, role) : await standsRole(tx, role))) return false;
    await grantRights(tx, role);
    return true;
  });
  if (ownerUrl !== null) {
    if (!ready) throw new Error(`DATABASE_URL names the user ${role}, whom the database does not know`);
    return databaseUrl;
  }
  if (!ready) {
    log.warn(
      'the database user of DATABASE_URL may not make roles: the application runs with the rights of the owner (docs/operating.md, "Database rights")',
    );
    return databaseUrl;
  }
  const login = asLogin(databaseUrl, role);
  return login !== null && (await admits(login)) ? login : withRole(databaseUrl, role);
}

/** Finds or creates the role and grants it to the owner; returns false if the owner lacks the right. */
async function ensureRole(tx: Tx, role: string): Promise<boolean> {
  const { rows } = await tx.query<{ may: boolean; name: string }>(
    `select rolsuper or rolcreaterole as may, quote_ident($1) as name from pg_roles where rolname = current_user`,
    [role],
  );
  const { may, name } = rows[0] ?? { may: false, name: '' };
  if (!(await standsRole(tx, role))) {
    if (!may) return false;
    // Roles belong to the whole cluster, so the start of another database may create the same role at the
    // same time.
    if (!(await attempt(tx, `create role ${name} login`)) && !(await standsRole(tx, role))) return false;
  }
  return (await mayActAs(tx, role)) || (await attempt(tx, `grant ${name} to current_user`));
}

async function standsRole(tx: Tx, role: string): Promise<boolean> {
  return (await tx.query('select from pg_roles where rolname = $1', [role])).rows.length > 0;
}

async function mayActAs(tx: Tx, role: string): Promise<boolean> {
  const { rows } = await tx.query<{ may: boolean }>(`select pg_has_role(current_user, $1, 'member') as may`, [
    role,
  ]);
  return rows[0]?.may ?? false;
}

async function attempt(tx: Tx, statement: string): Promise<boolean> {
  await tx.query('savepoint attempt');
  try {
    await tx.query(statement);
    await tx.query('release savepoint attempt');
    return true;
  } catch {
    await tx.query('rollback to savepoint attempt');
    return false;
  }
}

/**
 * Grants only what is missing, so that a start while other processes run changes nothing. Partitions are
 * accessed through their table; the owner creates them.
 */
async function grantRights(tx: Tx, role: string): Promise<void> {
  const { rows: statements } = await tx.query<{ sql: string }>(
    `with wanted as (
       select c.oid, c.relname, quote_ident($1) as grantee,
              coalesce($2::jsonb ->> c.relname, $3) as rights
         from pg_class c
        where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
          and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')
     )
     select format('grant %s on %I to %s', rights, relname, grantee) as sql from wanted
      where exists (select from unnest(string_to_array(rights, ', ')) as r(one)
                     where not has_table_privilege($1, oid, one))
     union all
     select format('revoke %s on %I from %s, public', extra, relname, grantee) from wanted,
            unnest(array['update', 'delete', 'truncate']) as e(extra)
      where relname in (select jsonb_object_keys($2::jsonb)) and rights not like '%' || extra || '%'
        and has_table_privilege($1, oid, extra)
     union all
     select format('grant usage, select on sequence %I to %I', relname, $1) from pg_class
      where relnamespace = 'public'::regnamespace
        and case relkind when 'S' then not has_sequence_privilege($1, oid, 'usage') end
     union all
     select format('grant usage on schema public to %I', $1)
      where not has_schema_privilege($1, 'public', 'usage')
     union all
     -- For the schema of the job queue, which is the application's own.
     select format('grant create on database %I to %I', current_database(), $1)
      where not has_database_privilege($1, current_database(), 'create')`,
    [role, JSON.stringify(NARROWER), USUAL],
  );
  await runAll(tx, statements);
  await handOverQueue(tx, role);
}

/** Only the owner of the job queue's tables passes their row security, so the application must own them. */
async function handOverQueue(tx: Tx, role: string): Promise<void> {
  const { rows } = await tx.query<{ sql: string }>(
    `with queue as (select oid, nspname from pg_namespace
                     where nspname = 'graphile_worker' and nspowner <> $1::regrole)
     select format('alter schema %I owner to %I', nspname, $1) as sql from queue
     union all
     select format('alter %s %I.%I owner to %I', case relkind when 'v' then 'view' when 'S' then 'sequence' else 'table' end,
                   nspname, relname, $1)
       from pg_class c join queue on queue.oid = c.relnamespace
      where relkind in ('r', 'p', 'v', 'S')
        and not exists (select from pg_depend d where d.objid = c.oid and d.deptype in ('a', 'i') and relkind = 'S')
     union all
     select format('alter routine %s owner to %I', p.oid::regprocedure, $1)
       from pg_proc p join queue on queue.oid = p.pronamespace
     union all
     select format('alter type %I.%I owner to %I', nspname, typname, $1)
       from pg_type t join queue on queue.oid = t.typnamespace
      where typtype in ('c', 'd', 'e') and not exists (select from pg_class c where c.oid = t.typrelid and relkind <> 'c')`,
    [role],
  );
  await runAll(tx, rows);
}

/** Runs statements without values in one round trip: at the first start there are hundreds. */
async function runAll(tx: Tx, statements: readonly { sql: string }[]): Promise<void> {
  if (statements.length > 0) await tx.query(statements.map(({ sql }) => sql).join(';\n'));
}

/**
 * Returns a separate login if no password is needed (the embedded database trusts its socket): no statement
 * can switch such a session back to the owner. Otherwise null.
 */
function asLogin(databaseUrl: string, role: string): string | null {
  const url = new URL(databaseUrl);
  if (url.password !== '' || url.searchParams.has('password')) return null;
  url.searchParams.delete('user');
  url.username = role;
  return url.href;
}

/** Returns the owner's login, with the role set at the beginning of the connection. */
function withRole(databaseUrl: string, role: string): string {
  const url = new URL(databaseUrl);
  const options = [url.searchParams.get('options'), `-c role=${role}`].filter(Boolean).join(' ');
  url.searchParams.set('options', options);
  return url.href;
}

async function admits(connectionString: string): Promise<boolean> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: PROBE_WITHIN_MS });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}
