import type { RenewalPolicy } from '@isotherm/contracts/renewal';
import type { Db, Tx } from '../../../platform/db/pool.ts';

export interface PolicyRow extends Omit<RenewalPolicy, 'changedAt'> {
  changedAt: Date | null;
}

/** Returns the policy in force; locked until the end of the transaction on request. */
export async function findPolicy(db: Db, { lock = false } = {}): Promise<PolicyRow> {
  const { rows } = await db.query<PolicyRow>(
    `select to_char(effective_on, 'YYYY-MM-DD') as "effectiveOn", expiring_months as "expiringMonths",
            lapsed_months as "lapsedMonths", fee::float8 as fee, currency, hotline, changed_by as "changedBy",
            changed_at as "changedAt"
       from renewal_policy ${lock ? 'for update' : ''}`,
  );
  return rows[0] as PolicyRow;
}

export async function updatePolicy(
  tx: Tx,
  policy: Omit<RenewalPolicy, 'changedBy' | 'changedAt'>,
  by: string,
  now: Date,
): Promise<void> {
  const { effectiveOn, expiringMonths, lapsedMonths, fee, currency, hotline } = policy;
  await tx.query(
    `update renewal_policy set effective_on = $1, expiring_months = $2, lapsed_months = $3, fee = $4, currency = $5,
            hotline = $6, changed_by = $7, changed_at = $8`,
    [effectiveOn, expiringMonths, lapsedMonths, fee, currency, hotline, by, now],
  );
}
