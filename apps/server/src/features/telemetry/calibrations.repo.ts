import type { Calibration } from '@isotherm/domain/devices/calibration';
import type { Indicator } from '@isotherm/domain/readings/indicator';
import { int4Array } from '../../platform/db/binary-array.ts';
import type { Db } from '../../platform/db/pool.ts';

export interface CalibratedRow {
  channel_id: number;
  indicator: Indicator;
  calibrations: Calibration[];
}

/**
 * Lists those of these channels that are corrected, with all their certificates: each applies from its date
 * on, and only while its sensor measured there (decision 23).
 */
export async function listCalibrated(db: Db, channelIds: readonly number[]): Promise<CalibratedRow[]> {
  const { rows } = await db.query<CalibratedRow>({
    name: 'list-calibrated',
    text: `select channel_id, indicator, json_agg(json_build_object(
                    'validFrom', (extract(epoch from valid_from) * 1000)::float8,
                    'until', (extract(epoch from nullif(valid_until, 'infinity')) * 1000)::float8, 'points', points)
                    order by calibration_id) as calibrations
             from (select p.channel_id, b.indicator, c.id as calibration_id,
                          greatest(c.applied_from, b.valid_from) as valid_from,
                          least(c.ended_at, b.valid_until) as valid_until,
                          json_agg(json_build_object('reference', p.reference, 'reading', p.reading)) as points
                     from calibration_point p
                     join calibration c on c.id = p.calibration_id
                     join binding b on b.channel_id = p.channel_id and b.sensor_id = c.sensor_id
                    where p.channel_id = any($1::int4[]) and c.applied_from is not null
                      and greatest(c.applied_from, b.valid_from) < least(c.ended_at, b.valid_until)
                    group by p.channel_id, c.id, b.id) own
            group by channel_id, indicator`,
    values: [int4Array(channelIds)],
  });
  return rows;
}
