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

export function calibrationQuery(id: number) {
  return queryOptions({
    queryKey: [...CALIBRATIONS_KEY, 'one', id],
    // Not quiet: a link to a certificate that is gone says so.
    queryFn: ({ signal }) => call(getCalibration, { params: { id }, signal }),
    // A form begins with what stands now, never with what was read before somebody changed it.
    gcTime: 0,
  });
}

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
