import type { NamedPerson } from '@isotherm/contracts/recipient-groups';
import type { Person } from '@isotherm/domain/alarms/person';
import { containing } from '../../platform/db/like.ts';
import type { Db } from '../../platform/db/pool.ts';

const FOUND = 50;

/** All people who can be notified: receivers and accounts, also disabled ones. */
export const PEOPLE = `
  select 'receivers' as type, r.id, r.name, r.name as searched, o.name as organization, o.path, r.email,
         false as disabled
    from alarm_receiver r join organization o on o.id = r.organization_id
  union all
  select 'accounts', a.id, a.realname, a.realname || ' ' || a.username, o.name, o.path, a.email,
         a.disabled_at is not null
    from account a join organization o on o.id = a.organization_id`;

/** Finds people within the scope who can be notified, by name or user name. */
export async function findCandidates(db: Db, scope: string, search: string): Promise<NamedPerson[]> {
  const { rows } = await db.query<NamedPerson>(
    `select x.type, x.id::float8 as id, x.name, x.organization as "organizationName", x.email <> '' as "hasEmail",
            true as "isActive"
       from (${PEOPLE}) x
      where not x.disabled and x.path like $1 || '%' and ($2 = '' or lower(x.searched) like $2)
      order by lower(x.name), x.type, x.id limit ${FOUND}`,
    [scope, containing(search.trim().toLowerCase())],
  );
  return rows;
}

/** Counts those of these people who are not disabled and belong to an organisation within the scope. */
export async function countActive(db: Db, scope: string, people: readonly Person[]): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `select count(*)::int as count
       from (${PEOPLE}) x
       join unnest($2::text[], $3::bigint[]) as w(type, id) on w.type = x.type and w.id = x.id
      where not x.disabled and x.path like $1 || '%'`,
    [scope, people.map(({ type }) => type), people.map(({ id }) => id)],
  );
  return rows[0]?.count ?? 0;
}
