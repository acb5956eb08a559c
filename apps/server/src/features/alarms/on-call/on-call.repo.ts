import { AppError } from '@isotherm/contracts/errors';
import {
  type OnCallChangeInput,
  type OnCallInput,
  type OnCallScheduleView,
  scheduleOf,
} from '@isotherm/contracts/on-call';
import type { NamedPerson } from '@isotherm/contracts/recipient-groups';
import type { OnCallChangeKind, OnCallSchedule } from '@isotherm/domain/alarms/on-call';
import { type Person, personKey } from '@isotherm/domain/alarms/person';
import type { Db, Tx } from '../../../platform/db/pool.ts';
import { PEOPLE } from '../people.repo.ts';
import { policyUses } from '../policies/policy-uses.repo.ts';

export interface ScheduleRow extends Omit<OnCallScheduleView, 'changedAt'> {
  organizationPath: string;
  changedAt: Date;
}

type StoredRow = Omit<ScheduleRow, 'people' | 'changes'> & { people: Person[] };

interface ChangeRow {
  id: number;
  scheduleId: number;
  kind: OnCallChangeKind;
  type: Person['type'];
  personId: number;
  from: Date;
  until: Date;
}

async function changesOf(db: Db, ids: readonly number[], endedAfter: Date): Promise<ChangeRow[]> {
  const { rows } = await db.query<ChangeRow>(
    `select id::float8 as id, schedule_id::float8 as "scheduleId", kind, person_type as type,
            person_id::float8 as "personId", starts_at as "from", ends_at as until
       from alarm_on_call_change where schedule_id = any($1::bigint[]) and ends_at > $2 order by id`,
    [ids, endedAfter],
  );
  return rows;
}

/** People by schedule and key, with their names as far as they are in the scope. */
async function peopleOf(
  db: Db,
  scope: string,
  wanted: readonly { scheduleId: number; person: Person }[],
): Promise<Map<string, NamedPerson>> {
  const { rows } = await db.query<NamedPerson & { scheduleId: number }>(
    `select w.schedule_id::float8 as "scheduleId", w.type, w.id::float8 as id,
            case when x.path like $1 || '%' then x.name else '' end as name,
            case when x.path like $1 || '%' then x.organization else '' end as "organizationName",
            coalesce(x.email, '') <> '' as "hasEmail",
            x.id is not null and not x.disabled and starts_with(x.path, o.path) as "isActive"
       from unnest($2::bigint[], $3::text[], $4::bigint[]) as w(schedule_id, type, id)
       join alarm_on_call_schedule s on s.id = w.schedule_id
       join organization o on o.id = s.organization_id
       left join (${PEOPLE}) x on x.type = w.type and x.id = w.id`,
    [
      scope,
      wanted.map(({ scheduleId }) => scheduleId),
      wanted.map(({ person }) => person.type),
      wanted.map(({ person }) => person.id),
    ],
  );
  return new Map(rows.map(({ scheduleId, ...row }) => [`${scheduleId} ${personKey(row)}`, row]));
}

/**
 * Schedules within the scope, ordered by name, or only one of them. Overrides and leave are included if they end
 * after `endedAfter`.
 */
export async function listScheduleRows(
  db: Db,
  scope: string,
  endedAfter: Date,
  only: number | null = null,
): Promise<ScheduleRow[]> {
  const { rows } = await db.query<StoredRow>(
    `select s.id::float8 as id, s.organization_id::float8 as "organizationId", o.name as "organizationName",
            o.path as "organizationPath", s.name, s.description, s.people, s.starts_on::text as "startsOn",
            s.handover_at as "handoverAt", s.time_zone as "timeZone", s.turn_days as "turnDays",
            s.changed_by as "changedBy", s.changed_at as "changedAt",
            (select count(*)::int from alarm_policy p where ${policyUses('on-call', 's.id')}) as policies
       from alarm_on_call_schedule s join organization o on o.id = s.organization_id
      where o.path like $1 || '%' and ($2::bigint is null or s.id = $2)
      order by lower(s.name), s.id`,
    [scope, only],
  );
  const changes = await changesOf(
    db,
    rows.map(({ id }) => id),
    endedAfter,
  );
  const people = await peopleOf(db, scope, [
    ...rows.flatMap((row) => row.people.map((person) => ({ scheduleId: row.id, person }))),
    ...changes.map(({ scheduleId, type, personId }) => ({ scheduleId, person: { type, id: personId } })),
  ]);
  const named = (scheduleId: number, person: Person) =>
    people.get(`${scheduleId} ${personKey(person)}`) as NamedPerson;
  return rows.map((row) => ({
    ...row,
    people: row.people.map((person) => named(row.id, person)),
    changes: changes
      .filter(({ scheduleId }) => scheduleId === row.id)
      .map(({ id, kind, type, personId, from, until }) => ({
        id,
        kind,
        person: named(row.id, { type, id: personId }),
        from: from.toISOString(),
        until: until.toISOString(),
      })),
  }));
}

