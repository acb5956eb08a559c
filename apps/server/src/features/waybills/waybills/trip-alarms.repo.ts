import type { AlarmReason } from '@isotherm/domain/alarms/acknowledgement';
import type { AlarmLevel } from '@isotherm/domain/alarms/alarm-level';
import { EXCURSION_KINDS } from '@isotherm/domain/alarms/catalogue';
import type { Db } from '../../../platform/db/pool.ts';

export interface TripAlarm {
  id: number;
  assetId: number;
  level: AlarmLevel;
  since: Date;
  endedAt: Date | null;
  acknowledgedBy: string | null;
  acknowledgedAt: Date | null;
  reason: AlarmReason | null;
  cause: string;
  correctiveAction: string;
}

/** Alarms about temperatures of assets outside their limits that overlap a period, the most severe first. */
export async function listTripAlarms(
  db: Db,
  assetIds: readonly number[],
  from: Date,
  to: Date,
): Promise<TripAlarm[]> {
  const { rows } = await db.query<TripAlarm>(
    `select a.id, a.asset_id as "assetId", coalesce(a.peak_level, a.level) as level, a.since, a.ended_at as "endedAt",
            coalesce(nullif(a.acknowledged_by_link, ''), h.realname) as "acknowledgedBy",
            a.acknowledged_at as "acknowledgedAt", a.acknowledged_reason as reason, a.acknowledged_cause as cause,
            a.corrective_action as "correctiveAction"
       from alarm a join channel c on c.id = a.channel_id left join account h on h.id = a.acknowledged_by
      where a.asset_id = any($1::bigint[]) and c.indicator = 'temperature' and a.kind = any($4)
        and a.since < $3 and coalesce(a.ended_at, 'infinity') > $2
      order by level desc, a.since, a.id limit 500`,
    [assetIds, from, to, EXCURSION_KINDS],
  );
  return rows;
}
