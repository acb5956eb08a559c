import { Readable } from 'node:stream';
import type pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { SCHEMA_RELEASE } from '../db/migrate.ts';
import {
  beginSnapshot,
  copyOut,
  digestFiles,
  listMigrations,
  listPartitions,
  listSequences,
  listStoredTables,
} from './backup.repo.ts';
import type { BackupHeader, BackupReport } from './backup-header.ts';
import { BackupWriter } from './container.ts';

export interface BackupOptions {
  pool: pg.Pool;
  /** Path of the file, which is written under a temporary name first; replaced if it exists. */
  path: string;
  /** Files of the data folder, by name. */
  files: Readonly<Record<string, Buffer>>;
  now: number;
  /** Aborting this signal ends the backup with an error and removes the unfinished file. */
  signal?: AbortSignal;
}

/**
 * Writes all tables as of one moment to a file, while the server runs. Its locks block no writers;
 * partitions cannot be dropped meanwhile, so sealing waits for its next run.
 */
export async function writeBackup(options: BackupOptions): Promise<BackupReport> {
  const { pool, path, files, now, signal } = options;
  const client = await pool.connect();
  let writer: BackupWriter | undefined;
  let source: Readable | undefined;
  const abort = () => source?.destroy(signal?.reason);
  signal?.addEventListener('abort', abort);
  try {
    const tables = await listStoredTables(client);
    await beginSnapshot(
      client,
      tables.map(({ name }) => name),
    );
    await client.query('set local max_parallel_workers_per_gather = 0');
    const { rows } = await client.query<{ server_version: string }>('show server_version');
    const header: BackupHeader = {
      format: 1,
      release: SCHEMA_RELEASE,
      migrations: (await listMigrations(client)).map(({ name }) => name),
      createdAt: new Date(now).toISOString(),
      postgres: rows[0]?.server_version ?? '',
      tables: await listStoredTables(client),
      partitions: await listPartitions(client),
      files: Object.keys(files),
    };
    if (JSON.stringify(header.tables) !== JSON.stringify(tables))
      throw new Error('The tables of the database were changed just now. Run the backup again.');
    writer = await BackupWriter.create(path, header);
    const report: BackupReport = { header, rows: {}, files: [], bytes: 0 };
    for (const table of tables) {
      const copy = copyTo(copyOut(table));
      const openSource = () => {
        signal?.throwIfAborted();
        source = client.query(copy);
        return source;
      };
      const end = await writer.part({ kind: 'table', name: table.name }, openSource, () => copy.rowCount);
      report.rows[table.name] = end.rows;
    }
    for (const [name, content] of Object.entries(files)) {
      const openFile = () => Readable.from([content]);
      await writer.part({ kind: 'file', name }, openFile, () => 0);
    }
    report.files = await digestFiles(client);
    // Sequences are read after the rows, so that they may be ahead of the snapshot but never behind it.
    const sequences = await listSequences(client);
    report.bytes = await writer.finish({ sequences, files: report.files });
    writer = undefined;
    return report;
  } finally {
    signal?.removeEventListener('abort', abort);
    await writer?.abandon();
    // Closing the connection ends the transaction, and also a copy that was aborted.
    client.release(true);
  }
}
