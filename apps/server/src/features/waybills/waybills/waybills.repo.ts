import type { Waybill, WaybillDetail, WaybillInput } from '@isotherm/contracts/waybills';
import { INDICATOR_NAMES, INDICATORS, type Indicator } from '@isotherm/domain/readings/indicator';
import type { StepMeans } from '@isotherm/domain/waybills/automatic';
import type { ProductLimits } from '@isotherm/domain/waybills/product-profile';
import type { Course, WaybillState } from '@isotherm/domain/waybills/waybill';
import { containing } from '../../../platform/db/like.ts';
import type { Db, Tx } from '../../../platform/db/pool.ts';

/** Limits that apply to a waybill, copied from its product. */
export interface WaybillLimits extends ProductLimits {
  profileName: string | null;
  profileVersion: number | null;
  /** Required time in range before the departure; null: not checked. */
  preCoolMinutes: number | null;
}

type Moments =
  | 'plannedDepartureAt'
  | 'plannedDeliveryAt'
  | 'departedAt'
  | 'endedAt'
  | 'changedAt'
  | 'decidedAt';

export interface WaybillRow
  extends Omit<Waybill, Moments | 'low' | 'high' | 'profileName'>,
    Pick<WaybillDetail, 'decisionReason' | 'decidedBy'> {
  organizationPath: string;
  organizationCode: string;
  timeZone: string;
  assetKind: string;
  driverUsername: string | null;
  /** Code of the product; null without one. */
  profileCode: string | null;
  /** What the check of the time in range said at the departure, with the reason; null before, and without a check. */
  preCoolResult: string | null;
  limits: WaybillLimits;
  plannedDepartureAt: Date;
  plannedDeliveryAt: Date | null;
  departedAt: Date | null;
  endedAt: Date | null;
  changedAt: Date;
  decidedAt: Date | null;
}

export interface WaybillFilter {
  search: string;
  organizationId?: number | undefined;
  state?: WaybillState | undefined;
  decision?: string | undefined;
}

export interface WaybillPage {
  sort: 'number' | 'state' | 'plannedDepartureAt' | 'departedAt' | 'changedAt';
  order: 'asc' | 'desc';
  limit: number;
  offset: number;
}

/** Devices that were not removed before the end of the trip. */
const KEPT = '(t.released_at is null or t.released_at >= w.ended_at)';
const COLUMNS = `w.id, w.organization_id as "organizationId", o.name as "organizationName", o.code as "organizationCode",
  o.path as "organizationPath", o.time_zone as "timeZone", w.number, w.state,
  w.consignor_unit as "consignorUnit", w.consignor_address as "consignorAddress",
  w.consignor_contact as "consignorContact", w.consignor_phone as "consignorPhone",
  w.consignee_unit as "consigneeUnit", w.consignee_address as "consigneeAddress",
  w.consignee_contact as "consigneeContact", w.consignee_phone as "consigneePhone",
  w.consignee_email as "consigneeEmail", w.consignee_language as "consigneeLanguage",
  w.asset_id as "assetId", a.name as "assetName", a.kind as "assetKind",
  (select p.code from product_profile p where p.id = w.profile_id) as "profileCode",
  w.tour, w.stop, w.driver_id as "driverId", (select h.realname from account h where h.id = w.driver_id) as "driverName",
  (select h.username from account h where h.id = w.driver_id) as "driverUsername",
  w.planned_departure_at as "plannedDepartureAt", w.planned_delivery_at as "plannedDeliveryAt",
  w.profile_id as "profileId", w.temperature_low as "temperatureLow", w.temperature_high as "temperatureHigh",
  w.pre_cool_minutes as "preCoolMinutes",
  (select concat_ws(': ', p.state, nullif(p.reason, '')) from waybill_pre_cool p where p.waybill_id = w.id) as "preCoolResult",
  (select f.geofence_id from waybill_geofence f where f.waybill_id = w.id and f.role = 'departure') as "departureFenceId",
  (select g.name from waybill_geofence f join geofence g on g.id = f.geofence_id
    where f.waybill_id = w.id and f.role = 'departure') as "departureFenceName",
  array(select f.geofence_id from waybill_geofence f where f.waybill_id = w.id and f.role = 'arrival' order by 1) as "arrivalFenceIds",
  array(select g.name from waybill_geofence f join geofence g on g.id = f.geofence_id
         where f.waybill_id = w.id and f.role = 'arrival' order by f.geofence_id) as "arrivalFenceNames",
  array(select t.device_id from waybill_device t where t.waybill_id = w.id and ${KEPT} order by t.id) as "deviceIds",
  array(select d.number from waybill_device t join device d on d.id = t.device_id
         where t.waybill_id = w.id and ${KEPT} order by t.id) as "deviceNumbers",
  w.depart_at_time as "departAtTime", w.depart_by_button as "departByButton",
  w.deliver_at_time as "deliverAtTime", w.deliver_by_button as "deliverByButton",
  w.limits, w.goods, w.note, w.departed_at as "departedAt", w.ended_at as "endedAt", w.decision,
  w.decision_reason as "decisionReason", w.decided_by as "decidedBy", w.decided_at as "decidedAt",
  w.changed_by as "changedBy", w.changed_at as "changedAt"`;
