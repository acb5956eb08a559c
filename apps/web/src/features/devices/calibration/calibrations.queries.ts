import {
  countCalibrations,
  createCalibration,
  deleteCalibration,
  editCalibration,
  findCalibratedSensors,
  getCalibration,
} from '@isotherm/contracts/calibrations';
import { queryOptions } from '@tanstack/react-query';
import { call } from '../../../shared/api/client.ts';
import { crudChanges } from '../../../shared/api/crud-changes.ts';

export const CALIBRATIONS_KEY = ['devices', 'calibrations'] as const;

/**
 * Errors are shown as a toast (the call is not `quiet`), so that a link to a deleted certificate explains
 * the failure.
 */
export const loadCalibration = (id: number, signal: AbortSignal) =>
  call(getCalibration, { params: { id }, signal });

export const calibrationCountsQuery = queryOptions({
  queryKey: [...CALIBRATIONS_KEY, 'counts'],
  queryFn: ({ signal }) => call(countCalibrations, { signal, quiet: true }),
});

export const searchSensors = (search: string) =>
  call(findCalibratedSensors, { query: { search }, quiet: true });

/** Mutations of certificates. The caller shows failures. */
export const useCalibrationChanges = crudChanges(CALIBRATIONS_KEY, {
  create: createCalibration,
  edit: editCalibration,
  remove: deleteCalibration,
});
