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
 * Of these channels those whose readings are corrected, with all the certificates that correct them. A certificate
 * speaks of the instrument, wherever it hangs: a sensor that goes on as a new measuring point is corrected as before.
 */
export async function listCalibrated(db: Db, channelIds: readonly number[]): Promise<CalibratedRow[]> {
  const { rows } = await db.query<CalibratedRow>({
    name: 'list-calibrated',
    text: `select channel_id, indicator, json_agg(json_build_object(
                    'validFrom', (extract(epoch from applied_from) * 1000)::float8,
                    'until', (extract(epoch from ended_at) * 1000)::float8, 'points', points)) as calibrations
             from (select ch.id as channel_id, ch.indicator, c.applied_from, c.ended_at,
                          json_agg(json_build_object('reference', p.reference, 'reading', p.reading)) as points
                     from channel ch
                     join calibration c on c.sensor_id = ch.sensor_id
                     join calibration_point p on p.calibration_id = c.id
                     join channel said on said.id = p.channel_id and said.indicator = ch.indicator
                    where ch.id = any($1::int4[]) and c.applied_from is not null
                    group by ch.id, c.id) own
            group by channel_id, indicator`,
    values: [int4Array(channelIds)],
  });
  return rows;
}
