import type { Db } from '../../../platform/db/pool.ts';

/** SQL condition on an `alarm_policy p` that its steps name this recipient; `id` is an SQL expression. */
export const policyUses = (type: 'groups' | 'on-call', id: string): string =>
  `p.deleted_at is null and p.definition ->> 'recipientType' = '${type}'
   and exists (select 1 from jsonb_array_elements(p.definition -> 'steps') step where step -> 'recipients' @> to_jsonb(${id}))`;

/** Names of the first policies within the scope that use the group or schedule. */
export async function namesOfUses(
  db: Db,
  scope: string,
  type: 'groups' | 'on-call',
  id: number,
): Promise<string> {
  const { rows } = await db.query<{ name: string }>(
    `select p.name from alarm_policy p join organization o on o.id = p.organization_id
      where o.path like $1 || '%' and ${policyUses(type, '$2::bigint')} order by lower(p.name) limit 5`,
    [scope, id],
  );
  return rows.map(({ name }) => name).join(', ') || '–';
}
