import type { Handover, HandoverAlarm, HandoverContent } from '@isotherm/contracts/handovers';
import { HANDOVER_OVERLAP_MS, type HandedOverAlarm } from '@isotherm/domain/alarms/handover';
import { containing } from '../../../platform/db/like.ts';
import type { Db, Tx } from '../../../platform/db/pool.ts';

export interface HandoverRow extends Omit<Handover, 'from' | 'until' | 'incoming'> {
  organizationPath: string;
  from: Date;
  until: Date;
  incoming: { id: number; name: string; at: string } | null;
}

const COUNTS = ['open', 'unacknowledged', 'raised', 'acknowledged', 'ended']
  .map((section) => `'${section}', jsonb_array_length(h.content -> 'sections' -> '${section}')`)
  .join(', ');

const SELECT = `
  select h.id::float8 as id, h.organization_id::float8 as "organizationId", o.name as "organizationName",
         o.path as "organizationPath", h.starts_at as from, h.ends_at as until, h.comment,
         json_build_object('id', h.signed_by, 'name', h.signed_name) as outgoing,
         case when r.handover_id is null then null
              else json_build_object('id', r.received_by, 'name', r.received_name,
                     'at', to_char(r.received_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) end as incoming,
         json_build_object(${COUNTS}) as counts`;
const FROM = `
    from alarm_handover h join organization o on o.id = h.organization_id
    left join alarm_handover_receipt r on r.handover_id = h.id`;

export async function listHandoverRows(
  db: Db,
  scope: string,
  filter: { search: string; organizationId?: number | undefined },
  { order, limit, offset }: { order: 'asc' | 'desc'; limit: number; offset: number },
): Promise<{ rows: HandoverRow[]; total: number }> {
  const where = `
    where o.path like $1 || '%'
      and ($2 = '' or lower(concat_ws(' ', h.signed_name, r.received_name, h.comment)) like $2)
      and ($3::bigint is null or o.path like (select f.path from organization f where f.id = $3) || '%')`;
  const values = [scope, containing(filter.search.trim().toLowerCase()), filter.organizationId ?? null];
  const [found, count] = await Promise.all([
    db.query<HandoverRow>(
      `${SELECT} ${FROM} ${where} order by h.ends_at ${order}, h.id ${order} limit $4 offset $5`,
      [...values, limit, offset],
    ),
    db.query<{ count: number }>(`select count(*)::int as count ${FROM} ${where}`, values),
  ]);
  return { rows: found.rows, total: count.rows[0]?.count ?? 0 };
}

export async function findHandover(db: Db, scope: string, id: number): Promise<HandoverRow | null> {
  const { rows } = await db.query<HandoverRow>(
    `${SELECT} ${FROM} where o.path like $1 || '%' and h.id = $2`,
    [scope, id],
  );
  return rows[0] ?? null;
}

/** The newest handover of exactly this organisation. */
export async function findLastHandover(db: Db, organizationId: number): Promise<HandoverRow | null> {
  const { rows } = await db.query<HandoverRow>(
    `${SELECT} ${FROM} where h.organization_id = $1 order by h.ends_at desc, h.id desc limit 1`,
    [organizationId],
  );
  return rows[0] ?? null;
}

export async function readHandoverContent(db: Db, id: number): Promise<HandoverContent> {
  const { rows } = await db.query<{ content: HandoverContent }>(
    'select content from alarm_handover where id = $1',
    [id],
  );
  return (rows[0] as { content: HandoverContent }).content;
}

export async function insertHandover(
  tx: Tx,
  row: {
    organizationId: number;
    from: Date;
    until: Date;
    content: HandoverContent;
    comment: string;
    signedBy: number;
    signedName: string;
  },
): Promise<number> {
  const { rows } = await tx.query<{ id: number }>(
    `insert into alarm_handover (organization_id, starts_at, ends_at, content, comment, signed_by, signed_name)
     values ($1, $2, $3, $4, $5, $6, $7) returning id::float8 as id`,
    [
      row.organizationId,
      row.from,
      row.until,
      JSON.stringify(row.content),
      row.comment,
      row.signedBy,
      row.signedName,
    ],
  );
  return (rows[0] as { id: number }).id;
}

/** Returns false if somebody has taken the shift over already. */
export async function insertReceipt(
  tx: Tx,
  id: number,
  by: { id: number; name: string },
  at: Date,
): Promise<boolean> {
  const { rowCount } = await tx.query(
    `insert into alarm_handover_receipt (handover_id, received_by, received_name, received_at)
     values ($1, $2, $3, $4) on conflict do nothing`,
    [id, by.id, by.name, at],
  );
  return rowCount === 1;
}

/** Lets handovers of an organisation be signed one after another, so that their periods do not overlap. */
export async function lockHandovers(tx: Tx, organizationId: number): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(hashtextextended('alarm_handover', $1))`, [organizationId]);
}

export type HandedOverRow = HandoverAlarm & Omit<HandedOverAlarm, 'endedAt'> & { endedMs: number | null };

/**
 * Alarms of an organisation and those below it that need attention now, or of which anything was recorded since
 * shortly before `from`, worst first.
 */
export async function listHandedOver(db: Db, path: string, from: Date): Promise<HandedOverRow[]> {
  const { rows } = await db.query<HandedOverRow>(
    `with wanted as (
       select id from alarm where ended_at is null or not is_acknowledged
       union select alarm_id from alarm_event where recorded_at > $2
       union select alarm_id from alarm_action where at > $2 and type = 'acknowledged'
     )
     select a.id::float8 as id, case when a.ended_at is null then a.level else coalesce(a.peak_level, a.level) end as level,
            a.kind, a.subject, c.indicator, coalesce(s.id, 0)::float8 as "assetId", coalesce(s.name, d.name) as "assetName",
            c.name as "channelName", o.name as "organizationName", a.since, a.ended_at as "endedAt",
            a.peak_value as "peakValue", case when a.is_acknowledged then coalesce(nullif(a.acknowledged_by_link, ''), h.realname) end as "acknowledgedBy",
            (extract(epoch from a.recorded_at) * 1000)::float8 as "raisedAt",
            case when a.ended_at is null then null
                 else (extract(epoch from coalesce(e.ended, a.ended_at)) * 1000)::float8 end as "endedMs",
            case when a.is_acknowledged then (extract(epoch from a.acknowledged_at) * 1000)::float8 end as "acknowledgedAt"
       from wanted w join alarm a on a.id = w.id
       join organization o on o.id = a.organization_id and o.path like $1 || '%'
       join channel c on c.id = a.channel_id join device d on d.id = c.device_id
       left join asset s on s.id = a.asset_id left join account h on h.id = a.acknowledged_by
       left join lateral (select max(recorded_at) as ended from alarm_event where alarm_id = a.id and type = 'ended') e on true
      where a.end_reason is distinct from 'late-readings'
      order by a.ended_at is not null, 2 desc, a.since, a.id`,
    [path, new Date(from.getTime() - HANDOVER_OVERLAP_MS)],
  );
  return rows;
}
