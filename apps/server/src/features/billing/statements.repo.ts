import type { Commodity, EntryKind } from '@isotherm/domain/billing/ledger';
import type { Db } from '../../platform/db/pool.ts';
import type { CauseKind } from './ledger.repo.ts';

export interface StatementEntry {
  commodity: Commodity;
  kind: EntryKind;
  change: number;
  organizationName: string;
  causeKind: CauseKind;
  causeId: number;
  at: Date;
}

const MOVES = `from billing_account a cross join lateral (
    select e.*, -e.amount as change from ledger_entry e where e.from_id = a.id and e.at >= $2
    union all select e.*, e.amount from ledger_entry e where e.to_id = a.id and e.at >= $2) m`;
const OF_PAYER = `a.organization_id = $1 and a.role = 'available'`;

/**
 * Available balances of a payer before a moment: the present balance less what changed it since. It is one statement, so that
 * both are of the same moment.
 */
export async function findBalancesBefore(
  db: Db,
  payerId: number,
  before: Date,
): Promise<{ commodity: Commodity; balance: number }[]> {
  const { rows } = await db.query<{ commodity: Commodity; balance: number }>(
    `select a.commodity, (a.balance - coalesce((select sum(m.change) from (
              select -e.amount as change from ledger_entry e where e.from_id = a.id and e.at >= $2
              union all select e.amount from ledger_entry e where e.to_id = a.id and e.at >= $2) m), 0))::float8 as balance
       from billing_account a where ${OF_PAYER}`,
    [payerId, before],
  );
  return rows;
}

/** Entries that changed the available balances of a payer in a period, oldest first; at most one more than `most`. */
export async function listStatementEntries(
  db: Db,
  payerId: number,
  { from, until }: { from: Date; until: Date },
  most: number,
): Promise<StatementEntry[]> {
  const { rows } = await db.query<StatementEntry>(
    `select a.commodity, m.kind, m.change::float8 as change, coalesce(o.name, '') as "organizationName",
            m.cause_kind as "causeKind", m.cause_id::float8 as "causeId", m.at
       ${MOVES} left join organization o on o.id = m.organization_id
      where ${OF_PAYER} and m.at < $3 order by m.at, m.id limit $4`,
    [payerId, from, until, most + 1],
  );
  return rows;
}
