import type { Authorization } from '@isotherm/contracts/authorizations';
import type { Db, Tx } from '../../../platform/db/pool.ts';
import { lockCallerName } from '../accounts.repo.ts';

export interface AuthorizationRow {
  id: number;
  organization_id: number;
  organization_name: string;
  organization_path: string;
  name: string;
  permissions: string[];
  key_prefix: string;
  key_hash: Buffer | null;
  code_expires_at: Date | null;
  valid_days: number | null;
  expires_at: Date | null;
  created_by: string;
  created_at: Date;
  last_used_at: Date | null;
  last_used_address: string;
  revoked_at: Date | null;
  state: Authorization['state'];
  maker_fault: Authorization['endReason'];
}

const MAKER_FAULT = `case when maker.id is null then 'maker-gone'
                          when maker.disabled_at is not null then 'maker-disabled'
                          when o.path not like makers.path || '%' then 'maker-moved' end`;
/** SQL for the state of an API key; $1 is the current time. */
const STATE = `case when m.revoked_at is not null then 'revoked'
                    when m.key_hash is null and (m.code_expires_at > $1) is not true or m.expires_at <= $1 then 'expired'
                    when ${MAKER_FAULT} is not null then 'ended'
                    when m.key_hash is null then 'waiting'
                    else 'active' end`;
const COLUMNS = `m.id, m.organization_id, o.name as organization_name, o.path as organization_path, m.name, m.permissions,
       m.key_prefix, m.key_hash, m.code_expires_at, m.valid_days, m.expires_at, m.created_by, m.created_at,
       m.last_used_at, m.last_used_address, m.revoked_at, ${STATE} as state, ${MAKER_FAULT} as maker_fault`;
const FROM = `from machine_authorization m join organization o on o.id = m.organization_id
       left join account maker on maker.id = m.maker_id left join organization makers on makers.id = maker.organization_id`;

const SORT = {
  name: 'lower(m.name)',
  createdAt: 'm.created_at',
  lastUsedAt: 'm.last_used_at',
} as const;

export interface AuthorizationFilter {
  now: Date;
  scope: string;
  search: string;
  state: Authorization['state'] | null;
}

export async function listAuthorizationRows(
  db: Db,
  filter: AuthorizationFilter,
  order: { sort: keyof typeof SORT; order: 'asc' | 'desc'; limit: number; offset: number },
): Promise<{ rows: AuthorizationRow[]; total: number }> {
  const where = `where o.path like $2 || '%'
      and ($3 = '' or position(lower($3) in lower(m.name)) > 0 or m.key_prefix like $3 || '%')
      and ($4::text is null or ${STATE} = $4)`;
  const values = [filter.now, filter.scope, filter.search, filter.state];
  const [page, count] = await Promise.all([
    db.query<AuthorizationRow>(
      `select ${COLUMNS} ${FROM} ${where}
        order by ${SORT[order.sort]} ${order.order} nulls last, m.id ${order.order} limit $5 offset $6`,
      [...values, order.limit, order.offset],
    ),
    db.query<{ count: number }>(`select count(*) as count ${FROM} ${where}`, values),
  ]);
  return { rows: page.rows, total: count.rows[0]?.count ?? 0 };
}

export async function findAuthorization(
  db: Db,
  now: Date,
  scope: string,
  id: number,
): Promise<AuthorizationRow | null> {
  const { rows } = await db.query<AuthorizationRow>(
    `select ${COLUMNS} ${FROM} where o.path like $2 || '%' and m.id = $3`,
    [now, scope, id],
  );
  return rows[0] ?? null;
}

/**
 * Returns an API key with the current permissions of its creator; null if that account was deleted or
 * disabled, or if the key's organisation is outside its scope.
 */
export async function findByKey(
  db: Db,
  now: Date,
  keyHash: Buffer,
): Promise<(AuthorizationRow & { maker_permissions: string[] | null }) | null> {
  const { rows } = await db.query<AuthorizationRow & { maker_permissions: string[] | null }>({
    name: 'find-machine',
    text: `select ${COLUMNS},
                  (select array(select p.permission from account_role ar join role_permission p on p.role_id = ar.role_id
                                 where ar.account_id = a.id)
                     from account a join organization own on own.id = a.organization_id
                    where a.id = m.maker_id and a.disabled_at is null
                      and o.path like own.path || '%') as maker_permissions
             ${FROM} where m.key_hash = $2`,
    values: [now, keyHash],
  });
  return rows[0] ?? null;
}

/** True if a user has this name, in any case. No user can get it until the transaction ends. */
export async function isUsername(tx: Tx, name: string): Promise<boolean> {
  await lockCallerName(tx, name);
  const { rows } = await tx.query('select 1 from account where lower(username) = lower($1) limit 1', [name]);
  return rows.length > 0;
}

export async function insertAuthorization(
  tx: Tx,
  row: {
    organizationId: number;
    name: string;
    permissions: readonly string[];
    codeHash: Buffer | null;
    codeExpiresAt: Date | null;
    keyHash: Buffer | null;
    keyPrefix: string;
    validDays: number | null;
    expiresAt: Date | null;
    makerId: number;
    createdBy: string;
    createdAt: Date;
  },
): Promise<number> {
  const { rows } = await tx.query<{ id: number }>(
    `insert into machine_authorization (organization_id, name, permissions, code_hash, code_expires_at, key_hash,
                                        key_prefix, valid_days, expires_at, maker_id, created_by, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) returning id`,
    [
      row.organizationId,
      row.name,
      row.permissions,
      row.codeHash,
      row.codeExpiresAt,
      row.keyHash,
      row.keyPrefix,
      row.validDays,
      row.expiresAt,
      row.makerId,
      row.createdBy,
      row.createdAt,
    ],
  );
  return (rows[0] as { id: number }).id;
}

/** Replaces the code by the key; only one of two simultaneous redemptions gets a row. */
export async function exchangeCode(
  tx: Tx,
  codeHash: Buffer,
  now: Date,
  key: { hash: Buffer; prefix: string },
): Promise<{ id: number; expires_at: Date | null } | null> {
  const { rows } = await tx.query<{ id: number; expires_at: Date | null }>(
    `update machine_authorization
        set key_hash = $3, key_prefix = $4, code_hash = null,
            expires_at = $2::timestamptz + valid_days * interval '1 day'
      where code_hash = $1 and code_expires_at > $2 and revoked_at is null and key_hash is null
      returning id, expires_at`,
    [codeHash, now, key.hash, key.prefix],
  );
  return rows[0] ?? null;
}

/**
 * Extends a key. Returns null if the key is revoked, expired or unlimited, or if its authorization code has
 * not been exchanged yet.
 */
export async function extendKey(tx: Tx, id: number, now: Date): Promise<Date | null> {
  const { rows } = await tx.query<{ expires_at: Date }>(
    `update machine_authorization set expires_at = $2::timestamptz + valid_days * interval '1 day'
      where id = $1 and revoked_at is null and key_hash is not null and valid_days is not null and expires_at > $2
      returning expires_at`,
    [id, now],
  );
  return rows[0]?.expires_at ?? null;
}

export async function markRevoked(tx: Tx, id: number, now: Date): Promise<boolean> {
  const { rowCount } = await tx.query(
    'update machine_authorization set revoked_at = $2, code_hash = null where id = $1 and revoked_at is null',
    [id, now],
  );
  return rowCount === 1;
}

export async function noteUse(db: Db, id: number, now: Date, address: string): Promise<void> {
  await db.query('update machine_authorization set last_used_at = $2, last_used_address = $3 where id = $1', [
    id,
    now,
    address,
  ]);
}
