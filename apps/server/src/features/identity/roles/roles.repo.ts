import type { Db, Tx } from '../../../platform/db/pool.ts';

export interface RoleRow {
  id: number;
  code: string | null;
  name: string;
  description: string;
  system_default: boolean;
  organization_id: number | null;
  organization_name: string | null;
  organization_path: string | null;
  requires_second_factor: boolean;
  updated_at: Date;
  permissions: string[];
  /** Number of accounts in the caller's scope that have the role. */
  holders: number;
  /** Whether the caller has this role. */
  own: boolean;
}

/**
 * Query of roles: $1 is the scope, $2 the account. A role belongs to the system or to an organisation; it is
 * visible from that organisation, those above and those below.
 */
const SELECT = `select r.id, r.code, r.name, r.description, r.system_default, r.organization_id, o.name as organization_name,
         o.path as organization_path, r.requires_second_factor, r.updated_at,
         array(select p.permission from role_permission p where p.role_id = r.id order by p.permission) as permissions,
         (select count(*) from account_role ar join account a on a.id = ar.account_id
            join organization ao on ao.id = a.organization_id
           where ar.role_id = r.id and ao.path like $1 || '%') as holders,
         exists (select 1 from account_role ar where ar.role_id = r.id and ar.account_id = $2) as own
    from role r left join organization o on o.id = r.organization_id
   where (r.organization_id is null or o.path like $1 || '%' or $1 like o.path || '%')`;

export async function listRoleRows(db: Db, scope: string, accountId: number): Promise<RoleRow[]> {
  const { rows } = await db.query<RoleRow>(
    `${SELECT} order by r.system_default desc, r.code nulls last, lower(r.name), r.id`,
    [scope, accountId],
  );
  return rows;
}

export async function findRoles(
  db: Db,
  scope: string,
  accountId: number,
  ids: readonly number[],
): Promise<RoleRow[]> {
  const { rows } = await db.query<RoleRow>(`${SELECT} and r.id = any($3)`, [scope, accountId, ids]);
  return rows;
}

export interface RoleFields {
  name: string;
  description: string;
  organizationId: number;
  requiresSecondFactor: boolean;
}

export async function insertRole(tx: Tx, fields: RoleFields, now: Date): Promise<number> {
  const { rows } = await tx.query<{ id: number }>(
    `insert into role (name, description, organization_id, requires_second_factor, updated_at)
     values ($1, $2, $3, $4, $5) returning id`,
    [fields.name, fields.description, fields.organizationId, fields.requiresSecondFactor, now],
  );
  return (rows[0] as { id: number }).id;
}

export async function updateRole(tx: Tx, id: number, fields: RoleFields, now: Date): Promise<void> {
  await tx.query(
    `update role set name = $2, description = $3, organization_id = $4, requires_second_factor = $5, updated_at = $6
      where id = $1`,
    [id, fields.name, fields.description, fields.organizationId, fields.requiresSecondFactor, now],
  );
}

export async function setPermissions(tx: Tx, id: number, permissions: readonly string[]): Promise<void> {
  await tx.query('delete from role_permission where role_id = $1 and permission <> all($2)', [
    id,
    permissions,
  ]);
  await tx.query(
    'insert into role_permission (role_id, permission) select $1, unnest($2::text[]) on conflict do nothing',
    [id, permissions],
  );
}

/** Counts accounts with this role, in any organisation. */
export async function countHolders(db: Db, id: number): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    'select count(*) as count from account_role where role_id = $1',
    [id],
  );
  return (rows[0] as { count: number }).count;
}

export async function countHoldersOutside(db: Db, id: number, path: string): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `select count(*) as count from account_role ar join account a on a.id = ar.account_id
       join organization o on o.id = a.organization_id
      where ar.role_id = $1 and o.path not like $2 || '%'`,
    [id, path],
  );
  return (rows[0] as { count: number }).count;
}

export async function deleteRoleRow(tx: Tx, id: number): Promise<void> {
  await tx.query('delete from role where id = $1', [id]);
}

export interface HolderRow {
  id: number;
  username: string;
  realname: string;
  organization_name: string;
}

export async function listHolders(db: Db, scope: string, id: number, most: number): Promise<HolderRow[]> {
  const { rows } = await db.query<HolderRow>(
    `select a.id, a.username, a.realname, o.name as organization_name
       from account_role ar join account a on a.id = ar.account_id join organization o on o.id = a.organization_id
      where ar.role_id = $2 and o.path like $1 || '%' order by a.username limit $3`,
    [scope, id, most],
  );
  return rows;
}

/** Gives a system role exactly the permissions of the catalogue. */
export async function ensureRole(tx: Tx, code: string, permissions: readonly string[]): Promise<void> {
  const { rows } = await tx.query<{ id: number }>(
    `insert into role (code, system_default) values ($1, true)
     on conflict (code) do update set system_default = true returning id`,
    [code],
  );
  const roleId = (rows[0] as { id: number }).id;
  await setPermissions(tx, roleId, permissions);
}
