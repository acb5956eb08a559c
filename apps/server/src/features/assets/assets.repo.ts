import type { AlarmLevel } from '@isotherm/domain/alarms/alarm-level';
import type { AlarmState } from '@isotherm/domain/alarms/alarm-machine';
import {
  type AlarmKind,
  type AlarmSubject,
  KIND_OF,
  type LimitKind,
} from '@isotherm/domain/alarms/catalogue';
import type { AssetKind } from '@isotherm/domain/assets/asset-kind';
import { type AssetStatus, OUT_OF_SERVICE } from '@isotherm/domain/assets/asset-status';
import type { Indicator } from '@isotherm/domain/readings/indicator';
import type { Db } from '../../platform/db/pool.ts';

export interface AssetRow {
  id: number;
  kind: AssetKind;
  name: string;
  code: string;
  model: string;
  place: string;
  status: AssetStatus;
  time_zone: string;
  latitude: number | null;
  longitude: number | null;
  organization_id: number;
  organization_name: string;
  organization_path: string;
}

const SELECT_ASSET = `
  select a.id, a.kind, a.name, a.code, a.model, a.place, a.status, a.time_zone, a.latitude, a.longitude, a.organization_id,
         o.name as organization_name, o.path as organization_path
    from asset a join organization o on o.id = a.organization_id`;

/** Lists the assets in service, which the monitor page shows; other assets hold no goods. */
export async function listAssets(db: Db, scope: string): Promise<AssetRow[]> {
  const { rows } = await db.query<AssetRow>(
    `${SELECT_ASSET} where a.deleted_at is null and a.status <> all($2) and o.path like $1 || '%'`,
    [scope, OUT_OF_SERVICE],
  );
  return rows;
}

export async function findAssets(db: Db, ids: readonly number[]): Promise<AssetRow[]> {
  const { rows } = await db.query<AssetRow>(`${SELECT_ASSET} where a.id = any($1) and a.deleted_at is null`, [
    ids,
  ]);
  return rows;
}

export interface ChannelRow {
  asset_id: number;
  channel_id: number;
  name: string;
  indicator: Indicator;
  sensor_index: number;
  sensor_serial: string;
  device_id: number;
  acquisition_interval_ms: number;
  upload_interval_ms: number;
  /** Expiry of the device, if it has expired. */
  expired_at: Date | null;
  /** Newest reading; null if it was measured after the expiry of the device (decision 33). */
  value: number | null;
  measured_at: Date | null;
  /** Tightest limits of the alarm rules in force. */
  low: number | null;
  high: number | null;
}

export async function listChannels(db: Db, assetIds: readonly number[], now: number): Promise<ChannelRow[]> {
  const { rows } = await db.query<ChannelRow>({
    name: 'asset-channels',
    text: `select c.asset_id, c.id as channel_id, c.name, c.indicator, s.index as sensor_index,
                  s.serial as sensor_serial, c.device_id, d.acquisition_interval_ms,
                  d.upload_interval_ms, case when d.expires_at <= $2 then d.expires_at end as expired_at,
                  l.value, l.measured_at, r.low, r.high
             from channel c
             join sensor s on s.id = c.sensor_id
             join device d on d.id = c.device_id
             left join channel_latest l
               on l.channel_id = c.id and l.measured_at < coalesce(d.expires_at, 'infinity')
             left join lateral (
               select max(limit_value) filter (where kind = '${KIND_OF.below}') as low,
                      min(limit_value) filter (where kind = '${KIND_OF.above}') as high
                 from alarm_rule where channel_id = c.id and enabled) r on true
            where c.asset_id = any($1) and c.retired_at is null and d.deleted_at is null
            order by c.asset_id, s.index, c.id`,
    values: [assetIds, new Date(now)],
  });
  return rows;
}

/** An alarm that needs attention (decision 22). */
export interface AttentionRow {
  asset_id: number;
  alarm_id: number;
  subject: AlarmSubject;
  channel_id: number;
  device_id: number;
  /** Level of the alarm; for an ended alarm, the highest level that it reached. */
  level: AlarmLevel;
  kind: AlarmKind;
  state: 'active' | 'recovering' | 'ended';
  indicator: Indicator;
  since: Date;
  ended_at: Date | null;
  /** First limit that was exceeded in the excursion. */
  limit_value: number | null;
  peak_value: number | null;
  acknowledged_by: string | null;
  /**
   * Number of alarms that this row represents: of the ended alarms of a channel, only the worst is listed.
   */
  alarm_count: number;
}

