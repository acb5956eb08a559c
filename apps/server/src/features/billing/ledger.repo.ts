import {
  type AccountRole,
  type Balance,
  type Commodity,
  ENTRY_MOVES,
  type EntryKind,
} from '@isotherm/domain/billing/ledger';
import type { Db, Tx } from '../../platform/db/pool.ts';

/** What caused an entry: a message, an order, a grant, or the refund of an order. */
export type CauseKind = 'message' | 'order' | 'grant' | 'refund';

/** An entry to be written; which accounts it moves units between follows from its kind. */
export interface NewEntry {
  kind: EntryKind;
  amount: number;
  causeId: number;
  /** Organisation for which the units were bought or used. */
  organizationId: number;
}

/** The organisation's accounts of a commodity, and those of the installation. */
export type Accounts = Record<AccountRole, number>;

/** Finds the accounts of an organisation for a commodity; creates those that are missing. */
export async function ensureAccounts(tx: Tx, payerId: number, commodity: Commodity): Promise<Accounts> {
  const find = () =>
    tx.query<{ role: AccountRole; id: number }>(
      `select role, id::float8 as id from billing_account
        where commodity = $2 and (organization_id = $1 or organization_id is null)`,
      [payerId, commodity],
    );
  let { rows } = await find();
  if (rows.length < 4) {
    await tx.query(
      `insert into billing_account (organization_id, commodity, role)
       values ($1, $2, 'available'), ($1, $2, 'reserved')
       on conflict (organization_id, commodity, role) do nothing`,
      [payerId, commodity],
    );
    ({ rows } = await find());
  }
  return Object.fromEntries(rows.map(({ role, id }) => [role, id])) as Accounts;
}

/** Locks the accounts of an organisation until the end of the transaction, and returns their balances. */
export async function lockBalance(tx: Tx, accounts: Accounts): Promise<Balance> {
  const { rows } = await tx.query<{ role: AccountRole; balance: number; overdraft: number }>(
    `select role, balance::float8 as balance, overdraft::float8 as overdraft
       from billing_account where id = any($1::bigint[]) order by id for no key update`,
    [[accounts.available, accounts.reserved]],
  );
  const of = (role: AccountRole) => rows.find((row) => row.role === role);
  return {
    available: of('available')?.balance ?? 0,
    reserved: of('reserved')?.balance ?? 0,
    overdraft: of('available')?.overdraft ?? 0,
  };
}

/**
 * Writes entries; those whose cause already has an entry of the kind are left out. Returns the ids of the causes
 * of the entries that were written.
 */
export async function insertEntries(
  tx: Tx,
  accounts: Accounts,
  causeKind: CauseKind,
  entries: readonly NewEntry[],
  by: { name: string; at: Date },
): Promise<number[]> {
  if (entries.length === 0) return [];
  const { rows } = await tx.query<{ cause: number }>(
    `insert into ledger_entry (kind, from_id, to_id, amount, at, cause_kind, cause_id, organization_id, created_by)
     select kind, from_id, to_id, amount, $7, $8, cause_id, organization_id, $9
       from unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[])
         as e(kind, from_id, to_id, amount, cause_id, organization_id)
     on conflict (cause_kind, cause_id, kind) do nothing
     returning cause_id::float8 as cause`,
    [
      entries.map(({ kind }) => kind),
      entries.map(({ kind }) => accounts[ENTRY_MOVES[kind].from]),
      entries.map(({ kind }) => accounts[ENTRY_MOVES[kind].to]),
      entries.map(({ amount }) => amount),
      entries.map(({ causeId }) => causeId),
      entries.map(({ organizationId }) => organizationId),
      by.at,
      causeKind,
      by.name,
    ],
  );
  return rows.map(({ cause }) => cause);
}

export interface Reservation {
  causeId: number;
  payerId: number;
  commodity: Commodity;
  reserved: number;
  organizationId: number;
}

/** Reservations of these causes that have not been settled, in full or in part. */
export async function findReservations(
  tx: Tx,
  causeKind: CauseKind,
  causeIds: readonly number[],
): Promise<Reservation[]> {
  const { rows } = await tx.query<Reservation>(
    `select e.cause_id::float8 as "causeId", a.organization_id::float8 as "payerId", a.commodity,
            e.amount::float8 as reserved, e.organization_id::float8 as "organizationId"
       from ledger_entry e join billing_account a on a.id = e.from_id
      where e.cause_kind = $1 and e.cause_id = any($2::bigint[]) and e.kind = 'reserve'
        and not exists (select from ledger_entry s where s.cause_kind = e.cause_kind and s.cause_id = e.cause_id
                           and s.kind in ('capture', 'release'))`,
    [causeKind, causeIds],
  );
  return rows;
}

/** Path of an organisation, and which organisations on it settle independently. */
export async function findSettlement(
  db: Db,
  organizationId: number,
): Promise<{ path: string; independent: number[] } | null> {
  const { rows } = await db.query<{ path: string; independent: number[] }>(
    `select o.path, array(select s.organization_id::float8 from billing_settlement s
                           where s.organization_id::text = any(string_to_array(o.path, '/'))) as independent
       from organization o where o.id = $1`,
    [organizationId],
  );
  return rows[0] ?? null;
}

/** An account whose balance differs from the sum of its entries; there should be none. */
export async function findUnbalanced(db: Db): Promise<{ id: number; balance: number; entries: number }[]> {
  const { rows } = await db.query<{ id: number; balance: number; entries: number }>(
    `with moved as (
       select account_id, sum(delta) as total
         from (select from_id as account_id, -amount as delta from ledger_entry
               union all select to_id, amount from ledger_entry) as m
        group by account_id
     )
     select a.id::float8 as id, a.balance::float8 as balance, coalesce(m.total, 0)::float8 as entries
       from billing_account a left join moved m on m.account_id = a.id
      where a.balance <> coalesce(m.total, 0)`,
  );
  return rows;
}
