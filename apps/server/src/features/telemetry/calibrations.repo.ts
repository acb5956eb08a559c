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
 * Of these channels those whose readings are corrected, with all the certificates that correct them: each from its day
 * on, and never before its instrument measured there.
 */
export async function listCalibrated(db: Db, channelIds: readonly number[]): Promise<CalibratedRow[]> {
  const { rows } = await db.query<CalibratedRow>({
    name: 'list-calibrated',
    text: `select channel_id, indicator, json_agg(json_build_object(
                    'validFrom', (extract(epoch from applied_from) * 1000)::float8,
                    'until', (extract(epoch from ended_at) * 1000)::float8, 'points', points)) as calibrations
             from (select p.channel_id, ch.indicator, c.ended_at,
                          greatest(c.applied_from,
                                   (select max(s.ended_at) from channel_source s
                                     where s.channel_id = p.channel_id
                                       and s.ended_at < coalesce(c.ended_at, 'infinity'))) as applied_from,
                          json_agg(json_build_object('reference', p.reference, 'reading', p.reading)) as points
                     from calibration_point p
                     join calibration c on c.id = p.calibration_id
                     join channel ch on ch.id = p.channel_id
                    where p.channel_id = any($1::int4[]) and c.applied_from is not null
                    group by p.channel_id, ch.indicator, c.id) own
            group by channel_id, indicator`,
    values: [int4Array(channelIds)],
  });
  return rows;
}
