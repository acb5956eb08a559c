import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import { LOCK_KEYS } from './lock-keys.ts';

/**
 * Number of the release; increase it with each release that changes the database. Processes of a release and
 * of the one before it can share a database, so that an upgrade needs no downtime; older programs are
 * refused, because they would write data in a form that newer ones no longer read.
 */
export const SCHEMA_RELEASE = 2;

/** Thrown if the database was migrated by a program that is newer by more than one release. */
export class OutdatedProgramError extends Error {
  constructor(own: number, found: number) {
    super(
      `this program is of schema release ${own}, the database was changed by one of release ${found}: ` +
        `run one of release ${found - 1} or newer, or restore a backup from before the upgrade`,
    );
    this.name = 'OutdatedProgramError';
  }
}

/**
 * Applies the numbered SQL files of `dir` that were not applied yet, in order, each in its own transaction,
 * forward only; `only` limits them to the given names. Several processes may call it at the same time.
 * Returns the names applied.
 * @throws {OutdatedProgramError} if the database was migrated by a program newer by more than one release.
 */
export async function migrate(
  pool: pg.Pool,
  dir: string,
  release = SCHEMA_RELEASE,
  only: ReadonlySet<string> | null = null,
): Promise<string[]> {
  const files = (await readdir(dir))
    .filter((name) => /^\d{4}_[a-z0-9_]+\.sql$/.test(name) && (only?.has(name) ?? true))
    .sort();
  const client = await pool.connect();
  const applied: string[] = [];
  try {
    await client.query('select pg_advisory_lock($1)', [LOCK_KEYS.migrations]);
    await client.query(
      'create table if not exists schema_migration (name text primary key, applied_at timestamptz not null default now())',
    );
    await client.query(
      'alter table schema_migration add column if not exists release integer not null default 1',
    );
    const { rows } = await client.query<{ name: string; release: number }>(
      'select name, release from schema_migration',
    );
    const newest = rows.reduce((highest, row) => Math.max(highest, row.release), 0);
    if (newest > release + 1) throw new OutdatedProgramError(release, newest);
    const seen = new Set(rows.map((row) => row.name));
    for (const name of files) {
      if (seen.has(name)) continue;
      const sql = await readFile(join(dir, name), 'utf8');
      try {
        await client.query('begin');
        await client.query(sql);
        await client.query('insert into schema_migration (name, release) values ($1, $2)', [name, release]);
        await client.query('commit');
      } catch (error) {
        await client.query('rollback');
        throw new Error(`migration ${name} failed: ${(error as Error).message}`, { cause: error });
      }
      applied.push(name);
    }
    return applied;
  } finally {
    await client.query('select pg_advisory_unlock($1)', [LOCK_KEYS.migrations]).catch(() => undefined);
    client.release();
  }
}
