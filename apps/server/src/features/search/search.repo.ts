import type { SearchResult } from '@isotherm/contracts/search';
import { containing } from '../../platform/db/like.ts';
import type { Db } from '../../platform/db/pool.ts';

type Hits<K extends keyof SearchResult> = NonNullable<SearchResult[K]>['items'][number];
type AlarmHit = Omit<Hits<'alarms'>, 'raisedAt'> & { raisedAt: Date };
type ReportHit = Omit<Hits<'reports'>, 'createdAt'> & { createdAt: Date };

/** A search of one kind of record: the scope of the caller, the text in lower case, and how many rows to return. */
export interface Search {
  scope: string;
  text: string;
  limit: number;
}

/**
 * Matches that are ranked, the newest ones. Without this limit, a text that most records contain would sort all of them. A
 * match beyond it is in the list, to which "show all" leads.
 */
const RANKED = 500;

/** As an array, the organisations are known before the records are read, which stay in the order of their index. */
const inScope = (column: string) =>
  `${column} = any(array(select p.id from organization p where p.path like $1 || '%'))`;

/** Sorts exact matches of the columns first, then those that begin with the text ($3). */
const closest = (...columns: string[]) =>
  `case when ${columns.map((column) => `lower(${column}) = $3`).join(' or ')} then 0
        when ${columns.map((column) => `starts_with(lower(${column}), $3)`).join(' or ')} then 1 else 2 end`;

const valuesOf = ({ scope, text, limit }: Search) => [scope, containing(text), text, limit];

export async function findAssets(db: Db, search: Search): Promise<Hits<'assets'>[]> {
  const { rows } = await db.query<Hits<'assets'>>(
    `select f.id, f.name, f.code, f.kind, o.name as "organizationName"
       from (select a.* from asset a where a.search_text like $2 and a.deleted_at is null and ${inScope('a.organization_id')}
              order by a.id desc limit ${RANKED}) f
       join organization o on o.id = f.organization_id
      order by ${closest('f.name', 'f.code')}, lower(f.name), f.id limit $4`,
    valuesOf(search),
  );
  return rows;
}

export async function findDevices(db: Db, search: Search): Promise<Hits<'devices'>[]> {
  const { rows } = await db.query<Hits<'devices'>>(
    `select f.number, f.name, o.name as "organizationName"
       from (select d.* from device d where d.search_text like $2 and d.deleted_at is null and d.removed_at is null
                and ${inScope('d.organization_id')} order by d.id desc limit ${RANKED}) f
       join organization o on o.id = f.organization_id
      order by ${closest('f.number', 'f.name')}, f.number limit $4`,
    valuesOf(search),
  );
  return rows;
}

/**
 * Returns the alarm with the number, then the newest alarms of assets that match by their own text or by that of a device
 * which is bound to them.
 */
export async function findAlarms(
  db: Db,
  { scope, text, limit }: Search,
  number: number | null,
): Promise<AlarmHit[]> {
  const { rows } = await db.query<AlarmHit>(
    `with matched as (
       (select a.id from asset a where a.search_text like $2 and ${inScope('a.organization_id')} order by a.id desc limit ${RANKED})
       union
       (select d.asset_id from device d where d.search_text like $2 and d.asset_id is not null and d.deleted_at is null
           and ${inScope('d.organization_id')} order by d.id desc limit ${RANKED})
     ), found as (
       select l.id from matched m cross join lateral (
         select l.id, l.raised_at from alarm l where l.asset_id = m.id order by l.raised_at desc limit $3) l
        order by l.raised_at desc limit $3
     )
     select l.id, coalesce(s.name, d.name) as "assetName", coalesce(l.peak_level, l.level) as level, l.kind, c.indicator,
            l.raised_at as "raisedAt", l.ended_at is not null as "isEnded"
       from alarm l join organization o on o.id = l.organization_id join channel c on c.id = l.channel_id
       join device d on d.id = c.device_id left join asset s on s.id = l.asset_id
      where (l.id = $4 or l.id = any(array(select id from found))) and o.path like $1 || '%'
      order by (l.id = $4) is true desc, l.raised_at desc, l.id desc limit $3`,
    [scope, containing(text), limit, number],
  );
  return rows;
}

/** SQL of the index `waybill_search`. */
const WAYBILL_TEXT = `lower(w.number || ' ' || w.consignor_unit || ' ' || w.consignee_unit)`;

export async function findWaybills(db: Db, search: Search): Promise<Hits<'waybills'>[]> {
  const { rows } = await db.query<Hits<'waybills'>>(
    `select f.id, f.number, f.state, f.consignee_unit as "consigneeUnit"
       from (select w.* from waybill w where ${WAYBILL_TEXT} like $2 and ${inScope('w.organization_id')}
              order by w.id desc limit ${RANKED}) f
      order by ${closest('f.number')}, f.id desc limit $4`,
    valuesOf(search),
  );
  return rows;
}

/** Entries of deleted organisations are left out; the register shows them to the topmost organisation. */
export async function findReports(db: Db, search: Search): Promise<ReportHit[]> {
  const { rows } = await db.query<ReportHit>(
    `select f.id, f.number, f.kind, f.subject_name as subject, f.created_at as "createdAt"
       from (select r.* from report r where lower(r.number || ' ' || r.subject_name) like $2
                and ${inScope('r.organization_id')} order by r.id desc limit ${RANKED}) f
      order by ${closest('f.number')}, f.id desc limit $4`,
    valuesOf(search),
  );
  return rows;
}
