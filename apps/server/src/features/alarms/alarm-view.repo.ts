import type { Alarm } from '@isotherm/contracts/alarms';
import { needsSignature, type SignatureLevel } from '@isotherm/domain/access/signature';
import {
  type AcknowledgementRule,
  type AlarmReason,
  requiredFields,
} from '@isotherm/domain/alarms/acknowledgement';
import type { CausedAlarm } from '@isotherm/domain/alarms/storm';
import type { CarriedTrip } from '@isotherm/domain/waybills/trip-stage';
import type { Db } from '../../platform/db/pool.ts';
import { END_MOMENT, reaches, windowsWhere } from './suppressions/windows.repo.ts';

/** An alarm as the console shows it, with the path of its organisation for the check of access. */
export type AlarmView = Alarm & { organizationPath: string };

interface AlarmViewRow {
  id: number;
  level: Alarm['level'];
  peak_level: Alarm['level'];
  kind: Alarm['kind'];
  subject: Alarm['subject'];
  state: Alarm['state'];
  indicator: Alarm['indicator'];
  asset_id: number;
  asset_name: string;
  asset_kind: Alarm['assetKind'];
  place: string;
  organization_name: string;
  organization_path: string;
  channel_id: number;
  channel_name: string;
  device_number: string;
  since: Date;
  raised_at: Date;
  ended_at: Date | null;
  end_reason: Alarm['endReason'];
  limit_value: number | null;
  recovery_margin: number | null;
  trigger_after_ms: number;
  defrost_delay_ms: number | null;
  value: number | null;
  peak_value: number | null;
  peak_at: Date | null;
  late: boolean;
  trips: CarriedTrip[] | null;
  is_acknowledged: boolean;
  acknowledged_by: string | null;
  acknowledged_by_link: string;
  acknowledged_at: Date | null;
  acknowledged_reason: AlarmReason | null;
  acknowledged_cause: string;
  corrective_action: string;
  fixed_by: string | null;
  fixed_at: Date | null;
  assignee_id: number | null;
  assignee: string | null;
  rule_of_policy: AcknowledgementRule | null;
  signature_of_policy: SignatureLevel | null;
  signature_of_organization: SignatureLevel | null;
  suppression: Alarm['suppression'];
}

const FROM = `
  from alarm a
  join channel c on c.id = a.channel_id
  join device d on d.id = c.device_id
  join organization o on o.id = a.organization_id
  left join asset s on s.id = a.asset_id
  left join account h on h.id = a.acknowledged_by
  left join account f on f.id = a.fixed_by
  left join account w on w.id = a.assigned_to
  left join alarm_rule r on r.id = a.rule_id
  left join alarm_policy_rule pr on pr.id = r.policy_rule_id
  left join alarm_policy p on p.id = pr.policy_id`;

/** SQL for the strictest signature setting of the alarm's organisation `o` and those above it. */
const SIGNATURE_LEVEL = `
  select min(x.signature_from_level) from organization x
   where x.id = any(string_to_array(trim(both '/' from o.path), '/')::bigint[]) and x.signature_from_level > 0`;

/** SQL for the suppression window that holds back notifications of the open alarm `a` now; the last one to end. */
const HOLDING = `
  select json_build_object('id', w.id, 'kind', w.kind, 'reason', w.reason, 'until', ${END_MOMENT}) as suppression
    from active_window w join organization place on place.id = coalesce(s.organization_id, d.organization_id)
   where a.ended_at is null and w.highest_level >= a.level and ${reaches('s.id', 'place.path')}
   order by w.ends_at desc limit 1`;

