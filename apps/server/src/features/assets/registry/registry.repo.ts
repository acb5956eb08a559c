import type { AssetInput } from '@isotherm/contracts/asset-registry';
import { ALARM_KINDS, isSilence } from '@isotherm/domain/alarms/catalogue';
import type { AssetKind, AssetType } from '@isotherm/domain/assets/asset-kind';
import type { AssetStatus } from '@isotherm/domain/assets/asset-status';
import { ATTENTION_RANK } from '@isotherm/domain/assets/attention';
import { containing } from '../../../platform/db/like.ts';
import type { Statement } from '../../../platform/db/map-rows.ts';
import type { Db, Tx } from '../../../platform/db/pool.ts';

export interface RecordRow {
  id: number;
  kind: AssetKind;
  organization_id: number;
  organization_name: string;
  organization_code: string;
  organization_path: string;
  name: string;
  code: string;
  material_code: string;
  national_code: string;
  manufacturer: string;
  factory_number: string;
  brand: string;
  model: string;
  type: string;
  plate: string;
  size: string;
  volume: number | null;
  purchase_source: string;
  dual_power: boolean;
  dual_compressor: boolean;
  place: string;
  latitude: number | null;
  longitude: number | null;
  time_zone: string;
  status: AssetStatus;
  devices: string[];
  created_at: Date;
  deleted_at: Date | null;
  version: number;
}

/** Columns of `asset` that a form fills, and the form field of each. */
const FORM_COLUMNS = {
  organization_id: 'organizationId',
  name: 'name',
  code: 'code',
  material_code: 'materialCode',
  national_code: 'nationalCode',
  manufacturer: 'manufacturer',
  factory_number: 'factoryNumber',
  brand: 'brand',
  model: 'model',
  type: 'type',
  plate: 'plate',
  size: 'size',
  volume: 'volume',
  purchase_source: 'purchaseSource',
  dual_power: 'dualPower',
  dual_compressor: 'dualCompressor',
  place: 'place',
  latitude: 'latitude',
  longitude: 'longitude',
  time_zone: 'timeZone',
} as const;
const FORM_NAMES = Object.keys(FORM_COLUMNS) as (keyof typeof FORM_COLUMNS)[];
/** Default values of fields that a kind does not have. */
const ABSENT = { brand: '', type: '', plate: '' };

/**
 * Returns the SQL value of each column, with parameters numbered from `from`; a missing time zone becomes
 * `otherwise`.
 */
function parameters(from: number, otherwise: string): string[] {
  return FORM_NAMES.map((column, at) =>
    column === 'time_zone' ? `coalesce($${at + from}, ${otherwise})` : `$${at + from}`,
  );
}

function formValues(form: AssetInput): unknown[] {
  const whole: Record<string, unknown> = { ...ABSENT, ...form };
  return FORM_NAMES.map((column) => whole[FORM_COLUMNS[column]]);
}

const FROM = 'from asset a join organization o on o.id = a.organization_id';
const COLUMNS = `a.id, a.kind, a.organization_id, o.name as organization_name, o.code as organization_code,
       o.path as organization_path,
       ${FORM_NAMES.filter((column) => column !== 'organization_id')
         .map((column) => `a.${column}`)
         .join(', ')},
       a.status, a.created_at, a.deleted_at, a.version,
       array(select d.number from device d where d.asset_id = a.id and d.deleted_at is null order by d.number) as devices`;

export interface AssetFilter {
  scope: string;
  search: string;
  kind: AssetKind | null;
  organizationId: number | null;
  /** Whether lower organisations are included. */
  below: boolean;
  groupId: number | null;
  status: AssetStatus | null;
  type: string | null;
  binding: 'bound' | 'unbound' | null;
  deleted: boolean;
}

