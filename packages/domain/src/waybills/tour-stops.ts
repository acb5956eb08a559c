import type { WaybillState } from './waybill.ts';

/** Largest number of a stop. */
export const MOST_STOPS = 99;

/** A waybill of a tour: several waybills on one vehicle, delivered one after the other. */
export interface TourWaybill {
  id: number;
  /** Number of the stop at which it is delivered; null: after all others. Waybills with the same number are one stop. */
  stop: number | null;
  /** Planned delivery, epoch ms. */
  plannedAt: number | null;
  state: WaybillState;
}

/** A stop is next if it is the first one with a waybill that has not ended. */
export const STOP_STATES = ['done', 'next', 'later'] as const;
export type StopState = (typeof STOP_STATES)[number];

const isOpen = ({ state }: Pick<TourWaybill, 'state'>) => state === 'not-shipped' || state === 'in-transport';
const placeOf = ({ stop }: Pick<TourWaybill, 'stop'>) => stop ?? Number.POSITIVE_INFINITY;

/** Returns the waybills of a tour in the order of their stops, each with the state of its delivery. */
export function tourStops<T extends TourWaybill>(waybills: readonly T[]): { waybill: T; is: StopState }[] {
  const inOrder = [...waybills].sort((a, b) => byStop(a, b) || a.id - b.id);
  // Defined if any waybill is open.
  const next = inOrder.find(isOpen);
  return inOrder.map((waybill) => ({
    waybill,
    is: !isOpen(waybill) ? 'done' : isSameStop(waybill, next as T) ? 'next' : 'later',
  }));
}

/** Returns the waybills of earlier stops, in their order. */
export function stopsBefore<T extends TourWaybill>(waybills: readonly T[], id: number): T[] {
  const own = waybills.find((each) => each.id === id);
  if (!own) return [];
  return tourStops(waybills).flatMap(({ waybill }) =>
    !isSameStop(waybill, own) && byStop(waybill, own) < 0 ? [waybill] : [],
  );
}

/** When a waybill departed and ended, epoch ms; null: not yet. */
interface TripTimes {
  departedAt: number | null;
  endedAt: number | null;
}

/** One that has not departed departs from now on. */
const departsBeforeEnd = (a: TripTimes, b: TripTimes): boolean =>
  b.endedAt === null || (a.departedAt !== null && a.departedAt <= b.endedAt);

/**
 * True if neither of two waybills with the same number of a tour had ended when the other one departed. Numbers of tours are used
 * again, each week for example: waybills of an earlier time are of another tour.
 */
export const isSameTour = (a: TripTimes, b: TripTimes): boolean =>
  departsBeforeEnd(a, b) && departsBeforeEnd(b, a);

/** Returns the waybills that should be delivered before this one and are not. */
export const openBefore = <T extends TourWaybill>(waybills: readonly T[], id: number): T[] =>
  stopsBefore(waybills, id).filter(isOpen);

/** Without a number, each waybill is a stop of its own. */
const isSameStop = (a: TourWaybill, b: TourWaybill) =>
  a.id === b.id || (a.stop !== null && a.stop === b.stop);

function byStop(a: TourWaybill, b: TourWaybill): number {
  if (placeOf(a) !== placeOf(b)) return placeOf(a) < placeOf(b) ? -1 : 1;
  if (a.stop !== null || a.plannedAt === b.plannedAt) return 0;
  return (a.plannedAt ?? Number.POSITIVE_INFINITY) < (b.plannedAt ?? Number.POSITIVE_INFINITY) ? -1 : 1;
}
