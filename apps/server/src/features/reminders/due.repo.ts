import type { DueItem } from '@isotherm/contracts/reminders';
import type { DueKind } from '@isotherm/domain/reminders/reminder';
import { containing } from '../../platform/db/like.ts';
import type { Db } from '../../platform/db/pool.ts';

/**
 * One query per kind of item that falls due. Only the latest certificate or study counts, and only devices
 * that can still be renewed: `$2` is the limit for lapsed ones.
 */
const QUESTIONS: Record<DueKind, string> = {
  device: `select d.id as subject_id, d.number as name, d.name as thing, d.organization_id,
                  (d.expires_at at time zone 'UTC')::date - 1 as due_on
             from device d where d.deleted_at is null and d.expires_at > $2::timestamptz`,
  calibration: `select c.id, c.certificate, concat_ws(' · ', d.number, nullif(s.name, '')), d.organization_id, c.due_on
                  from calibration c join sensor s on s.id = c.sensor_id
                  join device d on d.id = s.device_id and d.deleted_at is null
                 where c.ended_at is null and s.disabled_at is null and not exists (
                   select 1 from calibration n
                    where n.sensor_id = c.sensor_id and (n.calibrated_on, n.id) > (c.calibrated_on, c.id))`,
  validation: `select v.id, v.name, a.name, a.organization_id, v.due_on
                 from validation_study v join asset a on a.id = v.asset_id and a.deleted_at is null
                where v.due_on is not null and v.result is not null and a.status <> 'scrapped' and not exists (
                  select 1 from validation_study n
                   where n.asset_id = v.asset_id and n.result is not null and (n.from_at, n.id) > (v.from_at, v.id))`,
  maintenance: `select m.id, m.done_by, a.name, a.organization_id, m.next_due_on
                  from maintenance_record m join asset a on a.id = m.asset_id and a.deleted_at is null
                 where m.next_due_on is not null and a.status <> 'scrapped' and not exists (
                   select 1 from maintenance_record n
                    where n.asset_id = m.asset_id and (n.done_on, n.id) > (m.done_on, m.id))`,
  document: `select f.id, f.name, a.name, a.organization_id, f.valid_until
               from asset_file f join asset a on a.id = f.asset_id and a.deleted_at is null
              where f.deleted_at is null and f.valid_until is not null and a.status <> 'scrapped'`,
  authorization: `select m.id, m.name, m.key_prefix, m.organization_id, (m.expires_at at time zone 'UTC')::date
                    from machine_authorization m
                   where m.revoked_at is null and m.key_hash is not null and m.expires_at > $2::timestamptz`,
};

export interface DueRow extends Omit<DueItem, 'daysLeft'> {
  organizationId: number;
}

/** Returns the union of these kinds; parameters: `$1` scope, `$2` limit for lapsed devices, `$3` last day. */
function dueOf(kinds: readonly DueKind[]): string {
  const all = kinds.map((kind) => `select '${kind}' as kind, q.* from (${QUESTIONS[kind]}) q(${NAMES})`);
  return `from (${all.join(' union all ')}) due join organization o on o.id = due.organization_id
          where o.path like $1 || '%' and $2::timestamptz is not null and due.due_on <= $3::date`;
}
const NAMES = 'subject_id, name, thing, organization_id, due_on';
const COLUMNS = `due.kind, due.subject_id as "subjectId", due.name, due.thing as "of", o.id as "organizationId",
  o.name as "organizationName", to_char(due.due_on, 'YYYY-MM-DD') as "dueOn"`;

export interface DueFilter {
  scope: string;
  kinds: readonly DueKind[];
  lapsedUntil: Date;
  /** The last day of the range, inclusive. */
  until: string;
}

export async function listDueRows(
  db: Db,
  { scope, kinds, lapsedUntil, until }: DueFilter,
  { search, organizationId }: { search: string; organizationId: number | null },
  page: { order: 'asc' | 'desc'; limit: number; offset: number },
): Promise<{ rows: DueRow[]; total: number }> {
  if (kinds.length === 0) return { rows: [], total: 0 };
  const where = `${dueOf(kinds)}
      and ($4 = '' or lower(concat_ws(' ', due.name, due.thing)) like $4)
      and ($5::bigint is null or o.path like (select path from organization where id = $5) || '%')`;
  const values = [scope, lapsedUntil, until, containing(search.toLowerCase()), organizationId];
  const [found, count] = await Promise.all([
    db.query<DueRow>(
      `select ${COLUMNS} ${where} order by due.due_on ${page.order}, due.kind, due.subject_id limit $6 offset $7`,
      [...values, page.limit, page.offset],
    ),
    db.query<{ count: number }>(`select count(*)::int as count ${where}`, values),
  ]);
  return { rows: found.rows, total: count.rows[0]?.count ?? 0 };
}

/**
 * Lists due items, each with the day on which this reminder last named it; only items for which this
 * reminder is the nearest enabled one at or above their organisation.
 */
export async function listToRemind(
  db: Db,
  reminderId: number,
  { scope, kinds, lapsedUntil, until }: DueFilter,
): Promise<(DueRow & { lastOn: string | null })[]> {
  const { rows } = await db.query<DueRow & { lastOn: string | null }>(
    `select ${COLUMNS}, (select to_char(r.last_on, 'YYYY-MM-DD') from expiry_reminded r
                          where r.reminder_id = $4 and r.kind = due.kind and r.subject_id = due.subject_id
                            and r.due_on = due.due_on) as "lastOn"
       ${dueOf(kinds)}
        and (select e.id from expiry_reminder e join organization w on w.id = e.organization_id
              where e.enabled and o.path like w.path || '%' order by length(w.path) desc limit 1) = $4
      order by due.due_on, due.kind, due.subject_id`,
    [scope, lapsedUntil, until, reminderId],
  );
  return rows;
}
