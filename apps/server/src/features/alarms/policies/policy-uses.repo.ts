import type { Db } from '../../../platform/db/pool.ts';

/** SQL condition on an `alarm_policy p` that its steps name this recipient; `id` is an SQL expression. */
const policyUses = (type: 'groups' | 'on-call', id: string): string =>
  `p.deleted_at is null and p.definition ->> 'recipientType' = '${type}'
   and exists (select 1 from jsonb_array_elements(p.definition -> 'steps') step where step -> 'recipients' @> to_jsonb(${id}))`;

/** SQL condition on an `alarm_escalation_plan p` that its steps name this recipient; `id` is an SQL expression. */
const planUses = (type: 'groups' | 'on-call', id: string): string =>
  `exists (select 1 from jsonb_array_elements(p.steps) step
            where step ->> 'recipientType' = '${type}' and step -> 'recipients' @> to_jsonb(${id}))`;

/** SQL expression of the number of policies and escalation plans that name this recipient. */
export const countOfUses = (type: 'groups' | 'on-call', id: string): string =>
  `((select count(*)::int from alarm_policy p where ${policyUses(type, id)})
    + (select count(*)::int from alarm_escalation_plan p where ${planUses(type, id)}))`;

/** Names of the first policies and escalation plans within the scope that use the group or schedule. */
export async function namesOfUses(
  db: Db,
  scope: string,
  type: 'groups' | 'on-call',
  id: number,
): Promise<string> {
  const { rows } = await db.query<{ name: string }>(
    `select p.name
       from (select p.name, p.organization_id from alarm_policy p where ${policyUses(type, '$2::bigint')}
             union all
             select p.name, p.organization_id from alarm_escalation_plan p where ${planUses(type, '$2::bigint')}) p
       join organization o on o.id = p.organization_id
      where o.path like $1 || '%' order by lower(p.name) limit 5`,
    [scope, id],
  );
  return rows.map(({ name }) => name).join(', ') || '–';
}
