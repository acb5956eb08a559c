import type { CarriedTrip } from '@isotherm/domain/waybills/trip-stage';
import type { TextId } from './text-id.ts';

/** Shipments with their legs, such as *W-2026-88213: in transit, leg 2*; '' without one. */
export function tripWords(
  trips: readonly CarriedTrip[],
  text: (id: TextId, values?: Record<string, string | number>) => string,
): string {
  return trips.map(({ number, stage, leg }) => text(`alarms.trip.${stage}`, { number, leg })).join(' · ');
}