/** Schedules by id as they are at this moment, to find out who is on call. */
export async function loadSchedules(
  db: Db,
  ids: readonly number[],
  now: Date,
): Promise<Map<number, OnCallSchedule>> {
  const found = new Map<number, OnCallSchedule>();
  for (const id of new Set(ids)) {
    const [row] = await listScheduleRows(db, '/', now, id);
    if (row) found.set(id, scheduleOf(row));
  }
  return found;
}

/** Locks a schedule, so that it cannot be edited, deleted or chosen by a policy until the transaction ends. */
export async function lockSchedule(tx: Tx, id: number): Promise<void> {
  await tx.query('select 1 from alarm_on_call_schedule where id = $1 for update', [id]);
}

/** Locks schedules that a policy is going to name, so that they cannot be deleted before it is stored. */
export async function keepSchedules(tx: Tx, ids: readonly number[]): Promise<void> {
  await tx.query('select 1 from alarm_on_call_schedule where id = any($1::bigint[]) order by id for share', [
    ids,
  ]);
}

export interface ScheduleFields extends OnCallInput {
  changedBy: string;
  changedAt: Date;
}

const valuesOf = (fields: ScheduleFields) => [
  fields.organizationId,
  fields.name,
  fields.description,
  JSON.stringify(fields.people),
  fields.startsOn,
  fields.handoverAt,
  fields.timeZone,
  fields.turnDays,
  fields.changedBy,
  fields.changedAt,
];

export async function insertSchedule(tx: Tx, fields: ScheduleFields): Promise<number> {
  const { rows } = await tx.query<{ id: number }>(
    `insert into alarm_on_call_schedule (organization_id, name, description, people, starts_on, handover_at, time_zone,
                                         turn_days, changed_by, changed_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) returning id::float8 as id`,
    valuesOf(fields),
  );
  const [created] = rows;
  if (!created) throw new AppError('on_call.not_found');
  return created.id;
}

export async function updateSchedule(tx: Tx, id: number, fields: ScheduleFields): Promise<void> {
  await tx.query(
    `update alarm_on_call_schedule
        set organization_id = $1, name = $2, description = $3, people = $4, starts_on = $5, handover_at = $6,
            time_zone = $7, turn_days = $8, changed_by = $9, changed_at = $10
      where id = $11`,
    [...valuesOf(fields), id],
  );
}

/** Deletes a schedule with its overrides and leave. */
export async function deleteSchedule(tx: Tx, id: number): Promise<void> {
  await tx.query('delete from alarm_on_call_schedule where id = $1', [id]);
}

export async function insertChange(tx: Tx, id: number, change: OnCallChangeInput): Promise<void> {
  await tx.query(
    `insert into alarm_on_call_change (schedule_id, kind, person_type, person_id, starts_at, ends_at)
     values ($1, $2, $3, $4, $5, $6)`,
    [id, change.kind, change.person.type, change.person.id, change.from, change.until],
  );
}

/** Deletes an override or leave; returns false if the schedule has none with this id. */
export async function deleteChange(tx: Tx, id: number, changeId: number): Promise<boolean> {
  const { rowCount } = await tx.query('delete from alarm_on_call_change where schedule_id = $1 and id = $2', [
    id,
    changeId,
  ]);
  return rowCount === 1;
}
