import {
  countCalibrations,
  createCalibration,
  deleteCalibration,
  editCalibration,
  findCalibratedSensors,
  getCalibration,
} from '@isotherm/contracts/calibrations';
import type { BodyOf } from '@isotherm/contracts/route';
import { queryOptions, useQueryClient } from '@tanstack/react-query';
import { call } from '../../../shared/api/client.ts';

export const CALIBRATIONS_KEY = ['devices', 'calibrations'] as const;

/** Not quiet: a link to one that is gone says so. */
export const loadCalibration = (id: number, signal: AbortSignal) =>
  call(getCalibration, { params: { id }, signal });

export const calibrationCountsQuery = queryOptions({
  queryKey: [...CALIBRATIONS_KEY, 'counts'],
  queryFn: ({ signal }) => call(countCalibrations, { signal, quiet: true }),
});

export const searchSensors = (search: string) =>
  call(findCalibratedSensors, { query: { search }, quiet: true });

/** What can be done to certificates. Who calls words the failure. */
export function useCalibrationChanges() {
  const queries = useQueryClient();
  const after = async <T>(answer: Promise<T>): Promise<T> => {
    const done = await answer;
    void queries.invalidateQueries({ queryKey: CALIBRATIONS_KEY });
    return done;
  };
  return {
    create: (body: BodyOf<typeof createCalibration>) => after(call(createCalibration, { body, quiet: true })),
    edit: (id: number, body: BodyOf<typeof editCalibration>) =>
      after(call(editCalibration, { params: { id }, body, quiet: true })),
    remove: (id: number, reason: string) =>
      after(call(deleteCalibration, { params: { id }, body: { reason }, quiet: true })),
  };
}
