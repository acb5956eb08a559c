import { AppError } from '@isotherm/contracts/errors';
import type { TourView, WaybillInput } from '@isotherm/contracts/waybills';
import { isSameTour, tourStops } from '@isotherm/domain/waybills/tour-stops';
import type { Db, Tx } from '../../../platform/db/pool.ts';
import type { WaybillRow } from '../waybills/waybills.repo.ts';
import { findTourAssets, listTour, lockTours } from './tours.repo.ts';

type Toured = Pick<WaybillInput, 'organizationId' | 'tour' | 'assetId'>;

/** Key of a tour in the maps of `findTourAssets`. */
export const tourKey = ({ organizationId, tour }: Pick<Toured, 'organizationId' | 'tour'>) =>
  `${organizationId} ${tour.toLowerCase()}`;

/** Throws `waybill.tour_asset` if the tour is on another vehicle. The tours of the organisation are locked until the transaction ends. */
export async function checkTour(tx: Tx, form: Toured, except: number | null): Promise<void> {
  if (form.tour === '') return;
  await lockTours(tx, [form.organizationId]);
  const planned = (await findTourAssets(tx, [form], except)).get(tourKey(form));
  if (planned && planned.id !== form.assetId)
    throw new AppError('waybill.tour_asset', { tour: form.tour, asset: planned.name });
}

/** True if one of these tours is on another vehicle than its form says. The tours are locked until the transaction ends. */
export async function isTourTaken(tx: Tx, forms: readonly Toured[]): Promise<boolean> {
  const toured = forms.filter(({ tour }) => tour !== '');
  if (toured.length === 0) return false;
  await lockTours(
    tx,
    toured.map(({ organizationId }) => organizationId),
  );
  const planned = await findTourAssets(tx, toured, null);
  return toured.some((form) => (planned.get(tourKey(form))?.id ?? form.assetId) !== form.assetId);
}

/**
 * Times by which waybills of a tour are recognised, because tour numbers are used again. A waybill that has not departed is
 * assumed to depart as planned, and one that was delivered before its planned departure counts as ended at that time.
 */
const timesOf = ({
  departedAt,
  plannedDepartureAt,
  endedAt,
}: Pick<WaybillRow, 'departedAt' | 'plannedDepartureAt' | 'endedAt'>) => ({
  departedAt: (departedAt ?? plannedDepartureAt).getTime(),
  endedAt: endedAt && Math.max(endedAt.getTime(), plannedDepartureAt.getTime()),
});

/** Returns the stops of the tour of a waybill in their order; null without a tour. */
export async function readTour(
  db: Db,
  row: Pick<WaybillRow, 'id' | 'organizationId' | 'tour' | 'departedAt' | 'plannedDepartureAt' | 'endedAt'>,
  driverId: number | null,
): Promise<TourView | null> {
  if (row.tour === '') return null;
  const waybills = (await listTour(db, row, driverId))
    .filter((each) => isSameTour(timesOf(each), timesOf(row)))
    .map((each) => ({ ...each, plannedAt: each.plannedDeliveryAt?.getTime() ?? null }));
  return {
    number: row.tour,
    stops: tourStops(waybills).map(({ waybill, is }) => ({
      id: waybill.id,
      number: waybill.number,
      stop: waybill.stop,
      is,
      state: waybill.state,
      assetName: waybill.assetName,
      consigneeUnit: waybill.consigneeUnit,
      consigneeAddress: waybill.consigneeAddress,
      plannedDeliveryAt: waybill.plannedDeliveryAt?.toISOString() ?? null,
      endedAt: waybill.endedAt?.toISOString() ?? null,
      isPart: waybill.isPart,
    })),
  };
}
