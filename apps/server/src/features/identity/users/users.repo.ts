import type { User } from '@isotherm/contracts/users';
import type { AccountType } from '@isotherm/domain/access/roles';
import { containing } from '../../../platform/db/like.ts';
import type { Statement } from '../../../platform/db/map-rows.ts';
import type { Db, Tx } from '../../../platform/db/pool.ts';
import { lockCallerName } from '../accounts.repo.ts';

export interface UserRow {
  id: number;
  username: string;
  realname: string;
  state: User['state'];
  account_type: AccountType;
  organization_id: number;
  organization_name: string;
  organization_path: string;
  roles: { id: number; code: string | null; name: string }[];
  mobile: string;
  landline: string;
  email: string;
  address: string;
  description: string;
  avatar: string;
  time_zone: string;
  settlement: 'shared' | 'independent';
  agent_id: number | null;
  agent_name: string | null;
  disabled_reason: string;
  failing_since: Date | null;
  last_login_at: Date | null;
  last_login_address: string;
  created_at: Date;
  created_by: string;
  must_change_password: boolean;
  second_factor_confirmed: boolean;
  permissions: string[];
}

export interface UserFilter {
  scope: string;
  /** Only failures after this time count. */
  lockedSince: Date;
  /** Number of failed logins that lock an account. */
  lockedAfter: number;
  search: string;
  organizationId: number | null;
  roleId: number | null;
  state: User['state'] | null;
  accountType: AccountType | null;
}

/**
 * SQL for the names of locked accounts; $2 and $3 are the parameters of the rule for locking. It returns few
 * rows and does not scan other accounts.
 */
const LOCKED = `select substr(f.subject, length('account:') + 1) from login_failure f
                 where f.subject like 'account:%' and f.failures >= $3 and f.since > $2`;
const STATE = `case when a.pending then 'pending' when a.disabled_at is not null then 'disabled'
                    when a.username in (${LOCKED}) then 'locked' else 'active' end`;

const FROM = 'from account a join organization o on o.id = a.organization_id';

const LIST_COLUMNS = `a.id, a.username, a.realname, ${STATE} as state, a.account_type, a.organization_id,
       o.name as organization_name, o.path as organization_path, a.mobile, a.email, a.avatar, a.last_login_at,
       a.created_at, a.must_change_password, a.second_factor_confirmed,
       coalesce((select json_agg(json_build_object('id', r.id, 'code', r.code, 'name', r.name) order by r.code, r.name)
          from account_role ar join role r on r.id = ar.role_id where ar.account_id = a.id), '[]') as roles`;

const DETAIL_COLUMNS = `${LIST_COLUMNS}, a.landline, a.address, a.description, a.time_zone, a.settlement, a.agent_id,
       (select g.realname from account g where g.id = a.agent_id) as agent_name, a.disabled_reason,
       (select f.since from login_failure f where f.subject = 'account:' || a.username) as failing_since,
       a.last_login_address, a.created_by,
       array(select distinct p.permission from account_role ar join role_permission p on p.role_id = ar.role_id
              where ar.account_id = a.id) as permissions`;

/**
 * `is true` prevents PostgreSQL from joining the organisations and sorting, so that a page is read in index
 * order (migration 0011).
 */
const WHERE = `where (a.organization_id in (
            select s.id from organization s
             where s.path like $1 || '%'
               and ($5::bigint is null or s.path like (select path from organization where id = $5) || '%'))) is true
      and ($4 = '' or a.search_text like $4)
      and ($6::bigint is null or exists (select 1 from account_role ar where ar.account_id = a.id and ar.role_id = $6))
      and ($7::text is null or ${STATE} = $7)
      and ($8::text is null or a.account_type = $8)`;

const SORT = {
  username: 'a.username',
  realname: 'a.realname',
  organization: 'o.name',
  lastLoginAt: 'a.last_login_at',
  createdAt: 'a.created_at',
} as const;
export type UserSort = keyof typeof SORT;

function orderOf(sort: UserSort, order: 'asc' | 'desc'): string {
  return `order by ${SORT[sort]} ${order} ${sort === 'lastLoginAt' ? 'nulls last' : ''}, a.id ${order}`;
}

function valuesOf(filter: UserFilter): unknown[] {
  return [
    filter.scope,
    filter.lockedSince,
    filter.lockedAfter,
    containing(filter.search.toLowerCase()),
    filter.organizationId,
    filter.roleId,
    filter.state,
    filter.accountType,
  ];
}

export interface UserPage {
  sort: UserSort;
  order: 'asc' | 'desc';
  limit: number;
  offset: number;
}

/** Returns the query for the accounts of a list, as {@link UserRow}. */
export function userRows(filter: UserFilter, page: UserPage): Statement {
  const order = orderOf(page.sort, page.order);
  return {
    // The rows of the page are selected before roles are joined, so that roles are read for 20 accounts
    // instead of all.
    text: `with page as materialized (
       select a.id ${page.sort === 'organization' ? FROM : 'from account a'} ${WHERE} ${order} limit $9 offset $10)
     select ${LIST_COLUMNS} ${FROM} where a.id in (select id from page) ${order}`,
    values: [...valuesOf(filter), page.limit, page.offset],
  };
}

export async function listUserRows(db: Db, filter: UserFilter, page: UserPage): Promise<UserRow[]> {
  const { rows } = await db.query<UserRow>(userRows(filter, page));
  return rows;
}

export async function countUsers(db: Db, filter: UserFilter): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `select count(*) as count from account a ${WHERE}`,
    valuesOf(filter),
  );
  return (rows[0] as { count: number }).count;
}

