import { CARS_EVERY_MS, listCarScreens, listCars } from '@isotherm/contracts/car-screens';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { call } from '../../../shared/api/client.ts';

/** Vehicles with their state and last position, read again while the page is visible. */
export const carsQuery = () =>
  queryOptions({
    queryKey: ['maps', 'cars'],
    queryFn: ({ signal }) => call(listCars, { signal, quiet: true }),
    placeholderData: keepPreviousData,
    refetchInterval: CARS_EVERY_MS,
  });

export const CAR_SCREENS_KEY = ['maps', 'car-screens'] as const;

/** Full screens whose public links still work. */
export const carScreensQuery = () =>
  queryOptions({
    queryKey: CAR_SCREENS_KEY,
    queryFn: ({ signal }) => call(listCarScreens, { signal, quiet: true }),
  });