/** `is true` prevents PostgreSQL from joining the organisations, so that a page is read in index order. */
const WHERE = `where (a.organization_id in (
            select s.id from organization s
             where s.path like $1 || '%'
               and ($3::bigint is null or s.id = $3
                    or ($9 and s.path like (select path from organization where id = $3) || '%')))) is true
      and ($2 = '' or a.search_text like $2)
      and ($4::text is null or a.kind = $4)
      and ($5::text is null or a.status = $5)
      and ($6::text is null or a.type = $6)
      and ($7::text is null or (a.id in (select d.asset_id from device d
                                          where d.asset_id is not null and d.deleted_at is null)) = ($7 = 'bound'))
      and (a.deleted_at is not null) = $8
      and ($10::bigint is null or a.id in (
            select m.asset_id from asset_group_member m join asset_group g on g.id = m.group_id
             where g.path like (select path from asset_group where id = $10) || '%'))`;

function filterValues(filter: AssetFilter): unknown[] {
  return [
    filter.scope,
    containing(filter.search.toLowerCase()),
    filter.organizationId,
    filter.kind,
    filter.status,
    filter.type,
    filter.binding,
    filter.deleted,
    filter.below,
    filter.groupId,
  ];
}

const SILENCES = ALARM_KINDS.filter(isSilence)
  .map((kind) => `'${kind}'`)
  .join(', ');
/** Returns SQL for the rank of a level and a state. */
const rank = (level: string, state: Exclude<keyof typeof ATTENTION_RANK, 'level'>) =>
  `${ATTENTION_RANK.level} * ${level} + ${ATTENTION_RANK[state]}`;
/**
 * Joins the urgency of assets, ranked as by `severity` (domain, assets/attention.ts). As on the monitor, an
 * ended alarm counts only while no other alarm is open, and a pending level only if its channel has no open
 * alarm. Assets without a row are within limits, or have not been silent long enough for an alarm.
 */
const ATTENTION = `left join (
       select asset_id, coalesce(max(rank) filter (where pending), 0) as pending_rank,
              coalesce(max(rank) filter (where is_open), max(rank) filter (where not pending), 0) as alarm_rank
         from (
         select l.asset_id, l.ended_at is null as is_open, false as pending,
                case when l.ended_at is not null then ${rank('coalesce(l.peak_level, l.level)', 'ended')}
                     when l.kind in (${SILENCES}) then ${rank('l.level', 'silent')}
                     when l.state = 'recovering' then ${rank('l.level', 'recovering')}
                     else ${rank('l.level', 'active')} end as rank
           from alarm l where l.ended_at is null or not l.is_acknowledged
         union all
         select c.asset_id, false, true, ${rank('r.level', 'pending')}
           from alarm_state s join alarm_rule r on r.id = s.rule_id join channel c on c.id = s.channel_id
          where s.phase = 'pending'
            and not exists (select from alarm l where l.channel_id = s.channel_id and l.ended_at is null
                               and l.kind not in (${SILENCES}))) ranked group by asset_id) n on n.asset_id = a.id`;

const SORT = {
  state: 'coalesce(greatest(n.alarm_rank, n.pending_rank), 0)',
  name: 'lower(a.name)',
  code: 'lower(a.code)',
  organization: 'lower(o.name)',
  status: 'a.status',
  createdAt: 'a.created_at',
} as const;

export interface RecordPage {
  sort: keyof typeof SORT;
  order: 'asc' | 'desc';
  limit: number;
  offset: number;
}

/** Returns the query for the assets of a list, as {@link RecordRow}. */
export function recordRows(filter: AssetFilter, page: RecordPage): Statement {
  const next = page.sort === 'state' ? `${SORT.name} asc, a.id asc` : `a.id ${page.order}`;
  const order = `order by ${SORT[page.sort]} ${page.order}, ${next}`;
  const ranked = page.sort === 'state' ? ATTENTION : '';
  return {
    // The rows of the page are selected before devices are joined, so that devices are read for 20 assets
    // instead of all.
    text: `with page as materialized (
       select a.id ${page.sort === 'organization' ? FROM : 'from asset a'} ${ranked} ${WHERE} ${order} limit $11 offset $12)
     select ${COLUMNS} ${FROM} ${ranked} where a.id in (select id from page) ${order}`,
    values: [...filterValues(filter), page.limit, page.offset],
  };
}

export async function listRecordRows(db: Db, filter: AssetFilter, page: RecordPage): Promise<RecordRow[]> {
  const { rows } = await db.query<RecordRow>(recordRows(filter, page));
  return rows;
}

