import { AppError } from '@isotherm/contracts/errors';
import { type EpcisDocument, getWaybillEpcis } from '@isotherm/contracts/waybill-epcis';
import { sliceSeries } from '@isotherm/domain/readings/series';
import { type EpcisMeasured, type EpcisStep, epcisEvents } from '@isotherm/domain/waybills/epcis';
import type { TripPart } from '@isotherm/domain/waybills/verdict';
import type pg from 'pg';
import type { Clock } from '../../../platform/clock.ts';
import type { Mount } from '../../../platform/http/mount.ts';
import { readJudgedTrip } from '../waybills/trip-record.ts';
import { findWaybill, readTrip } from '../waybills/waybills.repo.ts';

const CONTEXT = 'https://ref.gs1.org/standards/epcis/2.0.0/epcis-context.jsonld';
const STEPS: readonly string[] = ['depart', 'transship', 'deliver', 'reject'] satisfies EpcisStep['action'][];
const isStep = (action: string): action is EpcisStep['action'] => STEPS.includes(action);

/** Mounts the events of waybills for other systems (GS1 EPCIS 2.0). */
export function mountWaybillEpcis(
  mount: Mount,
  { pool, clock, consoleUrl }: { pool: pg.Pool; clock: Clock; consoleUrl: string | null },
): void {
  mount(getWaybillEpcis, async ({ caller, params: { id }, query: { uom } }): Promise<EpcisDocument> => {
    const row = await findWaybill(pool, caller.scope, id);
    if (!row) throw new AppError('waybill.not_found');
    const now = clock.now();
    const [{ custody }, trip] = await Promise.all([
      readTrip(pool, id),
      row.departedAt === null ? null : readJudgedTrip(pool, row, now),
    ]);
    const shipment = {
      // Goods have no GS1 keys here: the address of the waybill identifies them.
      uri: `${consoleUrl ?? 'http://localhost'}/waybill/list/${id}`,
      steps: custody.flatMap(({ id: entry, action, at }) =>
        isStep(action) ? [{ id: entry, action, at: at.getTime() }] : [],
      ),
      measured: (trip?.parts ?? []).flat().flatMap(measuredOf),
      low: row.limits.temperatureLow,
      high: row.limits.temperatureHigh,
    };
    return {
      '@context': [CONTEXT],
      type: 'EPCISDocument',
      schemaVersion: '2.0',
      creationDate: new Date(now).toISOString(),
      epcisBody: { eventList: epcisEvents(shipment, uom) },
    };
  });
}

/** Lowest, highest and mean reading of a probe on a leg; none without readings. */
function measuredOf({ series, from, to }: TripPart): EpcisMeasured[] {
  const { value } = sliceSeries(series, from, to);
  if (value.length === 0) return [];
  let [min, max, sum] = [Infinity, -Infinity, 0];
  for (const each of value) {
    min = Math.min(min, each);
    max = Math.max(max, each);
    sum += each;
  }
  return [{ from, to, min, max, mean: sum / value.length }];
}
