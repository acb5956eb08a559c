import type { ImportPhase, ImportProgress } from '@isotherm/contracts/imports';
import type pg from 'pg';

/** Key of an import: its account, and the id that the account chose. */
export interface ImportKey {
  accountId: number;
  id: string;
}

/** Inserts an import; returns false if an import with this id is running. */
export async function insertImport(
  db: pg.Pool,
  { accountId, id }: ImportKey,
  phase: ImportPhase,
  now: Date,
): Promise<boolean> {
  const { rowCount } = await db.query(
    `insert into running_import (account_id, id, phase, told_at) values ($1, $2, $3, $4) on conflict do nothing`,
    [accountId, id, phase, now],
  );
  return rowCount === 1;
}

/** Stores the progress; returns whether the import was cancelled. */
export async function updateImport(
  db: pg.Pool,
  { accountId, id }: ImportKey,
  { phase, done, total }: ImportProgress,
  now: Date,
): Promise<boolean> {
  const { rows } = await db.query<{ cancelled: boolean }>({
    name: 'import-progress',
    text: `update running_import set phase = $3, done = $4, total = $5, told_at = $6
            where account_id = $1 and id = $2 returning cancelled`,
    values: [accountId, id, phase, done, total, now],
  });
  return rows[0]?.cancelled ?? false;
}

export async function findImport(
  db: pg.Pool,
  { accountId, id }: ImportKey,
): Promise<(ImportProgress & { cancelled: boolean }) | null> {
  const { rows } = await db.query<ImportProgress & { cancelled: boolean }>(
    'select phase, done, total, cancelled from running_import where account_id = $1 and id = $2',
    [accountId, id],
  );
  return rows[0] ?? null;
}

/** Marks an import as cancelled; returns false if no import with this id is running. */
export async function markCancelled(db: pg.Pool, { accountId, id }: ImportKey): Promise<boolean> {
  const { rowCount } = await db.query(
    'update running_import set cancelled = true where account_id = $1 and id = $2',
    [accountId, id],
  );
  return rowCount === 1;
}

export async function deleteImport(db: pg.Pool, { accountId, id }: ImportKey): Promise<void> {
  await db.query('delete from running_import where account_id = $1 and id = $2', [accountId, id]);
}

/**
 * Deletes imports that have not reported their progress since this time, because their processes have died.
 */
export async function deleteSilentImports(db: pg.Pool, since: Date): Promise<void> {
  await db.query('delete from running_import where told_at < $1', [since]);
}
