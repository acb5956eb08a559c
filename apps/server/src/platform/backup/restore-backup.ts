import { readdir, stat } from 'node:fs/promises';
import { Writable } from 'node:stream';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { migrate } from '../db/migrate.ts';
import { type Tx, transaction } from '../db/pool.ts';
import {
  copyIn,
  createPartitions,
  digestFiles,
  emptyTables,
  isUnfinished,
  listRelations,
  listStoredTables,
  markUnfinished,
  setSequences,
  unmark,
} from './backup.repo.ts';
import { type BackupHeader, type BackupReport, readClosing, readHeader } from './backup-header.ts';
import { checkBackup, DamagedBackupError, readBackup } from './container.ts';

/** Thrown if a restore cannot begin. `message` is for the operator. */
export class RestoreRefusedError extends Error {
  override name = 'RestoreRefusedError';
}

export interface RestoreOptions {
  /** Connection pool of the login that owns the database. */
  pool: pg.Pool;
  path: string;
  migrationsDir: string;
  /** Verifies the restored database before it is used; throws if a check fails. */
  verify(pool: pg.Pool, files: ReadonlyMap<string, Buffer>): Promise<void>;
}

export interface RestoreReport extends BackupReport {
  /** Applied migrations that were newer than the backup. */
  migrated: string[];
  /** Files of the data folder, by name. */
  contents: ReadonlyMap<string, Buffer>;
}

/** Verifies the file's checksum and returns its header; changes nothing. */
export async function inspectBackup(path: string): Promise<BackupHeader> {
  return readHeader(await checkBackup(path));
}

/**
 * Fills an empty database: the schema of the backup, its rows, then verification, then later migrations.
 * Until all of this is done, the database is marked, and the server refuses to start on it.
 */
export async function restoreBackup(options: RestoreOptions): Promise<RestoreReport> {
  const { pool, path, migrationsDir, verify } = options;
  const header = await inspectBackup(path);
  const known = new Set(await readdir(migrationsDir));
  const unknown = header.migrations.filter((name) => !known.has(name));
  if (unknown.length > 0)
    throw new RestoreRefusedError(
      `The backup is of schema release ${header.release}, which has migrations that this program does not know ` +
        `(${unknown.slice(0, 3).join(', ')}). Restore it with the release that wrote it or a newer one.`,
    );
  const relations = await listRelations(pool);
  if (relations.length > 0)
    throw new RestoreRefusedError(
      `The database is not empty: it contains ${relations.slice(0, 5).join(', ')}${relations.length > 5 ? ', …' : ''}. ` +
        'Nothing was changed. Restore into a new database.',
    );
  await markUnfinished(pool);
  await migrate(pool, migrationsDir, undefined, new Set(header.migrations));
  const contents = new Map<string, Buffer>();
  const report: RestoreReport = {
    header,
    rows: {},
    files: [],
    bytes: (await stat(path)).size,
    migrated: [],
    contents,
  };
  await transaction(pool, async (tx) => {
    const keys = await prepareTables(tx, header);
    const closing = readClosing(await readBackup(path, loadInto(tx, header, report, contents)));
    await setSequences(tx, closing.sequences);
    for (const statement of keys) await tx.query(statement);
    report.files = await digestFiles(tx);
    if (JSON.stringify(report.files) !== JSON.stringify(closing.files))
      throw new DamagedBackupError('a picture or an attachment is not the one that was stored');
  });
  await pool.query('analyze');
  await verify(pool, contents);
  report.migrated = await migrate(pool, migrationsDir);
  await unmark(pool);
  return report;
}

async function prepareTables(tx: Tx, header: BackupHeader): Promise<string[]> {
  const found = await listStoredTables(tx);
  if (JSON.stringify(found) !== JSON.stringify(header.tables))
    throw new DamagedBackupError('its tables are not those of its migrations');
  await createPartitions(tx, header.partitions);
  return emptyTables(
    tx,
    found.map(({ name }) => name),
  );
}

function loadInto(tx: Tx, header: BackupHeader, report: RestoreReport, contents: Map<string, Buffer>) {
  const tables = new Map(header.tables.map((table) => [table.name, table]));
  return {
    open({ kind, name }: { kind: string; name: string }) {
      if (kind === 'file') return collect((content) => contents.set(name, content));
      const table = tables.get(name);
      if (!table) throw new DamagedBackupError(`table ${name} is not in its header`);
      const stream = tx.query(copyFrom(copyIn(table)));
      return { stream, rows: () => stream.rowCount };
    },
    stored({ kind, name }: { kind: string; name: string }, { rows }: { rows: number }) {
      if (kind === 'table') report.rows[name] = rows;
    },
  };
}

function collect(take: (content: Buffer) => void): { stream: Writable; rows(): number } {
  const pieces: Buffer[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      pieces.push(chunk);
      done();
    },
    final(done) {
      take(Buffer.concat(pieces));
      done();
    },
  });
  return { stream, rows: () => 0 };
}

/** Called at the start of the server, which must not use a database whose restore was interrupted. */
export async function refuseUnfinishedRestore(pool: pg.Pool): Promise<void> {
  if (await isUnfinished(pool))
    throw new RestoreRefusedError(
      'a restore of this database was not finished: empty the database and restore it again (docs/backup.md)',
    );
}