export async function countRecords(db: Db, filter: AssetFilter): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `select count(*) as count from asset a ${WHERE}`,
    filterValues(filter),
  );
  return rows[0]?.count ?? 0;
}

/**
 * Returns one asset in scope, deleted or not; it is locked until the end of the transaction if it is to be
 * changed.
 */
export async function findRecord(
  db: Db,
  scope: string,
  id: number,
  purpose: 'read' | 'change' = 'read',
): Promise<RecordRow | null> {
  const where = `${FROM} where a.id = $1 and o.path like $2 || '%'`;
  // The lock is taken in a query of its own, because a query that waits for a lock would still see the
  // devices as they were before.
  if (purpose === 'change') await db.query(`select 1 ${where} for update of a`, [id, scope]);
  const { rows } = await db.query<RecordRow>(`select ${COLUMNS} ${where}`, [id, scope]);
  return rows[0] ?? null;
}

/** Returns null if the organisation is outside the scope. */
export async function insertRecord(
  tx: Tx,
  scope: string,
  form: AssetInput,
  createdAt: Date,
): Promise<number | null> {
  const { rows } = await tx.query<{ id: number }>(
    `insert into asset (kind, created_at, ${FORM_NAMES.join(', ')})
     select $2, $3, ${parameters(4, 'o.time_zone').join(', ')}
       from organization o where o.id = $4 and o.path like $1 || '%'
     returning id`,
    [scope, form.kind, createdAt, ...formValues(form)],
  );
  return rows[0]?.id ?? null;
}

/** Returns which of these codes already exist in their organisations, as `id code`. */
export async function findTakenCodes(
  db: Db,
  wanted: readonly { organizationId: number; code: string }[],
): Promise<Set<string>> {
  const { rows } = await db.query<{ organization_id: number; code: string }>(
    `select a.organization_id, a.code from asset a
       join unnest($1::bigint[], $2::text[]) as w(organization_id, code)
         on w.organization_id = a.organization_id and w.code = a.code
      where a.deleted_at is null`,
    [wanted.map(({ organizationId }) => organizationId), wanted.map(({ code }) => code)],
  );
  return new Set(rows.map(({ organization_id, code }) => `${organization_id} ${code}`));
}

/** Returns false if the organisation is outside the scope. */
export async function updateRecord(tx: Tx, scope: string, id: number, form: AssetInput): Promise<boolean> {
  const values = parameters(3, 'a.time_zone');
  const { rowCount } = await tx.query(
    `update asset a set version = version + 1,
            ${FORM_NAMES.map((column, at) => `${column} = ${values[at]}`).join(', ')}
       from organization o where a.id = $2 and o.id = $3 and o.path like $1 || '%'`,
    [scope, id, ...formValues(form)],
  );
  return rowCount === 1;
}

export async function setDeleted(tx: Tx, id: number, deletedAt: Date | null): Promise<void> {
  await tx.query('update asset set deleted_at = $2, version = version + 1 where id = $1', [id, deletedAt]);
}

export interface ProvisionedAsset {
  organizationId: number;
  code: string;
  name: string;
  kind: AssetKind;
  type?: AssetType | undefined;
  plate?: string | undefined;
  model: string;
  place: string;
  timeZone: string;
  latitude?: number | undefined;
  longitude?: number | undefined;
}

/** Creates those assets that do not exist yet, identified by organisation and code. */
export async function ensureAssets(tx: Tx, assets: readonly ProvisionedAsset[]): Promise<void> {
  await tx.query(
    `insert into asset (organization_id, kind, type, plate, code, name, model, place, time_zone, latitude, longitude)
     select distinct on ("organizationId", code)
            "organizationId", kind, coalesce(type, ''), coalesce(plate, ''), code, name, model, place, "timeZone", latitude,
            longitude
       from jsonb_to_recordset($1::jsonb) as i("organizationId" bigint, kind text, type text, plate text, code text,
            name text, model text, place text, "timeZone" text, latitude double precision, longitude double precision)
     on conflict (organization_id, code) where deleted_at is null do nothing`,
    [JSON.stringify(assets)],
  );
}
