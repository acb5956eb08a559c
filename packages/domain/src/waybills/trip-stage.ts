/**
 * Where a shipment was at a time: at its origin in the two hours before the departure, in transit, or at its destination in the two
 * hours after the end. A shipment that has not departed is at its origin from two hours before the planned departure until a day after
 * it. The function `trip_stages` of the database decides it.
 */
export const TRIP_STAGES = ['origin', 'in-transit', 'destination'] as const;
export type TripStage = (typeof TRIP_STAGES)[number];

/** A shipment that an asset carries, and on which leg. */
export interface CarriedTrip {
  waybillId: number;
  number: string;
  stage: TripStage;
  /** Number of the leg, from 1. */
  leg: number;
}
