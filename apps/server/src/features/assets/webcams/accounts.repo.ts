import type { WebcamAccount } from '@isotherm/contracts/webcams';
import { containing } from '../../../platform/db/like.ts';
import type { Db, Tx } from '../../../platform/db/pool.ts';

export interface AccountRow extends Omit<WebcamAccount, 'changedAt'> {
  organizationPath: string;
  changedAt: Date;
}

const COLUMNS = `c.id, c.organization_id as "organizationId", o.name as "organizationName", o.path as "organizationPath",
  c.name, c.url, c.username, c.sealed_password is not null as "hasPassword", c.changed_by as "changedBy",
  c.changed_at as "changedAt", (select count(*)::int from webcam w where w.account_id = c.id) as webcams`;
const FROM = 'from webcam_account c join organization o on o.id = c.organization_id';
const SORT = { name: 'lower(c.name)', organizationName: 'lower(o.name)', changedAt: 'c.changed_at' } as const;

export async function listAccountRows(
  db: Db,
  scope: string,
  search: string,
  page: { sort: keyof typeof SORT; order: 'asc' | 'desc'; limit: number; offset: number },
): Promise<{ rows: AccountRow[]; total: number }> {
  const where = `where o.path like $1 || '%' and ($2 = '' or lower(concat_ws(E'\\n', c.name, c.url)) like $2)`;
  const values = [scope, containing(search.toLowerCase())];
  const [rows, count] = await Promise.all([
    db.query<AccountRow>(
      `select ${COLUMNS} ${FROM} ${where} order by ${SORT[page.sort]} ${page.order}, c.id limit $3 offset $4`,
      [...values, page.limit, page.offset],
    ),
    db.query<{ count: number }>(`select count(*)::int as count ${FROM} ${where}`, values),
  ]);
  return { rows: rows.rows, total: count.rows[0]?.count ?? 0 };
}

export async function findAccount(db: Db, scope: string, id: number): Promise<AccountRow | null> {
  const { rows } = await db.query<AccountRow>(
    `select ${COLUMNS} ${FROM} where o.path like $1 || '%' and c.id = $2`,
    [scope, id],
  );
  return rows[0] ?? null;
}

/** Locks the account, so that assigning a camera to it and changing the account are serialised. */
export async function lockAccount(tx: Tx, id: number): Promise<void> {
  await tx.query('select 1 from webcam_account where id = $1 for update', [id]);
}

export interface AccountFields extends Pick<WebcamAccount, 'name' | 'url' | 'username'> {
  /** Null leaves the stored password unchanged. */
  sealedPassword: Buffer | null;
  changedBy: string;
  changedAt: Date;
}

const valuesOf = (account: AccountFields) => [
  account.name,
  account.url,
  account.username,
  account.sealedPassword,
  account.changedBy,
  account.changedAt,
];

export async function insertAccount(tx: Tx, organizationId: number, account: AccountFields): Promise<number> {
  const { rows } = await tx.query<{ id: number }>(
    `insert into webcam_account (name, url, username, sealed_password, changed_by, changed_at, organization_id)
     values ($1, $2, $3, $4, $5, $6, $7) returning id`,
    [...valuesOf(account), organizationId],
  );
  return (rows[0] as { id: number }).id;
}

export async function updateAccount(tx: Tx, id: number, account: AccountFields): Promise<void> {
  await tx.query(
    `update webcam_account
        set name = $1, url = $2, username = $3, sealed_password = coalesce($4, sealed_password), changed_by = $5,
            changed_at = $6
      where id = $7`,
    [...valuesOf(account), id],
  );
}

export async function deleteAccountRow(tx: Tx, id: number): Promise<void> {
  await tx.query('delete from webcam_account where id = $1', [id]);
}
