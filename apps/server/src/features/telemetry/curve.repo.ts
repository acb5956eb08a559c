import type { AlarmLevel } from '@isotherm/domain/alarms/alarm-level';
import { type AlarmKind, KIND_OF } from '@isotherm/domain/alarms/catalogue';
import type { Indicator } from '@isotherm/domain/readings/indicator';
import type { Db } from '../../platform/db/pool.ts';

export interface CurveChannelRow {
  id: number;
  name: string;
  indicator: Indicator;
  acquisition_interval_ms: number;
  low: number | null;
  high: number | null;
  corrected: boolean;
  /** From then on, readings are hidden. */
  expires_at: Date | null;
  calibration_ended_at: Date | null;
  device: string;
  serial: string;
  /** Devices whose readings belonged to this channel earlier. */
  past: { device: string; serial: string; until: string }[];
}

/**
 * SQL for the owner: the history of an asset belongs to the asset's organisation, even if the device was
 * moved elsewhere (decision 9).
 */
const OWNER = 'coalesce(a.organization_id, d.organization_id)';

/** SQL for the present limits of a channel `c`: the narrowest of its enabled rules, as `low` and `high`; null without one. */
export const PRESENT_LIMITS = `${presentLimit('below', 'max')} as low, ${presentLimit('above', 'min')} as high`;

function presentLimit(side: 'below' | 'above', narrowest: 'max' | 'min'): string {
  return `(select ${narrowest}(limit_value) from alarm_rule r where r.channel_id = c.id and r.kind = '${KIND_OF[side]}' and r.enabled)`;
}

/** Returns those of these channels that are in the caller's scope. */
export async function findCurveChannels(
  db: Db,
  scope: string,
  ids: readonly number[],
): Promise<CurveChannelRow[]> {
  const { rows } = await db.query<CurveChannelRow>(
    `select c.id, c.name, c.indicator, d.acquisition_interval_ms, d.expires_at,
            ${PRESENT_LIMITS},
            exists (select 1 from calibration_point p join calibration k on k.id = p.calibration_id
                     where p.channel_id = c.id and k.applied_from is not null) as corrected,
            (select (k.due_on + 1)::timestamp at time zone 'UTC' from calibration k
              where k.sensor_id = c.sensor_id and k.ended_at is null
              order by k.calibrated_on desc, k.id desc limit 1) as calibration_ended_at,
            d.number as device, s.serial,
            coalesce((select json_agg(json_build_object('device', bd.number, 'serial', coalesce(b.sensor_serial, bs.serial),
                                                        'until', b.valid_until) order by b.valid_until)
                        from binding b join device bd on bd.id = b.device_id join sensor bs on bs.id = b.sensor_id
                        cross join lateral (select n.sensor_id, n.sensor_serial from binding n
                                             where n.channel_id = c.id and n.valid_from >= b.valid_until
                                             order by n.valid_from limit 1) n
                       where b.channel_id = c.id and (n.sensor_id, coalesce(n.sensor_serial, s.serial))
                                                  <> (b.sensor_id, coalesce(b.sensor_serial, bs.serial))), '[]') as past
       from channel c
       join sensor s on s.id = c.sensor_id
       join device d on d.id = c.device_id
       left join asset a on a.id = c.asset_id
       join organization o on o.id = ${OWNER}
      where c.id = any($1) and o.path like $2 || '%'`,
    [ids, scope],
  );
  return rows;
}

export interface ExportChannelRow {
  id: number;
  name: string;
  indicator: Indicator;
  /** Number of the device. */
  device: string;
  code: string;
  asset: string;
}

/**
 * Returns those of these channels that are in the caller's scope, with their labels for a file, sorted by
 * asset, device and name.
 */
export async function findExportChannels(
  db: Db,
  scope: string,
  ids: readonly number[],
): Promise<ExportChannelRow[]> {
  const { rows } = await db.query<ExportChannelRow>(
    `select c.id, c.name, c.indicator, d.number as device, coalesce(a.code, '') as code,
            coalesce(a.name, '') as asset
       from channel c
       join device d on d.id = c.device_id
       left join asset a on a.id = c.asset_id
       join organization o on o.id = ${OWNER}
      where c.id = any($1) and o.path like $2 || '%'
      order by a.code, d.number, c.name, c.id`,
    [ids, scope],
  );
  return rows;
}

export interface SpanRow {
  id: number;
  channel_id: number;
  level: AlarmLevel;
  kind: AlarmKind;
  since: Date;
  raised_at: Date;
  ended_at: Date | null;
}

export async function listAlarmSpans(
  db: Db,
  channelIds: readonly number[],
  from: Date,
  to: Date,
): Promise<SpanRow[]> {
  const { rows } = await db.query<SpanRow>(
    `select id, channel_id, level, kind, since, raised_at, ended_at from alarm
      where channel_id = any($1) and since < $3 and coalesce(ended_at, 'infinity') > $2
      order by since limit 500`,
    [channelIds, from, to],
  );
  return rows;
}