const FROM =
  'from waybill w join organization o on o.id = w.organization_id join asset a on a.id = w.asset_id';
const SORT = {
  number: 'lower(w.number)',
  state: `array_position(array['in-transport', 'not-shipped', 'rejected', 'arrived'], w.state)`,
  plannedDepartureAt: 'w.planned_departure_at',
  departedAt: 'w.departed_at',
  changedAt: 'w.changed_at',
} as const;

export async function listWaybillRows(
  db: Db,
  scope: string,
  { search, organizationId, state, decision }: WaybillFilter,
  { sort, order, limit, offset }: WaybillPage,
): Promise<{ rows: WaybillRow[]; total: number }> {
  const where = `where o.path like $1 || '%'
      and ($2 = '' or lower(concat_ws(' ', w.number, w.tour, w.consignor_unit, w.consignee_unit, a.name, w.goods)) like $2)
      and ($3::bigint is null or w.organization_id = $3) and ($4::text is null or w.state = $4)
      and ($5::text is null or coalesce(w.decision, 'none') = $5)`;
  const values = [
    scope,
    containing(search.trim().toLowerCase()),
    organizationId ?? null,
    state ?? null,
    decision ?? null,
  ];
  const [found, count] = await Promise.all([
    db.query<WaybillRow>(
      `select ${COLUMNS} ${FROM} ${where} order by ${SORT[sort]} ${order} nulls last, w.id desc limit $6 offset $7`,
      [...values, limit, offset],
    ),
    db.query<{ count: number }>(`select count(*)::int as count ${FROM} ${where}`, values),
  ]);
  return { rows: found.rows, total: count.rows[0]?.count ?? 0 };
}

/** Returns the waybills in scope with these ids, in this order. */
export async function findWaybills(
  db: Db,
  scope: string,
  ids: readonly number[],
): Promise<readonly WaybillRow[]> {
  const { rows } = await db.query<WaybillRow>(
    `select ${COLUMNS} ${FROM} where o.path like $1 || '%' and w.id = any($2::bigint[])
      order by array_position($2::bigint[], w.id)`,
    [scope, ids],
  );
  return rows;
}

export async function findWaybill(db: Db, scope: string, id: number): Promise<WaybillRow | null> {
  const { rows } = await db.query<WaybillRow>(
    `select ${COLUMNS} ${FROM} where o.path like $1 || '%' and w.id = $2`,
    [scope, id],
  );
  return rows[0] ?? null;
}

/** Locks a waybill until the transaction ends. */
export async function lockWaybill(tx: Tx, id: number): Promise<void> {
  await tx.query('select 1 from waybill where id = $1 for no key update', [id]);
}

/** Returns those of these numbers that exist, as `<organisation id> <number in lower case>`. */
export async function findTakenNumbers(
  db: Db,
  wanted: readonly Pick<WaybillInput, 'organizationId' | 'number'>[],
): Promise<ReadonlySet<string>> {
  const { rows } = await db.query<{ key: string }>(
    `select w.organization_id || ' ' || lower(w.number) as key
       from waybill w
       join unnest($1::bigint[], $2::text[]) as n(organization_id, number)
         on n.organization_id = w.organization_id and lower(n.number) = lower(w.number)`,
    [wanted.map(({ organizationId }) => organizationId), wanted.map(({ number }) => number)],
  );
  return new Set(rows.map(({ key }) => key));
}