/** Lists alarms that need attention, worst first, open ones before ended ones. */
export async function listAttention(db: Db, assetIds: readonly number[]): Promise<AttentionRow[]> {
  const { rows } = await db.query<AttentionRow>({
    name: 'asset-attention',
    text: `with open as (
             select a.*, 1 as alarm_count from alarm a where a.asset_id = any($1) and a.ended_at is null
           ), ended as (
             select distinct on (a.asset_id, a.channel_id) a.*,
                    count(*) over (partition by a.asset_id, a.channel_id) as alarm_count
               from alarm a
              where a.asset_id = any($1) and a.ended_at is not null and not a.is_acknowledged
              order by a.asset_id, a.channel_id, coalesce(a.peak_level, a.level) desc, a.ended_at desc
           )
           select a.asset_id, a.id as alarm_id, a.subject, a.channel_id, c.device_id,
                  case when a.ended_at is null then a.level else coalesce(a.peak_level, a.level) end as level,
                  a.kind, a.state, c.indicator, a.since, a.ended_at,
                  case a.kind when '${KIND_OF.above}' then least(a.limit_value, e.lowest)
                              when '${KIND_OF.below}' then greatest(a.limit_value, e.highest) end as limit_value,
                  a.peak_value, coalesce(h.realname, case when a.is_acknowledged then nullif(a.acknowledged_by_link, '') end) as acknowledged_by, a.alarm_count
             from (select * from open union all select * from ended) a
             join channel c on c.id = a.channel_id
             left join account h on h.id = a.acknowledged_by and a.is_acknowledged
             left join lateral (select min(limit_value) as lowest, max(limit_value) as highest
                                  from alarm_event where alarm_id = a.id) e on true
            order by a.ended_at is not null, level desc, a.since, a.id`,
    values: [assetIds],
  });
  return rows;
}

export interface PendingRow {
  asset_id: number;
  channel_id: number;
  level: AlarmLevel;
  kind: LimitKind;
  indicator: Indicator;
  limit_value: number | null;
  trigger_after_ms: number;
  state: AlarmState & { phase: 'pending' };
}

export async function listPending(db: Db, assetIds: readonly number[]): Promise<PendingRow[]> {
  const { rows } = await db.query<PendingRow>({
    name: 'asset-pending',
    text: `select c.asset_id, c.id as channel_id, r.level, r.kind, c.indicator, r.limit_value, r.trigger_after_ms,
                  s.state
             from alarm_state s
             join alarm_rule r on r.id = s.rule_id
             join channel c on c.id = s.channel_id
            where c.asset_id = any($1) and s.phase = 'pending'
            order by r.level desc`,
    values: [assetIds],
  });
  return rows;
}

export interface DeviceRow {
  id: number;
  number: string;
  name: string;
  model: string;
  acquisition_interval_ms: number;
  expires_at: Date | null;
  latitude: number | null;
  longitude: number | null;
  speed_kmh: number | null;
  position_at: Date | null;
}

export async function listDevices(db: Db, assetId: number): Promise<DeviceRow[]> {
  const { rows } = await db.query<DeviceRow>(
    `select d.id, d.number, d.name, d.model, d.acquisition_interval_ms, d.expires_at, p.latitude, p.longitude, p.speed_kmh,
            p.measured_at as position_at
       from device d
       left join lateral (
         select * from (
           (select latitude, longitude, speed_kmh, measured_at from position
             where device_id = d.id and measured_at < coalesce(d.expires_at, 'infinity') order by measured_at desc limit 1)
           union all
           (select last_latitude, last_longitude, last_speed_kmh, last_at from sealed_track
             where device_id = d.id and last_at < coalesce(d.expires_at, 'infinity') order by day desc limit 1)
         ) known order by measured_at desc limit 1
       ) p on true
      where d.asset_id = $1 and d.deleted_at is null order by d.number`,
    [assetId],
  );
  return rows;
}

export interface RuleRow {
  id: number;
  channel_id: number;
  kind: AlarmKind;
  level: AlarmLevel;
  limit_value: number | null;
  recovery_margin: number | null;
  trigger_after_ms: number;
  /** Null for a rule that was created with the registration of the device. */
  policy_id: number | null;
  policy_name: string | null;
}

export async function listRules(db: Db, channelIds: readonly number[]): Promise<RuleRow[]> {
  const { rows } = await db.query<RuleRow>(
    `select r.id, r.channel_id, r.kind, r.level, r.limit_value, r.recovery_margin, r.trigger_after_ms,
            p.id as policy_id, p.name as policy_name
       from alarm_rule r
       left join alarm_policy_rule pr on pr.id = r.policy_rule_id
       left join alarm_policy p on p.id = pr.policy_id
      where r.channel_id = any($1) and r.enabled order by r.level desc, r.kind`,
    [channelIds],
  );
  return rows;
}
