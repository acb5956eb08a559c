import type { AccountType, OrganizationLevel } from '@isotherm/domain/access/roles';
import type { Language } from '@isotherm/i18n/languages';
import { LOCK_SPACES } from '../../platform/db/lock-keys.ts';
import type { Db, Tx } from '../../platform/db/pool.ts';

export interface AccountRow {
  id: number;
  username: string;
  realname: string;
  password_hash: string;
  must_change_password: boolean;
  account_type: AccountType;
  is_admin: number;
  avatar: string;
  time_zone: string;
  disabled: boolean;
  /** Whether the registration awaits approval. */
  pending: boolean;
  settlement: 'shared' | 'independent';
  language: Language | '';
  page_refresh_seconds: number;
  /** Whether reports of records list the alarms of their range. */
  report_alarms: boolean;
  mobile: string;
  /** Encrypted secret of the second factor; null without one. */
  second_factor: Buffer | null;
  second_factor_confirmed: boolean;
  second_factor_step: number;
  /** Whether one of the account's roles requires a second factor. */
  second_factor_required: boolean;
  organization_id: number;
  organization_name: string;
  organization_level: OrganizationLevel;
  organization_path: string;
  roles: string[];
  permissions: string[];
}

export async function findAccount(db: Db, username: string): Promise<AccountRow | null> {
  const { rows } = await db.query<AccountRow>({
    name: 'find-account',
    text: `select a.id, a.username, a.realname, a.password_hash, a.must_change_password, a.account_type, a.is_admin,
                  a.avatar, a.time_zone, a.disabled_at is not null as disabled, a.pending, a.settlement, a.language, a.mobile,
                  a.page_refresh_seconds, a.report_alarms,
                  a.second_factor, a.second_factor_confirmed, a.second_factor_step, a.organization_id,
                  exists (select 1 from account_role ar join role r on r.id = ar.role_id
                           where ar.account_id = a.id and r.requires_second_factor) as second_factor_required,
                  o.name as organization_name, o.level as organization_level, o.path as organization_path,
                  array(select coalesce(r.code, r.name) from account_role ar join role r on r.id = ar.role_id
                         where ar.account_id = a.id order by 1) as roles,
                  array(select distinct p.permission from account_role ar
                          join role_permission p on p.role_id = ar.role_id
                         where ar.account_id = a.id order by p.permission) as permissions
             from account a join organization o on o.id = a.organization_id
            where a.username = $1`,
    values: [username],
  });
  return rows[0] ?? null;
}

export async function updatePassword(
  db: Db,
  accountId: number,
  hash: string,
  mustChange: boolean,
): Promise<void> {
  await db.query('update account set password_hash = $2, must_change_password = $3 where id = $1', [
    accountId,
    hash,
    mustChange,
  ]);
}

/**
 * Counts an attempt of each subject before it is evaluated, so that parallel attempts cannot bypass the
 * limit; an expired time window starts again. Returns the number of earlier failures.
 */
export async function reserveAttempt(
  db: Db,
  subjects: readonly string[],
  now: Date,
  since: Date,
): Promise<Map<string, number>> {
  const { rows } = await db.query<{ subject: string; failures: number }>(
    `insert into login_failure (subject, failures, since) select unnest($1::text[]), 1, $2
     on conflict (subject) do update
        set failures = case when login_failure.since > $3 then login_failure.failures + 1 else 1 end,
            since = case when login_failure.since > $3 then login_failure.since else $2 end
     returning subject, failures`,
    [[...subjects].sort(), now, since],
  );
  return new Map(rows.map((row) => [row.subject, row.failures - 1]));
}

/**
 * Removes an attempt that succeeded or should not count. Rows are locked in the order of `reserveAttempt`.
 */
export async function releaseAttempt(db: Db, subjects: readonly string[]): Promise<void> {
  await db.query(
    `with held as (select subject from login_failure where subject = any($1) order by subject for update)
     update login_failure f set failures = greatest(f.failures - 1, 0) from held where f.subject = held.subject`,
    [subjects],
  );
}