/** Counts the accounts in scope, and those of them that are not active. */
export async function countByState(
  db: Db,
  filter: Pick<UserFilter, 'scope' | 'lockedSince' | 'lockedAfter'>,
): Promise<Record<User['state'], number>> {
  const { rows } = await db.query<{ all: number; pending: number; disabled: number; locked: number }>(
    `select (select count(*) ${FROM} where o.path like $1 || '%') as all,
            (select count(*) ${FROM} where o.path like $1 || '%' and a.pending) as pending,
            (select count(*) ${FROM} where o.path like $1 || '%' and a.disabled_at is not null and not a.pending)
              as disabled,
            (select count(*) ${FROM} where o.path like $1 || '%' and a.username in (${LOCKED})
                and a.disabled_at is null and not a.pending) as locked`,
    [filter.scope, filter.lockedSince, filter.lockedAfter],
  );
  const { all, pending, disabled, locked } = rows[0] as (typeof rows)[0];
  return { active: all - pending - disabled - locked, locked, disabled, pending };
}

export async function findUser(
  db: Db,
  filter: Pick<UserFilter, 'scope' | 'lockedSince' | 'lockedAfter'>,
  id: number,
): Promise<UserRow | null> {
  const { rows } = await db.query<UserRow>(
    `select ${DETAIL_COLUMNS} ${FROM} where o.path like $1 || '%' and a.id = $4`,
    [filter.scope, filter.lockedSince, filter.lockedAfter, id],
  );
  return rows[0] ?? null;
}

export interface UserFields {
  realname: string;
  organizationId: number;
  accountType: AccountType;
  isAdmin: number;
  mobile: string;
  landline: string;
  email: string;
  address: string;
  description: string;
  timeZone: string;
  settlement: 'shared' | 'independent';
  agentId: number | null;
}

const FIELD_COLUMNS = `realname, organization_id, account_type, is_admin, mobile, landline, email, address, description,
       time_zone, settlement, agent_id`;

function fieldValues(fields: UserFields): unknown[] {
  return [
    fields.realname,
    fields.organizationId,
    fields.accountType,
    fields.isAdmin,
    fields.mobile,
    fields.landline,
    fields.email,
    fields.address,
    fields.description,
    fields.timeZone,
    fields.settlement,
    fields.agentId,
  ];
}

export interface NewUser extends UserFields {
  username: string;
  passwordHash: string;
  mustChangePassword: boolean;
  pending: boolean;
  createdBy: string;
  createdAt: Date;
}

/** Inserts an account and returns its id; null if the name is in use, by an API key too. */
export async function insertUser(tx: Tx, user: NewUser): Promise<number | null> {
  await lockCallerName(tx, user.username);
  const keys = await tx.query('select 1 from machine_authorization where lower(name) = lower($1) limit 1', [
    user.username,
  ]);
  if (keys.rows.length > 0) return null;
  const { rows } = await tx.query<{ id: number }>(
    `insert into account (username, password_hash, must_change_password, pending, created_by, created_at, ${FIELD_COLUMNS})
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)
     on conflict (username) do nothing returning id`,
    [
      user.username,
      user.passwordHash,
      user.mustChangePassword,
      user.pending,
      user.createdBy,
      user.createdAt,
      ...fieldValues(user),
    ],
  );
  return rows[0]?.id ?? null;
}

export async function updateUser(tx: Tx, id: number, fields: UserFields): Promise<void> {
  await tx.query(
    `update account set (${FIELD_COLUMNS}) = ($2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) where id = $1`,
    [id, ...fieldValues(fields)],
  );
}

export async function setRoles(tx: Tx, accountId: number, roleIds: readonly number[]): Promise<void> {
  await tx.query('delete from account_role where account_id = $1 and role_id <> all($2)', [
    accountId,
    roleIds,
  ]);
  await tx.query(
    'insert into account_role (account_id, role_id) select $1, unnest($2::bigint[]) on conflict do nothing',
    [accountId, roleIds],
  );
}

/** Disables an account; a null `reason` enables it again. */
export async function setDisabled(tx: Tx, id: number, reason: string | null, now: Date): Promise<boolean> {
  const { rowCount } = await tx.query(
    `update account set disabled_at = case when $2::text is null then null else $3::timestamptz end,
            disabled_reason = coalesce($2, '')
      where id = $1 and (disabled_at is null) = ($2::text is not null)`,
    [id, reason, now],
  );
  return rowCount === 1;
}

export async function deleteUserRow(tx: Tx, id: number): Promise<void> {
  await tx.query('delete from account where id = $1', [id]);
}

/** Counts other records that refer to the account and prevent its deletion, such as its actions on alarms. */
export async function countTraces(db: Db, id: number): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `select (select count(*) from alarm_action where account_id = $1 or assigned_to = $1)
          + (select count(*) from alarm where assigned_to = $1) as count`,
    [id],
  );
  return (rows[0] as { count: number }).count;
}

export interface AgentRow {
  id: number;
  realname: string;
  organization_name: string;
}

export async function listAgentRows(
  db: Db,
  scope: string,
  search: string,
  most: number,
): Promise<AgentRow[]> {
  const { rows } = await db.query<AgentRow>(
    `select a.id, a.realname, o.name as organization_name
       from account a join organization o on o.id = a.organization_id
      where o.path like $1 || '%' and a.account_type in ('agent', 'top-agent') and a.disabled_at is null and not a.pending
        and ($2 = '' or a.search_text like $2)
      order by a.realname, a.id limit $3`,
    [scope, containing(search.toLowerCase()), most],
  );
  return rows;
}
