import type { Alertor, AlertorInput, listAlertors } from '@isotherm/contracts/alertors';
import { AppError } from '@isotherm/contracts/errors';
import { ALERTOR_ONLINE_MS } from '@isotherm/domain/alarms/alertor';
import type { z } from 'zod';
import { containing } from '../../../platform/db/like.ts';
import type { Db, Tx } from '../../../platform/db/pool.ts';

export interface AlertorRow extends Omit<Alertor, 'changedAt' | 'seenAt'> {
  organizationPath: string;
  seenAt: Date | null;
  changedAt: Date;
}

const COLUMNS = `x.id::float8 as id, x.organization_id::float8 as "organizationId", o.name as "organizationName",
  o.path as "organizationPath", x.name, x.serial, x.kind, x.place, x.seen_at as "seenAt",
  coalesce(x.seen_at > $2::timestamptz - interval '${ALERTOR_ONLINE_MS} ms', false) as "isOnline",
  shown.level, shown.alarms, x.shown_id = x.wanted_id as "isConfirmed",
  x.changed_by as "changedBy", x.changed_at as "changedAt"`;
const FROM = `from alertor x join organization o on o.id = x.organization_id
  cross join lateral (select coalesce(max(level), 0)::int as level, count(*)::int as alarms
                        from alertor_alarm where alertor_id = x.id) shown`;
const SORT = {
  name: 'lower(x.name)',
  serial: 'upper(x.serial)',
  place: 'lower(x.place)',
  organization: 'lower(o.name)',
  seenAt: 'x.seen_at',
} as const;

export async function listAlertorRows(
  db: Db,
  scope: string,
  { search, sort, order, page, pageSize }: z.output<(typeof listAlertors)['query']>,
  now: Date,
): Promise<{ rows: AlertorRow[]; total: number }> {
  const where = `where o.path like $1 || '%'
    and ($3 = '' or lower(concat_ws(' ', x.name, x.serial, x.place)) like $3)`;
  const values = [scope, now, containing(search.trim().toLowerCase())];
  const [found, count] = await Promise.all([
    db.query<AlertorRow>(
      `select ${COLUMNS} ${FROM} ${where}
        order by ${SORT[sort]} ${order} nulls last, x.id ${order} limit $4 offset $5`,
      [...values, pageSize, (page - 1) * pageSize],
    ),
    db.query<{ count: number }>(
      `select count(*)::int as count ${FROM} ${where} and $2::timestamptz is not null`,
      values,
    ),
  ]);
  return { rows: found.rows, total: count.rows[0]?.count ?? 0 };
}

export async function findAlertorRow(
  db: Db,
  scope: string,
  id: number,
  now: Date,
): Promise<AlertorRow | null> {
  const { rows } = await db.query<AlertorRow>(
    `select ${COLUMNS} ${FROM} where o.path like $1 || '%' and x.id = $3`,
    [scope, now, id],
  );
  return rows[0] ?? null;
}

/** Locks an alertor against other changes until the transaction ends. */
export async function lockAlertor(tx: Tx, id: number): Promise<void> {
  await tx.query('select from alertor where id = $1 for no key update', [id]);
}

export interface AlertorFields extends AlertorInput {
  changedBy: string;
  changedAt: Date;
}

const valuesOf = (fields: AlertorFields) => [
  fields.organizationId,
  fields.name,
  fields.serial,
  fields.kind,
  fields.place,
  fields.changedBy,
  fields.changedAt,
];

export async function insertAlertor(tx: Tx, fields: AlertorFields, keyHash: Buffer): Promise<number> {
  const { rows } = await tx.query<{ id: number }>(
    `insert into alertor (organization_id, name, serial, kind, place, changed_by, changed_at, key_hash)
     values ($1, $2, $3, $4, $5, $6, $7, $8) returning id::float8 as id`,
    [...valuesOf(fields), keyHash],
  );
  const [created] = rows;
  if (!created) throw new AppError('alertor.not_found');
  return created.id;
}

export async function updateAlertor(tx: Tx, id: number, fields: AlertorFields): Promise<void> {
  await tx.query(
    `update alertor set organization_id = $1, name = $2, serial = $3, kind = $4, place = $5, changed_by = $6,
            changed_at = $7 where id = $8`,
    [...valuesOf(fields), id],
  );
}

export async function updateAlertorKey(
  tx: Tx,
  id: number,
  keyHash: Buffer,
  by: { changedBy: string; changedAt: Date },
): Promise<void> {
  await tx.query('update alertor set key_hash = $2, changed_by = $3, changed_at = $4 where id = $1', [
    id,
    keyHash,
    by.changedBy,
    by.changedAt,
  ]);
}

export async function deleteAlertorRow(tx: Tx, id: number): Promise<void> {
  await tx.query('delete from alertor where id = $1', [id]);
}
