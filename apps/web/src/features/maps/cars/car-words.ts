import type { Car } from '@isotherm/contracts/car-screens';
import type { MapMark } from '@isotherm/contracts/maps';
import type { Text } from '../../../shared/i18n/use-text.ts';
import { isMoving, isStale, whereText } from '../mark-words.ts';

/** True for a vehicle that can be drawn on the map. */
export const isPlaced = (car: Car): car is MapMark => car.at !== null;

/** Where the vehicle is and how it moves; a vehicle without a position says so. */
export const carWhere = (car: Car, now: number, text: Text): string =>
  isPlaced(car) ? whereText(car, now, text) : text('maps.cars.no-position');

export const carMoves = (car: Car, now: number): boolean => isPlaced(car) && isMoving(car, now);

/** True if nobody knows where the vehicle is now. */
export const isCarStale = (car: Car, now: number): boolean => !isPlaced(car) || isStale(car, now);

/** The vehicle that a rotation shows after this one, in a fixed order; the first one if it is gone. */
export function nextCar(cars: readonly Car[], currentId: number | null, step: 1 | -1): number | null {
  const ids = cars.map(({ id }) => id);
  if (ids.length === 0) return null;
  const index = currentId === null ? -1 : ids.indexOf(currentId);
  if (index < 0) return ids[0] as number;
  return ids[(index + step + ids.length) % ids.length] as number;
}
