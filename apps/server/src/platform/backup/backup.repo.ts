import type { Db, Tx } from '../db/pool.ts';

/**
 * Tables whose rows have no meaning in another database: events for consoles, which are ordered by the
 * transaction ids of this database.
 */
const TRANSIENT_TABLES = ['outbox'];
/** Name of the table that exists while a database is being restored: the server refuses to start on it. */
const MARKER = 'unfinished_restore';

export interface StoredTable {
  name: string;
  /** Stored columns; generated columns are not included. */
  columns: string[];
}

export interface Partition {
  table: string;
  name: string;
  /** Bound of the partition: `FOR VALUES FROM … TO …` */
  bound: string;
}

export interface SequenceState {
  name: string;
  value: string;
  isCalled: boolean;
}

/** Number and SHA-256 of the files of a column, independent of their order. */
export interface FileDigest {
  table: string;
  column: string;
  files: number;
  sha256: string | null;
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;
const listed = (names: readonly string[]) => names.map(quoted).join(', ');

/**
 * Lists logged tables of the application with their stored columns; a partitioned table is listed once, as a
 * whole.
 */
export async function listStoredTables(db: Db): Promise<StoredTable[]> {
  const { rows } = await db.query<StoredTable>(
    `select c.relname as name, array_agg(a.attname::text order by a.attnum) as columns
       from pg_class c
       join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
        and c.relpersistence = 'p' and c.relname <> all($1)
        and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')
      group by c.relname order by c.relname`,
    [[...TRANSIENT_TABLES, MARKER]],
  );
  return rows;
}

export async function listPartitions(db: Db): Promise<Partition[]> {
  const { rows } = await db.query<Partition>(
    `select p.relname as table, c.relname as name, pg_get_expr(c.relpartbound, c.oid) as bound
       from pg_class c join pg_inherits i on i.inhrelid = c.oid join pg_class p on p.oid = i.inhparent
      where c.relnamespace = 'public'::regnamespace and c.relispartition and c.relkind = 'r' order by c.relname`,
  );
  return rows;
}

export async function listMigrations(db: Db): Promise<{ name: string; release: number }[]> {
  const { rows } = await db.query('select name, release from schema_migration order by name');
  return rows;
}

/**
 * Begins a read-only transaction with one snapshot of these tables. They are locked before the snapshot is
 * taken: otherwise the partition of a day that is sealed in between would be missing in the snapshot
 * together with its readings.
 */
export async function beginSnapshot(tx: Tx, tables: readonly string[]): Promise<void> {
  await tx.query('begin isolation level repeatable read read only');
  await tx.query(`lock table ${listed(tables)} in access share mode`);
}

export const copyOut = ({ name, columns }: StoredTable) =>
  `copy (select ${listed(columns)} from ${quoted(name)}) to stdout (format binary)`;

export const copyIn = ({ name, columns }: StoredTable) =>
  `copy ${quoted(name)} (${listed(columns)}) from stdin (format binary)`;

export async function listSequences(db: Db): Promise<SequenceState[]> {
  const { rows } = await db.query<SequenceState>(
    `select sequencename as name, coalesce(last_value, start_value)::text as value,
            last_value is not null as "isCalled"
       from pg_sequences where schemaname = 'public' order by sequencename`,
  );
  return rows;
}

export async function setSequences(tx: Tx, states: readonly SequenceState[]): Promise<void> {
  for (const { name, value, isCalled } of states)
    await tx.query('select setval($1::regclass, $2::bigint, $3)', [quoted(name), value, isCalled]);
}

/** Returns digests of all columns that hold files: pictures, attachments, documents, firmware. */
export async function digestFiles(db: Db): Promise<FileDigest[]> {
  const { rows } = await db.query<{ table: string; column: string }>(
    `select c.relname as table, a.attname as column
       from pg_class c join pg_attribute a on a.attrelid = c.oid
      where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and not c.relispartition
        and a.atttypid = 'bytea'::regtype and a.attname in ('bytes', 'picture') order by 1, 2`,
  );
  const digests: FileDigest[] = [];
  for (const { table, column } of rows) {
    const found = await db.query<Pick<FileDigest, 'files' | 'sha256'>>(
      `select count(hash)::int as files, encode(sha256(string_agg(hash, '' order by hash)), 'hex') as sha256
         from (select sha256(${quoted(column)}) as hash from ${quoted(table)}) as file`,
    );
    digests.push({ table, column, ...(found.rows[0] as Pick<FileDigest, 'files' | 'sha256'>) });
  }
  return digests;
}

/** Lists tables, views and sequences of the database, without those of extensions. */
export async function listRelations(db: Db): Promise<string[]> {
  const { rows } = await db.query<{ name: string }>(
    `select c.relname as name from pg_class c
      where c.relnamespace in (select oid from pg_namespace where nspname in ('public', 'graphile_worker'))
        and c.relkind in ('r', 'p', 'v', 'm', 'S')
        and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e') order by 1`,
  );
  return rows.map(({ name }) => name);
}

export async function markUnfinished(db: Db): Promise<void> {
  await db.query(`create table ${MARKER} (began_at timestamptz not null default now())`);
}

export async function unmark(db: Db): Promise<void> {
  await db.query(`drop table ${MARKER}`);
}

export async function isUnfinished(db: Db): Promise<boolean> {
  const { rows } = await db.query<{ found: boolean }>(
    `select to_regclass('public.${MARKER}') is not null as found`,
  );
  return rows[0]?.found ?? false;
}

/** Creates missing partitions; the caller has validated `bound`. */
export async function createPartitions(tx: Tx, partitions: readonly Partition[]): Promise<void> {
  for (const { table, name, bound } of partitions)
    await tx.query(`create table if not exists ${quoted(name)} partition of ${quoted(table)} ${bound}`);
}

/**
 * Empties the tables and removes their triggers and foreign keys, so that they can be loaded in any order.
 * Returns the statements that restore triggers and keys; adding a foreign key checks all of its rows.
 */
export async function emptyTables(tx: Tx, tables: readonly string[]): Promise<string[]> {
  const { rows } = await tx.query<{ undo: string; redo: string }>(
    `select format('alter table %s drop constraint %I', conrelid::regclass, conname) as undo,
            format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as redo
       from pg_constraint
      where contype = 'f' and conparentid = 0 and connamespace = 'public'::regnamespace
     union all
     select distinct format('alter table %s disable trigger user', tgrelid::regclass),
            format('alter table %s enable trigger user', tgrelid::regclass)
       from pg_trigger join pg_class on pg_class.oid = tgrelid
      where not tgisinternal and relnamespace = 'public'::regnamespace and not relispartition`,
  );
  for (const { undo } of rows) await tx.query(undo);
  await tx.query(`truncate ${listed(tables)}`);
  return rows.map(({ redo }) => redo);
}