export interface WaybillFields extends WaybillInput {
  limits: WaybillLimits;
  changedBy: string;
  changedAt: Date;
}

/** A waybill as a row of the table. */
const rowOf = (fields: WaybillFields) => ({
  organization_id: fields.organizationId,
  number: fields.number,
  consignor_unit: fields.consignorUnit,
  consignor_address: fields.consignorAddress,
  consignor_contact: fields.consignorContact,
  consignor_phone: fields.consignorPhone,
  consignee_unit: fields.consigneeUnit,
  consignee_address: fields.consigneeAddress,
  consignee_contact: fields.consigneeContact,
  consignee_phone: fields.consigneePhone,
  asset_id: fields.assetId,
  planned_departure_at: fields.plannedDepartureAt,
  planned_delivery_at: fields.plannedDeliveryAt,
  profile_id: fields.profileId,
  temperature_low: fields.temperatureLow,
  temperature_high: fields.temperatureHigh,
  limits: fields.limits,
  goods: fields.goods,
  note: fields.note,
  changed_by: fields.changedBy,
  changed_at: fields.changedAt,
  driver_id: fields.driverId,
  pre_cool_minutes: fields.preCoolMinutes,
  consignee_email: fields.consigneeEmail,
  consignee_language: fields.consigneeLanguage,
  tour: fields.tour,
  stop: fields.stop,
  depart_at_time: fields.departAtTime,
  depart_by_button: fields.departByButton,
  deliver_at_time: fields.deliverAtTime,
  deliver_by_button: fields.deliverByButton,
});

/** Creates waybills with one statement; returns their ids in ascending order. */
export async function insertWaybills(tx: Tx, waybills: readonly WaybillFields[]): Promise<number[]> {
  const [first] = waybills;
  if (!first) return [];
  const newRow = (fields: WaybillFields) => ({ ...rowOf(fields), automatic_since: fields.changedAt });
  const columns = Object.keys(newRow(first)).join(', ');
  const { rows } = await tx.query<{ id: number }>(
    `insert into waybill (${columns}) select ${columns} from jsonb_populate_recordset(null::waybill, $1) returning id`,
    [JSON.stringify(waybills.map(newRow))],
  );
  return rows.map(({ id }) => id).sort((a, b) => a - b);
}

export async function insertWaybill(tx: Tx, fields: WaybillFields): Promise<number> {
  const [id] = await insertWaybills(tx, [fields]);
  return id as number;
}

/** What takes steps by itself; if it is changed, only what happens from then on counts. */
const AUTOMATIC = ['depart_at_time', 'depart_by_button', 'deliver_at_time', 'deliver_by_button'];

export async function updateWaybill(tx: Tx, id: number, fields: WaybillFields): Promise<void> {
  const row = rowOf(fields);
  const ofTable = (table: string) => AUTOMATIC.map((column) => `${table}.${column}`).join(', ');
  await tx.query(
    `update waybill w set ${Object.keys(row)
      .map((column) => `${column} = r.${column}`)
      .join(', ')},
       automatic_since = case when (${ofTable('w')}) = (${ofTable('r')}) then w.automatic_since else r.changed_at end
       from jsonb_populate_record(null::waybill, $1) r
     where w.id = $2`,
    [JSON.stringify(row), id],
  );
}

export async function deleteWaybillRow(tx: Tx, id: number): Promise<void> {
  await tx.query('delete from waybill where id = $1', [id]);
}

/** Returns the course of a waybill for the state machine. */
export async function readCourse(
  db: Db,
  { id, state }: { id: number; state: WaybillState },
): Promise<Course> {
  const { rows } = await db.query<{ assetId: number; from: Date; until: Date | null }>(
    `select asset_id as "assetId", started_at as "from", ended_at as until from waybill_leg
      where waybill_id = $1 order by position`,
    [id],
  );
  return {
    state,
    legs: rows.map(({ assetId, from, until }) => ({
      assetId,
      from: from.getTime(),
      until: until?.getTime() ?? null,
    })),
  };
}

