import { sliceSeries } from '@isotherm/domain/readings/series';
import type { EpcisLeg, EpcisMeasured } from '@isotherm/domain/waybills/epcis';
import type { Db } from '../../../platform/db/pool.ts';
import { type LegProbe, readLeg, type ShownLeg } from '../waybills/trip-record.ts';

/** URI of a waybill: the address of its page. Goods have no GS1 keys here. */
export const waybillUri = (origin: string, id: number): string => `${origin}/waybill/list/${id}`;

/** Reads what was measured on a leg of a waybill, as far as it is judged. `origin` is the address of the console. */
export async function measuredLeg(
  db: Db,
  origin: string,
  waybillId: number,
  leg: Pick<ShownLeg, 'position' | 'assetId' | 'from' | 'to' | 'until'>,
): Promise<EpcisLeg> {
  const { probes } = await readLeg(db, waybillId, leg);
  const at = `${origin}/asset/${leg.assetId}`;
  return {
    position: leg.position,
    to: leg.until ?? leg.to,
    hasEnded: leg.until !== null,
    measured: probes.flat().flatMap((probe) => measuredOf(probe, at)),
  };
}

/** Lowest, highest and mean reading of a channel on a leg; none without readings. */
function measuredOf({ channelId, part }: LegProbe[number], asset: string): EpcisMeasured[] {
  const { series, from, to } = part;
  const { value } = sliceSeries(series, from, to);
  if (value.length === 0) return [];
  let [min, max, sum] = [Infinity, -Infinity, 0];
  for (const each of value) {
    min = Math.min(min, each);
    max = Math.max(max, each);
    sum += each;
  }
  return [{ probe: `${asset}#channel-${channelId}`, from, to, min, max, mean: sum / value.length }];
}
