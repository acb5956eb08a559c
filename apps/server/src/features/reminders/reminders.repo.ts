import type { ExpiryReminder } from '@isotherm/contracts/reminders';
import type { Language } from '@isotherm/i18n/languages';
import type { Db, Tx } from '../../platform/db/pool.ts';
import type { DueRow } from './due.repo.ts';

export interface ReminderRow extends Omit<ExpiryReminder, 'changedAt' | 'language'> {
  organizationPath: string;
  language: Language;
  changedAt: Date;
}

const COLUMNS = `e.id, e.organization_id as "organizationId", o.name as "organizationName", o.path as "organizationPath",
  e.kinds, e.days_before as "daysBefore", e.repeat_days as "repeatDays", e.recipients, e.enabled, e.language,
  (select to_char(max(r.last_on), 'YYYY-MM-DD') from expiry_reminded r where r.reminder_id = e.id) as "remindedOn",
  e.changed_by as "changedBy", e.changed_at as "changedAt"`;
const FROM = 'from expiry_reminder e join organization o on o.id = e.organization_id';
const SORT = { organizationName: 'lower(o.name)', changedAt: 'e.changed_at' } as const;

export async function listReminderRows(
  db: Db,
  scope: string,
  search: string,
  page: { sort: keyof typeof SORT; order: 'asc' | 'desc'; limit: number; offset: number },
): Promise<{ rows: ReminderRow[]; total: number }> {
  const where = `where o.path like $1 || '%'
      and ($2 = '' or position(lower($2) in lower(o.name || ' ' || array_to_string(e.recipients, ' '))) > 0)`;
  const [found, count] = await Promise.all([
    db.query<ReminderRow>(
      `select ${COLUMNS} ${FROM} ${where} order by ${SORT[page.sort]} ${page.order}, e.id limit $3 offset $4`,
      [scope, search, page.limit, page.offset],
    ),
    db.query<{ count: number }>(`select count(*)::int as count ${FROM} ${where}`, [scope, search]),
  ]);
  return { rows: found.rows, total: count.rows[0]?.count ?? 0 };
}

export async function findReminder(db: Db, scope: string, id: number): Promise<ReminderRow | null> {
  const { rows } = await db.query<ReminderRow>(
    `select ${COLUMNS} ${FROM} where o.path like $1 || '%' and e.id = $2`,
    [scope, id],
  );
  return rows[0] ?? null;
}

export async function listEnabled(db: Db): Promise<ReminderRow[]> {
  const { rows } = await db.query<ReminderRow>(`select ${COLUMNS} ${FROM} where e.enabled order by e.id`);
  return rows;
}

/** Locks a reminder for sending; null if it was deleted or disabled. */
export async function holdEnabled(tx: Tx, id: number): Promise<ReminderRow | null> {
  const { rows } = await tx.query<ReminderRow>(
    `select ${COLUMNS} ${FROM} where e.enabled and e.id = $1 for update of e`,
    [id],
  );
  return rows[0] ?? null;
}

export interface ReminderFields
  extends Pick<ExpiryReminder, 'kinds' | 'daysBefore' | 'repeatDays' | 'recipients' | 'enabled'> {
  language: Language;
  changedBy: string;
  changedAt: Date;
}

const valuesOf = (fields: ReminderFields) => [
  fields.kinds,
  fields.daysBefore,
  fields.repeatDays,
  fields.recipients,
  fields.enabled,
  fields.language,
  fields.changedBy,
  fields.changedAt,
];

export async function insertReminder(
  tx: Tx,
  organizationId: number,
  fields: ReminderFields,
): Promise<number> {
  const { rows } = await tx.query<{ id: number }>(
    `insert into expiry_reminder (kinds, days_before, repeat_days, recipients, enabled, language, changed_by, changed_at,
                                  organization_id)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9) returning id`,
    [...valuesOf(fields), organizationId],
  );
  return (rows[0] as { id: number }).id;
}

export async function updateReminder(tx: Tx, id: number, fields: ReminderFields): Promise<void> {
  await tx.query(
    `update expiry_reminder set kinds = $1, days_before = $2, repeat_days = $3, recipients = $4, enabled = $5,
            language = $6, changed_by = $7, changed_at = $8 where id = $9`,
    [...valuesOf(fields), id],
  );
}

export async function deleteReminderRow(tx: Tx, id: number): Promise<void> {
  await tx.query('delete from expiry_reminder where id = $1', [id]);
}

/** Records the items that were named today. */
export async function noteReminded(
  tx: Tx,
  reminderId: number,
  items: readonly Pick<DueRow, 'kind' | 'subjectId' | 'dueOn'>[],
  today: string,
): Promise<void> {
  await tx.query(
    `insert into expiry_reminded (reminder_id, kind, subject_id, due_on, last_on)
     select $1, t.kind, t.subject_id, t.due_on, $5::date
       from unnest($2::text[], $3::bigint[], $4::date[]) as t(kind, subject_id, due_on)
     on conflict (reminder_id, kind, subject_id, due_on) do update set last_on = excluded.last_on`,
    [
      reminderId,
      items.map(({ kind }) => kind),
      items.map(({ subjectId }) => subjectId),
      items.map(({ dueOn }) => dueOn),
      today,
    ],
  );
}