const SELECT = `
  with active_window as materialized (
    ${windowsWhere('w.ended_at is null and w.starts_at <= now() and w.ends_at > now()')})
  select a.id, a.level, coalesce(a.peak_level, a.level) as peak_level, a.kind, a.subject, a.state, c.indicator, coalesce(s.id, 0) as asset_id,
         coalesce(s.name, d.name) as asset_name, coalesce(s.kind, 'container') as asset_kind,
         coalesce(s.place, '') as place, o.name as organization_name, o.path as organization_path, a.channel_id,
         c.name as channel_name, d.number as device_number, a.since, a.raised_at, a.ended_at, a.end_reason,
         a.limit_value, a.recovery_margin, a.trigger_after_ms, a.defrost_delay_ms, a.value, a.peak_value, a.peak_at, a.late, alarm_trips(a.asset_id, a.raised_at) as trips,
         a.is_acknowledged, h.realname as acknowledged_by, a.acknowledged_by_link, a.acknowledged_at, a.acknowledged_reason,
         a.acknowledged_cause, a.corrective_action, f.realname as fixed_by, a.fixed_at, w.id as assignee_id,
         w.realname as assignee, p.definition -> 'acknowledgement' as rule_of_policy,
         (p.definition ->> 'signatureFromLevel')::int as signature_of_policy,
         (${SIGNATURE_LEVEL}) as signature_of_organization, x.suppression ${FROM}
  left join lateral (${HOLDING}) x on true`;

function toView(row: AlarmViewRow): AlarmView {
  return {
    id: row.id,
    level: row.level,
    peakLevel: row.peak_level,
    kind: row.kind,
    subject: row.subject,
    state: row.state,
    indicator: row.indicator,
    assetId: row.asset_id,
    assetName: row.asset_name,
    assetKind: row.asset_kind,
    place: row.place,
    organizationName: row.organization_name,
    organizationPath: row.organization_path,
    channelId: row.channel_id,
    channelName: row.channel_name,
    deviceNumber: row.device_number,
    since: row.since.toISOString(),
    raisedAt: row.raised_at.toISOString(),
    endedAt: row.ended_at?.toISOString() ?? null,
    endReason: row.end_reason,
    limitValue: row.limit_value,
    recoveryMargin: row.recovery_margin,
    triggerAfterMs: row.trigger_after_ms,
    defrostDelayMs: row.defrost_delay_ms,
    value: row.value,
    peakValue: row.peak_value,
    peakAt: row.peak_at?.toISOString() ?? null,
    late: row.late,
    ...(row.trips ? { trips: row.trips } : {}),
    acknowledgement:
      row.is_acknowledged && row.acknowledged_at
        ? {
            by: row.acknowledged_by_link || (row.acknowledged_by ?? ''),
            ...(row.acknowledged_by_link === '' ? {} : { byLink: true }),
            at: row.acknowledged_at.toISOString(),
            reason: row.acknowledged_reason,
            cause: row.acknowledged_cause,
            correctiveAction: row.corrective_action,
          }
        : null,
    required: requiredFields(row.rule_of_policy, row.peak_level),
    mustSign: needsSignature([row.signature_of_policy, row.signature_of_organization], row.peak_level),
    fixed: row.fixed_at && { by: row.fixed_by ?? '', at: row.fixed_at.toISOString() },
    suppression: row.suppression,
    assignee: row.assignee_id === null ? null : { id: row.assignee_id, name: row.assignee ?? '' },
  };
}

export async function findAlarmsById(db: Db, ids: readonly number[]): Promise<AlarmView[]> {
  const { rows } = await db.query<AlarmViewRow>({
    name: 'alarms-by-id',
    text: `${SELECT} where a.id = any($1) order by a.id`,
    values: [ids],
  });
  return rows.map(toView);
}

export interface AlarmFilter {
  /** Organisation scope (platform/http/caller.ts). */
  scope: string;
  show: 'open' | 'unacknowledged' | 'all' | 'acknowledged';
  fixed: boolean | null;
  /** Account that the alarms are assigned to. */
  assignedTo: number | null;
  level: number | null;
  assetId: number | null;
  organizationId: number | null;
  search: string;
  /**
   * Names of channels in their stored form (a translation key), for those whose translation matches the
   * search.
   */
  systemNames: readonly string[];
}

const SHOWN = {
  open: 'a.ended_at is null',
  unacknowledged: 'not a.is_acknowledged',
  all: '(a.ended_at is null or not a.is_acknowledged)',
  acknowledged: "a.is_acknowledged and a.acknowledged_at > now() - interval '7 days'",
} as const;

const SORTED = {
  level: (order: string) => `a.level ${order}, a.ended_at is not null, a.since ${order}, a.id ${order}`,
  since: (order: string) => `a.since ${order}, a.id ${order}`,
  asset: (order: string) => `asset_name ${order}, a.id ${order}`,
} as const;

