import type { TestScheduleInput, TestScheduleView } from '@isotherm/contracts/alarm-tests';
import { AppError } from '@isotherm/contracts/errors';
import type { TestInterval } from '@isotherm/domain/alarms/alarm-test';
import type { PolicyDefinition } from '@isotherm/domain/alarms/graded-policy';
import { containing } from '../../../platform/db/like.ts';
import type { Db, Tx } from '../../../platform/db/pool.ts';

export interface TestScheduleRow extends Omit<TestScheduleView, 'dueAt' | 'changedAt'> {
  organizationPath: string;
  dueAt: Date | null;
  changedAt: Date;
}

const COLUMNS = `s.id::float8 as id, s.organization_id::float8 as "organizationId", o.name as "organizationName",
  o.path as "organizationPath", s.name, s.policy_id::float8 as "policyId", p.name as "policyName", s.level, s.every,
  s.interval_unit as interval, to_char(s.starts_on, 'YYYY-MM-DD') as "startsOn", s.starts_at as at,
  s.time_zone as "timeZone", s.enabled, s.due_at as "dueAt", s.changed_by as "changedBy",
  s.changed_at as "changedAt"`;
const FROM = `from alarm_test_schedule s join organization o on o.id = s.organization_id
  join alarm_policy p on p.id = s.policy_id`;
const SORT = { name: 'lower(s.name)', dueAt: 's.due_at' } as const;

export async function listTestScheduleRows(
  db: Db,
  scope: string,
  { search, organizationId }: { search: string; organizationId?: number | undefined },
  page: { sort: keyof typeof SORT; order: 'asc' | 'desc'; limit: number; offset: number },
): Promise<{ rows: TestScheduleRow[]; total: number }> {
  const where = `where o.path like $1 || '%' and ($2 = '' or lower(s.name || ' ' || p.name) like $2)
      and ($3::bigint is null or s.organization_id = $3)`;
  const values = [scope, containing(search.trim().toLowerCase()), organizationId ?? null];
  const [found, count] = await Promise.all([
    db.query<TestScheduleRow>(
      `select ${COLUMNS} ${FROM} ${where}
        order by ${SORT[page.sort]} ${page.order} nulls last, s.id ${page.order} limit $4 offset $5`,
      [...values, page.limit, page.offset],
    ),
    db.query<{ count: number }>(`select count(*)::int as count ${FROM} ${where}`, values),
  ]);
  return { rows: found.rows, total: count.rows[0]?.count ?? 0 };
}

export async function findTestSchedule(db: Db, scope: string, id: number): Promise<TestScheduleRow | null> {
  const { rows } = await db.query<TestScheduleRow>(
    `select ${COLUMNS} ${FROM} where o.path like $1 || '%' and s.id = $2`,
    [scope, id],
  );
  return rows[0] ?? null;
}

/** Locks a schedule, so that it is not started, edited or deleted until the transaction ends. */
export async function lockTestSchedule(tx: Tx, id: number): Promise<void> {
  await tx.query('select 1 from alarm_test_schedule where id = $1 for update', [id]);
}

export interface TestScheduleFields extends TestScheduleInput {
  dueAt: Date | null;
  changedBy: string;
  changedAt: Date;
}

const valuesOf = (fields: TestScheduleFields) => [
  fields.organizationId,
  fields.name,
  fields.policyId,
  fields.level,
  fields.every,
  fields.interval,
  fields.startsOn,
  fields.at,
  fields.timeZone,
  fields.enabled,
  fields.dueAt,
  fields.changedBy,
  fields.changedAt,
];

export async function insertTestSchedule(tx: Tx, fields: TestScheduleFields): Promise<number> {
  const { rows } = await tx.query<{ id: number }>(
    `insert into alarm_test_schedule (organization_id, name, policy_id, level, every, interval_unit, starts_on, starts_at,
                                      time_zone, enabled, due_at, changed_by, changed_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) returning id::float8 as id`,
    valuesOf(fields),
  );
  const [created] = rows;
  if (!created) throw new AppError('test_schedule.not_found');
  return created.id;
}

export async function updateTestSchedule(tx: Tx, id: number, fields: TestScheduleFields): Promise<void> {
  await tx.query(
    `update alarm_test_schedule
        set organization_id = $1, name = $2, policy_id = $3, level = $4, every = $5, interval_unit = $6, starts_on = $7,
            starts_at = $8, time_zone = $9, enabled = $10, due_at = $11, changed_by = $12, changed_at = $13
      where id = $14`,
    [...valuesOf(fields), id],
  );
}

/** Deletes a schedule. Its tests stay. */
export async function deleteTestSchedule(tx: Tx, id: number): Promise<void> {
  await tx.query('delete from alarm_test_schedule where id = $1', [id]);
}

/** A schedule whose test is due, with its policy of now; the definition is null if the policy was deleted. */
export interface DueSchedule {
  id: number;
  organizationId: number;
  name: string;
  policyId: number;
  policyName: string;
  policyPath: string;
  definition: PolicyDefinition | null;
  level: number;
  every: number;
  interval: TestInterval;
  startsOn: string;
  at: string;
  timeZone: string;
}

/** Claims a schedule that is due and that no other worker has claimed. */
export async function claimDueSchedule(tx: Tx, now: Date): Promise<DueSchedule | null> {
  const { rows } = await tx.query<DueSchedule>(
    `select s.id::float8 as id, s.organization_id::float8 as "organizationId", s.name, s.policy_id::float8 as "policyId",
            p.name as "policyName", po.path as "policyPath",
            case when p.deleted_at is null then p.definition end as definition, s.level, s.every,
            s.interval_unit as interval, to_char(s.starts_on, 'YYYY-MM-DD') as "startsOn", s.starts_at as at,
            s.time_zone as "timeZone"
       from alarm_test_schedule s join alarm_policy p on p.id = s.policy_id
       join organization po on po.id = p.organization_id
      where s.due_at <= $1 order by s.due_at, s.id limit 1 for update of s skip locked`,
    [now],
  );
  return rows[0] ?? null;
}

export async function setNextDue(tx: Tx, id: number, dueAt: Date): Promise<void> {
  await tx.query('update alarm_test_schedule set due_at = $2 where id = $1', [id, dueAt]);
}