/** Stores the course after a step, with the limits that apply from now on. */
export async function saveCourse(
  tx: Tx,
  id: number,
  { state, legs }: Course,
  by: { limits: WaybillLimits; changedBy: string; changedAt: Date },
): Promise<void> {
  for (const [position, { assetId, from, until }] of legs.entries())
    await tx.query(
      `insert into waybill_leg (waybill_id, position, asset_id, started_at, ended_at) values ($1, $2, $3, $4, $5)
       on conflict (waybill_id, position) do update set ended_at = excluded.ended_at`,
      [id, position, assetId, new Date(from), until === null ? null : new Date(until)],
    );
  const [first] = legs;
  const ended = legs.at(-1)?.until ?? null;
  await tx.query(
    `update waybill set state = $2, asset_id = coalesce($3, asset_id), departed_at = $4, ended_at = $5, limits = $6,
       changed_by = $7, changed_at = $8
     where id = $1`,
    [
      id,
      state,
      legs.at(-1)?.assetId ?? null,
      first ? new Date(first.from) : null,
      ended === null ? null : new Date(ended),
      JSON.stringify(by.limits),
      by.changedBy,
      by.changedAt,
    ],
  );
}

export interface CustodyEntry {
  action: string;
  at: Date;
  username: string;
  person: string;
  note: string;
  assetId: number | null;
  recordedAt: Date;
  /** What took the step without a person. */
  means?: StepMeans | null;
}

/** Appends to the chain of custody; returns the id of the entry. */
export async function insertCustody(tx: Tx, waybillId: number, entry: CustodyEntry): Promise<number> {
  const { rows } = await tx.query<{ id: number }>(
    `insert into waybill_custody (waybill_id, action, at, username, person, note, asset_id, recorded_at, means)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9) returning id`,
    [
      waybillId,
      entry.action,
      entry.at,
      entry.username,
      entry.person,
      entry.note,
      entry.assetId,
      entry.recordedAt,
      entry.means ?? null,
    ],
  );
  return (rows[0] as { id: number }).id;
}

type Custody = Omit<WaybillDetail['custody'][number], 'handover'>;

/** Returns the chain of custody in the order of entry, and the legs with the names of their assets. */
export async function readTrip(
  db: Db,
  id: number,
): Promise<{
  custody: (Omit<Custody, 'at'> & { at: Date })[];
  legs: { assetId: number; assetName: string; from: Date; until: Date | null }[];
}> {
  const [custody, legs] = await Promise.all([
    db.query<Omit<Custody, 'at'> & { at: Date }>(
      `select c.id, c.action, c.at, c.username, c.person, c.note, a.name as "assetName", c.means
         from waybill_custody c left join asset a on a.id = c.asset_id where c.waybill_id = $1 order by c.id`,
      [id],
    ),
    db.query<{ assetId: number; assetName: string; from: Date; until: Date | null }>(
      `select l.asset_id as "assetId", a.name as "assetName", l.started_at as "from", l.ended_at as until
         from waybill_leg l join asset a on a.id = l.asset_id where l.waybill_id = $1 order by l.position`,
      [id],
    ),
  ]);
  return { custody: custody.rows, legs: legs.rows };
}

export async function saveDecision(
  tx: Tx,
  id: number,
  made: { decision: string; reason: string; verdict: object; by: string; at: Date },
): Promise<void> {
  await tx.query(
    `update waybill set decision = $2, decision_reason = $3, decided_on = $4, decided_by = $5, decided_at = $6,
       changed_by = $5, changed_at = $6
     where id = $1`,
    [id, made.decision, made.reason, JSON.stringify(made.verdict), made.by, made.at],
  );
}

/**
 * Returns the asset if it is in the scope, was not deleted, and may carry the goods of the organisation with this path:
 * that of an organisation above or below it. Otherwise a waybill would show the temperatures of another enterprise.
 */
export async function findAssetIn(
  db: Db,
  scope: string,
  organizationPath: string,
  id: number,
): Promise<{ id: number; name: string } | null> {
  const { rows } = await db.query<{ id: number; name: string }>(
    `select a.id, a.name from asset a join organization o on o.id = a.organization_id
      where o.path like $1 || '%' and a.deleted_at is null and a.id = $2
        and (o.path like $3 || '%' or $3 like o.path || '%')`,
    [scope, id, organizationPath],
  );
  return rows[0] ?? null;
}

interface TripChannel {
  /** Asset to which it belonged from `from` to `until`, epoch ms. */
  assetId: number;
  from: number;
  until: number;
  channelId: number;
  name: string;
  acquisitionIntervalMs: number;
}

