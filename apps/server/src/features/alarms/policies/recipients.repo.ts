import type { PolicyRecipient } from '@isotherm/contracts/alarm-policies';
import type { RecipientType } from '@isotherm/domain/alarms/graded-policy';
import { containing } from '../../../platform/db/like.ts';
import type { Db } from '../../../platform/db/pool.ts';
import { PEOPLE } from '../people.repo.ts';

const FOUND = 50;

/** Recipients of a type, or alertors. */
const RECIPIENTS: Readonly<Record<RecipientType | 'alertors', string>> = {
  alertors: `select x.id, x.name || ' · ' || x.place as name, concat_ws(' ', x.name, x.place, x.serial) as searched,
                    o.name as organization, o.path, x.serial as email
               from alertor x join organization o on o.id = x.organization_id`,
  receivers: `select r.id, r.name, r.name as searched, o.name as organization, o.path, r.email
                from alarm_receiver r join organization o on o.id = r.organization_id`,
  accounts: `select a.id, a.realname as name, a.realname || ' ' || a.username as searched, o.name as organization,
                    o.path, a.email
               from account a join organization o on o.id = a.organization_id where a.disabled_at is null`,
  groups: `select g.id, g.name, g.name as searched, o.name as organization, o.path,
                  coalesce((select max(x.email)
                              from active_group_members(array[g.id]) m
                              join (${PEOPLE}) x on x.type = m.type and x.id = m.id), '') as email
             from alarm_recipient_group g join organization o on o.id = g.organization_id`,
  'on-call': `select s.id, s.name, s.name as searched, o.name as organization, o.path,
                     coalesce((select max(x.email)
                                 from jsonb_to_recordset(s.people) as m(type text, id bigint)
                                 join (${PEOPLE}) x on x.type = m.type and x.id = m.id), '') as email
                from alarm_on_call_schedule s join organization o on o.id = s.organization_id`,
};

/**
 * Lists recipients within the scope: those with the given ids or, if no ids are given, the first ones that
 * match the search.
 */
export async function listRecipientRows(
  db: Db,
  scope: string,
  type: RecipientType | 'alertors',
  asked: { search: string } | { ids: readonly number[] },
): Promise<PolicyRecipient[]> {
  const ids = 'ids' in asked ? asked.ids : null;
  const { rows } = await db.query<PolicyRecipient>(
    `select x.id::float8 as id, x.name, x.organization as "organizationName", x.email <> '' as "hasEmail"
       from (${RECIPIENTS[type]}) x
      where x.path like $1 || '%' and ($2::bigint[] is null or x.id = any($2)) and ($3 = '' or lower(x.searched) like $3)
      order by lower(x.name), x.id limit case when $2::bigint[] is null then $4::int end`,
    [scope, ids, containing('search' in asked ? asked.search.trim().toLowerCase() : ''), FOUND],
  );
  return rows;
}
