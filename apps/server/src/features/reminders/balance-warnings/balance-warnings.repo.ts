import type { BalanceWarning } from '@isotherm/contracts/balance-warnings';
import type { WarnedCommodity } from '@isotherm/domain/billing/balance-warning';
import type { Language } from '@isotherm/i18n/languages';
import type { Db, Tx } from '../../../platform/db/pool.ts';

export interface WarningRow extends Omit<BalanceWarning, 'changedAt' | 'warnedAt'> {
  organizationPath: string;
  language: Language;
  warnedAt: Date | null;
  changedAt: Date;
}

const COLUMNS = `w.id::float8 as id, w.organization_id::float8 as "organizationId", o.name as "organizationName",
  o.path as "organizationPath", w.sms_below as "smsBelow", w.voice_below as "voiceBelow", w.emails, w.mobiles, w.enabled,
  w.language, w.low, w.warned_at as "warnedAt", w.changed_by as "changedBy", w.changed_at as "changedAt"`;
const FROM = 'from balance_warning w join organization o on o.id = w.organization_id';
const SORT = { organizationName: 'lower(o.name)', changedAt: 'w.changed_at' } as const;

export async function listWarningRows(
  db: Db,
  scope: string,
  search: string,
  page: { sort: keyof typeof SORT; order: 'asc' | 'desc'; limit: number; offset: number },
): Promise<{ rows: WarningRow[]; total: number }> {
  const where = `where o.path like $1 || '%'
      and ($2 = '' or position(lower($2) in lower(o.name || ' ' || array_to_string(w.emails, ' '))) > 0)`;
  const [found, count] = await Promise.all([
    db.query<WarningRow>(
      `select ${COLUMNS} ${FROM} ${where} order by ${SORT[page.sort]} ${page.order}, w.id limit $3 offset $4`,
      [scope, search, page.limit, page.offset],
    ),
    db.query<{ count: number }>(`select count(*)::int as count ${FROM} ${where}`, [scope, search]),
  ]);
  return { rows: found.rows, total: count.rows[0]?.count ?? 0 };
}

export async function findWarning(db: Db, scope: string, id: number): Promise<WarningRow | null> {
  const { rows } = await db.query<WarningRow>(
    `select ${COLUMNS} ${FROM} where o.path like $1 || '%' and w.id = $2`,
    [scope, id],
  );
  return rows[0] ?? null;
}

export async function listEnabledWarnings(db: Db): Promise<number[]> {
  const { rows } = await db.query<{ id: number }>(
    'select id::float8 as id from balance_warning where enabled order by id',
  );
  return rows.map(({ id }) => id);
}

/** Locks a warning; null if it was deleted or disabled, or another process is judging it. */
export async function holdWarning(tx: Tx, id: number): Promise<WarningRow | null> {
  const { rows } = await tx.query<WarningRow>(
    `select ${COLUMNS} ${FROM} where w.enabled and w.id = $1 for update of w skip locked`,
    [id],
  );
  return rows[0] ?? null;
}

export interface WarningFields
  extends Pick<BalanceWarning, 'smsBelow' | 'voiceBelow' | 'emails' | 'mobiles' | 'enabled'> {
  language: Language;
  changedBy: string;
  changedAt: Date;
}

const valuesOf = (fields: WarningFields) => [
  fields.smsBelow,
  fields.voiceBelow,
  fields.emails,
  fields.mobiles,
  fields.enabled,
  fields.language,
  fields.changedBy,
  fields.changedAt,
];

export async function insertWarning(tx: Tx, organizationId: number, fields: WarningFields): Promise<number> {
  const { rows } = await tx.query<{ id: number }>(
    `insert into balance_warning (sms_below, voice_below, emails, mobiles, enabled, language, changed_by, changed_at,
                                  organization_id)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9) returning id::float8 as id`,
    [...valuesOf(fields), organizationId],
  );
  return (rows[0] as { id: number }).id;
}

export async function updateWarning(tx: Tx, id: number, fields: WarningFields): Promise<void> {
  await tx.query(
    `update balance_warning set sms_below = $1, voice_below = $2, emails = $3, mobiles = $4, enabled = $5, language = $6,
            changed_by = $7, changed_at = $8 where id = $9`,
    [...valuesOf(fields), id],
  );
}

export async function deleteWarningRow(tx: Tx, id: number): Promise<void> {
  await tx.query('delete from balance_warning where id = $1', [id]);
}

/** Stores which balances are low. `warnedAt` is null if nobody is warned now. */
export async function saveLow(
  tx: Tx,
  id: number,
  low: readonly WarnedCommodity[],
  warnedAt: Date | null,
): Promise<void> {
  await tx.query('update balance_warning set low = $2, warned_at = coalesce($3, warned_at) where id = $1', [
    id,
    low,
    warnedAt,
  ]);
}
