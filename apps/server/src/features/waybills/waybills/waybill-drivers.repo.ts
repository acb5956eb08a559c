import type { ResponseOf } from '@isotherm/contracts/route';
import type { listWaybillDrivers } from '@isotherm/contracts/waybills';
import type { Permission } from '@isotherm/domain/access/permissions';
import { containing } from '../../../platform/db/like.ts';
import type { Db } from '../../../platform/db/pool.ts';

const DRIVES: Permission = 'waybill-trips:handover';
/** Who sees every waybill is listed after those who see only their trips. */
const SEES_ALL: Permission = 'waybill-list:view';
const MOST = 50;

const HOLDS = (permission: string) =>
  `exists (select 1 from account_role ar join role_permission rp on rp.role_id = ar.role_id
            where ar.account_id = h.id and rp.permission = ${permission})`;
/** $1 is the scope of the caller, $2 the path of the waybill's organisation. A driver belongs to it or to one above. */
const MAY_DRIVE = `h.disabled_at is null and o.path like $1 || '%' and $2 like o.path || '%' and ${HOLDS('$3')}`;

/** Lists accounts that may drive the trips of an organisation, drivers first. */
export async function listDrivers(
  db: Db,
  scope: string,
  organizationPath: string,
  search: string,
): Promise<ResponseOf<typeof listWaybillDrivers>> {
  const { rows } = await db.query<ResponseOf<typeof listWaybillDrivers>[number]>(
    `select h.id, h.realname, h.username, o.name as "organizationName"
       from account h join organization o on o.id = h.organization_id
      where ${MAY_DRIVE} and ($4 = '' or lower(concat_ws(' ', h.realname, h.username)) like $4)
      order by ${HOLDS('$5')}, lower(h.realname), h.id limit ${MOST}`,
    [scope, organizationPath, DRIVES, containing(search.trim().toLowerCase()), SEES_ALL],
  );
  return rows;
}

/** Finds accounts by user name that may drive the trips of organisations; a user name is unique. */
export async function findDriversByName(
  db: Db,
  scope: string,
  organizationIds: readonly number[],
  usernames: readonly string[],
): Promise<{ id: number; username: string; organizationId: number }[]> {
  const { rows } = await db.query<{ id: number; username: string; organizationId: number }>(
    `select h.id, lower(h.username) as username, w.id as "organizationId"
       from organization w join account h on lower(h.username) = any($4)
       join organization o on o.id = h.organization_id
      where w.id = any($2::bigint[]) and h.disabled_at is null and o.path like $1 || '%' and w.path like o.path || '%'
        and ${HOLDS('$3')}`,
    [scope, organizationIds, DRIVES, usernames.map((name) => name.toLowerCase())],
  );
  return rows;
}

/** Returns whether an account may drive the trips of an organisation. */
export async function mayDrive(
  db: Db,
  scope: string,
  organizationPath: string,
  accountId: number,
): Promise<boolean> {
  const { rows } = await db.query(
    `select 1 from account h join organization o on o.id = h.organization_id where ${MAY_DRIVE} and h.id = $4`,
    [scope, organizationPath, DRIVES, accountId],
  );
  return rows.length > 0;
}
