import type { Series } from '@isotherm/domain/readings/series';
import { sliceSeries } from '@isotherm/domain/readings/series';
import { int4Array } from '../../platform/db/binary-array.ts';
import type { Db } from '../../platform/db/pool.ts';

/**
 * Readings measured after the expiry of their device are stored, but hidden from people until it is renewed (decision
 * 33). By channel: the time from which readings are hidden, epoch ms.
 */
export type HiddenFrom = ReadonlyMap<number, number>;

/** Returns the channels with readings before `to` (epoch ms) that may be hidden. */
export async function listHidden(db: Db, channelIds: readonly number[], to: number): Promise<HiddenFrom> {
  const { rows } = await db.query<[number, number]>({
    name: 'hidden-readings',
    text: `select c.id, (extract(epoch from d.expires_at) * 1000)::float8
             from channel c join device d on d.id = c.device_id
            where c.id = any($1::int4[]) and d.expires_at < $2`,
    values: [int4Array(channelIds), new Date(to)],
    rowMode: 'array',
  } as never);
  return new Map(rows);
}

/** Removes hidden readings. */
export function withoutHidden(series: Map<number, Series>, hidden: HiddenFrom): Map<number, Series> {
  for (const [channelId, from] of hidden) {
    const own = series.get(channelId);
    if (own) series.set(channelId, sliceSeries(own, Number.NEGATIVE_INFINITY, from));
  }
  return series;
}
