import { AppError } from '@isotherm/contracts/errors';
import type { Receiver, ReceiverInput } from '@isotherm/contracts/receivers';
import { containing } from '../../../platform/db/like.ts';
import type { Db, Tx } from '../../../platform/db/pool.ts';
import { emailFails } from '../../../platform/messages/bounces.repo.ts';

export interface ReceiverRow extends Omit<Receiver, 'changedAt' | 'hasLinkPin'> {
  /** When the PIN was set; null if there is none. */
  linkPinSetAt: Date | null;
  organizationCode: string;
  organizationPath: string;
  changedAt: Date;
}

export interface ReceiverFilter {
  search: string;
  organizationId?: number | undefined;
  language?: Receiver['language'] | undefined;
}

export interface ReceiverPage {
  sort: 'name' | 'organization' | 'changedAt';
  order: 'asc' | 'desc';
  limit: number;
  offset: number;
}

const COLUMNS = `r.id, r.organization_id as "organizationId", o.name as "organizationName", o.code as "organizationCode",
  o.path as "organizationPath", r.name, r.country_code as "countryCode", r.mobile, r.email, r.wechat, r.language,
  r.time_zone as "timeZone", r.quiet_hours as "quietHours", r.link_pin_set_at as "linkPinSetAt",
  ${emailFails('r.email')} as "emailFails", r.description, r.changed_by as "changedBy", r.changed_at as "changedAt"`;
const FROM = 'from alarm_receiver r join organization o on o.id = r.organization_id';
const SORT = { name: 'lower(r.name)', organization: 'lower(o.name)', changedAt: 'r.changed_at' } as const;

export async function listReceiverRows(
  db: Db,
  scope: string,
  { search, organizationId, language }: ReceiverFilter,
  { sort, order, limit, offset }: ReceiverPage,
): Promise<{ rows: ReceiverRow[]; total: number }> {
  const where = `where o.path like $1 || '%'
      and ($2 = '' or lower(concat_ws(' ', r.name, r.mobile, r.email, r.wechat)) like $2)
      and ($3::bigint is null or r.organization_id = $3)
      and ($4::text is null or r.language = $4)`;
  const values = [scope, containing(search.trim().toLowerCase()), organizationId ?? null, language ?? null];
  const [found, count] = await Promise.all([
    db.query<ReceiverRow>(
      `select ${COLUMNS} ${FROM} ${where} order by ${SORT[sort]} ${order}, r.id ${order} limit $5 offset $6`,
      [...values, limit, offset],
    ),
    db.query<{ count: number }>(`select count(*)::int as count ${FROM} ${where}`, values),
  ]);
  return { rows: found.rows, total: count.rows[0]?.count ?? 0 };
}

export async function findReceiver(db: Db, scope: string, id: number): Promise<ReceiverRow | null> {
  const { rows } = await db.query<ReceiverRow>(
    `select ${COLUMNS} ${FROM} where o.path like $1 || '%' and r.id = $2`,
    [scope, id],
  );
  return rows[0] ?? null;
}

/**
 * Returns those of these names that already exist in their organisations, as `<organisation id> <name in
 * lower case>`.
 */
export async function findTakenNames(
  db: Db,
  wanted: readonly Pick<ReceiverInput, 'organizationId' | 'name'>[],
): Promise<ReadonlySet<string>> {
  const { rows } = await db.query<{ key: string }>(
    `select distinct r.organization_id || ' ' || lower(r.name) as key
       from alarm_receiver r
       join unnest($1::bigint[], $2::text[]) as w(organization_id, name)
         on w.organization_id = r.organization_id and lower(w.name) = lower(r.name)`,
    [wanted.map(({ organizationId }) => organizationId), wanted.map(({ name }) => name)],
  );
  return new Set(rows.map(({ key }) => key));
}

export interface ReceiverFields extends ReceiverInput {
  changedBy: string;
  changedAt: Date;
}

const valuesOf = (fields: ReceiverFields) => [
  fields.organizationId,
  fields.name,
  fields.countryCode,
  fields.mobile,
  fields.email,
  fields.wechat,
  fields.language,
  fields.timeZone ?? null,
  fields.description,
  fields.changedBy,
  fields.changedAt,
  fields.quietHours ? JSON.stringify(fields.quietHours) : null,
];

/**
 * Inserts a receiver. Without a time zone, that of the organisation is used.
 * @throws {AppError} `organization.not_found` if the organisation has been deleted in the meantime
 */
export async function insertReceiver(tx: Tx, fields: ReceiverFields): Promise<number> {
  const { rows } = await tx.query<{ id: number }>(
    `insert into alarm_receiver (organization_id, name, country_code, mobile, email, wechat, language, time_zone,
                                 description, changed_by, changed_at, quiet_hours)
     select $1, $2, $3, $4, $5, $6, $7, coalesce($8, o.time_zone), $9, $10, $11, $12 from organization o where o.id = $1
     returning id`,
    valuesOf(fields),
  );
  const [created] = rows;
  if (!created) throw new AppError('organization.not_found');
  return created.id;
}

/** Updates a receiver. Without a time zone or quiet hours, the current ones are kept. */
export async function updateReceiver(tx: Tx, id: number, fields: ReceiverFields): Promise<void> {
  await tx.query(
    `update alarm_receiver
        set organization_id = $1, name = $2, country_code = $3, mobile = $4, email = $5, wechat = $6, language = $7,
            time_zone = coalesce($8, time_zone), description = $9, changed_by = $10, changed_at = $11,
            quiet_hours = case when $13 then $12::jsonb else quiet_hours end
      where id = $14`,
    [...valuesOf(fields), fields.quietHours !== undefined, id],
  );
}

/** Sets the keyed hash of the PIN of a receiver; null removes it. */
export async function setLinkPin(tx: Tx, id: number, mac: string | null, now: Date): Promise<void> {
  await tx.query('update alarm_receiver set link_pin_mac = $2, link_pin_set_at = $3 where id = $1', [
    id,
    mac,
    mac === null ? null : now,
  ]);
}

export async function deleteReceiverRow(tx: Tx, id: number): Promise<void> {
  await tx.query('delete from alarm_receiver where id = $1', [id]);
}
