import { AppError } from '@isotherm/contracts/errors';
import type { EscalationPlan, EscalationPlanInput } from '@isotherm/contracts/escalation-plans';
import { containing } from '../../../platform/db/like.ts';
import type { Db, Tx } from '../../../platform/db/pool.ts';

export interface PlanRow extends Omit<EscalationPlan, 'changedAt'> {
  organizationPath: string;
  changedAt: Date;
}

const COLUMNS = `p.id::float8 as id, p.organization_id::float8 as "organizationId", o.name as "organizationName",
  o.path as "organizationPath", p.name, p.description, p.enabled, p.lowest_level as "lowestLevel", p.steps,
  p.changed_by as "changedBy", p.changed_at as "changedAt"`;
const FROM = 'from alarm_escalation_plan p join organization o on o.id = p.organization_id';
const SORT = { name: 'lower(p.name)', organization: 'lower(o.name)', changedAt: 'p.changed_at' } as const;

export async function listPlanRows(
  db: Db,
  scope: string,
  { search, organizationId }: { search: string; organizationId?: number | undefined },
  page: { sort: keyof typeof SORT; order: 'asc' | 'desc'; limit: number; offset: number },
): Promise<{ rows: PlanRow[]; total: number }> {
  const where = `where o.path like $1 || '%' and ($2 = '' or lower(p.name) like $2)
      and ($3::bigint is null or p.organization_id = $3)`;
  const values = [scope, containing(search.trim().toLowerCase()), organizationId ?? null];
  const [found, count] = await Promise.all([
    db.query<PlanRow>(
      `select ${COLUMNS} ${FROM} ${where}
        order by ${SORT[page.sort]} ${page.order}, p.id ${page.order} limit $4 offset $5`,
      [...values, page.limit, page.offset],
    ),
    db.query<{ count: number }>(`select count(*)::int as count ${FROM} ${where}`, values),
  ]);
  return { rows: found.rows, total: count.rows[0]?.count ?? 0 };
}

export async function findPlan(db: Db, scope: string, id: number): Promise<PlanRow | null> {
  const { rows } = await db.query<PlanRow>(
    `select ${COLUMNS} ${FROM} where o.path like $1 || '%' and p.id = $2`,
    [scope, id],
  );
  return rows[0] ?? null;
}

/** Locks a plan, so that it cannot be edited or deleted until the transaction ends. */
export async function lockPlan(tx: Tx, id: number): Promise<void> {
  await tx.query('select 1 from alarm_escalation_plan where id = $1 for update', [id]);
}

export interface PlanFields extends EscalationPlanInput {
  changedBy: string;
  changedAt: Date;
}

const valuesOf = (fields: PlanFields) => [
  fields.organizationId,
  fields.name,
  fields.description,
  fields.enabled,
  fields.lowestLevel,
  JSON.stringify(fields.steps),
  fields.changedBy,
  fields.changedAt,
];

export async function insertPlan(tx: Tx, fields: PlanFields): Promise<number> {
  const { rows } = await tx.query<{ id: number }>(
    `insert into alarm_escalation_plan (organization_id, name, description, enabled, lowest_level, steps, changed_by,
                                        changed_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8) returning id::float8 as id`,
    valuesOf(fields),
  );
  const [created] = rows;
  if (!created) throw new AppError('escalation_plan.not_found');
  return created.id;
}

export async function updatePlan(tx: Tx, id: number, fields: PlanFields): Promise<void> {
  await tx.query(
    `update alarm_escalation_plan
        set organization_id = $1, name = $2, description = $3, enabled = $4, lowest_level = $5, steps = $6,
            changed_by = $7, changed_at = $8
      where id = $9`,
    [...valuesOf(fields), id],
  );
}

/** Deletes a plan and cancels what it has not notified yet. */
export async function deletePlanRow(tx: Tx, id: number): Promise<void> {
  await tx.query(
    `update alarm_notification set state = 'cancelled'
      where channel = 'escalation' and state = 'pending' and plan_id = $1`,
    [id],
  );
  await tx.query('delete from alarm_escalation_plan where id = $1', [id]);
}
