import { AppError } from '@isotherm/contracts/errors';
import { type EpcisDocument, getWaybillEpcis } from '@isotherm/contracts/waybill-epcis';
import { EPCIS_STEPS, type EpcisLeg, type EpcisStep, epcisEvents } from '@isotherm/domain/waybills/epcis';
import type pg from 'pg';
import type { Clock } from '../../../platform/clock.ts';
import type { Mount } from '../../../platform/http/mount.ts';
import { shownLegs } from '../waybills/trip-record.ts';
import { findWaybill, readTrip, type WaybillRow } from '../waybills/waybills.repo.ts';
import { measuredLeg, waybillUri } from './leg-events.ts';

export const EPCIS_CONTEXT = 'https://ref.gs1.org/standards/epcis/2.0.0/epcis-context.jsonld';
/** Origin of URIs if the address of the console is not known. */
export const NO_ORIGIN = 'http://localhost';
const isStep = (action: string): action is EpcisStep['action'] => action in EPCIS_STEPS;

/** Mounts the events of a waybill for other systems (GS1 EPCIS 2.0). */
export function mountWaybillEpcis(
  mount: Mount,
  { pool, clock, consoleUrl }: { pool: pg.Pool; clock: Clock; consoleUrl: string | null },
): void {
  const origin = consoleUrl ?? NO_ORIGIN;

  async function legsOf(
    { id, departedAt, endedAt }: WaybillRow,
    legs: Awaited<ReturnType<typeof readTrip>>['legs'],
    now: number,
  ): Promise<EpcisLeg[]> {
    if (departedAt === null) return [];
    const measured: EpcisLeg[] = [];
    for (const leg of shownLegs(legs, { departedAt, endedAt }, now))
      measured.push(await measuredLeg(pool, origin, id, leg));
    return measured;
  }

  mount(getWaybillEpcis, async ({ caller, params: { id }, query: { uom } }): Promise<EpcisDocument> => {
    const row = await findWaybill(pool, caller.scope, id);
    if (!row) throw new AppError('waybill.not_found');
    const now = clock.now();
    const { custody, legs } = await readTrip(pool, id);
    const shipment = {
      uri: waybillUri(origin, id),
      steps: custody.flatMap(({ id: entry, action, at }) =>
        isStep(action) ? [{ id: entry, action, at: at.getTime() }] : [],
      ),
      legs: await legsOf(row, legs, now),
      low: row.limits.temperatureLow,
      high: row.limits.temperatureHigh,
    };
    return {
      '@context': [EPCIS_CONTEXT],
      type: 'EPCISDocument',
      schemaVersion: '2.0',
      creationDate: new Date(now).toISOString(),
      epcisBody: { eventList: epcisEvents(shipment, uom) },
    };
  });
}