/** On/off quantities, such as doors. */
export const SWITCHES: readonly Indicator[] = INDICATOR_NAMES.filter(
  (name) => INDICATORS[name].kind === 'switch',
);
const TEMPERATURE: readonly Indicator[] = ['temperature'];

/**
 * Returns channels of assets that belong to a waybill, in the order of their sensors; temperatures unless other quantities are named.
 * Channels of the devices for its trip come first, because they stay with the goods on all legs; their names contain the number of the
 * device, since the vehicle may have channels of the same name. Devices for the trips of other waybills are with other goods and left out.
 */
export async function listTripChannels(
  db: Db,
  waybillId: number,
  assetIds: readonly number[],
  indicators: readonly Indicator[] = TEMPERATURE,
): Promise<TripChannel[]> {
  const { rows } = await db.query<
    Omit<TripChannel, 'from' | 'until'> & { from: Date | number; until: Date | number }
  >(
    `select c.asset_id as "assetId", c.id as "channelId",
            case when t.own then concat(c.name, ' · ', d.number) else c.name end as name,
            d.acquisition_interval_ms as "acquisitionIntervalMs", b.valid_from as "from", b.valid_until as until
       from channel c join sensor s on s.id = c.sensor_id join device d on d.id = c.device_id
       join lateral (select min(b.valid_from) as valid_from, max(b.valid_until) as valid_until, min(b.device_id) as device_id
                       from binding b where b.channel_id = c.id) b on b.valid_from is not null
       left join lateral (select bool_or(t.waybill_id = $1) as own
                            from waybill_device t
                           where t.device_id = b.device_id and b.valid_from >= t.bound_at
                             and b.valid_from < coalesce(t.released_at, 'infinity')) t on true
      where c.asset_id = any($2::bigint[]) and c.indicator = any($3) and coalesce(t.own, true)
      order by t.own nulls last, d.number, s.index, c.id`,
    [waybillId, assetIds, indicators],
  );
  return rows.map(({ from, until, ...channel }) => ({
    ...channel,
    from: Number(from),
    until: Number(until),
  }));
}

interface NamedAsset {
  id: number;
  name: string;
  code: string;
  kind: string;
  /** Organisation whose goods it may carry. */
  organizationId: number;
}

/** Finds the assets in scope by name or code that may carry goods of these organisations, as `findAssetIn`. */
export async function findNamedAssets(
  db: Db,
  scope: string,
  organizationIds: readonly number[],
  names: readonly string[],
): Promise<NamedAsset[]> {
  const { rows } = await db.query<NamedAsset>(
    `select a.id, a.name, a.code, a.kind, w.id as "organizationId"
       from asset a join organization o on o.id = a.organization_id
       join organization w on o.path like w.path || '%' or w.path like o.path || '%'
      where o.path like $1 || '%' and a.deleted_at is null and w.id = any($3::bigint[])
        and (lower(a.name) = any($2::text[]) or lower(a.code) = any($2::text[]))`,
    [scope, names.map((name) => name.toLowerCase()), organizationIds],
  );
  return rows;
}

/**
 * Finds enabled product profiles by their codes for waybills of organisations: their own, else those that the
 * nearest organisation above shares.
 */
export async function findProfilesByCode(
  db: Db,
  organizationIds: readonly number[],
  codes: readonly string[],
): Promise<{ id: number; code: string; organizationId: number }[]> {
  const { rows } = await db.query<{ id: number; code: string; organizationId: number }>(
    `select distinct on (w.id, lower(p.code)) p.id, lower(p.code) as code, w.id as "organizationId"
       from organization w
       join organization o on w.path like o.path || '%'
       join product_profile p on p.organization_id = o.id and (p.shared or o.id = w.id)
      where w.id = any($1::bigint[]) and p.enabled and lower(p.code) = any($2::text[])
      order by w.id, lower(p.code), length(o.path) desc`,
    [organizationIds, codes.map((code) => code.toLowerCase())],
  );
  return rows;
}

/** Returns the time zones of organisations by id. */
export async function findZones(db: Db, ids: readonly number[]): Promise<ReadonlyMap<number, string>> {
  const { rows } = await db.query<{ id: number; zone: string }>(
    'select id, time_zone as zone from organization where id = any($1::bigint[])',
    [ids],
  );
  return new Map(rows.map(({ id, zone }) => [id, zone]));
}
