import type { ProductProfile, ProfileInput } from '@isotherm/contracts/product-profiles';
import { containing } from '../../../platform/db/like.ts';
import type { Db, Tx } from '../../../platform/db/pool.ts';

export interface ProfileRow extends Omit<ProductProfile, 'changedAt'> {
  organizationCode: string;
  organizationPath: string;
  changedAt: Date;
}

export interface ProfileFilter {
  search: string;
  organizationId?: number | undefined;
  enabled?: 'true' | 'false' | undefined;
}

export interface ProfilePage {
  sort: 'name' | 'code' | 'temperature' | 'organization' | 'changedAt';
  order: 'asc' | 'desc';
  limit: number;
  offset: number;
}

const COLUMNS = `p.id, p.organization_id as "organizationId", o.name as "organizationName", o.code as "organizationCode",
  o.path as "organizationPath", p.name, p.code, p.temperature_low as "temperatureLow",
  p.temperature_high as "temperatureHigh", p.humidity_low as "humidityLow", p.humidity_high as "humidityHigh",
  p.budget, p.mkt_limit as "mktLimit", p.activation_kj as "activationKj", p.pre_cool_minutes as "preCoolMinutes",
  p.note, p.shared, p.enabled, p.version,
  o.path like $1 || '%' as editable, p.changed_by as "changedBy", p.changed_at as "changedAt"`;
const FROM = 'from product_profile p join organization o on o.id = p.organization_id';
/** Own and subordinate profiles, and those that organisations above share. */
const USABLE = `(o.path like $1 || '%' or (p.shared and $1 like o.path || '%'))`;
const SORT = {
  name: 'lower(p.name)',
  code: 'lower(p.code)',
  temperature: 'p.temperature_low',
  organization: 'lower(o.name)',
  changedAt: 'p.changed_at',
} as const;

export async function listProfileRows(
  db: Db,
  scope: string,
  { search, organizationId, enabled }: ProfileFilter,
  { sort, order, limit, offset }: ProfilePage,
): Promise<{ rows: ProfileRow[]; total: number }> {
  const where = `where ${USABLE} and ($2 = '' or lower(p.name || ' ' || p.code) like $2)
      and ($3::bigint is null or p.organization_id = $3) and ($4::boolean is null or p.enabled = $4)`;
  const values = [
    scope,
    containing(search.trim().toLowerCase()),
    organizationId ?? null,
    enabled === undefined ? null : enabled === 'true',
  ];
  const [found, count] = await Promise.all([
    db.query<ProfileRow>(
      `select ${COLUMNS} ${FROM} ${where} order by ${SORT[sort]} ${order}, lower(p.name), p.id limit $5 offset $6`,
      [...values, limit, offset],
    ),
    db.query<{ count: number }>(`select count(*)::int as count ${FROM} ${where}`, values),
  ]);
  return { rows: found.rows, total: count.rows[0]?.count ?? 0 };
}

/** Returns a profile that the caller can use. */
export async function findProfile(db: Db, scope: string, id: number): Promise<ProfileRow | null> {
  const { rows } = await db.query<ProfileRow>(`select ${COLUMNS} ${FROM} where ${USABLE} and p.id = $2`, [
    scope,
    id,
  ]);
  return rows[0] ?? null;
}

/** Returns a profile by id, whoever may use it. */
export async function findProfileById(db: Db, id: number): Promise<ProfileRow | null> {
  return findProfile(db, '', id);
}

/** Returns a profile for a waybill of an organisation: its own, or one that an organisation above shares. */
export async function findProfileFor(
  db: Db,
  organizationPath: string,
  id: number,
): Promise<ProfileRow | null> {
  const { rows } = await db.query<ProfileRow>(
    `select ${COLUMNS} ${FROM} where (o.path = $1 or (p.shared and $1 like o.path || '%')) and p.id = $2`,
    [organizationPath, id],
  );
  return rows[0] ?? null;
}

/** Locks a profile until the transaction ends. */
export async function lockProfile(tx: Tx, id: number): Promise<void> {
  await tx.query('select 1 from product_profile where id = $1 for no key update', [id]);
}

/** Returns those of these codes that exist, as `<organisation id> <code in lower case>`. */
export async function findTakenProfileCodes(
  db: Db,
  wanted: readonly Pick<ProfileInput, 'organizationId' | 'code'>[],
): Promise<ReadonlySet<string>> {
  const { rows } = await db.query<{ key: string }>(
    `select p.organization_id || ' ' || lower(p.code) as key
       from product_profile p
       join unnest($1::bigint[], $2::text[]) as w(organization_id, code)
         on w.organization_id = p.organization_id and lower(w.code) = lower(p.code)`,
    [wanted.map(({ organizationId }) => organizationId), wanted.map(({ code }) => code)],
  );
  return new Set(rows.map(({ key }) => key));
}

export interface ProfileFields extends ProfileInput {
  changedBy: string;
  changedAt: Date;
}

const valuesOf = (fields: ProfileFields) => [
  fields.organizationId,
  fields.name,
  fields.code,
  fields.temperatureLow,
  fields.temperatureHigh,
  fields.humidityLow,
  fields.humidityHigh,
  JSON.stringify(fields.budget),
  fields.mktLimit,
  fields.activationKj,
  fields.note,
  fields.shared,
  fields.enabled,
  fields.changedBy,
  fields.changedAt,
  fields.preCoolMinutes,
];

export async function insertProfile(tx: Tx, fields: ProfileFields): Promise<number> {
  const { rows } = await tx.query<{ id: number }>(
    `insert into product_profile (organization_id, name, code, temperature_low, temperature_high, humidity_low,
       humidity_high, budget, mkt_limit, activation_kj, note, shared, enabled, changed_by, changed_at,
       pre_cool_minutes)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16) returning id`,
    valuesOf(fields),
  );
  return (rows[0] as { id: number }).id;
}

export async function updateProfile(tx: Tx, id: number, fields: ProfileFields): Promise<void> {
  await tx.query(
    `update product_profile set organization_id = $1, name = $2, code = $3, temperature_low = $4,
       temperature_high = $5, humidity_low = $6, humidity_high = $7, budget = $8, mkt_limit = $9,
       activation_kj = $10, note = $11, shared = $12, enabled = $13, changed_by = $14, changed_at = $15,
       pre_cool_minutes = $16, version = version + 1
     where id = $17`,
    [...valuesOf(fields), id],
  );
}

export async function deleteProfileRow(tx: Tx, id: number): Promise<void> {
  await tx.query('delete from product_profile where id = $1', [id]);
}