export async function noteLogin(db: Db, id: number, now: Date, address: string): Promise<void> {
  await db.query('update account set last_login_at = $2, last_login_address = $3 where id = $1', [
    id,
    now,
    address,
  ]);
}

/** Returns the path of the root organisation. */
export async function findRootPath(db: Db): Promise<string> {
  const { rows } = await db.query<{ path: string }>(
    'select path from organization where parent_id is null order by id limit 1',
  );
  return rows[0]?.path ?? '/';
}

export async function deleteFailuresBefore(db: Db, before: Date): Promise<void> {
  await db.query('delete from login_failure where since < $1', [before]);
}

export async function clearFailures(db: Db, subject: string): Promise<void> {
  await db.query('delete from login_failure where subject = $1', [subject]);
}

export async function readInstallationKey(db: Db, name: string): Promise<Buffer | null> {
  const { rows } = await db.query<{ sealed: Buffer }>('select sealed from installation_key where name = $1', [
    name,
  ]);
  return rows[0]?.sealed ?? null;
}

export async function insertInstallationKey(db: Db, name: string, sealed: Buffer): Promise<void> {
  await db.query('insert into installation_key (name, sealed) values ($1, $2) on conflict do nothing', [
    name,
    sealed,
  ]);
}

/** Inserts the organisation below its parent unless its code exists; returns its id. */
export async function ensureOrganization(
  tx: Tx,
  organization: {
    code: string;
    name: string;
    level: OrganizationLevel;
    parentCode: string | null;
    timeZone: string;
  },
): Promise<number> {
  const { rows: standing } = await tx.query<{ id: number }>('select id from organization where code = $1', [
    organization.code,
  ]);
  if (standing[0]) return standing[0].id;
  const { rows } = await tx.query<{ id: number }>(
    `with parent as (select id, path from organization where code = $4),
          made as (select nextval(pg_get_serial_sequence('organization', 'id')) as id)
     insert into organization (id, parent_id, code, name, level, time_zone, path) overriding system value
     select made.id, (select id from parent), $1, $2, $3, $5, coalesce((select path from parent), '/') || made.id || '/'
       from made
     returning id`,
    [
      organization.code,
      organization.name,
      organization.level,
      organization.parentCode,
      organization.timeZone,
    ],
  );
  return (rows[0] as { id: number }).id;
}

export interface NewAccount {
  username: string;
  realname: string;
  passwordHash: string;
  mustChangePassword: boolean;
  accountType: AccountType;
  isAdmin: number;
  timeZone: string;
  organizationId: number;
  role: string;
}

/** Inserts an account. Returns true if it was created, false if the name is in use. */
export async function insertAccount(tx: Tx, account: NewAccount): Promise<boolean> {
  const { rows } = await tx.query<{ id: number }>(
    `insert into account (organization_id, username, realname, password_hash, must_change_password, account_type,
                          is_admin, time_zone)
     values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict (username) do nothing returning id`,
    [
      account.organizationId,
      account.username,
      account.realname,
      account.passwordHash,
      account.mustChangePassword,
      account.accountType,
      account.isAdmin,
      account.timeZone,
    ],
  );
  const made = rows[0];
  if (!made) return false;
  await tx.query('insert into account_role (account_id, role_id) select $1, id from role where code = $2', [
    made.id,
    account.role,
  ]);
  return true;
}

export async function countAccounts(db: Db): Promise<number> {
  const { rows } = await db.query<{ count: number }>('select count(*) as count from account');
  return (rows[0] as { count: number }).count;
}

/**
 * Locks a name, in any case, until the transaction ends: no user and no API key may have the name of the other, since entries of
 * the log show it.
 */
export async function lockCallerName(tx: Tx, name: string): Promise<void> {
  await tx.query('select pg_advisory_xact_lock($1, hashtext(lower($2)))', [LOCK_SPACES.callerNames, name]);
}
