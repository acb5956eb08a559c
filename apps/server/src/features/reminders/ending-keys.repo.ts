import type { Db, Tx } from '../../platform/db/pool.ts';

/** An API key that ends soon, with the users who may renew it. */
export interface EndingKey {
  id: number;
  name: string;
  prefix: string;
  organizationId: number;
  organizationName: string;
  expiresAt: Date;
  validDays: number;
  /** Numbers of days before the end at which a reminder has already been sent. */
  reminded: number[];
  people: { email: string; language: string }[];
}

/**
 * Lists active keys that end between two moments, with the users who may renew them: its creator, and users
 * in the nearest organisation (its own or above) in which any user may. Renewing requires the permission
 * `$3` and the key's permissions.
 */
export async function listEndingKeys(
  db: Db,
  now: Date,
  until: Date,
  permission: string,
): Promise<EndingKey[]> {
  const { rows } = await db.query<EndingKey>(
    `with ending as (
       select m.id, m.name, m.key_prefix, m.organization_id, m.expires_at, m.valid_days, m.permissions, m.maker_id,
              o.name as organization_name, o.path
         from machine_authorization m join organization o on o.id = m.organization_id
         join account maker on maker.id = m.maker_id and maker.disabled_at is null
         join organization makers on makers.id = maker.organization_id and o.path like makers.path || '%'
        where m.revoked_at is null and m.key_hash is not null and m.expires_at > $1 and m.expires_at <= $2
     ), able as (
       select e.id, a.id as account_id, a.email, a.language, length(w.path) as depth,
              a.id = e.maker_id as is_maker, max(length(w.path)) over (partition by e.id) as nearest
         from ending e
         join organization w on e.path like w.path || '%'
         join account a on a.organization_id = w.id and a.disabled_at is null and a.email <> ''
        where (e.permissions || $3::text) <@ array(
                select p.permission from account_role ar join role_permission p on p.role_id = ar.role_id
                 where ar.account_id = a.id)
     )
     select e.id, e.name, e.key_prefix as prefix, e.organization_id as "organizationId",
            e.organization_name as "organizationName", e.expires_at as "expiresAt", e.valid_days as "validDays",
            array(select r.days_before from authorization_reminded r
                   where r.authorization_id = e.id and r.expires_at = e.expires_at) as reminded,
            json_agg(json_build_object('email', able.email, 'language', able.language) order by able.account_id)
              as people
       from ending e join able on able.id = e.id and (able.depth = able.nearest or able.is_maker)
      group by e.id, e.name, e.key_prefix, e.organization_id, e.organization_name, e.expires_at, e.valid_days
      order by e.expires_at, e.id`,
    [now, until, permission],
  );
  return rows;
}

/** Records a reminder; returns false if another process has recorded it. */
export async function noteKeyReminded(tx: Tx, key: EndingKey, daysBefore: number): Promise<boolean> {
  const { rowCount } = await tx.query(
    `insert into authorization_reminded (authorization_id, expires_at, days_before)
     select $1, expires_at, $3 from machine_authorization where id = $1 and expires_at = $2
     on conflict do nothing`,
    [key.id, key.expiresAt, daysBefore],
  );
  return rowCount === 1;
}