/**
 * Name of the channel if a person typed it. System names are stored as translation keys, which a search must
 * not match.
 */
export const TYPED_NAME = `case when c.name like '{name:%}' then null else c.name end`;

function where(filter: AlarmFilter): { text: string; values: unknown[] } {
  return {
    text: ` where o.path like $1 || '%' and ${SHOWN[filter.show]}
              and ($2::int is null or a.level = $2) and ($3::bigint is null or a.asset_id = $3)
              and ($4 = '' or strpos(lower(concat_ws(' ', s.name, s.code, s.place, d.number, ${TYPED_NAME})), lower($4)) > 0
                   or c.name = any($6::text[]))
              and ($5::bigint is null
                   or o.path like (select f.path from organization f where f.id = $5) || '%')
              and ($7::boolean is null or $7 = (a.fixed_at is not null))
              and ($8::bigint is null or a.assigned_to = $8)`,
    values: [
      filter.scope,
      filter.level,
      filter.assetId,
      filter.search,
      filter.organizationId,
      filter.systemNames,
      filter.fixed,
      filter.assignedTo,
    ],
  };
}

export async function listAlarmViews(
  db: Db,
  filter: AlarmFilter,
  sort: keyof typeof SORTED,
  order: 'asc' | 'desc',
  limit: number,
  offset: number,
): Promise<AlarmView[]> {
  const { text, values } = where(filter);
  const { rows } = await db.query<AlarmViewRow>(
    `${SELECT} ${text} order by ${SORTED[sort](order)} limit $9 offset $10`,
    [...values, limit, offset],
  );
  return rows.map(toView);
}

/** An alarm of the list with what its cause is recognised by. */
export interface CausedAlarmRow extends CausedAlarm {
  peakLevel: Alarm['level'];
  device: string;
  /** Number of the gateway that the device stands behind. */
  gateway: string | null;
  site: string;
  isAcknowledged: boolean;
  ruleOfPolicy: AcknowledgementRule | null;
}

/** The worst alarms that match the filter, `limit` at most, to group them by their causes. */
export async function listCausedAlarms(
  db: Db,
  filter: AlarmFilter,
  limit: number,
): Promise<CausedAlarmRow[]> {
  const { text, values } = where(filter);
  const { rows } = await db.query<CausedAlarmRow>(
    `select a.id::float8 as id, a.level, coalesce(a.peak_level, a.level) as "peakLevel", a.kind, c.indicator,
            d.id::float8 as "deviceId", d.number as device, d.gateway_id::float8 as "gatewayId", g.number as gateway,
            a.organization_id::float8 as "siteId", o.name as site, a.is_acknowledged as "isAcknowledged",
            (extract(epoch from a.raised_at) * 1000)::float8 as "raisedAt",
            exists (select from channel m where m.device_id = d.id and m.indicator = 'power' and m.retired_at is null) as "hasMains",
            p.definition -> 'acknowledgement' as "ruleOfPolicy" ${FROM}
       left join device g on g.id = d.gateway_id ${text}
      order by a.level desc, a.raised_at, a.id limit $9`,
    [...values, limit],
  );
  return rows;
}

export async function countAlarms(db: Db, filter: AlarmFilter): Promise<number> {
  const { text, values } = where(filter);
  const { rows } = await db.query<{ count: number }>(`select count(*) as count ${FROM} ${text}`, values);
  return (rows[0] as { count: number }).count;
}

export async function listAlarmViewsRecordedAfter(db: Db, scope: string, after: Date): Promise<AlarmView[]> {
  const { rows } = await db.query<AlarmViewRow>(
    `${SELECT} where o.path like $1 || '%' and a.recorded_at > $2 order by a.recorded_at desc limit 100`,
    [scope, after],
  );
  return rows.map(toView);
}

export async function listAlarmViewsOfAsset(db: Db, assetId: number, limit: number): Promise<AlarmView[]> {
  const { rows } = await db.query<AlarmViewRow>(
    `${SELECT} where a.asset_id = $1 order by a.ended_at is not null, a.raised_at desc limit $2`,
    [assetId, limit],
  );
  return rows.map(toView);
}
