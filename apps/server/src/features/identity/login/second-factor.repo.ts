import type { Db } from '../../../platform/db/pool.ts';

/**
 * Stores the time step of a used code. Returns true if no code of this step or a later one was used before.
 */
export async function advanceStep(db: Db, accountId: number, step: number): Promise<boolean> {
  const { rowCount } = await db.query(
    'update account set second_factor_step = $2 where id = $1 and second_factor_step < $2',
    [accountId, step],
  );
  return rowCount === 1;
}

export async function useRecoveryCode(
  db: Db,
  accountId: number,
  hash: string,
  now: number,
): Promise<boolean> {
  const { rowCount } = await db.query(
    'update recovery_code set used_at = $3 where account_id = $1 and hash = $2 and used_at is null',
    [accountId, hash, new Date(now)],
  );
  return rowCount === 1;
}

export async function replaceRecoveryCodes(
  db: Db,
  accountId: number,
  hashes: readonly string[],
): Promise<void> {
  await db.query('delete from recovery_code where account_id = $1', [accountId]);
  await db.query('insert into recovery_code (account_id, hash) select $1, unnest($2::text[])', [
    accountId,
    hashes,
  ]);
}

export async function countRecoveryCodes(db: Db, accountId: number): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    'select count(*) as count from recovery_code where account_id = $1 and used_at is null',
    [accountId],
  );
  return (rows[0] as { count: number }).count;
}

/** Sets the second factor. `secret` is encrypted; null removes it together with the recovery codes. */
export async function setSecondFactor(
  db: Db,
  accountId: number,
  secret: Buffer | null,
  confirmed: boolean,
): Promise<void> {
  await db.query(
    'update account set second_factor = $2, second_factor_confirmed = $3, second_factor_step = 0 where id = $1',
    [accountId, secret, confirmed],
  );
  if (secret === null) await db.query('delete from recovery_code where account_id = $1', [accountId]);
}

export async function confirmSecondFactorRow(db: Db, accountId: number): Promise<void> {
  await db.query('update account set second_factor_confirmed = true where id = $1', [accountId]);
}
