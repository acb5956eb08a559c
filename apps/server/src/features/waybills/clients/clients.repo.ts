import type { ClientInput, WaybillClient } from '@isotherm/contracts/waybill-clients';
import { containing } from '../../../platform/db/like.ts';
import type { Db, Tx } from '../../../platform/db/pool.ts';

export interface ClientRow extends Omit<WaybillClient, 'changedAt'> {
  organizationPath: string;
  organizationCode: string;
  changedAt: Date;
}

export interface ClientFilter {
  search: string;
  organizationId?: number | undefined;
  kind?: 'consignor' | 'consignee' | undefined;
}

export interface ClientPage {
  sort: 'name' | 'organization' | 'changedAt';
  order: 'asc' | 'desc';
  limit: number;
  offset: number;
}

/** Waybills name a client by its text; two branches, so that each uses its index. */
const WAYBILLS = `(select count(distinct u.id)::int from organization v cross join lateral (
     select w.id from waybill w where w.organization_id = v.id and lower(w.consignor_unit) = lower(c.name)
     union all
     select w.id from waybill w where w.organization_id = v.id and lower(w.consignee_unit) = lower(c.name)) u
   where v.path like $1 || '%' and v.path like o.path || '%')`;
const COLUMNS = `c.id, c.organization_id as "organizationId", o.name as "organizationName", o.path as "organizationPath",
  o.code as "organizationCode",
  c.name, c.kind, c.sites, c.contacts, c.note, c.shared, c.notices, ${WAYBILLS} as waybills, o.path like $1 || '%' as editable,
  c.changed_by as "changedBy", c.changed_at as "changedAt"`;
const FROM = 'from waybill_client c join organization o on o.id = c.organization_id';
/** Texts of the sites and contacts, without the names of their fields. */
const PARTS = `(select string_agg(field.value, ' ')
   from jsonb_array_elements(c.sites || c.contacts) part cross join jsonb_each_text(part.value) field)`;
/** Own and subordinate clients, and those that organisations above share. */
const USABLE = `(o.path like $1 || '%' or (c.shared and $1 like o.path || '%'))`;
const SORT = { name: 'lower(c.name)', organization: 'lower(o.name)', changedAt: 'c.changed_at' } as const;

export async function listClientRows(
  db: Db,
  scope: string,
  { search, organizationId, kind }: ClientFilter,
  { sort, order, limit, offset }: ClientPage,
): Promise<{ rows: ClientRow[]; total: number }> {
  const where = `where ${USABLE} and ($2 = '' or lower(concat_ws(' ', c.name, ${PARTS})) like $2)
      and ($3::bigint is null or c.organization_id = $3) and ($4::text is null or c.kind in ($4, 'both'))`;
  const values = [scope, containing(search.trim().toLowerCase()), organizationId ?? null, kind ?? null];
  const [found, count] = await Promise.all([
    db.query<ClientRow>(
      `select ${COLUMNS} ${FROM} ${where} order by ${SORT[sort]} ${order}, lower(c.name), c.id limit $5 offset $6`,
      [...values, limit, offset],
    ),
    db.query<{ count: number }>(`select count(*)::int as count ${FROM} ${where}`, values),
  ]);
  return { rows: found.rows, total: count.rows[0]?.count ?? 0 };
}

/** Returns a client that the caller can use. */
export async function findClient(db: Db, scope: string, id: number): Promise<ClientRow | null> {
  const { rows } = await db.query<ClientRow>(`select ${COLUMNS} ${FROM} where ${USABLE} and c.id = $2`, [
    scope,
    id,
  ]);
  return rows[0] ?? null;
}

/** Returns those of the names that clients of the organisations have, as `<organisation> <name>` in lower case. */
export async function findTakenClients(
  db: Db,
  wanted: readonly Pick<ClientInput, 'organizationId' | 'name'>[],
): Promise<ReadonlySet<string>> {
  const { rows } = await db.query<{ key: string }>(
    `select c.organization_id || ' ' || lower(c.name) as key
       from waybill_client c
       join unnest($1::bigint[], $2::text[]) as n(organization_id, name)
         on n.organization_id = c.organization_id and lower(n.name) = lower(c.name)`,
    [wanted.map(({ organizationId }) => organizationId), wanted.map(({ name }) => name)],
  );
  return new Set(rows.map(({ key }) => key));
}

/** Locks a client until the transaction ends. */
export async function lockClient(tx: Tx, id: number): Promise<void> {
  await tx.query('select 1 from waybill_client where id = $1 for no key update', [id]);
}

export interface ClientFields extends ClientInput {
  changedBy: string;
  changedAt: Date;
}

const valuesOf = (fields: ClientFields) => [
  fields.organizationId,
  fields.name,
  fields.kind,
  JSON.stringify(fields.sites),
  JSON.stringify(fields.contacts),
  fields.note,
  fields.shared,
  fields.changedBy,
  fields.changedAt,
  fields.notices,
];

export async function insertClient(tx: Tx, fields: ClientFields): Promise<number> {
  const { rows } = await tx.query<{ id: number }>(
    `insert into waybill_client (organization_id, name, kind, sites, contacts, note, shared, changed_by, changed_at,
       notices)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) returning id`,
    valuesOf(fields),
  );
  return (rows[0] as { id: number }).id;
}

export async function updateClient(tx: Tx, id: number, fields: ClientFields): Promise<void> {
  await tx.query(
    `update waybill_client set organization_id = $1, name = $2, kind = $3, sites = $4, contacts = $5, note = $6,
       shared = $7, changed_by = $8, changed_at = $9, notices = $10
     where id = $11`,
    [...valuesOf(fields), id],
  );
}

export async function deleteClientRow(tx: Tx, id: number): Promise<void> {
  await tx.query('delete from waybill_client where id = $1', [id]);
}
